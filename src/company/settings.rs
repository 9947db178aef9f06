//! What the configuration says of the company: who is what in it, where its clocks stand, what it counts in.

use jiff::tz::TimeZone;

use crate::role::Staff;

/// The company that the bot works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// Who has which role.
    pub staff: Staff,
    /// The zone of whatever names none of its own.
    pub zone: TimeZone,
    /// The sign of the money it counts in, as people read it.
    pub currency: String,
}

impl Default for Company {
    fn default() -> Self {
        Self { staff: Staff::default(), zone: TimeZone::UTC, currency: "₽".to_owned() }
    }
}
