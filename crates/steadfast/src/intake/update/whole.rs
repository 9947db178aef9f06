//! What any update becomes, by teloxide-core's types.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Instant;

use bytes::Bytes;
use serde::de::IgnoredAny;
use teloxide_core::types::{
    CallbackQuery, ChatMigration, MaybeInaccessibleMessage, MediaKind, Message, MessageKind,
    Update, UpdateKind, User,
};

use super::{ALLOWED, Event, KINDS, Read, Scope, Unreadable, UpdateParser};
use crate::dialogue::{Contact, Input, Person, Photo};
use crate::store::{Cause, DialogueKey};

impl UpdateParser {
    /// Reads any update.
    pub(super) fn read_whole(&self, body: &Bytes) -> Result<Read, Unreadable> {
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
                Ok(Read::Event(incoming))
            }
        }
    }

    fn message(
        &self,
        id: u32,
        message: &Message,
        kind: &'static str,
    ) -> Result<Box<Event>, &'static str> {
        let person = message.from.as_ref().filter(|user| !user.is_bot).ok_or(kind)?;
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
        Ok(Box::new(Event {
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

    fn press(&self, id: u32, query: CallbackQuery) -> Result<Box<Event>, &'static str> {
        const KIND: &str = "callback_query";
        let key = match query.message.as_ref().ok_or(KIND)? {
            MaybeInaccessibleMessage::Regular(message) => self.key(message, &query.from),
            MaybeInaccessibleMessage::Inaccessible(message) => {
                key(message.chat.id.0, &query.from, None)
            }
        };
        let message = query.message.as_ref().and_then(|message| message.regular_message());
        Ok(Box::new(Event {
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
    fn key(&self, message: &Message, user: &User) -> DialogueKey {
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
                caption: photo.caption.clone().filter(|caption| !caption.trim().is_empty()),
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

fn key(chat: i64, user: &User, topic: Option<i32>) -> DialogueKey {
    DialogueKey { chat, user: user.id.0.cast_signed(), topic }
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
    format!("{:?} error at line {}, column {}", error.classify(), error.line(), error.column())
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
