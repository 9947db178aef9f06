//! What a step causes, as data: committed with the state, carried out by the outbox.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::markup::escape;

/// Something to be carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Effect {
    /// Send a message, or change one that was sent.
    Send(Box<Message>),
    /// Take back a message that was named.
    Delete {
        /// Where.
        chat: i64,
        /// Its name.
        name: String,
    },
    /// Show that an answer is on its way.
    Typing {
        /// Where.
        chat: i64,
        /// In which topic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        topic: Option<i32>,
    },
    /// Write a business record.
    Record(Record),
}

/// A command to the records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The flow that gave it, and hears of it if it is refused.
    pub flow: String,
    /// Whose step it was.
    pub user: i64,
    /// In which topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<i32>,
    /// In which chat, if not in the one whose line it stands in: there they hear of it if it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<i64>,
    /// The command.
    pub command: Value,
    /// The index of the last effect of its step: what to skip if it is refused.
    #[serde(default)]
    pub last: usize,
    /// Nothing waits for it, and nobody hears of it: what is said goes out although the database is away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
}

/// A message, ready to be sent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Message {
    /// Where to.
    pub chat: i64,
    /// In which topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<i32>,
    /// The words, in the person's language and in Telegram's HTML.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Rows of buttons: what is written on each, and the data it carries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Vec<(String, String)>>,
    /// What becomes of the keyboard in the place of the person's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyboard: Option<Keys>,
    /// Photos by their file id; the words are their caption.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub photos: Vec<String>,
    /// A name by which a later effect finds the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Changes the message of its name in place, if there is one; else it is sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_place: bool,
    /// The message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<i32>,
    /// A record to write once it is sent, which is told the message's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Record>,
    /// When the update came that this is the first answer to, in ms since the epoch: what people waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<u64>,
}

/// A keyboard in the place of the person's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keys {
    /// One key that shares the person's own number.
    Contact(String),
    /// Rows of keys that type what is written on them.
    Words(Vec<Vec<String>>),
    /// The person's own keyboard comes back.
    Remove,
}

impl Message {
    /// A message of these words just as they stand: nothing in them is markup.
    pub fn of_words(chat: i64, words: &str) -> Self {
        Self { chat, text: escape(words), ..Self::default() }
    }
}

impl Effect {
    /// How many messages it is to Telegram: an album is one for each of its photos.
    pub fn sendings(&self) -> usize {
        match self {
            Self::Send(message) => message.photos.len().max(1),
            Self::Delete { .. } | Self::Typing { .. } | Self::Record(_) => 1,
        }
    }

    /// The chat whose lane it stands in; none for records.
    pub fn chat(&self) -> Option<i64> {
        match self {
            Self::Send(message) => Some(message.chat),
            Self::Delete { chat, .. } | Self::Typing { chat, .. } => Some(*chat),
            Self::Record(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_an_older_build_is_at_home_where_its_message_goes() {
        let old = r#"{"flow":"coupon","user":5,"command":{"do":"it"},"last":2}"#;
        let record: Record = serde_json::from_str(old).expect("a record");
        assert_eq!((record.home, record.last), (None, 2));
        let written = serde_json::to_string(&record).expect("plain data");
        assert_eq!(written, old, "and is written as such");
    }
}
