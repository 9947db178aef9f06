//! Deliveries that failed, as Telegram tells of them.

use std::sync::atomic::{AtomicU64, Ordering};

/// When the last delivery failed that is known of.
#[derive(Debug)]
pub(super) struct Failures(AtomicU64);

impl Default for Failures {
    /// What failed before the first look is old.
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

impl Failures {
    /// Whether a delivery has failed since the last look, if the last one failed then.
    pub(super) fn is_news(&self, date: Option<u64>) -> bool {
        let date = date.unwrap_or(0);
        self.0.swap(date, Ordering::Relaxed) < date
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fails_after_the_first_look_is_news_and_once() {
        let failures = Failures::default();
        let looks = [Some(5), Some(5), Some(6), Some(6), None, Some(6)];
        let news = looks.map(|date| failures.is_news(date));
        assert_eq!(news, [false, false, true, false, false, true]);
    }
}
