//! Somebody before the bot, in the emulator: types, presses, sends pictures, and hears what comes of it.

use std::cell::RefCell;
use std::fmt;

use serde_json::{Value, json};

use super::patience::until;
use super::playing::Playing;
use super::whispers;

/// What stands for a picture among answers.
const PICTURE: &str = "📷";

/// Somebody, in a Telegram, under this number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Person<'a>(pub(crate) &'a Playing, pub(crate) i64);

impl Person<'_> {
    pub(crate) async fn says(self, text: &str) {
        whispers::say(text);
        self.sends(json!({ "text": text })).await;
    }

    pub(crate) async fn sends_photo(self) {
        self.sends(json!({ "photo": true })).await;
    }

    /// Sends something: its parts as the emulator names them.
    pub(crate) async fn sends(self, mut message: Value) {
        message["from"] = json!(self.1);
        self.0.post("/emulator/messages", &message).await;
    }

    /// Answers the last message of the bot that has these words.
    pub(crate) async fn replies(self, words: &str, text: &str) {
        let answered = self.sees(words).await;
        whispers::say(text);
        self.sends(json!({ "text": text, "reply_to": answered })).await;
    }

    /// What the bot has said to them, as it reads now.
    pub(crate) async fn told(self) -> Vec<String> {
        self.messages().await.iter().map(text_of).collect()
    }

    /// Waits until the last message has these words.
    pub(crate) async fn hears(self, words: &str) -> String {
        let is_heard = |told: &[String]| told.last().filter(|it| it.contains(words)).cloned();
        self.listens(words, is_heard).await
    }

    /// Waits until the last message has these words, and the one before it those.
    pub(crate) async fn hears_both(self, note: &str, words: &str) {
        let is_heard = |told: &[String]| match told {
            [.., before, last] => (before.contains(note) && last.contains(words)).then_some(()),
            _ => None,
        };
        self.listens(&format!("{note} … {words}"), is_heard).await;
    }

    /// Waits until what they were told is so.
    async fn listens<T>(self, words: &str, is_heard: impl Fn(&[String]) -> Option<T>) -> T {
        let told = RefCell::<Vec<String>>::default();
        let what = fmt::from_fn(|f| {
            let last: Vec<String> = told.borrow().iter().rev().take(2).cloned().collect();
            write!(f, "{} hears `{words}`, but last {last:#?}", self.1)
        });
        until(what, async || {
            *told.borrow_mut() = self.told().await;
            is_heard(&told.borrow())
        })
        .await
    }

    /// Presses a button as soon as it is there.
    pub(crate) async fn presses(self, label: &str) {
        until(format!("{} sees the button `{label}`", self.1), async || {
            let press = json!({ "from": self.1, "label": label });
            let pressed = self.0.try_post("/emulator/press", &press).await;
            pressed.is_success().then_some(())
        })
        .await;
    }

    /// Presses a button of the last message of the bot that has these words.
    pub(crate) async fn presses_under(self, words: &str, label: &str) {
        let message = self.sees(words).await;
        let press = json!({ "from": self.1, "label": label, "message_id": message });
        self.0.post("/emulator/press", &press).await;
    }

    /// Answers one question after the other: what is asked, and what is typed, or pressed where it stands in brackets, or a picture.
    pub(crate) async fn goes(self, steps: &[(&str, &str)]) {
        for (asked, answer) in steps {
            self.hears(asked).await;
            self.does(answer).await;
        }
    }

    /// Types this, or presses it where it stands in brackets, or sends a picture.
    pub(crate) async fn does(self, answer: &str) {
        match answer.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            Some(label) => self.presses(label).await,
            None if answer == PICTURE => self.sends_photo().await,
            None => self.says(answer).await,
        }
    }

    /// How often they were told something with these words.
    pub(crate) async fn times(self, words: &str) -> usize {
        let told = self.told().await;
        told.iter().filter(|text| text.contains(words)).count()
    }

    /// The number of the last message of the bot that has these words.
    async fn sees(self, words: &str) -> Value {
        until(format!("{} sees `{words}`", self.1), async || {
            let messages = self.messages().await;
            let found = messages.iter().rfind(|it| text_of(it).contains(words))?;
            Some(found["message_id"].clone())
        })
        .await
    }

    /// The messages of the bot, as they are now.
    async fn messages(self) -> Vec<Value> {
        let chat = self.0.get(&format!("/emulator/chats/{}", self.1)).await;
        let messages = chat["messages"].as_array().expect("messages").iter();
        let of_bot = messages.filter(|message| message["by"] == "bot");
        of_bot.cloned().collect()
    }
}

fn text_of(message: &Value) -> String {
    message["text"].as_str().unwrap_or_default().to_owned()
}
