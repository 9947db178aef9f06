//! A Bot API on the loopback that records every call, in the order in which they came.
//!
//! It runs in a thread of its own, so that whatever a test waits for, it answers. What it answers can be told in advance.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::patience::until;

/// The bot that all tests are.
pub(crate) const TOKEN: &str = "7000001:AAH3canary-token_0123456789abcdefgh";

/// A recording Bot API; it ends with this value.
#[derive(Debug)]
pub(crate) struct BotApi {
    address: SocketAddr,
    desk: Arc<Desk>,
    stop: CancellationToken,
}

/// A call as it came.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// In lower case, such as `sendmessage`: Telegram takes it in any.
    pub(crate) method: String,
    /// Its parameters.
    pub(crate) params: Value,
    /// When it came.
    pub(crate) at: Instant,
    /// What was answered.
    pub(crate) reply: Reply,
}

/// What a call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    /// That it is done.
    Ok,
    /// That it is done, after a while.
    Slow(Duration),
    /// Too many: come again after these seconds.
    TooMany(u64),
    /// An error with this status.
    Fail(u16),
    /// That the person has blocked the bot.
    Blocked,
    /// Nothing at all, although it is done.
    Hang,
}

/// Decides what a call is answered.
type Rule = Box<dyn Fn(&Call) -> Reply + Send>;

#[derive(Default)]
struct Book {
    calls: Vec<Call>,
    /// What the next calls are answered.
    planned: VecDeque<Reply>,
    /// What all others are answered; nothing: that they are done.
    rule: Option<Rule>,
    /// The last message of each chat.
    messages: HashMap<i64, i64>,
}

#[derive(Default)]
struct Desk(Mutex<Book>);

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Desk(…)")
    }
}

impl Call {
    /// The chat it is for.
    pub(crate) fn chat(&self) -> i64 {
        self.params["chat_id"].as_i64().unwrap_or_default()
    }

    /// What it says.
    pub(crate) fn text(&self) -> &str {
        self.params["text"].as_str().unwrap_or_default()
    }

    /// What the button with this label carries.
    pub(crate) fn button(&self, label: &str) -> String {
        let rows = self.params["reply_markup"]["inline_keyboard"].as_array();
        let mut buttons = rows
            .into_iter()
            .flatten()
            .flat_map(|row| row.as_array().into_iter().flatten());
        let found = buttons.find(|button| button["text"] == label);
        let found = found.unwrap_or_else(|| panic!("no button `{label}` in {}", self.params));
        found["callback_data"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether the person has it.
    fn arrived(&self) -> bool {
        matches!(self.reply, Reply::Ok | Reply::Slow(_) | Reply::Hang)
    }
}

impl BotApi {
    /// Begins to listen.
    pub(crate) fn start() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("its address");
        let (desk, stop) = (Arc::new(Desk::default()), CancellationToken::new());
        let served = serve(listener, Arc::clone(&desk), stop.clone());
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(served);
        });
        Self {
            address,
            desk,
            stop,
        }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers the next calls so, in this order.
    pub(crate) fn plan(&self, replies: impl IntoIterator<Item = Reply>) {
        self.desk.book().planned.extend(replies);
    }

    /// Answers every call so that is not planned for.
    pub(crate) fn rule(&self, rule: impl Fn(&Call) -> Reply + Send + 'static) {
        self.desk.book().rule = Some(Box::new(rule));
    }

    /// Every call there was.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.desk.book().calls.clone()
    }

    /// The messages that this chat has, repeated ones included.
    pub(crate) fn sent(&self, chat: i64) -> Vec<Call> {
        let book = self.desk.book();
        let calls = book.calls.iter();
        calls
            .filter(|call| call.method == "sendmessage" && call.chat() == chat && call.arrived())
            .cloned()
            .collect()
    }

    /// What those say.
    pub(crate) fn texts(&self, chat: i64) -> Vec<String> {
        let sent = self.sent(chat);
        sent.iter().map(|call| call.text().to_owned()).collect()
    }

    /// Waits until the chat has this many messages.
    pub(crate) async fn until_sent(&self, chat: i64, count: usize) -> Vec<Call> {
        until(format!("chat {chat} has {count} messages"), async || {
            let sent = self.sent(chat);
            (sent.len() >= count).then_some(sent)
        })
        .await
    }

    /// Waits until the last message of the chat has this in its text, and answers that message.
    pub(crate) async fn until_said(&self, chat: i64, part: &str) -> Call {
        until(format!("chat {chat} hears `{part}`"), async || {
            let last = self.sent(chat).pop();
            last.filter(|call| call.text().contains(part))
        })
        .await
    }
}

impl Drop for BotApi {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Desk {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Writes a call down; answers what it is answered, and the message it makes.
    fn note(&self, method: String, params: Value) -> (Reply, Value) {
        let mut book = self.book();
        let mut call = Call {
            method,
            params,
            at: Instant::now(),
            reply: Reply::Ok,
        };
        let ruled = book.rule.as_ref().map(|rule| rule(&call));
        call.reply = book.planned.pop_front().or(ruled).unwrap_or(Reply::Ok);
        let number = book.messages.entry(call.chat()).or_insert(1000);
        *number += 1;
        let message = message(*number, &call.params);
        book.calls.push(call.clone());
        (call.reply, message)
    }
}

async fn serve(listener: std::net::TcpListener, desk: Arc<Desk>, stop: CancellationToken) {
    let listener = TcpListener::from_std(listener).expect("a listener");
    let router = Router::new()
        .route("/{bot}/{method}", post(take))
        .with_state(desk);
    let serving = async move { axum::serve(listener, router).await };
    stop.run_until_cancelled(serving).await;
}

async fn take(
    State(desk): State<Arc<Desk>>,
    Path((bot, method)): Path<(String, String)>,
    body: Bytes,
) -> Response {
    if bot != format!("bot{TOKEN}") {
        return error(401, "Unauthorized", &Value::Null);
    }
    let params = serde_json::from_slice(&body).unwrap_or_default();
    let (reply, message) = desk.note(method.to_lowercase(), params);
    match reply {
        Reply::Ok => {}
        Reply::Slow(delay) => tokio::time::sleep(delay).await,
        Reply::Hang => std::future::pending().await,
        Reply::Fail(status) => return error(status, "it was told to fail", &Value::Null),
        Reply::Blocked => {
            return error(403, "Forbidden: bot was blocked by the user", &Value::Null);
        }
        Reply::TooMany(seconds) => {
            let wait = json!({ "retry_after": seconds });
            return error(429, "Too Many Requests", &wait);
        }
    }
    Json(json!({ "ok": true, "result": message })).into_response()
}

fn error(status: u16, description: &str, parameters: &Value) -> Response {
    let mut body = json!({ "ok": false, "error_code": status, "description": description });
    let mut headers = Vec::new();
    if let Some(seconds) = parameters["retry_after"].as_u64() {
        body["parameters"] = parameters.clone();
        headers.push((header::RETRY_AFTER, seconds.to_string()));
    }
    let status = StatusCode::from_u16(status).expect("a status");
    let mut response = (status, Json(body)).into_response();
    for (name, value) in headers {
        let value = value.parse().expect("a header");
        response.headers_mut().insert(name, value);
    }
    response
}

/// The message a call makes, as Telegram would show it.
fn message(number: i64, params: &Value) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    json!({
        "message_id": number,
        "date": now.map_or(0, |now| now.as_secs()),
        "from": { "id": 7_000_001, "is_bot": true, "first_name": "Steadfast" },
        "chat": { "id": params["chat_id"], "type": "private" },
        "text": params["text"],
        "reply_markup": params["reply_markup"],
    })
}
