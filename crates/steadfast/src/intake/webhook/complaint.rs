//! Says in the log why requests are turned away, without letting a stranger flood it.

use std::array;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::answer::{OUTCOMES, Outcome};

/// How often the same is said.
const EVERY: Duration = Duration::from_secs(10);

/// When each complaint was last made.
#[derive(Debug)]
pub(super) struct Complaints {
    start: Instant,
    /// Milliseconds since the start, plus one; 0 for never.
    last: [AtomicU64; OUTCOMES.len()],
}

impl Complaints {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), last: array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// A request was answered so; if that is the operator's concern, they are told, now and then.
    pub(super) fn answered(&self, outcome: Outcome) {
        let Some(words) = words(outcome) else { return };
        if self.is_due(outcome) {
            tracing::warn!(outcome = outcome.word(), "{words}");
        }
    }

    fn is_due(&self, outcome: Outcome) -> bool {
        let now = self.start.elapsed().as_millis() as u64 + 1;
        let last = self.last[outcome as usize].load(Ordering::Relaxed);
        let due = last == 0 || now - last >= EVERY.as_millis() as u64;
        if due {
            self.last[outcome as usize].store(now, Ordering::Relaxed);
        }
        due
    }
}

/// What there is to do about it.
fn words(outcome: Outcome) -> Option<&'static str> {
    Some(match outcome {
        Outcome::Unauthorized => {
            "requests without a right secret are refused: if they are Telegram's, WEBHOOK_SECRET is not the one registered"
        }
        Outcome::Stale => {
            "requests are refused that waited too long by their X-Request-Start: check the proxy's load and clock"
        }
        Outcome::Overloaded => {
            "requests are refused since MAX_IN_FLIGHT are being worked on: raise it, or find out what is slow"
        }
        Outcome::BadInput => {
            "requests are refused that are not Telegram's: check what else can reach the webhook"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_complaint_is_not_made_again_at_once() {
        let complaints = Complaints::new();
        assert!(complaints.is_due(Outcome::Unauthorized));
        assert!(!complaints.is_due(Outcome::Unauthorized));
        assert!(complaints.is_due(Outcome::Stale));
    }

    #[test]
    fn what_goes_well_is_no_complaint() {
        assert_eq!(words(Outcome::Applied), None);
        assert!(words(Outcome::Unauthorized).is_some());
    }
}
