//! The states of a flow in the order in which they are written, which is the order in which a dialogue usually meets them.

use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Error};

/// The names of the states. None, where they are not read by the name that is their `at`.
pub(super) fn states<F: DeserializeOwned>() -> &'static [&'static str] {
    // Whoever reads a state that there is not is told which there are.
    let nowhere = [("at", "")].into_iter();
    match F::deserialize(MapDeserializer::<_, NoSuch>::new(nowhere)) {
        Err(NoSuch(states)) => states,
        Ok(_) => &[],
    }
}

/// There is no such state, but these.
#[derive(Debug)]
struct NoSuch(&'static [&'static str]);

impl fmt::Display for NoSuch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is {}", self.0.join(", "))
    }
}

impl std::error::Error for NoSuch {}

impl Error for NoSuch {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self(expected)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(tag = "at", rename_all = "snake_case")]
    #[expect(dead_code, reason = "nobody is ever there")]
    enum Walk {
        FrontDoor,
        Street { name: String },
        Bridge(Vec<u8>),
    }

    #[test]
    fn states_come_in_the_order_in_which_they_are_written() {
        assert_eq!(states::<Walk>(), ["front_door", "street", "bridge"]);
    }

    #[test]
    fn what_has_no_states_has_none() {
        assert_eq!(states::<Vec<u8>>(), [] as [&str; 0]);
    }
}
