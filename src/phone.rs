//! Telephone numbers, as the whole world dials them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The country of numbers that name none.
const HOME: &str = "7";
/// How many digits a number has within that country.
const NATIONAL: usize = 10;

/// A telephone number in E.164: a plus sign and 8 to 15 digits, the country's first. Not shown by `Debug`: it is somebody's.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phone(String);

impl Phone {
    /// A number as Telegram gives it with a contact: with the country's digits, often without the plus sign; or as somebody has
    /// written it into their address book.
    pub fn of_contact(shared: &str) -> Result<Self, NoPhone> {
        let digits = plain(shared)?;
        let is_of_address_book = digits.starts_with('+')
            || digits.len() == NATIONAL + 1 && digits.starts_with('8')
            || digits.len() == NATIONAL && digits.starts_with('9');
        match is_of_address_book {
            true => shared.parse(),
            false => abroad(&digits),
        }
    }

    /// As it is dialled.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Phone(…)")
    }
}

/// It is no telephone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a telephone number such as +7 912 345-67-89")]
pub struct NoPhone;

/// As people type it: `+7 912 345-67-89`, `8 (912) 345 67 89`, `9123456789`, `+49 30 1234567`, `0049…`.
impl FromStr for Phone {
    type Err = NoPhone;

    fn from_str(typed: &str) -> Result<Self, NoPhone> {
        let digits = plain(typed)?;
        if let Some(rest) = digits.strip_prefix('+').or(digits.strip_prefix("00")) {
            return abroad(rest);
        }
        match digits.len() {
            NATIONAL => national(&digits),
            len if len == NATIONAL + 1 && digits.starts_with(['7', '8']) => national(&digits[1..]),
            _ => Err(NoPhone),
        }
    }
}

/// The digits, and a plus sign before them if there is one.
fn plain(typed: &str) -> Result<String, NoPhone> {
    let typed = typed.trim();
    let is_filling = |c: &char| c.is_whitespace() || "-–—().".contains(*c);
    let plain: String = typed.chars().filter(|c| !is_filling(c)).collect();
    let digits = plain.strip_prefix('+').unwrap_or(&plain);
    match !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        true => Ok(plain),
        false => Err(NoPhone),
    }
}

/// A number of the home country, without its digit.
fn national(digits: &str) -> Result<Phone, NoPhone> {
    match digits.starts_with(['3', '4', '8', '9']) {
        true => Ok(Phone(format!("+{HOME}{digits}"))),
        false => Err(NoPhone),
    }
}

/// A number that begins with its country.
fn abroad(digits: &str) -> Result<Phone, NoPhone> {
    match digits.strip_prefix(HOME) {
        Some(rest) if rest.len() == NATIONAL => Ok(Phone(format!("+{digits}"))),
        None if (8..=15).contains(&digits.len()) && !digits.starts_with('0') => {
            Ok(Phone(format!("+{digits}")))
        }
        _ => Err(NoPhone),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(typed: &str) -> Option<String> {
        typed.parse::<Phone>().ok().map(|phone| phone.to_string())
    }

    #[test]
    fn a_number_is_read_as_people_type_it() {
        for typed in [
            "+7 912 345-67-89",
            "8 (912) 345 67 89",
            "89123456789",
            "79123456789",
            "9123456789",
            "007 912 345 67 89",
            " 8.912.345–67—89 ",
        ] {
            assert_eq!(read(typed).as_deref(), Some("+79123456789"), "{typed}");
        }
        assert_eq!(read("+49 30 1234567").as_deref(), Some("+49301234567"));
        assert_eq!(read("8 495 123-45-67").as_deref(), Some("+74951234567"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for typed in [
            "",
            "+",
            "112",
            "345-67-89",
            "phone 9123456789",
            "+7 912 345 67 8",
            "+7 912 345 67 890",
            "+0 123 456 789",
            "0123456789",
            "12345678901",
            "+1234567890123456",
            "9123456789 9123456780",
            "+7+9123456789",
            "٩١٢٣٤٥٦٧٨٩",
        ] {
            assert_eq!(read(typed), None, "{typed}");
        }
    }

    #[test]
    fn a_shared_number_has_its_country_with_or_without_the_plus_sign() {
        for (shared, phone) in [
            ("79123456789", "+79123456789"),
            ("+79123456789", "+79123456789"),
            ("4712345678", "+4712345678"),
            ("49301234567", "+49301234567"),
            ("8 912 345-67-89", "+79123456789"),
            ("9123456789", "+79123456789"),
        ] {
            let read = Phone::of_contact(shared).map(|phone| phone.to_string());
            assert_eq!(read, Ok(phone.to_owned()), "{shared}");
        }
        assert_eq!(Phone::of_contact("home"), Err(NoPhone));
    }

    #[test]
    fn a_number_is_not_shown_by_accident() {
        let phone: Phone = "+79123456789".parse().unwrap();
        assert_eq!(format!("{phone:?}"), "Phone(…)");
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_a_number_of_the_world_and_reads_the_same_again(typed in "[+0-9 ()-]{0,20}") {
            if let Ok(phone) = typed.parse::<Phone>() {
                let digits = phone.as_str().strip_prefix('+').expect("a plus sign");
                prop_assert!((8..=15).contains(&digits.len()) && !digits.starts_with('0'));
                prop_assert!(digits.bytes().all(|b| b.is_ascii_digit()));
                prop_assert_eq!(&phone.to_string().parse(), &Ok(phone.clone()));
                prop_assert_eq!(&Phone::of_contact(phone.as_str()), &Ok(phone));
            }
        }

        #[test]
        fn a_number_at_home_is_the_same_however_it_is_begun(rest in "9[0-9]{9}", begun in "(\\+7|8|7|007|)") {
            let phone: Phone = format!("{begun}{rest}").parse().expect("a number");
            prop_assert_eq!(phone.to_string(), format!("+7{rest}"));
        }

        #[test]
        fn no_text_makes_it_panic(typed in "\\PC{0,40}") {
            let _ = typed.parse::<Phone>();
            let _ = Phone::of_contact(&typed);
        }
    }
}
