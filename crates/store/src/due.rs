//! What is to be done at this time.

use super::{DialogueKey, Head, Lane, Millis};

/// The answer to [`Store::due`](super::Store::due).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Due {
    /// Dialogues with the time they were due, earliest first within a partition.
    pub timers: Vec<(DialogueKey, Millis)>,
    /// Lanes leased to the caller, each with its head.
    pub lanes: Vec<(Lane, Head)>,
    /// Those of them whose holder did not renew its lease; the others were left alone for a while.
    pub lapsed: Vec<Lane>,
    /// How many commits the store has taken: it only grows, unless the store went back in time.
    pub sequence: u64,
    /// The store's time.
    pub now: Millis,
}
