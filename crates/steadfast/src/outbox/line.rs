//! What the log tells of effects that were carried out.

use std::time::{Duration, Instant};

use super::meters::Source;
use crate::store::{Item, Lane, LaneKind};
use crate::trace::Trace;

/// An effect in hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) lane: Lane,
    pub(super) item: &'a Item,
    pub(super) source: Source,
    pub(super) began: Instant,
}

impl Line<'_> {
    /// It was carried out. A reply that another replica left, or that had to wait, is told at `info`: it is what people ask about.
    /// All others at `debug`, since the update's own line has said that they would be.
    pub(super) fn carried_out(&self) {
        let Self { lane, item, .. } = self;
        let (trace, source) = (Trace::of_effect(&item.id), self.source.word());
        let duration_ms = self.began.elapsed().as_micros() as f64 / 1000.0;
        match (self.source, lane.kind) {
            (Source::Sweep | Source::Takeover, LaneKind::Messages) => tracing::info!(
                %trace, effect.id = item.id, %lane, source, duration_ms, "a reply was sent later"
            ),
            _ => tracing::debug!(
                %trace, effect.id = item.id, %lane, source, duration_ms, "an effect was carried out"
            ),
        }
    }
}

/// Nobody knows whether the effect was carried out; it is repeated, and a person may see it twice.
pub(super) fn unknown(lane: Lane, item: &Item) {
    let trace = Trace::of_effect(&item.id);
    tracing::info!(%trace, effect.id = item.id, %lane, "a call was cut off, and is made again");
}

/// It was not carried out, and is tried again.
pub(super) fn failed(lane: Lane, item: &Item) {
    let trace = Trace::of_effect(&item.id);
    tracing::debug!(%trace, effect.id = item.id, %lane, "a call failed, and is made again");
}

/// Telegram told its chat to wait so long.
pub(super) fn told_to_wait(lane: Lane, item: &Item, delay: Duration) {
    let (trace, seconds) = (Trace::of_effect(&item.id), delay.as_secs());
    tracing::info!(%trace, effect.id = item.id, %lane, seconds, "Telegram tells a chat to wait");
}

/// It waits long for a limit, that of its `chat` or that of the whole `bot`.
pub(super) fn waits(lane: Lane, item: &Item, limit: &'static str, wait: Duration) {
    let (trace, seconds) = (Trace::of_effect(&item.id), wait.as_secs_f64());
    tracing::debug!(%trace, effect.id = item.id, %lane, limit, seconds, "a message waits for a limit");
}

/// It was carried out, but its lane was taken over meanwhile: whoever has that may do it again.
pub(super) fn overtaken(lane: Lane, item: &Item) {
    let trace = Trace::of_effect(&item.id);
    tracing::info!(%trace, effect.id = item.id, %lane, "a lane was taken over while its effect was carried out");
}
