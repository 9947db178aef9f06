//! What sessions count.

use metrics::{Counter, counter};

use crate::letter::Tally;

/// The counters of a session, each asked for once.
#[derive(Debug, Clone)]
pub(super) struct Counters {
    pub(super) conflicts: Counter,
    pub(super) retries: Counter,
    pub(super) crowded: Counter,
    pub(super) suppressed: Counter,
    pub(super) letters: Tally,
}

impl Counters {
    pub(super) fn new() -> Self {
        Self {
            conflicts: counter!("steadfast_commit_conflicts_total"),
            retries: counter!("steadfast_commit_retries_total"),
            crowded: counter!("steadfast_seen_crowded_out_total"),
            suppressed: counter!("steadfast_outbox_left_out_total"),
            letters: Tally::new(),
        }
    }
}
