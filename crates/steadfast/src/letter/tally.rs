//! Counts the dead letters that are written, by what they hold and why.

use std::sync::Arc;

use metrics::{Counter, counter};

use super::Kind;

/// What a letter may hold, as metrics name it.
pub const KINDS: [&str; 4] = ["update", "unreadable", "record", "effect"];
/// Why it may have been written, as metrics name it.
pub const REASONS: [&str; 5] = ["failed", "unreadable", "refused", "blocked", "unrecorded"];

/// Why a letter is written, by what is to be done about it: a label of the metric, where Telegram's own words would be too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A turn has failed too often: a flow is to be mended.
    Failed,
    /// Nobody can read it, or make sense of it.
    Unreadable,
    /// Telegram, or something on the way to it, will never take it.
    Refused,
    /// The person, or the group, does not want to hear from the bot. This is their right, and nothing is to be done.
    Blocked,
    /// The records will never take it.
    Unrecorded,
}

/// A handle for each series, made once.
#[derive(Debug, Clone)]
pub struct Tally(Arc<[[Counter; REASONS.len()]; KINDS.len()]>);

impl Tally {
    /// The handles of the recorder that is in place.
    pub fn new() -> Self {
        Self(Arc::new(KINDS.map(|kind| {
            REASONS.map(
                |reason| counter!("steadfast_dead_letters_total", "kind" => kind, "reason" => reason),
            )
        })))
    }

    /// A letter was written.
    pub fn count(&self, kind: Kind, why: Why) {
        self.0[kind as usize][why as usize].increment(1);
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self::new()
    }
}

impl Why {
    /// The word in metrics.
    pub fn word(self) -> &'static str {
        REASONS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_every_reason_has_its_own_word() {
        for kind in [Kind::Update, Kind::Unreadable, Kind::Record, Kind::Effect] {
            assert_eq!(KINDS[kind as usize], kind.word());
        }
        let words = [
            (Why::Failed, "failed"),
            (Why::Unreadable, "unreadable"),
            (Why::Refused, "refused"),
            (Why::Blocked, "blocked"),
            (Why::Unrecorded, "unrecorded"),
        ];
        for (why, word) in words {
            assert_eq!(why.word(), word);
        }
    }
}
