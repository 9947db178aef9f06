//! What sessions count.

use metrics::{Counter, counter};

/// The counters of a session, each asked for once.
#[derive(Debug, Clone)]
pub(super) struct Counters {
    pub(super) conflicts: Counter,
    pub(super) retries: Counter,
    pub(super) crowded: Counter,
    pub(super) dead: Counter,
    pub(super) unreadable: Counter,
}

impl Counters {
    pub(super) fn new() -> Self {
        Self {
            conflicts: counter!("steadfast_commit_conflicts_total"),
            retries: counter!("steadfast_commit_retries_total"),
            crowded: counter!("steadfast_seen_crowded_out_total"),
            dead: counter!("steadfast_updates_dead_lettered_total", "reason" => "failed"),
            unreadable: counter!("steadfast_records_unreadable_total"),
        }
    }
}
