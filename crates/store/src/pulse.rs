//! What a sign of life is answered with.

use bytes::Bytes;

use super::Millis;

/// The answer to [`Store::beat`](super::Store::beat).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pulse {
    /// Every replica that gave a sign of life in the last [`BEAT_FOR`](super::BEAT_FOR), with its info.
    pub replicas: Vec<(String, Bytes)>,
    /// There was an outage that ended less than [`OUTAGE_GRACE`](super::OUTAGE_GRACE) ago, at this time: leave timers up to it alone.
    pub hold: Option<Millis>,
    /// The store's time.
    pub now: Millis,
}
