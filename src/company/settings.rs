//! The settings of the company: the place of its clocks and its currency.

use jiff::tz::TimeZone;

/// The company that the bot works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// The zone of whatever names none of its own.
    pub zone: TimeZone,
    /// The sign of the money it counts in, as people read it.
    pub currency: String,
}

impl Default for Company {
    fn default() -> Self {
        Self { zone: TimeZone::UTC, currency: "₽".to_owned() }
    }
}
