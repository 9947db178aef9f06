//! From the wire to [`Incoming`], once, at the door.
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
//! The types are teloxide-core's, with a short cut for the everyday kinds in `update/glance.rs`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use serde::de::IgnoredAny;
use teloxide_core::types::{
    CallbackQuery, ChatMigration, MaybeInaccessibleMessage, MediaKind, Message, MessageKind,
    Update, UpdateKind, User,
};

use crate::dialogue::{Command, Contact, Input, Person, Photo};
use crate::store::{Cause, Key, Millis, Settle};
use crate::trace::Trace;

mod glance;
#[cfg(test)]
mod tests;

use glance::{Glance, What};

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

/// Something that may move a dialogue: an update, or a timer, or an operator's word.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// Why there is a turn.
    pub cause: Cause,
    /// The update kind, or `timer`, or `order`.
    pub kind: &'static str,
    /// Whose dialogue it concerns.
    pub key: Key,
    /// Who did it.
    pub person: Person,
    /// When the person did it, where that is known.
    pub sent: Option<Millis>,
    /// Tells apart two causes of the same number (ids may restart lower): the date, or the callback's id.
    pub stamp: String,
    /// The callback query that waits for an answer.
    pub callback: Option<String>,
    /// What they did.
    pub input: Input,
    /// The message that theirs answers, where it answers one.
    pub reply_to: Option<i32>,
    /// Jobs that the turn brings to an end.
    pub settles: Option<Settled>,
    /// The body as received, for a dead letter.
    pub raw: Bytes,
    /// When this replica received it.
    pub received: Instant,
}

impl Incoming {
    /// What ties all that is told about it together.
    pub fn trace(&self) -> Trace {
        Trace::of_turn(self.cause, &self.stamp)
    }
}

/// Jobs that a turn brings to an end.
#[derive(Debug, Clone)]
pub struct Settled {
    /// Which.
    pub jobs: Settle,
    /// A dead letter about them, kept by the same commit.
    pub letter: Option<Bytes>,
}

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
pub struct Reader {
    /// How dialogues are told apart.
    pub scope: Scope,
    /// The bot's own name, once known: commands addressed to another are ignored.
    pub username: Arc<OnceLock<String>>,
}

/// What an update turned out to be.
#[derive(Debug, Clone)]
pub enum Read {
    /// It concerns a dialogue.
    Incoming(Box<Incoming>),
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

impl Reader {
    /// Reads the body of a webhook request.
    pub fn read(&self, body: &Bytes) -> Result<Read, Unreadable> {
        match glance::glance(body) {
            Some(glance) => Ok(self.everyday(glance, body)),
            None => self.read_whole(body),
        }
    }

    /// What an everyday update is: the same as [`Reader::read_whole`] finds.
    fn everyday(&self, glance: Glance<'_>, body: &Bytes) -> Read {
        let Glance {
            id,
            from,
            chat,
            topic,
            what,
        } = glance;
        let (kind, date, callback) = match &what {
            What::Text { date, .. } | What::Photo { date, .. } => ("message", Some(*date), None),
            What::Press { id, .. } => ("callback_query", None, Some(id.clone())),
        };
        let Some(input) = self.everyday_input(what) else {
            return Read::Ignored(kind);
        };
        let stamp = date.map(|date| date.to_string()).or(callback.clone());
        Read::Incoming(Box::new(Incoming {
            cause: Cause::Update(id),
            kind,
            key: Key {
                chat,
                user: from.id.cast_signed(),
                topic: topic.filter(|_| self.scope == Scope::Topic),
            },
            person: Person {
                name: from.first_name,
                username: from.username.unwrap_or_default(),
                language: from.language_code.unwrap_or_default(),
                topic,
            },
            sent: date.map(|date| u64::from(date) * 1000),
            stamp: stamp.unwrap_or_default(),
            callback,
            input,
            // One that answers another has a field that is not everyday.
            reply_to: None,
            settles: None,
            raw: body.clone(),
            received: Instant::now(),
        }))
    }

    fn everyday_input(&self, what: What<'_>) -> Option<Input> {
        Some(match what {
            What::Text { text, .. } => return self.text(text),
            What::Photo {
                file_id,
                album,
                caption,
                ..
            } => Input::Photo(Photo {
                file_id: file_id.into_owned(),
                album,
                caption: caption.filter(|caption| !caption.trim().is_empty()),
            }),
            What::Press { data, .. } => Input::Press(data),
        })
    }

    /// Reads any update, by teloxide-core's types.
    fn read_whole(&self, body: &Bytes) -> Result<Read, Unreadable> {
        let update: Update =
            serde_json::from_slice(body).map_err(|error| Unreadable(shape(&error)))?;
        let id = update.id.0;
        let found = match update.kind {
            UpdateKind::Message(message) => match migration(&message) {
                Some(migrated) => return Ok(migrated),
                None => self.message(id, &message, "message"),
            },
            UpdateKind::EditedMessage(message) => self.message(id, &message, "edited_message"),
            UpdateKind::CallbackQuery(query) => self.press(id, query),
            UpdateKind::Error(_) => return unknown(body),
            other => return Ok(Read::Ignored(kind_of(&other))),
        };
        match found {
            Err(kind) => Ok(Read::Ignored(kind)),
            // A number that is too large has become one of somebody else, below zero.
            Ok(incoming) if incoming.key.user < 0 => {
                Err(Unreadable("a person of an impossible number".to_owned()))
            }
            Ok(mut incoming) => {
                incoming.raw = body.clone();
                Ok(Read::Incoming(incoming))
            }
        }
    }

    fn message(
        &self,
        id: u32,
        message: &Message,
        kind: &'static str,
    ) -> Result<Box<Incoming>, &'static str> {
        let person = message
            .from
            .as_ref()
            .filter(|user| !user.is_bot)
            .ok_or(kind)?;
        let edited = kind == "edited_message";
        let input = if edited {
            // A place that is shared live moves by itself: nobody has changed a word.
            if message.location().is_some() {
                return Err(kind);
            }
            Input::Edited
        } else {
            self.input(message).ok_or(kind)?
        };
        Ok(Box::new(Incoming {
            cause: Cause::Update(id),
            kind,
            key: self.key(message, person),
            person: person_of(person, Some(message)),
            sent: u64::try_from(message.date.timestamp_millis()).ok(),
            stamp: message.date.timestamp().to_string(),
            callback: None,
            input,
            reply_to: message.reply_to_message().map(|answered| answered.id.0),
            settles: None,
            raw: Bytes::new(),
            received: Instant::now(),
        }))
    }

    fn press(&self, id: u32, query: CallbackQuery) -> Result<Box<Incoming>, &'static str> {
        const KIND: &str = "callback_query";
        let key = match query.message.as_ref().ok_or(KIND)? {
            MaybeInaccessibleMessage::Regular(message) => self.key(message, &query.from),
            MaybeInaccessibleMessage::Inaccessible(message) => {
                key(message.chat.id.0, &query.from, None)
            }
        };
        let message = query
            .message
            .as_ref()
            .and_then(|message| message.regular_message());
        Ok(Box::new(Incoming {
            cause: Cause::Update(id),
            kind: KIND,
            key,
            person: person_of(&query.from, message),
            sent: None,
            stamp: query.id.0.clone(),
            callback: Some(query.id.0),
            input: Input::Press(query.data.unwrap_or_default()),
            reply_to: None,
            settles: None,
            raw: Bytes::new(),
            received: Instant::now(),
        }))
    }

    /// The dialogue of this person where the message stands.
    fn key(&self, message: &Message, user: &User) -> Key {
        let topic = topic_of(message).filter(|_| self.scope == Scope::Topic);
        key(message.chat.id.0, user, topic)
    }

    /// What the message says; `None` for service messages and commands to other bots.
    fn input(&self, message: &Message) -> Option<Input> {
        let common = match &message.kind {
            MessageKind::Common(common) => common,
            // What people send, although Telegram's types keep it among the service messages.
            MessageKind::Dice(_) => return Some(Input::Other("dice")),
            MessageKind::Giveaway(_) | MessageKind::GiveawayWinners(_) => {
                return Some(Input::Other("giveaway"));
            }
            MessageKind::Invoice(_) => return Some(Input::Other("invoice")),
            _ => return None,
        };
        Some(match &common.media_kind {
            MediaKind::Text(text) => return self.text(Cow::Borrowed(&text.text)),
            MediaKind::Photo(photo) => Input::Photo(Photo {
                file_id: photo.photo.last()?.file.id.0.clone(),
                album: photo.media_group_id.as_ref().map(|id| id.0.clone()),
                caption: photo
                    .caption
                    .clone()
                    .filter(|caption| !caption.trim().is_empty()),
            }),
            MediaKind::Contact(shared) => Input::Contact(Contact {
                phone: shared.contact.phone_number.clone(),
                own: shared.contact.user_id.is_some()
                    && shared.contact.user_id == message.from.as_ref().map(|u| u.id),
            }),
            MediaKind::Migration(_) => return None,
            other => Input::Other(media_word(other)),
        })
    }

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

/// Telegram says it in both chats, in the new one often by the hand of a bot of its own.
fn migration(message: &Message) -> Option<Read> {
    let here = message.chat.id.0;
    let (from, to) = match message.chat_migration()? {
        ChatMigration::To { chat_id } => (here, chat_id.0),
        ChatMigration::From { chat_id } => (chat_id.0, here),
    };
    Some(Read::Migrated { from, to })
}

fn key(chat: i64, user: &User, topic: Option<i32>) -> Key {
    Key {
        chat,
        user: user.id.0.cast_signed(),
        topic,
    }
}

fn person_of(user: &User, message: Option<&Message>) -> Person {
    Person {
        name: user.first_name.clone(),
        username: user.username.clone().unwrap_or_default(),
        language: user.language_code.clone().unwrap_or_default(),
        topic: message.and_then(topic_of),
    }
}

/// The topic a message stands in. A thread of replies is none.
fn topic_of(message: &Message) -> Option<i32> {
    let thread = message.thread_id.filter(|_| message.is_topic_message);
    thread.map(|thread| thread.0.0)
}

/// A kind teloxide-core could not decode: new to it, or broken. It does not keep what it could not decode, so the body
/// is looked at once more.
fn unknown(body: &[u8]) -> Result<Read, Unreadable> {
    let fields: HashMap<String, IgnoredAny> =
        serde_json::from_slice(body).map_err(|error| Unreadable(shape(&error)))?;
    let known = KINDS.into_iter().find(|kind| fields.contains_key(*kind));
    match known {
        Some(kind) if ALLOWED.contains(&kind) => {
            Err(Unreadable(format!("a `{kind}` of an unknown shape")))
        }
        Some(kind) => Ok(Read::Ignored(kind)),
        None => Ok(Read::Ignored("other")),
    }
}

/// Where decoding stopped, without a word of the content.
fn shape(error: &serde_json::Error) -> String {
    format!(
        "{:?} error at line {}, column {}",
        error.classify(),
        error.line(),
        error.column()
    )
}

fn kind_of(kind: &UpdateKind) -> &'static str {
    match kind {
        UpdateKind::Message(_) => "message",
        UpdateKind::EditedMessage(_) => "edited_message",
        UpdateKind::ChannelPost(_) => "channel_post",
        UpdateKind::EditedChannelPost(_) => "edited_channel_post",
        UpdateKind::BusinessConnection(_) => "business_connection",
        UpdateKind::BusinessMessage(_) => "business_message",
        UpdateKind::EditedBusinessMessage(_) => "edited_business_message",
        UpdateKind::DeletedBusinessMessages(_) => "deleted_business_messages",
        UpdateKind::MessageReaction(_) => "message_reaction",
        UpdateKind::MessageReactionCount(_) => "message_reaction_count",
        UpdateKind::InlineQuery(_) => "inline_query",
        UpdateKind::ChosenInlineResult(_) => "chosen_inline_result",
        UpdateKind::CallbackQuery(_) => "callback_query",
        UpdateKind::ShippingQuery(_) => "shipping_query",
        UpdateKind::PreCheckoutQuery(_) => "pre_checkout_query",
        UpdateKind::PurchasedPaidMedia(_) => "purchased_paid_media",
        UpdateKind::Poll(_) => "poll",
        UpdateKind::PollAnswer(_) => "poll_answer",
        UpdateKind::MyChatMember(_) => "my_chat_member",
        UpdateKind::ChatMember(_) => "chat_member",
        UpdateKind::ChatJoinRequest(_) => "chat_join_request",
        UpdateKind::ChatBoost(_) => "chat_boost",
        UpdateKind::RemovedChatBoost(_) => "removed_chat_boost",
        UpdateKind::Error(_) => "other",
    }
}

fn media_word(media: &MediaKind) -> &'static str {
    match media {
        MediaKind::Animation(_) => "animation",
        MediaKind::Audio(_) => "audio",
        MediaKind::Checklist(_) => "checklist",
        MediaKind::Document(_) => "document",
        MediaKind::Game(_) => "game",
        MediaKind::Location(_) | MediaKind::Venue(_) => "location",
        MediaKind::PaidMedia(_) => "paid_media",
        MediaKind::Poll(_) => "poll",
        MediaKind::Story(_) => "story",
        MediaKind::Sticker(_) => "sticker",
        MediaKind::Video(_) => "video",
        MediaKind::VideoNote(_) => "video_note",
        MediaKind::Voice(_) => "voice",
        _ => "other",
    }
}
