//! What a run came to.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

/// What a run came to so far. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Tally(Arc<Mutex<Counts>>);

/// The counts of a run.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Updates that were acknowledged and replied to.
    pub updates: u64,
    /// How often a delivery was answered with something else than 200, or cut off, and made again.
    pub again: u64,
    /// Updates that were not acknowledged in time, or not replied to as the script says.
    pub lost: u64,
    /// What was wrong with the last of these.
    pub trouble: Option<String>,
    /// Microseconds from a post to its acknowledgement.
    pub acknowledged: Histogram<u64>,
    /// Microseconds from what a person did to the reply to it, waiting for a connection included.
    pub replied: Histogram<u64>,
}

impl Default for Counts {
    fn default() -> Self {
        let histogram = || Histogram::new(3).expect("three digits can be kept");
        Self {
            updates: 0,
            again: 0,
            lost: 0,
            trouble: None,
            acknowledged: histogram(),
            replied: histogram(),
        }
    }
}

impl Tally {
    /// An update was acknowledged.
    pub fn acknowledged(&self, after: Duration) {
        note(&mut self.lock().acknowledged, after);
    }

    /// A delivery has to be made again.
    pub fn again(&self) {
        self.lock().again += 1;
    }

    /// An update was replied to.
    pub fn replied(&self, after: Duration) {
        let mut counts = self.lock();
        counts.updates += 1;
        note(&mut counts.replied, after);
    }

    /// An update came to nothing.
    pub fn lost(&self, trouble: String) {
        let mut counts = self.lock();
        counts.lost += 1;
        counts.trouble = Some(trouble);
    }

    /// How it stands.
    pub fn counts(&self) -> Counts {
        self.lock().clone()
    }

    /// Updates that were replied to, and those that came to nothing.
    pub fn so_far(&self) -> (u64, u64) {
        let counts = self.lock();
        (counts.updates, counts.lost)
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds a time. It makes room for itself: the histogram begins with very little, and what saturates would be cut off there.
fn note(times: &mut Histogram<u64>, time: Duration) {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    // A time that no histogram holds is no time of ours.
    let _ = times.record(micros);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_time_is_kept_as_long_as_it_was() {
        let tally = Tally::default();
        for millis in [1, 9000] {
            tally.acknowledged(Duration::from_millis(millis));
            tally.replied(Duration::from_millis(millis));
        }
        let counts = tally.counts();
        for times in [&counts.acknowledged, &counts.replied] {
            assert!(times.max() >= 8_990_000, "{}", times.max());
            assert_eq!(times.len(), 2);
        }
        assert_eq!(tally.so_far(), (2, 0));
    }
}
