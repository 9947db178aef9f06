//! An event: anything that may change a dialogue.

use std::time::Instant;

use bytes::Bytes;

use crate::dialogue::{Input, Person};
use crate::store::{Cause, DialogueKey, Millis, Settle};
use crate::trace::Trace;

/// Something that may move a dialogue: an update, or a timer, or an operator's word.
#[derive(Debug, Clone)]
pub struct Event {
    /// Why there is a turn.
    pub cause: Cause,
    /// The update kind, or `timer`, or `order`.
    pub kind: &'static str,
    /// Whose dialogue it concerns.
    pub key: DialogueKey,
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

impl Event {
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
