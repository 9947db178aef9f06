//! The time in which this replica is the one that polls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How long a poller that is gone keeps the others waiting.
pub(super) const LEASE: Duration = Duration::from_secs(10);

/// The time in which the lease is ours.
#[derive(Debug, Clone)]
pub(super) struct Tenure {
    /// The lease was lost, or could not be renewed.
    over: CancellationToken,
    /// When it was last asked for: before the answer, so that a pause counts against us.
    renewed: Arc<Mutex<Instant>>,
}

impl Tenure {
    pub(super) fn new(asked: Instant) -> Self {
        Self { over: CancellationToken::new(), renewed: Arc::new(Mutex::new(asked)) }
    }

    /// It goes on, if it is not over yet: whoever has found it over has given up what they had in hand.
    pub(super) fn renew(&self, asked: Instant) -> bool {
        let mut renewed = self.lock();
        let goes_on = !self.has_lapsed(*renewed);
        if goes_on {
            *renewed = asked;
        }
        goes_on
    }

    /// Ends it: somebody else may have the lease.
    pub(super) fn end(&self) {
        self.over.cancel();
    }

    /// Somebody else may have the lease by now.
    pub(super) fn is_over(&self) -> bool {
        self.has_lapsed(*self.lock())
    }

    fn has_lapsed(&self, renewed: Instant) -> bool {
        if renewed.elapsed() >= LEASE {
            self.over.cancel();
        }
        self.over.is_cancelled()
    }

    fn lock(&self) -> MutexGuard<'_, Instant> {
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moment so long ago.
    fn ago(time: Duration) -> Instant {
        Instant::now().checked_sub(time).expect("a moment")
    }

    #[test]
    fn a_lease_that_ran_out_by_our_own_clock_is_over_for_good() {
        let tenure = Tenure::new(ago(LEASE));
        assert!(tenure.is_over());
        assert!(!tenure.renew(Instant::now()), "another may have had it");
        assert!(tenure.is_over());
    }

    #[test]
    fn a_lease_that_is_renewed_in_time_goes_on() {
        let tenure = Tenure::new(ago(LEASE / 2));
        assert!(!tenure.is_over());
        assert!(tenure.renew(Instant::now()));
        assert!(!tenure.is_over());
    }

    /// The answer took as long as the lease lasts: what counts is when it was asked for.
    #[test]
    fn a_renewal_counts_from_the_question() {
        let tenure = Tenure::new(ago(LEASE / 2));
        assert!(tenure.renew(ago(LEASE)));
        assert!(tenure.is_over());
    }

    #[test]
    fn what_was_ended_is_over() {
        let tenure = Tenure::new(Instant::now());
        tenure.end();
        assert!(tenure.is_over() && !tenure.renew(Instant::now()));
    }
}
