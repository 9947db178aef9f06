//! From the wire to [`Incoming`], once, at the door.
//!
//! | update kind | chat | person | topic | becomes |
//! |---|---|---|---|---|
//! | `message` | `chat.id` | `from.id` | `message_thread_id` of a topic message | text, command, photo, contact, other |
//! | `edited_message` | `chat.id` | `from.id` | as above | edited, which is never an answer |
//! | `callback_query` | `message.chat.id` | `from.id` | that of its message | press |
//! | every other | – | – | – | ignored, counted |
//!
//! Ignored as well: what has no chat or no sender (channel posts, presses on inline messages), what a bot sent,
//! service messages, and commands addressed to another bot.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use serde::de::IgnoredAny;
use teloxide_core::types::{
    CallbackQuery, MaybeInaccessibleMessage, MediaKind, Message, MessageKind, Update, UpdateKind,
    User,
};

use crate::dialogue::{Command, Contact, Input, Person, Photo};
use crate::store::{Cause, Key, Millis, Settle};

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
    /// Jobs that the turn brings to an end.
    pub settles: Option<Settle>,
    /// The body as received, for a dead letter.
    pub raw: Bytes,
    /// When this replica received it.
    pub received: Instant,
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
}

/// An update that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the update cannot be read: {0}")]
pub struct Unreadable(String);

impl Reader {
    /// Reads the body of a webhook request.
    pub fn read(&self, body: &Bytes) -> Result<Read, Unreadable> {
        let update: Update =
            serde_json::from_slice(body).map_err(|error| Unreadable(shape(&error)))?;
        let id = update.id.0;
        let found = match update.kind {
            UpdateKind::Message(message) => self.message(id, &message, "message"),
            UpdateKind::EditedMessage(message) => self.message(id, &message, "edited_message"),
            UpdateKind::CallbackQuery(query) => self.press(id, query),
            UpdateKind::Error(_) => return unknown(body),
            other => return Ok(Read::Ignored(kind_of(&other))),
        };
        Ok(found.map_or_else(Read::Ignored, |mut incoming| {
            incoming.raw = body.clone();
            Read::Incoming(incoming)
        }))
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
        let MessageKind::Common(common) = &message.kind else {
            return None;
        };
        Some(match &common.media_kind {
            MediaKind::Text(text) => return self.text(&text.text),
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

    fn text(&self, text: &str) -> Option<Input> {
        let Some((command, bot)) = Command::parse(text) else {
            return Some(Input::Text(text.to_owned()));
        };
        let ours = match (bot, self.username.get()) {
            (Some(bot), Some(us)) => bot.eq_ignore_ascii_case(us),
            _ => true,
        };
        ours.then_some(Input::Command(command))
    }
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
        MediaKind::Document(_) => "document",
        MediaKind::Location(_) | MediaKind::Venue(_) => "location",
        MediaKind::Poll(_) => "poll",
        MediaKind::Sticker(_) => "sticker",
        MediaKind::Video(_) => "video",
        MediaKind::VideoNote(_) => "video_note",
        MediaKind::Voice(_) => "voice",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPIC: &str = r#""message_thread_id":12,"is_topic_message":true,"#;

    /// A message of Ann's in a forum.
    fn message(extra: &str) -> String {
        format!(
            r#"{{"message_id":9,{extra}"date":1760000000,"chat":{{"id":-1007,"type":"supergroup","title":"Office","is_forum":true}},
            "from":{{"id":77,"is_bot":false,"first_name":"Ann"}}}}"#
        )
    }

    fn read(reader: &Reader, kind: &str, content: &str) -> Option<Incoming> {
        let body = format!(r#"{{"update_id":1,"{kind}":{content}}}"#);
        match reader.read(&body.into()).expect("an update") {
            Read::Incoming(incoming) => Some(*incoming),
            Read::Ignored(ignored) => {
                assert_eq!(ignored, kind);
                None
            }
        }
    }

    fn key(topic: Option<i32>) -> Key {
        Key {
            chat: -1007,
            user: 77,
            topic,
        }
    }

    #[test]
    fn a_dialogue_is_of_a_person_in_a_chat_or_in_a_topic() {
        let told = message(&format!(r#"{TOPIC}"text":"hi","#));
        let reply = message(r#""message_thread_id":12,"text":"hi","#);
        let from = r#""from":{"id":77,"is_bot":false,"first_name":"Ann"}"#;
        let pressed =
            format!(r#"{{"id":"q","chat_instance":"c","data":"x",{from},"message":{told}}}"#);
        for (scope, topic) in [(Scope::Chat, None), (Scope::Topic, Some(12))] {
            let reader = Reader {
                scope,
                username: Arc::default(),
            };
            let key_of = |kind, content: &str| read(&reader, kind, content).map(|read| read.key);
            assert_eq!(key_of("message", &told), Some(key(topic)));
            assert_eq!(key_of("edited_message", &told), Some(key(topic)));
            assert_eq!(key_of("callback_query", &pressed), Some(key(topic)));
            assert_eq!(
                key_of("message", &reply),
                Some(key(None)),
                "a thread of replies is no topic"
            );
        }
    }

    #[test]
    fn what_has_no_chat_or_no_sender_is_ignored() {
        let reader = Reader::default();
        let text = message(r#""text":"hi","#);
        let bot = text.replace(r#""is_bot":false"#, r#""is_bot":true"#);
        let joined = message(r#""new_chat_title":"Elsewhere","#);
        let inline = r#"{"id":"q","chat_instance":"c","data":"x","inline_message_id":"i","from":{"id":77,"is_bot":false,"first_name":"Ann"}}"#;
        assert!(read(&reader, "message", &text).is_some());
        assert!(read(&reader, "message", &bot).is_none());
        assert!(read(&reader, "message", &joined).is_none());
        assert!(read(&reader, "callback_query", inline).is_none());
    }

    #[test]
    fn a_command_to_another_bot_is_ignored_by_one_that_knows_its_name() {
        let reader = Reader {
            scope: Scope::Chat,
            username: Arc::new(OnceLock::from("shop_bot".to_owned())),
        };
        let ours = message(r#""text":"/start@Shop_Bot","#);
        let theirs = message(r#""text":"/start@other_bot","#);
        assert!(read(&reader, "message", &ours).is_some());
        assert!(read(&reader, "message", &theirs).is_none());
    }
}
