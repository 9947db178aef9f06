//! The everyday updates at a glance: a text, a photo, a press of a button.
//!
//! teloxide-core's types keep everything an update can say, which takes 5 to 15 µs and some hundred allocations; a dialogue
//! wants a handful of fields of it. So the everyday kinds are read by the types below, in about 1 µs, and whatever has a field that is
//! not among theirs is left to teloxide-core: there is one meaning, and these are its short cut. The tests hold the two
//! readings against each other.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// An everyday update.
#[derive(Debug)]
pub(super) struct Glance<'a> {
    pub(super) id: u32,
    pub(super) from: From,
    pub(super) chat: i64,
    /// The topic, where the message stands in one.
    pub(super) topic: Option<i32>,
    pub(super) what: What<'a>,
}

/// What the person did.
#[derive(Debug)]
pub(super) enum What<'a> {
    Text { date: u32, text: Cow<'a, str> },
    Photo { date: u32, file_id: Cow<'a, str>, album: Option<String>, caption: Option<String> },
    Press { id: String, data: String },
}

/// Reads an everyday update. `None`: it is none, or it is broken; teloxide-core will tell.
pub(super) fn glance(body: &[u8]) -> Option<Glance<'_>> {
    let update: Update<'_> = serde_json::from_str(std::str::from_utf8(body).ok()?).ok()?;
    match update {
        Update { update_id, message: Some(message), callback_query: None } => {
            message.glance(update_id)
        }
        Update { update_id, message: None, callback_query: Some(query) } => query.glance(update_id),
        _ => None,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update<'a> {
    update_id: u32,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    callback_query: Option<Query>,
}

/// A message with none but these fields. Those that are not looked at change nothing about the meaning of the others.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(rename = "message_id")]
    _id: i32,
    from: From,
    chat: Chat,
    date: u32,
    message_thread_id: Option<i32>,
    #[serde(default)]
    is_topic_message: bool,
    #[serde(borrow)]
    text: Option<Words<'a>>,
    #[serde(borrow)]
    photo: Option<Vec<Size<'a>>>,
    caption: Option<String>,
    media_group_id: Option<String>,
    #[serde(rename = "entities")]
    _entities: Option<IgnoredAny>,
    #[serde(rename = "caption_entities")]
    _caption_entities: Option<IgnoredAny>,
}

/// A text, copied only where it has to be unescaped.
#[derive(Deserialize)]
struct Words<'a>(#[serde(borrow)] Cow<'a, str>);

/// Who did it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct From {
    pub(super) id: u64,
    is_bot: bool,
    pub(super) first_name: String,
    pub(super) language_code: Option<String>,
    pub(super) username: Option<String>,
    #[serde(rename = "last_name")]
    _last_name: Option<IgnoredAny>,
    #[serde(rename = "is_premium")]
    _is_premium: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chat {
    id: i64,
    #[serde(rename = "type")]
    _kind: ChatKind,
    #[serde(rename = "title")]
    _title: Option<IgnoredAny>,
    #[serde(rename = "first_name")]
    _first_name: Option<IgnoredAny>,
    #[serde(rename = "last_name")]
    _last_name: Option<IgnoredAny>,
    #[serde(rename = "username")]
    _username: Option<IgnoredAny>,
    #[serde(rename = "is_forum")]
    _is_forum: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChatKind {
    Private,
    Group,
    Supergroup,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Size<'a> {
    #[serde(borrow)]
    file_id: Cow<'a, str>,
    #[serde(rename = "file_unique_id")]
    _unique: IgnoredAny,
    #[serde(rename = "file_size")]
    _bytes: Option<u32>,
    #[serde(rename = "width")]
    _width: u32,
    #[serde(rename = "height")]
    _height: u32,
}

/// A press of a button under a message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    id: String,
    from: From,
    message: Under,
    #[serde(rename = "chat_instance")]
    _chat_instance: IgnoredAny,
    data: String,
}

/// The message under which the button is: our own, and of any kind.
#[derive(Deserialize)]
struct Under {
    #[serde(rename = "message_id")]
    _id: i32,
    /// 0: it is too old for Telegram to tell more.
    date: u32,
    chat: Chat,
    message_thread_id: Option<i32>,
    #[serde(default)]
    is_topic_message: bool,
}

impl<'a> Message<'a> {
    fn glance(self, id: u32) -> Option<Glance<'a>> {
        let date = self.date;
        let what = match (self.text, self.photo) {
            (Some(Words(text)), None) if self.caption.is_none() => What::Text { date, text },
            (None, Some(mut photo)) => What::Photo {
                date,
                file_id: photo.pop()?.file_id,
                album: self.media_group_id,
                caption: self.caption,
            },
            _ => return None,
        };
        Some(Glance {
            id,
            from: self.from.person()?,
            chat: self.chat.id,
            topic: self.message_thread_id.filter(|_| self.is_topic_message),
            what,
        })
    }
}

impl Query {
    fn glance<'a>(self, id: u32) -> Option<Glance<'a>> {
        let Under { date, chat, message_thread_id, is_topic_message, .. } = self.message;
        Some(Glance {
            id,
            from: self.from.person()?,
            chat: chat.id,
            topic: message_thread_id.filter(|_| is_topic_message && date > 0),
            what: What::Press { id: self.id, data: self.data },
        })
    }
}

impl From {
    /// Somebody who is no bot, and whose number can be theirs.
    fn person(self) -> Option<Self> {
        (!self.is_bot && i64::try_from(self.id).is_ok()).then_some(self)
    }
}
