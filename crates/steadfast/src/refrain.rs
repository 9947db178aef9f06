//! What would be said again and again, and is said now and then.

use std::time::Duration;

use tokio::time::Instant;

/// When something may be said once more.
#[derive(Debug)]
pub(crate) struct Refrain {
    every: Duration,
    last: Option<Instant>,
}

impl Refrain {
    /// Something that is said at once, and then no more often than this.
    pub(crate) fn every(every: Duration) -> Self {
        Self { every, last: None }
    }

    /// Whether to say it now; whoever asks says it then.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = self.last.is_none_or(|last| last.elapsed() >= self.every);
        if due {
            self.last = Some(Instant::now());
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_said_at_once_and_then_now_and_then() {
        let every = Duration::from_secs(5);
        let mut refrain = Refrain::every(every);
        for _ in 0..2 {
            assert!(refrain.is_due());
            assert!(!refrain.is_due());
            advance(every - Duration::from_millis(1)).await;
            assert!(!refrain.is_due());
            advance(Duration::from_millis(1)).await;
        }
    }
}
