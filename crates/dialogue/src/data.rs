//! What a button carries in its 64 bytes of callback data.
//!
//! | data | meaning |
//! |---|---|
//! | `c<nonce>.<owner>.<value>` | a choice of the prompt marked by the nonce |
//! | `l<flow>.<argument>` | opens a flow, for whoever presses it |
//! | `r<flow>.<owner>` / `d<flow>.<owner>` | goes on with a parked draft / throws it away |
//!
//! In a group only the owner may press; in private nobody else can, and none is named.

use super::prompt::Action;

/// The most that Telegram carries.
const MAX_BYTES: usize = 64;
/// The longest value of a choice: what is left beside the longest owner, so that one which fits in private fits in a group.
const MAX_VALUE_BYTES: usize = 39;

/// What a pressed button says, before anybody asked whether it still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pressed<'a> {
    Choice { nonce: &'a str, value: &'a str },
    Link { flow: &'a str, arg: &'a str },
    Resume(&'a str),
    Drop(&'a str),
}

/// Writes a button's data.
///
/// # Panics
/// When it is over Telegram's limit: the flow's own mistake, which its first transcript shows.
pub(super) fn write(action: &Action, nonce: &str, owner: Option<i64>) -> String {
    let owner = owner.map(|owner| owner.to_string()).unwrap_or_default();
    let data = match action {
        Action::Choice(value) => {
            let bytes = value.len();
            assert!(
                bytes <= MAX_VALUE_BYTES,
                "the value of a choice has {bytes} bytes; a button carries {MAX_VALUE_BYTES}"
            );
            format!("c{nonce}.{owner}.{value}")
        }
        Action::Link { flow, arg } => format!("l{flow}.{arg}"),
        Action::Resume(flow) => format!("r{flow}.{owner}"),
        Action::Drop(flow) => format!("d{flow}.{owner}"),
    };
    assert!(
        data.len() <= MAX_BYTES,
        "a button's data has {} bytes; Telegram carries {MAX_BYTES}",
        data.len()
    );
    data
}

/// Reads what a button carries, and whose it is; `None` if it is none of ours.
pub(super) fn read(data: &str) -> Option<(Pressed<'_>, Option<i64>)> {
    let (first, rest) = data.get(1..)?.split_once('.')?;
    Some(match data.as_bytes()[0] {
        b'c' => {
            let (owner, value) = rest.split_once('.')?;
            let nonce = first;
            (Pressed::Choice { nonce, value }, read_owner(owner)?)
        }
        b'l' => {
            let (flow, arg) = (first, rest);
            (Pressed::Link { flow, arg }, None)
        }
        b'r' => (Pressed::Resume(first), read_owner(rest)?),
        b'd' => (Pressed::Drop(first), read_owner(rest)?),
        _ => return None,
    })
}

/// Whether a button that carries this is a choice of some prompt.
pub(super) fn is_choice(data: &str) -> bool {
    matches!(read(data), Some((Pressed::Choice { .. }, _)))
}

/// An owner, or nobody in particular; `None` if it is neither.
#[expect(clippy::option_option, reason = "the outer says whether it could be read")]
fn read_owner(owner: &str) -> Option<Option<i64>> {
    match owner {
        "" => Some(None),
        owner => owner.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(action: &Action, owner: Option<i64>) -> String {
        let data = write(action, "x7", owner);
        let (pressed, read_owner) = read(&data).expect("it is ours");
        assert_eq!(
            (pressed, read_owner.filter(|_| !matches!(action, Action::Link { .. }))),
            (
                match action {
                    Action::Choice(value) => Pressed::Choice { nonce: "x7", value },
                    Action::Link { flow, arg } => Pressed::Link { flow, arg },
                    Action::Resume(flow) => Pressed::Resume(flow),
                    Action::Drop(flow) => Pressed::Drop(flow),
                },
                owner.filter(|_| !matches!(action, Action::Link { .. }))
            )
        );
        data
    }

    #[test]
    fn what_is_written_is_read_back() {
        let (flow, arg) = ("order".to_owned(), "5.6".to_owned());
        for owner in [None, Some(5_001)] {
            there_and_back(&Action::Choice("a.b".into()), owner);
            there_and_back(&Action::Choice(String::new()), owner);
            let (flow, arg) = (flow.clone(), arg.clone());
            there_and_back(&Action::Link { flow, arg }, owner);
            there_and_back(&Action::Resume("order".into()), owner);
            there_and_back(&Action::Drop("order".into()), owner);
        }
    }

    #[test]
    fn foreign_data_is_none_of_ours() {
        for data in
            ["", "c", "cx", "cx.y", "ok:17", "ябc", "cx.nobody.v", "rorder", "rorder.nobody", "x.y"]
        {
            assert_eq!(read(data), None, "{data}");
        }
    }

    #[test]
    fn a_choice_that_fits_in_private_fits_in_a_group() {
        let longest = Action::Choice("v".repeat(MAX_VALUE_BYTES));
        let owner = (1_i64 << 52) - 1;
        assert_eq!(write(&longest, "abcdef", Some(owner)).len(), MAX_BYTES);
    }

    #[test]
    #[should_panic(expected = "a button carries 39")]
    fn a_longer_choice_is_the_flows_mistake() {
        write(&Action::Choice("v".repeat(40)), "abcdef", None);
    }

    #[test]
    #[should_panic(expected = "Telegram carries 64")]
    fn a_longer_link_is_the_flows_mistake() {
        let (flow, arg) = ("order".into(), "v".repeat(60));
        write(&Action::Link { flow, arg }, "abcdef", None);
    }
}
