//! An update, each time that it was sent, and what became of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::kind::{DAY, Kind};
use crate::clock::Millis;
use crate::faults::Fault;

/// What became of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits to be sent, for the first time or again.
    Waiting,
    /// It was sent, and there is no answer yet.
    InFlight,
    /// The webhook took it.
    Acknowledged,
    /// A poll has confirmed it.
    Confirmed,
    /// It was too old.
    Dropped,
}

impl State {
    /// Whether it is still in the queue.
    pub fn is_pending(self) -> bool {
        matches!(self, Self::Waiting | Self::InFlight)
    }
}

/// One time that an update was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When.
    pub at: Millis,
    /// The answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What went wrong, if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long it took.
    pub duration_ms: Millis,
    /// The same by the machine's clock, more exactly.
    #[serde(skip)]
    pub took: Duration,
    /// What the answer asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_method: Option<String>,
}

/// An update and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Update {
    /// Its number.
    pub update_id: i64,
    /// Which update this is, from the first on; the number may start anew.
    pub seq: u64,
    /// Its field in the body.
    pub kind: String,
    /// The line it stands in.
    pub queue: i64,
    /// When it came about.
    pub at: Millis,
    /// When it is too old.
    pub expires: Millis,
    /// As it is sent, every time.
    pub body: String,
    /// What became of it.
    pub state: State,
    /// Each time that it was sent.
    pub attempts: Vec<Attempt>,
    /// The chat it is from.
    pub chat: i64,
    /// How often it failed.
    #[serde(default)]
    pub(crate) failures: u32,
    /// The last pause, in seconds; it doubles.
    #[serde(default = "one")]
    pub(crate) pause: u64,
    /// What goes wrong with it alone.
    #[serde(default)]
    pub(crate) faults: Vec<Fault>,
    /// It is to be polled once more, whatever was confirmed.
    #[serde(default)]
    pub(crate) unseen: bool,
    /// It comes about together with another, and goes as they do: its first trip waits for no other's success.
    #[serde(default)]
    pub(crate) at_once: bool,
}

fn one() -> u64 {
    1
}

impl Update {
    /// Forgets how often it failed.
    pub(super) fn forgive(&mut self) {
        (self.failures, self.pause) = (0, one());
    }

    /// A message that has just come about.
    pub(super) fn fresh(update_id: i64, at: Millis, body: String) -> Self {
        Self {
            update_id,
            seq: 0,
            kind: "message".to_owned(),
            queue: update_id,
            at,
            expires: at + DAY,
            body,
            state: State::Waiting,
            attempts: Vec::new(),
            chat: 0,
            failures: 0,
            pause: one(),
            faults: Vec::new(),
            unseen: false,
            at_once: false,
        }
    }

    /// The same as one of this kind.
    pub(super) fn of(self, kind: Kind) -> Self {
        Self {
            kind: kind.name().to_owned(),
            queue: kind.line(),
            expires: self.at + kind.kept(),
            ..self
        }
    }

    /// Whether somebody asks this inline; what was dropped is not asked any more.
    pub(crate) fn asks_inline(&self, id: &str) -> bool {
        if self.kind != "inline_query" || self.state == State::Dropped {
            return false;
        }
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["inline_query"]["id"] == id
    }

    /// Whether it goes now, however the webhook fares.
    pub(crate) fn hurries(&self) -> bool {
        self.at_once && self.attempts.is_empty()
    }

    /// As the control API shows it, with its body as JSON.
    pub fn shown(&self) -> Value {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        json!({
            "update_id": self.update_id, "kind": self.kind, "queue": self.queue, "at": self.at, "body": body,
            "state": self.state, "attempts": self.attempts,
        })
    }
}
