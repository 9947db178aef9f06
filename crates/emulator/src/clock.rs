//! A clock that can be moved: it runs by itself or stands still, and whoever sleeps by it wakes when it is moved.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

/// Unix milliseconds.
pub type Millis = u64;

/// The most that may pass at once.
pub const LONGEST: Duration = Duration::from_secs(366 * 86_400);
/// No clock goes beyond this, so that there is always a later.
const END: Millis = u64::MAX / 4;

/// The time of an emulator. Clones are the same clock.
#[derive(Debug, Clone)]
pub struct Clock(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// What is added to the time of the machine; of a clock that stands still, the time itself.
    offset: AtomicU64,
    runs: bool,
    moved: Notify,
}

impl Default for Clock {
    fn default() -> Self {
        Self::running()
    }
}

impl Clock {
    /// A clock that runs, from the time of the machine.
    pub fn running() -> Self {
        Self::new(0, true)
    }

    /// A clock that stands still until it is moved.
    pub fn still(at: Millis) -> Self {
        Self::new(at, false)
    }

    fn new(offset: Millis, runs: bool) -> Self {
        Self(Arc::new(Inner { offset: AtomicU64::new(offset), runs, moved: Notify::new() }))
    }

    /// What time it is.
    pub fn now(&self) -> Millis {
        let machine = if self.0.runs { machine() } else { 0 };
        machine.saturating_add(self.offset())
    }

    /// How far it is ahead of the time of the machine; of a clock that stands still, where it stands.
    pub fn offset(&self) -> Millis {
        self.0.offset.load(Ordering::SeqCst)
    }

    /// Moves it ahead; whatever is due by then happens.
    pub fn advance(&self, by: Duration) {
        let ahead = |offset: Millis| Some(offset.saturating_add(millis(by)).min(END));
        let moved = &self.0.offset;
        // It is never refused.
        let _ = moved.fetch_update(Ordering::SeqCst, Ordering::SeqCst, ahead);
        self.0.moved.notify_waiters();
    }

    /// Waits for a moment.
    pub async fn sleep_until(&self, moment: Millis) {
        loop {
            let moved = self.0.moved.notified();
            tokio::pin!(moved);
            moved.as_mut().enable();
            let now = self.now();
            if now >= moment {
                return;
            }
            if self.0.runs {
                let left = Duration::from_millis(moment - now);
                let _ = tokio::time::timeout(left, moved).await;
            } else {
                moved.await;
            }
        }
    }

    /// Waits so long.
    pub async fn sleep(&self, time: Duration) {
        let until = self.now().saturating_add(millis(time));
        self.sleep_until(until).await;
    }
}

/// A duration in milliseconds.
pub(super) fn millis(time: Duration) -> Millis {
    u64::try_from(time.as_millis()).unwrap_or(END)
}

fn machine() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_sleeps_wakes_when_the_clock_is_moved_far_enough() {
        let clock = Clock::still(1_000);
        let sleeper = tokio::spawn({
            let clock = clock.clone();
            async move { clock.sleep(Duration::from_secs(60)).await }
        });
        tokio::task::yield_now().await;
        clock.advance(Duration::from_secs(59));
        tokio::task::yield_now().await;
        assert!(!sleeper.is_finished());
        clock.advance(Duration::from_secs(1));
        sleeper.await.expect("it woke");
    }

    #[test]
    fn it_never_goes_back_however_far_it_is_moved() {
        let clock = Clock::still(1_000);
        for _ in 0..8 {
            clock.advance(Duration::MAX);
            clock.advance(Duration::from_millis(u64::MAX));
        }
        assert!(clock.now() > 1_000 && clock.now() < u64::MAX / 2);
    }
}
