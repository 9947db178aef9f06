//! Phone numbers, as they can be called.

use std::fmt;
use std::str::FromStr;

/// A phone number with its country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phone(String);

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Phone {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        (10..=15)
            .contains(&digits.len())
            .then(|| Self(format!("+{digits}")))
            .ok_or(())
    }
}
