//! Money, exactly: whole minor units, never a fraction of one.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use steadfast::dialogue::{Arg, Text, text};

/// How many minor units make a major one.
const MINOR: i64 = 100;
/// More than this is a mistake of the keyboard: ten milliards.
const MOST: i64 = 10_000_000_000 * MINOR;

/// An amount of money, in minor units such as kopecks; may be negative.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Money(pub i64);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The amount multiplied by `part` of `whole`, such as the pay of so many milliseconds of an hour; rounded half up, away from
    /// zero, once and here.
    ///
    /// # Panics
    /// When `whole` is not positive.
    #[must_use]
    pub fn share(self, part: i64, whole: i64) -> Self {
        assert!(whole > 0, "a share is of something");
        let whole = i128::from(whole);
        let exact = i128::from(self.0) * i128::from(part);
        let half = if exact < 0 { -whole } else { whole };
        let rounded = (2 * exact + half) / (2 * whole);
        Self(i64::try_from(rounded).unwrap_or(if rounded < 0 { -MOST } else { MOST }))
    }

    /// The whole major units, without the sign.
    pub fn major(self) -> u64 {
        self.0.unsigned_abs() / MINOR.unsigned_abs()
    }

    /// The minor units beside them, below a hundred.
    pub fn minor(self) -> u64 {
        self.0.unsigned_abs() % MINOR.unsigned_abs()
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Neg for Money {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// For files that programs read: `-1234.50`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", self.major(), self.minor())
    }
}

/// As the language writes it: `1,234.50 ₽`, `1 234,50 ₽`. A line is never broken within it.
impl From<Money> for Text {
    fn from(amount: Money) -> Self {
        let sign = if amount < Money::ZERO { "−" } else { "" };
        text("money")
            .with("sign", sign)
            .with("major", grouped(amount.major()))
            .with("minor", format!("{:02}", amount.minor()))
    }
}

impl From<Money> for Arg {
    fn from(amount: Money) -> Self {
        Text::from(amount).into()
    }
}

/// A number in groups of three digits.
fn grouped(number: u64) -> Arg {
    if number < 1000 {
        return number.to_string().into();
    }
    let (head, tail) = (grouped(number / 1000), format!("{:03}", number % 1000));
    text("money-group").with("head", head).with("tail", tail).into()
}

/// It is no amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an amount such as 1234.50")]
pub struct NoAmount;

/// As people type it: `1 234,5`, `1234.50`, `1,234.50`, `350`. Never negative: whoever asks for an amount knows its sign.
impl FromStr for Money {
    type Err = NoAmount;

    fn from_str(text: &str) -> Result<Self, NoAmount> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let (major, minor) = split(&text);
        let digits: String = major.chars().filter(char::is_ascii_digit).collect();
        let is_plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if digits.is_empty() || digits.len() > 12 || !is_grouped(major) || !is_plain(minor) {
            return Err(NoAmount);
        }
        let minor = format!("{minor:0<2}");
        let whole: i64 = digits.parse().map_err(|_| NoAmount)?;
        let minor: i64 = minor.parse().map_err(|_| NoAmount)?;
        let amount = whole * MINOR + minor;
        (amount <= MOST).then_some(Self(amount)).ok_or(NoAmount)
    }
}

/// The major units and the one or two digits behind the last separator, if that is what they are.
fn split(text: &str) -> (&str, &str) {
    match text.rsplit_once(['.', ',']) {
        Some((major, minor)) if (1..=2).contains(&minor.len()) => (major, minor),
        _ => (text, ""),
    }
}

/// Whether it is digits, perhaps in groups of three.
fn is_grouped(major: &str) -> bool {
    let mut groups = major.split([',', '.', '\u{27}']);
    let first = groups.next().unwrap_or_default();
    let is_digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    is_digits(first) && groups.all(|group| group.len() == 3 && is_digits(group))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flows;

    #[test]
    fn an_amount_is_read_as_people_type_it() {
        let amounts = [
            ("350", 35_000),
            ("350,5", 35_050),
            ("350.05", 35_005),
            (" 1 234,50 ", 123_450),
            ("1,234.50", 123_450),
            ("1.234", 123_400),
            ("0,01", 1),
        ];
        for (text, amount) in amounts {
            assert_eq!(text.parse(), Ok(Money(amount)), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in
            ["", "-5", "abc", "1.2.3", "1,23,4", ".", "99999999999999", "5 руб", "12.345,6.7"]
        {
            assert_eq!(text.parse::<Money>(), Err(NoAmount), "{text}");
        }
    }

    #[test]
    fn a_share_is_rounded_half_up_away_from_zero() {
        assert_eq!(Money(100).share(1, 3), Money(33));
        assert_eq!(Money(1).share(1, 2), Money(1));
        assert_eq!(Money(-1).share(1, 2), Money(-1));
        assert_eq!(Money(-100).share(2, 3), Money(-67));
    }

    #[test]
    fn amount_is_written_as_the_language_writes_it() {
        let currency = flows::currency("₽");
        let texts = flows::texts().with("en", &currency).with("ru", &currency);
        let written = |minor, language| texts.plain(&Money(minor).into(), language);
        assert_eq!(written(123_456_789, "en"), "1,234,567.89\u{a0}₽");
        assert_eq!(written(-123_405, "ru"), "−1\u{a0}234,05\u{a0}₽");
        assert_eq!(written(44, "en"), "0.44\u{a0}₽");
        assert_eq!(flows::texts().plain(&Money(44).into(), "en"), "0.44");
        let texts = flows::texts().with("en", &flows::currency("\"\\"));
        assert_eq!(texts.plain(&Money(44).into(), "en"), "0.44\u{a0}\"\\");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(minor in 0..MOST) {
            let amount = Money(minor);
            prop_assert_eq!(amount.to_string().parse(), Ok(amount));
        }

        #[test]
        fn a_share_is_off_by_half_a_unit_at_most(amount in -1_000_000_i64..1_000_000, part in 0_i64..10_000_000, whole in 1_i64..10_000_000) {
            let share = i128::from(Money(amount).share(part, whole).0);
            let exact = i128::from(amount) * i128::from(part);
            prop_assert!((2 * (share * i128::from(whole) - exact)).abs() <= i128::from(whole));
        }
    }
}
