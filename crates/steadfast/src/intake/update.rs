//! From the wire to [`Event`], once, at the door.
//!
//! | update kind | chat | person | topic | becomes |
//! |---|---|---|---|---|
//! | `message` | `chat.id` | `from.id` | `message_thread_id` of a topic message | text, command, photo, contact, other |
//! | `edited_message` | `chat.id` | `from.id` | as above | edited, which is never an answer |
//! | `message` of a group that became another chat | – | – | – | migrated |
//! | `callback_query` | `message.chat.id` | `from.id` | that of its message | press |
//! | every other | – | – | – | ignored, counted |
//!
//! Ignored as well: what has no chat or no sender (channel posts, presses on inline messages), what a bot sent,
//! service messages, and commands addressed to another bot.
//!
//! The types are teloxide-core's (`update/whole.rs`), with a short cut for the everyday kinds (`update/glance.rs`, and
//! `update/everyday.rs` for what they become).

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::dialogue::{Command, Input};
use crate::turn::Event;

mod everyday;
mod glance;
#[cfg(test)]
mod tests;
mod whole;

/// The update kinds that are asked of Telegram: those of the table above.
pub const ALLOWED: [&str; 3] = ["message", "edited_message", "callback_query"];

/// Every kind Telegram has, for counting; what is not among them counts as `other`.
pub const KINDS: [&str; 24] = [
    "message",
    "edited_message",
    "callback_query",
    "channel_post",
    "edited_channel_post",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "message_reaction",
    "message_reaction_count",
    "inline_query",
    "chosen_inline_result",
    "shipping_query",
    "pre_checkout_query",
    "purchased_paid_media",
    "poll",
    "poll_answer",
    "my_chat_member",
    "chat_member",
    "chat_join_request",
    "chat_boost",
    "removed_chat_boost",
    "other",
];

/// Whose dialogue an update concerns: per bot, never per flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// A person in a chat.
    #[default]
    Chat,
    /// A person in a topic of a chat.
    Topic,
}

/// Reads updates.
#[derive(Debug, Clone, Default)]
pub struct UpdateParser {
    /// How dialogues are told apart.
    pub scope: Scope,
    /// The bot's own name, once known: commands addressed to another are ignored.
    pub username: Arc<OnceLock<String>>,
}

/// What an update turned out to be.
#[derive(Debug, Clone)]
pub enum Read {
    /// It concerns a dialogue.
    Event(Box<Event>),
    /// It is of this kind and concerns none.
    Ignored(&'static str),
    /// A group became another chat.
    Migrated {
        /// The chat it was.
        from: i64,
        /// The chat it is.
        to: i64,
    },
}

/// An update that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the update cannot be read: {0}")]
pub struct Unreadable(String);

impl UpdateParser {
    /// Reads the body of a webhook request.
    pub fn read(&self, body: &Bytes) -> Result<Read, Unreadable> {
        match glance::glance(body) {
            Some(glance) => Ok(self.everyday(glance, body)),
            None => self.read_whole(body),
        }
    }

    /// What was written; nothing where it is a command to another bot.
    fn text(&self, text: Cow<'_, str>) -> Option<Input> {
        let Some((command, bot)) = Command::parse(&text) else {
            return Some(Input::Text(text.into_owned()));
        };
        let ours = match (bot, self.username.get()) {
            (Some(bot), Some(us)) => bot.eq_ignore_ascii_case(us),
            _ => true,
        };
        ours.then_some(Input::Command(command))
    }
}
