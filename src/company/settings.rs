//! The settings of the company: the place of its clocks and its currency.

use std::time::Duration;

use jiff::tz::TimeZone;

/// The company that the bot works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// The zone of whatever names none of its own.
    pub zone: TimeZone,
    /// The sign of the money it counts in, as people read it.
    pub currency: String,
    /// How long personal data is kept.
    pub retention: Retention,
}

/// How long personal data is kept; nothing: for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// Telegram's ids of photos, by which they can be had again, and the captions to them.
    pub photos: Option<Duration>,
    /// Phone numbers.
    pub phones: Option<Duration>,
    /// What was said in a dialogue that was not finished: as long as that would have waited.
    pub drafts: Option<Duration>,
}

impl Default for Company {
    fn default() -> Self {
        Self { zone: TimeZone::UTC, currency: "₽".to_owned(), retention: Retention::default() }
    }
}
