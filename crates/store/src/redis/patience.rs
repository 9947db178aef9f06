//! How long a connection is kept that does not answer, or only refuses.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::fault::Fault;

/// So many calls in a row without an answer, and the connection counts as dead.
const MOST_TIMEOUTS: u32 = 3;
/// A server that loads its data, or misses its replicas, for longer is no longer waited for: the name may lead to another by now.
const LONGEST_REFUSAL: Duration = Duration::from_secs(2);

/// What there was since the last good answer.
#[derive(Debug)]
pub(super) struct Patience {
    born: Instant,
    timeouts: AtomicU32,
    /// Since when it refuses, in milliseconds of this value's life and one more; 0 if it does not.
    refusing: AtomicU64,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { born: Instant::now(), timeouts: AtomicU32::new(0), refusing: AtomicU64::new(0) }
    }

    /// Notes a good answer.
    pub(super) fn answered(&self) {
        self.timeouts.store(0, Ordering::Relaxed);
        self.refusing.store(0, Ordering::Relaxed);
    }

    /// Notes a fault, and says whether another connection might do better.
    pub(super) fn is_over(&self, fault: &Fault) -> bool {
        match fault.kind {
            "io" | "protocol" | "auth" | "readonly" | "masterdown" => true,
            "timeout" => self.timeouts.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_TIMEOUTS,
            "loading" | "noreplicas" => self.refuses_too_long(),
            _ => {
                self.answered();
                false
            }
        }
    }

    fn refuses_too_long(&self) -> bool {
        let now = self.born.elapsed().as_millis() as u64 + 1;
        let noted = self.refusing.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        let since = noted.map_or_else(|since| since, |_| now);
        Duration::from_millis(now.saturating_sub(since)) > LONGEST_REFUSAL
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn loading() -> Fault {
        Fault::new("loading", "it loads its data")
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_refuses_all_the_time_is_given_up() {
        let patience = Patience::new();
        assert!(!patience.is_over(&loading()));
        advance(LONGEST_REFUSAL).await;
        assert!(!patience.is_over(&loading()));
        advance(Duration::from_millis(1)).await;
        assert!(patience.is_over(&loading()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_good_answer_between_two_refusals_counts() {
        let patience = Patience::new();
        assert!(!patience.is_over(&loading()));
        advance(LONGEST_REFUSAL * 2).await;
        patience.answered();
        assert!(!patience.is_over(&loading()), "that was another time");
    }

    #[tokio::test]
    async fn three_silences_in_a_row_are_enough() {
        let patience = Patience::new();
        let silent = || patience.is_over(&Fault::timeout());
        assert_eq!([silent(), silent()], [false, false]);
        patience.answered();
        assert_eq!([silent(), silent(), silent()], [false, false, true]);
    }
}
