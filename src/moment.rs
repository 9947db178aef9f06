//! Dates and times of day, as each language writes them.

use jiff::Timestamp;
use jiff::Zoned;
use jiff::tz::TimeZone;

use steadfast::dialogue::{Millis, Text, text};

/// The day, such as `16 November 2026`, where the clocks are set to this zone.
pub(super) fn date(at: Millis, zone: &TimeZone) -> Text {
    let there = there(at, zone);
    text("date")
        .with("day", i64::from(there.day()))
        .with("month", i64::from(there.month()))
        .with("year", there.year().to_string())
}

/// The time of day, such as `09:05`.
pub(super) fn time(at: Millis, zone: &TimeZone) -> Text {
    let there = there(at, zone);
    text("time")
        .with("hour", format!("{:02}", there.hour()))
        .with("minute", format!("{:02}", there.minute()))
}

/// Both.
pub(super) fn date_time(at: Millis, zone: &TimeZone) -> Text {
    text("date-time").with("date", date(at, zone)).with("time", time(at, zone))
}

/// The zone of this name, else UTC: what was kept was looked at when it was typed.
pub(super) fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

fn there(at: Millis, zone: &TimeZone) -> Zoned {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    let at = Timestamp::from_millisecond(at).unwrap_or(Timestamp::MAX);
    at.to_zoned(zone.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows;

    /// 2026-03-29T00:59:00Z, a minute before Berlin puts its clocks forward.
    const BEFORE: Millis = 1_774_745_940_000;

    #[test]
    fn a_moment_is_written_in_its_zone_and_language() {
        let (texts, berlin) = (flows::texts(), zone("Europe/Berlin"));
        let said = |language| texts.plain(&date_time(BEFORE, &berlin), language);
        assert_eq!(said("en"), "29 March 2026, 01:59");
        assert_eq!(said("ru"), "29 марта 2026, 01:59");
    }

    #[test]
    fn clocks_that_are_put_forward_skip_an_hour() {
        let berlin = zone("Europe/Berlin");
        let later = time(BEFORE + 60_000, &berlin);
        assert_eq!(flows::texts().plain(&later, "en"), "03:00");
    }
}
