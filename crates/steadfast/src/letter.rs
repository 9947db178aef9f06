//! Dead letters: what could not be done, in one shape, kept for an operator.
//!
//! | kind | written by | holds |
//! |---|---|---|
//! | `update` | the [session](crate::turn::session), when a turn has failed too often | the update as it came |
//! | `unreadable` | the [webhook](crate::intake::webhook), when a body is no update | the body as it came |
//! | `record` | the [session](crate::turn::session), when it meets a record that nobody can read | the record's bytes |
//! | `effect` | the [outbox](crate::outbox), when an effect can never be carried out | the effect |
//!
//! The body is what people said: it is shown to an operator who asks for the letter, and never logged.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::store::{
    Clock, DialogueKey, Item, Lane, MAX_BODY_BYTES, Millis, Snapshot, Token, UNREADABLE,
};
use crate::turn::Event;

mod tally;
mod text;

pub use tally::{KINDS, REASONS, Tally, Why};

/// How much of an update is kept: as much as Telegram's largest has.
const MAX_BYTES: usize = 512 * 1024;
/// How much of a record is kept: more than it may have.
const MAX_RECORD: usize = 2 * MAX_BODY_BYTES;

/// Something that could not be done.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Letter {
    /// A name to ask for it by.
    pub id: String,
    /// When it was given up.
    pub at: Millis,
    /// What it holds.
    pub kind: Kind,
    /// Why it could not be done.
    pub reason: String,
    /// How often it was tried; an effect, by the replica that gave it up.
    pub tries: u32,
    /// The dialogue it concerns.
    #[serde(default, with = "text", skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<DialogueKey>,
    /// The version of the dialogue that the turn met; the commit of the letter made the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The lane it stood in.
    #[serde(default, with = "text", skip_serializing_if = "Option::is_none")]
    pub lane: Option<Lane>,
    /// The effect's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// How many bytes it came with, where only the first of them are kept: what is left cannot be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<usize>,
    /// The update or body as text, cut off at 512 KiB; the effect as JSON; the record with `\\x00` for what is no ASCII.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
}

/// What a letter holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An update, or another cause of a turn, that has failed too often.
    Update,
    /// A body that is no update.
    Unreadable,
    /// A dialogue's record that cannot be read.
    Record,
    /// An effect that can never be carried out.
    Effect,
}

impl Kind {
    /// The word in logs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Unreadable => "unreadable",
            Self::Record => "record",
            Self::Effect => "effect",
        }
    }
}

impl fmt::Debug for Letter {
    /// Without the body.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Letter")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

impl Letter {
    /// For a turn that was given up on, having met the dialogue like this.
    pub fn of_update(incoming: &Event, met: &Snapshot, reason: &str) -> Self {
        let letter = Self::new(Kind::Update, met.now, reason, beginning(&incoming.raw));
        Self {
            tries: met.tries,
            cut: cut(&incoming.raw, MAX_BYTES),
            dialogue: Some(incoming.key),
            version: Some(met.version).filter(|version| ![0, UNREADABLE].contains(version)),
            ..letter
        }
    }

    /// For the record of a dialogue that cannot be read.
    pub fn of_record(key: &DialogueKey, now: Millis, record: &[u8]) -> Self {
        let kept = &record[..record.len().min(MAX_RECORD)];
        let body = kept.escape_ascii().to_string().into();
        Self {
            dialogue: Some(*key),
            cut: cut(record, MAX_RECORD),
            ..Self::new(Kind::Record, now, "unreadable record", body)
        }
    }

    /// For a body that is no update.
    pub fn of_body(body: &[u8], reason: &str) -> Self {
        let now = Clock::system().now();
        Self {
            cut: cut(body, MAX_BYTES),
            ..Self::new(Kind::Unreadable, now, reason, beginning(body))
        }
    }

    /// For an effect that was tried so often and can never be carried out.
    pub fn of_effect(lane: Lane, item: &Item, reason: &str, tries: u32) -> Self {
        let body = serde_json::from_slice(&item.body).unwrap_or_else(|_| beginning(&item.body));
        let letter = Self::new(Kind::Effect, Clock::system().now(), reason, body);
        Self { tries, lane: Some(lane), effect: Some(item.id.clone()), ..letter }
    }

    fn new(kind: Kind, at: Millis, reason: &str, body: Value) -> Self {
        Self {
            id: short(format!("{at} {} {body}", Token::fresh()).as_bytes()),
            at,
            kind,
            reason: reason.to_owned(),
            tries: 1,
            dialogue: None,
            version: None,
            lane: None,
            effect: None,
            cut: None,
            body,
        }
    }

    /// As the store keeps it.
    ///
    /// # Panics
    /// Never: a letter can always be written.
    pub fn write(&self) -> Bytes {
        let json = serde_json::to_vec(self).expect("a letter is plain data");
        json.into()
    }

    /// Reads what [`Letter::write`] wrote. Anything else is shown as it is, so that it can be looked at and dropped.
    pub fn read(kept: &[u8]) -> Self {
        serde_json::from_slice(kept).unwrap_or_else(|_| Self {
            id: short(kept),
            ..Self::new(
                Kind::Unreadable,
                0,
                "the letter is of a shape that this build does not know",
                beginning(kept),
            )
        })
    }
}

/// Twelve hexadecimal digits: enough to tell tens of thousands of letters apart.
fn short(content: &[u8]) -> String {
    format!("{:012x}", xxh3_64(content) >> 16)
}

/// How long it was, if it has more than is kept.
fn cut(bytes: &[u8], most: usize) -> Option<usize> {
    Some(bytes.len()).filter(|length| *length > most)
}

fn beginning(bytes: &[u8]) -> Value {
    let kept = &bytes[..bytes.len().min(MAX_BYTES)];
    String::from_utf8_lossy(kept).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::LaneKind;

    const LANE: Lane = Lane { kind: LaneKind::Bulk, chat: -7 };

    fn letter() -> Letter {
        let item = Item { id: "7.1760.0".to_owned(), body: r#"{"do":"typing","chat":-7}"#.into() };
        Letter::of_effect(LANE, &item, "no", 3)
    }

    #[test]
    fn a_letter_is_read_back_as_written() {
        let letter = letter();
        assert_eq!(Letter::read(&letter.write()), letter);
        let json: Value = serde_json::from_slice(&letter.write()).unwrap();
        assert_eq!(
            (&json["kind"], &json["lane"], &json["body"]["chat"]),
            (&"effect".into(), &"bulk:-7".into(), &(-7).into())
        );
    }

    #[test]
    fn two_letters_of_the_same_have_different_names() {
        assert_ne!(letter().id, letter().id);
        assert_eq!(letter().id.len(), 12);
    }

    #[test]
    fn a_letter_of_another_build_keeps_its_name_and_its_content() {
        let (one, other) = (Letter::read(b"{\"old\":1}"), Letter::read(b"{\"old\":1}"));
        assert_eq!((&one.id, &one.body), (&other.id, &"{\"old\":1}".into()));
    }

    #[test]
    fn a_long_body_is_cut_off_and_the_letter_says_so() {
        let letter = Letter::of_body(&[b'x'; MAX_BYTES + 1], "no");
        assert_eq!(letter.body.as_str().map(str::len), Some(MAX_BYTES));
        assert_eq!(Letter::read(&letter.write()).cut, Some(MAX_BYTES + 1));
        let whole = Letter::of_body(&[b'x'; MAX_BYTES], "no");
        assert_eq!(whole.cut, None);
    }

    #[test]
    fn a_record_is_kept_to_the_last_byte() {
        let key = "-5:6".parse().unwrap();
        let letter = Letter::of_record(&key, 7, b"R\0{\"v\":1}\xff");
        let body = r#"R\x00{\"v\":1}\xff"#.into();
        assert_eq!((&letter.body, letter.dialogue), (&body, Some(key)));
        assert_eq!(Letter::read(&letter.write()), letter);
    }

    #[test]
    fn what_people_said_is_not_shown_by_debug() {
        let letter = Letter::of_body(b"a secret", "no");
        assert!(!format!("{letter:?}").contains("secret"));
    }
}
