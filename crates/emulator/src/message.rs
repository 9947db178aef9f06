//! The objects of the Bot API that the emulator makes, with their fields in the order in which Telegram writes them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A person or the bot, as others see them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Their id.
    pub id: i64,
    /// Whether it is a bot.
    pub is_bot: bool,
    /// How they are called.
    pub first_name: String,
    /// Their second name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Their name with an `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The language of their app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_code: Option<String>,
}

/// A chat, as a message shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    /// Its id; that of the person, or a negative one.
    pub id: i64,
    /// The title of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The name of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// Their second name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Their name with an `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Whether it has topics.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forum: bool,
    /// `private`, `group`, `supergroup` or `channel`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its number in the chat.
    pub message_id: i64,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<User>,
    /// The channel, where that is who wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_chat: Option<Chat>,
    /// Where.
    pub chat: Chat,
    /// When, in unix seconds.
    pub date: u64,
    /// When it was last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_date: Option<u64>,
    /// In which topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_thread_id: Option<i64>,
    /// Where it was forwarded from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_origin: Option<Value>,
    /// What it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to_message: Option<Box<Self>>,
    /// Which album it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_group_id: Option<String>,
    /// What is in it.
    #[serde(flatten)]
    pub content: Content,
    /// The buttons under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_markup: Option<Keyboard>,
    /// Whether it is in a topic.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_topic_message: bool,
}

/// What is in a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Content {
    /// Words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What is special in the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Entity>,
    /// An animation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub animation: Option<Media>,
    /// Music.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio: Option<Media>,
    /// A file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Media>,
    /// A picture, from small to large.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub photo: Vec<Media>,
    /// A sticker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticker: Option<Media>,
    /// A film.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<Media>,
    /// A spoken message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<Media>,
    /// What is said about the media.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// What is special in the caption.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caption_entities: Vec<Entity>,
    /// A phone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    /// A place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Who came into the group.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_chat_members: Vec<User>,
    /// Who left it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_chat_member: Option<User>,
    /// The group goes on as that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub migrate_to_chat_id: Option<i64>,
    /// The group was that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub migrate_from_chat_id: Option<i64>,
    /// A topic was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forum_topic_created: Option<Value>,
}

/// Something special in a text; offsets and lengths are in UTF-16 units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Where it begins.
    pub offset: usize,
    /// How long it is.
    pub length: usize,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where a link leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whom a mention is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    /// The language of code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Which emoji.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_emoji_id: Option<String>,
}

/// A file, as a message shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// What it is asked for by.
    pub file_id: String,
    /// What it is recognised by.
    pub file_unique_id: String,
    /// How many bytes it has.
    pub file_size: usize,
    /// How wide it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// How high it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// How many seconds it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u32>,
    /// How the file is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// What is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// What else a sticker has.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A phone number and whose it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    /// The number, perhaps without a `+`.
    pub phone_number: String,
    /// How they are called.
    pub first_name: String,
    /// Their second name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Who they are, if Telegram knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<i64>,
}

/// A place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// North.
    pub latitude: f64,
    /// East.
    pub longitude: f64,
}

impl Location {
    /// Whether there is such a place.
    pub(super) fn is_on_earth(self) -> bool {
        self.latitude.abs() <= 90.0 && self.longitude.abs() <= 180.0
    }
}

/// The buttons under a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyboard {
    /// In rows.
    pub inline_keyboard: Vec<Vec<Button>>,
}

/// A button under a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What is written on it.
    pub text: String,
    /// What it does: `callback_data`, `url` and others.
    #[serde(flatten)]
    pub action: Map<String, Value>,
}

impl Chat {
    /// Whether what is written there is the channel's, and not somebody's.
    pub(super) fn is_channel(&self) -> bool {
        self.kind == "channel"
    }
}

impl Button {
    /// What a press tells the bot.
    pub fn data(&self) -> Option<&str> {
        self.action.get("callback_data")?.as_str()
    }
}

impl Keyboard {
    /// All its buttons, from the first row to the last.
    pub fn buttons(&self) -> impl Iterator<Item = &Button> {
        self.inline_keyboard.iter().flatten()
    }
}

impl Content {
    /// A message of words.
    pub(super) fn of_text((text, entities): (String, Vec<Entity>)) -> Self {
        Self { text: Some(text), entities, ..Self::default() }
    }

    /// The same with a caption, unless that is empty.
    pub(super) fn captioned(mut self, (caption, entities): (String, Vec<Entity>)) -> Self {
        self.caption = (!caption.is_empty()).then_some(caption);
        self.caption_entities = entities;
        self
    }

    /// What can be read in it.
    pub fn words(&self) -> &str {
        let words = self.text.as_deref().or(self.caption.as_deref());
        words.unwrap_or_default()
    }

    /// Whether it can have a caption.
    pub(super) fn has_media(&self) -> bool {
        let one = [&self.animation, &self.audio, &self.document, &self.video, &self.voice];
        !self.photo.is_empty() || one.iter().any(|media| media.is_some())
    }
}
