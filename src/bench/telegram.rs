//! A Bot API that takes every call and tells the person whom it is for.

use std::borrow::Cow;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use axum::Router;
use axum::extract::State;
use axum::http::{Uri, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The id of the first person; the others follow.
const FIRST: i64 = 700_000_000;

/// A Bot API that takes every call. It ends with this value.
#[derive(Debug)]
pub struct Telegram {
    /// Where it is to be reached.
    pub address: SocketAddr,
    _stop: DropGuard,
}

/// Somebody who is written to.
#[derive(Debug)]
pub struct Ear {
    /// The person, and their chat.
    pub id: i64,
    heard: mpsc::UnboundedReceiver<Heard>,
}

/// Something that was said to a person.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// The message.
    pub message: i64,
    /// What it says.
    pub text: String,
    /// When; nothing: never.
    pub at: Option<Instant>,
    buttons: Vec<(String, String)>,
}

/// What the calls go to.
struct Desk {
    ears: Vec<mpsc::UnboundedSender<Heard>>,
    messages: AtomicI64,
}

impl Telegram {
    /// Starts it, with so many people.
    pub fn start(listener: TcpListener, people: usize) -> io::Result<(Self, Vec<Ear>)> {
        let address = listener.local_addr()?;
        let (ears, heard): (Vec<_>, Vec<_>) =
            (0..people).map(|_| mpsc::unbounded_channel()).unzip();
        let desk = Arc::new(Desk {
            ears,
            messages: AtomicI64::new(1),
        });
        let routes = Router::new().fallback(answer).with_state(desk);
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            let serve = axum::serve(listener, routes);
            tokio::select! { _ = async { serve.await } => {}, () = stopped => {} }
        });
        let people = (FIRST..).zip(heard).map(|(id, heard)| Ear { id, heard });
        let telegram = Self {
            address,
            _stop: stop.drop_guard(),
        };
        Ok((telegram, people.collect()))
    }
}

impl Ear {
    /// Forgets what was said until now.
    pub fn clear(&mut self) {
        while self.heard.try_recv().is_ok() {}
    }

    /// Waits until something is said that holds these words.
    pub async fn hears(&mut self, words: &str) -> Heard {
        loop {
            match self.heard.recv().await {
                Some(heard) if heard.text.contains(words) => return heard,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

impl Heard {
    /// What the button of this label brings.
    pub fn button(&self, label: &str) -> Option<&str> {
        let mut buttons = self.buttons.iter();
        let found = buttons.find(|(shown, _)| shown == label);
        found.map(|(_, data)| data.as_str())
    }
}

/// As much of a call as matters here.
#[derive(Deserialize)]
struct Call<'a> {
    chat_id: i64,
    #[serde(borrow, alias = "caption")]
    text: Option<Cow<'a, str>>,
    reply_markup: Option<Markup>,
    media: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct Markup {
    #[serde(default)]
    inline_keyboard: Vec<Vec<Button>>,
}

#[derive(Deserialize)]
struct Button {
    text: String,
    callback_data: Option<String>,
}

async fn answer(State(desk): State<Arc<Desk>>, uri: Uri, body: Bytes) -> impl IntoResponse {
    let method = uri.path().rsplit('/').next().unwrap_or_default();
    let result = match method.to_ascii_lowercase().as_str() {
        "getme" => {
            json!({ "id": 1, "is_bot": true, "first_name": "Bench", "username": "bench_bot" })
        }
        "getwebhookinfo" => {
            json!({ "url": "", "has_custom_certificate": false, "pending_update_count": 0 })
        }
        "getmycommands" => json!([]),
        "sendmessage" | "sendphoto" | "sendmediagroup" | "editmessagetext" => desk.tell(&body),
        _ => json!(true),
    };
    let answer = json!({ "ok": true, "result": result }).to_string();
    ([(header::CONTENT_TYPE, "application/json")], answer)
}

impl Desk {
    /// Tells whom a message is for, and answers the message, or the messages of an album.
    fn tell(&self, body: &[u8]) -> Value {
        let Ok(call) = serde_json::from_slice::<Call<'_>>(body) else {
            return json!(true);
        };
        let album = call.media.as_ref().map(Vec::len);
        let message = self
            .messages
            .fetch_add(album.unwrap_or(1) as i64, Ordering::Relaxed);
        let sent = |message: i64| {
            json!({ "message_id": message, "date": 1_760_000_000, "chat": { "id": call.chat_id, "first_name": "Anna", "type": "private" },
                "from": { "id": 1, "is_bot": true, "first_name": "Bench", "username": "bench_bot" }, "text": "Taken." })
        };
        let answer = match album {
            None => sent(message),
            Some(parts) => (message..).take(parts).map(sent).collect(),
        };
        let ear = usize::try_from(call.chat_id - FIRST).ok();
        if let Some(ear) = ear.and_then(|ear| self.ears.get(ear)) {
            // Somebody who has left hears nothing.
            let _ = ear.send(call.heard(message));
        }
        answer
    }
}

impl Call<'_> {
    fn heard(self, message: i64) -> Heard {
        let rows = self.reply_markup.map(|markup| markup.inline_keyboard);
        let buttons = rows.into_iter().flatten().flatten();
        let buttons = buttons.filter_map(|button| Some((button.text, button.callback_data?)));
        Heard {
            message,
            text: self.text.unwrap_or_default().into_owned(),
            at: Some(Instant::now()),
            buttons: buttons.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_heard_with_its_text_and_its_buttons() {
        let body = r#"{"chat_id":700000000,"text":"What \"now\"?","reply_markup":{"inline_keyboard":[[
            {"text":"No caption","callback_data":"c:1"},{"text":"A site","url":"https://example.org"}]]}}"#;
        let call: Call<'_> = serde_json::from_str(body).unwrap();
        let heard = call.heard(5);
        assert_eq!((heard.message, heard.text.as_str()), (5, "What \"now\"?"));
        assert_eq!(heard.button("No caption"), Some("c:1"));
        assert_eq!(heard.button("A site"), None);
    }
}
