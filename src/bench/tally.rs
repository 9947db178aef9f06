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
        self.lock().acknowledged.saturating_record(micros(after));
    }

    /// A delivery has to be made again.
    pub fn again(&self) {
        self.lock().again += 1;
    }

    /// An update was replied to.
    pub fn replied(&self, after: Duration) {
        let mut counts = self.lock();
        counts.updates += 1;
        counts.replied.saturating_record(micros(after));
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

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
