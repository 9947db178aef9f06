//! When a time slot is: days of the week and wall times, and which moments those are where the object stands.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};

/// How long before a slot begins a shift may be opened for it: two hours, in milliseconds.
const EARLY: i64 = 2 * 3_600_000;
/// The minutes of a day.
const DAY: i64 = 24 * 60;

/// From one wall time to another, which is on the next day where it is not later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hours {
    /// Minutes after midnight at which it begins.
    pub from: i64,
    /// Minutes after midnight at which it ends, up to 24:00.
    pub until: i64,
}

/// Days of the week: bit 0 is Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Days(pub i64);

impl Days {
    /// Every day.
    pub const ALL: Self = Self(0b111_1111);
    /// Monday to Friday.
    pub const WORKDAYS: Self = Self(0b001_1111);
    /// Saturday and Sunday.
    pub const WEEKEND: Self = Self(0b110_0000);

    /// Whether a day is among them, Monday being 0.
    pub fn has(self, day: usize) -> bool {
        self.0 >> day & 1 == 1
    }
}

/// Digits, Monday being 1: `12345`, `1, 3, 5`, `1-5`.
impl FromStr for Days {
    type Err = NoHours;

    fn from_str(text: &str) -> Result<Self, NoHours> {
        let mut days = 0;
        for part in text.split([',', ' ', ';']).filter(|part| !part.is_empty()) {
            days |= match part.split_once(['-', '–']) {
                Some((first, last)) => span(day(first)?, day(last)?),
                None => part.chars().map(digit).try_fold(0, |all, day| {
                    let day = day?;
                    Ok(all | span(day, day))
                })?,
            };
        }
        (days != 0).then_some(Self(days)).ok_or(NoHours)
    }
}

fn day(text: &str) -> Result<u32, NoHours> {
    let mut digits = text.trim().chars();
    match (digits.next(), digits.next()) {
        (Some(only), None) => digit(only),
        _ => Err(NoHours),
    }
}

fn digit(of: char) -> Result<u32, NoHours> {
    let day = of.to_digit(10).filter(|day| (1..=7).contains(day));
    day.ok_or(NoHours)
}

/// From one day to another, round the end of the week where need be.
fn span(first: u32, last: u32) -> i64 {
    let days = (last + 7 - first) % 7;
    (0..=days).fold(0, |all, step| all | 1 << ((first - 1 + step) % 7))
}

impl Hours {
    /// When the slot begins and ends whose time it is now, or soon: UTC, in milliseconds. A wall time that the clocks skip is as
    /// much later as they are put forward; of one that comes twice it is the first.
    pub fn around(self, days: Days, now: i64, zone: &TimeZone) -> Option<(i64, i64)> {
        let there = Timestamp::from_millisecond(now).ok()?;
        let today = there.to_zoned(zone.clone()).date();
        let near = [today.yesterday().ok(), Some(today), today.tomorrow().ok()];
        let near = near.into_iter().flatten();
        let on_days = near.filter(|date| {
            let day = date.weekday().to_monday_zero_offset();
            days.has(usize::try_from(day).unwrap_or(0))
        });
        let mut spans = on_days.filter_map(|date| self.on(date, zone));
        spans.find(|(start, end)| start - EARLY <= now && now < *end)
    }

    /// When it begins and ends on this day.
    fn on(self, date: Date, zone: &TimeZone) -> Option<(i64, i64)> {
        let last = match self.until > self.from && self.until < DAY {
            true => date,
            false => date.checked_add(1.day()).ok()?,
        };
        let (start, end) = (moment(date, self.from, zone)?, moment(last, self.until, zone)?);
        Some((start, end))
    }
}

fn moment(date: Date, minutes: i64, zone: &TimeZone) -> Option<i64> {
    let part = |of: i64| i8::try_from(of).ok();
    let at = time(part(minutes / 60 % 24)?, part(minutes % 60)?, 0, 0);
    let there = date.to_datetime(at).to_zoned(zone.clone()).ok()?;
    Some(there.timestamp().as_millisecond())
}

/// It is no span of wall times, or of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected hours such as 09:00-18:00")]
pub struct NoHours;

/// As people type it: `09:00–18:00`, `9-18`, `9.30 - 18`, `22:00–06:00`.
impl FromStr for Hours {
    type Err = NoHours;

    fn from_str(text: &str) -> Result<Self, NoHours> {
        let (from, until) = text.split_once(['-', '–', '—']).ok_or(NoHours)?;
        let (from, until) = (wall(from)?, wall(until)?);
        let is_span = from != until && from < DAY;
        is_span.then_some(Self { from, until }).ok_or(NoHours)
    }
}

/// Minutes after midnight.
fn wall(text: &str) -> Result<i64, NoHours> {
    let text = text.trim();
    let (hour, minute) = text.split_once([':', '.']).unwrap_or((text, "00"));
    let is_plain = |part: &str, lengths: &[usize]| {
        lengths.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    if !is_plain(hour, &[1, 2]) || !is_plain(minute, &[2]) {
        return Err(NoHours);
    }
    let number = |part: &str| part.parse::<i64>().map_err(|_| NoHours);
    let (hour, minute) = (number(hour)?, number(minute)?);
    let minutes = hour * 60 + minute;
    (minute < 60 && minutes <= DAY).then_some(minutes).ok_or(NoHours)
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, until } = self;
        let (hours, minutes) = (from / 60, from % 60);
        write!(f, "{hours:02}:{minutes:02}–{:02}:{:02}", until / 60, until % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> TimeZone {
        TimeZone::get("Europe/Berlin").expect("a zone")
    }

    fn utc(text: &str) -> i64 {
        let at: Timestamp = text.parse().expect("a moment");
        at.as_millisecond()
    }

    fn hours(text: &str) -> Hours {
        text.parse().expect("hours")
    }

    #[test]
    fn hours_are_read_as_people_type_them() {
        for (text, written) in [
            ("09:00–18:00", "09:00–18:00"),
            ("9-18", "09:00–18:00"),
            (" 9.30 — 18 ", "09:30–18:00"),
            ("22:00-06:00", "22:00–06:00"),
            ("0-24", "00:00–24:00"),
        ] {
            assert_eq!(hours(text).to_string(), written, "{text}");
        }
        for text in ["", "9", "9-9", "25-26", "9:60-10", "24-3", "nine-ten", "9-", "+9-10"] {
            assert_eq!(text.parse::<Hours>(), Err(NoHours), "{text}");
        }
    }

    #[test]
    fn days_are_read_by_their_numbers() {
        for (text, days) in [
            ("1-5", Days::WORKDAYS),
            ("67", Days::WEEKEND),
            ("1, 2, 3 4;5 6-7", Days::ALL),
            ("6-1", Days(0b110_0001)),
        ] {
            assert_eq!(text.parse(), Ok(days), "{text}");
        }
        for text in ["", "0", "8", "1-", "mon", "12-34"] {
            assert_eq!(text.parse::<Days>(), Err(NoHours), "{text}");
        }
    }

    #[test]
    fn a_slot_is_found_on_its_days_from_a_little_before_until_its_end() {
        let slot = hours("09:00-18:00");
        let around = |at: &str| slot.around(Days::WORKDAYS, utc(at), &berlin());
        let monday = Some((utc("2026-11-16T08:00:00Z"), utc("2026-11-16T17:00:00Z")));
        assert_eq!(around("2026-11-16T05:59:59Z"), None);
        assert_eq!(around("2026-11-16T06:00:00Z"), monday);
        assert_eq!(around("2026-11-16T16:59:59Z"), monday);
        assert_eq!(around("2026-11-16T17:00:00Z"), None);
        assert_eq!(around("2026-11-15T10:00:00Z"), None, "a Sunday");
    }

    #[test]
    fn a_slot_over_midnight_is_of_the_day_on_which_it_begins() {
        let slot = hours("22:00-06:00");
        let night = Some((utc("2026-11-16T21:00:00Z"), utc("2026-11-17T05:00:00Z")));
        let monday = "1".parse().expect("a day");
        assert_eq!(slot.around(monday, utc("2026-11-17T02:00:00Z"), &berlin()), night);
        assert_eq!(slot.around(monday, utc("2026-11-16T02:00:00Z"), &berlin()), None);
    }

    /// On 29 March 2026 two o'clock becomes three; on 25 October three o'clock becomes two.
    #[test]
    fn on_the_days_the_clocks_change_a_slot_is_where_its_wall_times_are() {
        let zone = berlin();
        let on = |text: &str, date: &str| {
            let date: Date = date.parse().expect("a date");
            hours(text).on(date, &zone).expect("moments")
        };
        let spring = "2026-03-29";
        let whole = (utc("2026-03-28T23:00:00Z"), utc("2026-03-29T22:00:00Z"));
        assert_eq!(on("00:00-24:00", spring), whole, "23 hours");
        let night = (utc("2026-03-28T21:00:00Z"), utc("2026-03-29T04:00:00Z"));
        assert_eq!(on("22:00-06:00", "2026-03-28"), night, "seven hours");
        let skipped = (utc("2026-03-29T01:30:00Z"), utc("2026-03-29T03:00:00Z"));
        assert_eq!(on("02:30-05:00", spring), skipped, "half past two is half past three");
        let autumn = "2026-10-25";
        let whole = (utc("2026-10-24T22:00:00Z"), utc("2026-10-25T23:00:00Z"));
        assert_eq!(on("00:00-24:00", autumn), whole, "25 hours");
        let twice = (utc("2026-10-25T00:30:00Z"), utc("2026-10-25T02:30:00Z"));
        assert_eq!(on("02:30-03:30", autumn), twice, "the first half past two");
    }
}
