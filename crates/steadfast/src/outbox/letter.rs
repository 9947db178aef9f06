//! Dead letters of the outbox: what could not be carried out, and why.

use bytes::Bytes;

use super::Outbox;
use crate::letter::{Kind, Letter, Why};
use crate::store::{Item, Lane};
use crate::trace::Trace;

impl Outbox {
    /// Writes a dead letter and a line in the log, and counts it.
    pub(super) fn letter(&self, lane: Lane, item: &Item, why: Why, reason: &str) -> Bytes {
        self.inner.meters.letters.count(Kind::Effect, why);
        let letter = Letter::of_effect(lane, item, reason, self.inner.failures.settled(lane));
        let trace = Trace::of_effect(&item.id);
        tracing::warn!(%trace, %lane, effect.id = item.id, letter = letter.id, reason, "an effect was put aside as a dead letter");
        letter.write()
    }
}
