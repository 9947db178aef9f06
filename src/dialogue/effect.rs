//! What a step causes, as data: committed with the state, carried out by the outbox.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something to be carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Effect {
    /// Send a message.
    Send(Message),
    /// Write a business record.
    Record {
        /// The command.
        command: Value,
    },
}

/// A message, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Where to.
    pub chat: i64,
    /// In which topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<i32>,
    /// The words, in the person's language.
    pub text: String,
    /// Rows of buttons: what is written on each, and the data it carries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Vec<(String, String)>>,
}
