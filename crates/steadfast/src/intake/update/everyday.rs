//! What everyday updates become, which are only glanced at.

use std::time::Instant;

use bytes::Bytes;

use super::glance::{Glance, What};
use super::{Event, Read, Scope, UpdateParser};
use crate::dialogue::{Input, Person, Photo};
use crate::store::{Cause, DialogueKey};

impl UpdateParser {
    /// What an everyday update is: the same as [`UpdateParser::read_whole`] finds.
    pub(super) fn everyday(&self, glance: Glance<'_>, body: &Bytes) -> Read {
        let Glance { id, from, chat, topic, what } = glance;
        let (kind, date, callback) = match &what {
            What::Text { date, .. } | What::Photo { date, .. } => ("message", Some(*date), None),
            What::Press { id, .. } => ("callback_query", None, Some(id.clone())),
        };
        let Some(input) = self.everyday_input(what) else {
            return Read::Ignored(kind);
        };
        let stamp = date.map(|date| date.to_string()).or(callback.clone());
        Read::Event(Box::new(Event {
            cause: Cause::Update(id),
            kind,
            key: DialogueKey {
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
            What::Photo { file_id, album, caption, .. } => Input::Photo(Photo {
                file_id: file_id.into_owned(),
                album,
                caption: caption.filter(|caption| !caption.trim().is_empty()),
            }),
            What::Press { data, .. } => Input::Press(data),
        })
    }
}
