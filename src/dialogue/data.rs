//! What a button carries in its 64 bytes of callback data.
//!
//! | data | meaning |
//! |---|---|
//! | `c<nonce>.<owner>.<value>` | a choice of the prompt marked by the nonce; in a group only its owner may press it |
//! | `l<flow>.<argument>` | opens a flow |
//! | `r<flow>` / `d<flow>` | goes on with a parked draft / throws it away |

use super::prompt::Action;

/// The most that Telegram carries.
const MAX_BYTES: usize = 64;

/// What a pressed button says, before anybody asked whether it still holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pressed<'a> {
    Choice {
        nonce: &'a str,
        owner: Option<i64>,
        value: &'a str,
    },
    Link {
        flow: &'a str,
        arg: &'a str,
    },
    Resume(&'a str),
    Drop(&'a str),
}

/// Writes a button's data.
///
/// # Panics
/// When it is over Telegram's limit: the flow's own mistake, which its first transcript shows.
pub(super) fn write(action: &Action, nonce: &str, owner: Option<i64>) -> String {
    let data = match action {
        Action::Choice(value) => {
            let owner = owner.map(|owner| owner.to_string()).unwrap_or_default();
            format!("c{nonce}.{owner}.{value}")
        }
        Action::Link { flow, arg } => format!("l{flow}.{arg}"),
        Action::Resume(flow) => format!("r{flow}"),
        Action::Drop(flow) => format!("d{flow}"),
    };
    assert!(
        data.len() <= MAX_BYTES,
        "a button's data has {} bytes; Telegram carries {MAX_BYTES}",
        data.len()
    );
    data
}

/// Reads what a button carries; `None` if it is none of ours.
pub(super) fn read(data: &str) -> Option<Pressed<'_>> {
    let rest = data.get(1..)?;
    Some(match data.as_bytes()[0] {
        b'c' => {
            let (nonce, rest) = rest.split_once('.')?;
            let (owner, value) = rest.split_once('.')?;
            let owner = if owner.is_empty() {
                None
            } else {
                Some(owner.parse().ok()?)
            };
            Pressed::Choice {
                nonce,
                owner,
                value,
            }
        }
        b'l' => rest
            .split_once('.')
            .map(|(flow, arg)| Pressed::Link { flow, arg })?,
        b'r' => Pressed::Resume(rest),
        b'd' => Pressed::Drop(rest),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let choice = write(&Action::Choice("a.b".into()), "x7", Some(-5));
        assert_eq!(
            read(&choice),
            Some(Pressed::Choice {
                nonce: "x7",
                owner: Some(-5),
                value: "a.b"
            })
        );
        let link = write(
            &Action::Link {
                flow: "order".into(),
                arg: "5".into(),
            },
            "",
            None,
        );
        assert_eq!(
            read(&link),
            Some(Pressed::Link {
                flow: "order",
                arg: "5"
            })
        );
        assert_eq!(read("rorder"), Some(Pressed::Resume("order")));
    }

    #[test]
    fn foreign_data_is_none_of_ours() {
        for data in ["", "c", "cx", "cx.y", "ok:17", "ябc", "cx.nobody.v"] {
            assert_eq!(read(data), None, "{data}");
        }
    }
}
