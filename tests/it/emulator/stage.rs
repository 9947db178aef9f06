//! An emulator whose clock stands still, a webhook, and ways to speak to both.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use steadfast::emulator::{
    Clock, Emulator, Group, Millis, Options, Person, Pressed, Pressing, State, Update,
};
use tokio::net::TcpListener;

use super::receiver::Receiver;
use crate::support::http::{self, Answer};
use crate::support::patience::until;

pub(super) const TOKEN: &str = "9000:AAH3emulator-token_0123456789abcdef";
/// A picture of one dot, in base64.
pub(super) const DOT: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";
/// A day in 2027.
pub(super) const DAWN: Millis = 1_800_000_000_000;

/// The same as it comes back, as far as that is text.
pub(super) fn dot() -> String {
    let bytes = STANDARD.decode(DOT).expect("base64");
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) struct Stage {
    pub(super) emulator: Emulator,
    pub(super) address: SocketAddr,
}

impl Stage {
    pub(super) async fn new() -> Self {
        Self::with(Options::default()).await
    }

    /// One that keeps its chats.
    pub(super) async fn kept(data: &Path) -> Self {
        let data = Some(data.to_owned());
        Self::with(Options { data, ..Options::default() }).await
    }

    pub(super) async fn with(options: Options) -> Self {
        let emulator = Emulator::open(Options {
            token: Some(TOKEN.to_owned()),
            clock: Clock::still(DAWN),
            ..options
        });
        let emulator = emulator.expect("an emulator");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        tokio::spawn(emulator.serve(listener, emulator.router()));
        Self { emulator, address }
    }

    /// A stage with somebody on it, and a webhook.
    pub(super) async fn hooked() -> (Self, Receiver, i64) {
        let (stage, receiver) = (Self::new().await, Receiver::start().await);
        let anna = stage.anna();
        stage.hook(&receiver, json!({})).await;
        (stage, receiver, anna)
    }

    /// Somebody who has started the bot.
    pub(super) fn anna(&self) -> i64 {
        let person = Person { started: true, ..Person::named("Anna") };
        self.emulator.add_person(person).id
    }

    /// A group of these people. The bot does not hear of that.
    pub(super) fn group(&self, members: &[i64]) -> Group {
        let group = Group {
            title: "Team".to_owned(),
            kind: "group".to_owned(),
            members: members.to_vec(),
            ..Group::default()
        };
        self.emulator.add_group(group).expect("a group")
    }

    /// Registers the receiver; `more` are further parameters.
    pub(super) async fn hook(&self, receiver: &Receiver, more: Value) -> Value {
        let mut params = json!({ "url": receiver.url(), "secret_token": "s-1" });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        let answer = self.call("setWebhook", params).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    }

    /// Calls a method with JSON.
    pub(super) async fn call(&self, method: &str, params: Value) -> Answer {
        let path = format!("/bot{TOKEN}/{method}");
        let answer = http::post(self.address, &path, &[], params.to_string()).await;
        answer.expect("an answer")
    }

    /// Calls a method that is carried out; answers its result.
    pub(super) async fn done(&self, method: &str, params: Value) -> Value {
        let answer = self.call(method, params).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["result"].clone()
    }

    /// Calls a method that is refused; answers the status and the words.
    pub(super) async fn refused(&self, method: &str, params: Value) -> (u16, String) {
        let answer = self.call(method, params).await;
        let envelope = answer.json();
        assert_eq!(envelope["ok"], false, "{}", answer.body);
        assert_eq!(envelope["error_code"], answer.status);
        let words = envelope["description"].as_str().unwrap_or_default();
        (answer.status, words.to_owned())
    }

    /// Asks the control API with POST, where that works.
    pub(super) async fn post(&self, path: &str, body: Value) -> Value {
        let path = format!("/emulator/{path}");
        let answer = http::post(self.address, &path, &[], body.to_string()).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Asks the control API with GET.
    pub(super) async fn get(&self, path: &str) -> Answer {
        let path = format!("/emulator/{path}");
        http::get(self.address, &path).await.expect("an answer")
    }

    /// Somebody writes to the bot; answers the update.
    pub(super) fn say(&self, from: i64, text: &str) -> i64 {
        self.emulator.say(from, text).expect("a message")
    }

    /// Somebody presses a button by its label; answers the update and the press.
    pub(super) fn press(&self, from: i64, label: &str) -> (i64, String) {
        let pressing = Pressing { from, label: Some(label.to_owned()), ..Pressing::default() };
        match self.emulator.press(&pressing).expect("a button") {
            Pressed::Inline { update_id, callback_query_id } => {
                (update_id.expect("an update"), callback_query_id)
            }
            Pressed::Reply(sent) => panic!("a message was sent instead: {sent:?}"),
        }
    }

    /// The bot sends somebody a question with a button.
    pub(super) async fn ask(&self, chat: i64, label: &str, data: &str) -> i64 {
        let markup = json!({ "inline_keyboard": [[{ "text": label, "callback_data": data }]] });
        let params = json!({ "chat_id": chat, "text": "Well?", "reply_markup": markup });
        let sent = self.done("sendMessage", params).await;
        sent["message_id"].as_i64().expect("its number")
    }

    pub(super) fn advance(&self, seconds: u64) {
        self.emulator.advance(Duration::from_secs(seconds));
    }

    /// Waits until the update was tried so often, and waits or is settled.
    pub(super) async fn tried(&self, update: i64, times: usize) -> Update {
        until(format!("update {update} was tried {times} times"), async || {
            let update = self.emulator.update(update)?;
            let is_back = update.state != State::InFlight && update.attempts.len() >= times;
            is_back.then_some(update)
        })
        .await
    }

    /// Lets everybody run until there is nothing left to do, so that what was not done by then is not done. All of it is in this
    /// thread: each turn is one of everybody, and of every socket.
    pub(super) async fn rests(&self) {
        for _ in 0..500 {
            tokio::task::yield_now().await;
        }
    }

    /// The update, which is so and stays so as long as nothing happens.
    pub(super) async fn remains(&self, update: i64, state: State) -> Update {
        self.rests().await;
        let update = self.emulator.update(update).expect("an update");
        assert_eq!(update.state, state, "{:?}", update.attempts);
        update
    }

    /// Waits until this became of the update.
    pub(super) async fn became(&self, update: i64, state: State) -> Update {
        until(format!("update {update} is {state:?}"), async || {
            let update = self.emulator.update(update)?;
            (update.state == state).then_some(update)
        })
        .await
    }
}
