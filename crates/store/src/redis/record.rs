//! How a dialogue is written: one string, so that it costs one key, one read and one write.
//!
//! ```text
//! byte   0      `R`; `C` where the last commit crowded out a young seen mark; `D` where it dropped its messages;
//!               `B` for a bare record: no commit yet, only blame
//!        1..22  causes that were tried and did not come to an end, up to three, the one noted last first: the last six bytes of
//!               the cause, and how many tries; 0 for none
//!       22..42  the turns that were noted last, of all causes, up to five, the latest first: the last four bytes of each
//!       42..50  version
//!       50..58  when the timer is due, 0 for never; of an idle record: when it is forgotten
//!       58..66  the turn that committed last
//!       66..68  length of the labels; 0 for an idle record
//!       68..72  length of the body
//!       72..    labels, separated by line feeds; body; seen marks
//! ```
//! Numbers are big-endian. A seen mark is an update id, little-endian so that a search trips over few false starts, and
//! the second it was committed. The tries are at the front and of fixed width, so that noting one rewrites 41 bytes in place.
//! The scripts count bytes from 1. This is the storage format: another one needs another first letter.

use bytes::{Buf, Bytes};

use crate::{Commit, DialogueKey, Error, Millis, Person, Result};

/// Where labels and body begin.
const HEAD: usize = 72;

/// A dialogue as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) version: u64,
    pub(super) labels: Vec<String>,
    /// None: there was no commit yet.
    pub(super) body: Option<Bytes>,
    pub(super) due: Option<Millis>,
}

impl Record {
    /// Reads what is in front of the seen marks.
    pub(super) fn decode(bytes: &Bytes) -> Result<Self> {
        let unreadable = || Error::Corrupt("a dialogue's record is not in a known format".into());
        let is_bare = match bytes.first() {
            Some(b'R' | b'C' | b'D') => false,
            Some(b'B') => true,
            _ => return Err(unreadable()),
        };
        let mut head = bytes.get(42..HEAD).ok_or_else(unreadable)?;
        let (version, when, _turn) = (head.get_u64(), head.get_u64(), head.get_u64());
        let (labels, body) = (usize::from(head.get_u16()), head.get_u32() as usize);
        let body_at = HEAD + labels;
        if body_at + body > bytes.len() {
            return Err(unreadable());
        }
        let text = String::from_utf8_lossy(&bytes[HEAD..body_at]);
        let is_idle = text.is_empty();
        Ok(Self {
            version,
            labels: text.split_terminator('\n').map(str::to_owned).collect(),
            body: (!is_bare).then(|| bytes.slice(body_at..body_at + body)),
            due: Some(when).filter(|&due| due > 0 && !is_idle),
        })
    }

    /// As others see it.
    pub(super) fn person(self, key: DialogueKey) -> Person {
        Person {
            key,
            version: self.version,
            unreadable: None,
            labels: self.labels,
            body: self.body.unwrap_or_default(),
            due: self.due,
        }
    }
}

/// What a commit knows of the record: all between the version and the seen marks.
pub(super) fn tail(commit: &Commit) -> Vec<u8> {
    let labels = commit.next.labels.join("\n");
    let body = &commit.next.body;
    let due = commit.next.due.unwrap_or_default();
    [
        &due.to_be_bytes()[..],
        &commit.turn.0.to_be_bytes(),
        &(labels.len() as u16).to_be_bytes(),
        &(body.len() as u32).to_be_bytes(),
        labels.as_bytes(),
        body,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cause, Next, Token};

    #[test]
    fn a_record_is_read_back_as_written() {
        let record =
            Record::decode(&written(vec!["a/x".into(), "b/y".into()]).into()).expect("readable");
        assert_eq!(record.version, 7);
        assert_eq!(record.labels, ["a/x", "b/y"]);
        assert_eq!(record.body.as_deref(), Some(&b"body"[..]));
        assert_eq!(record.due, Some(5));
    }

    #[test]
    fn an_idle_record_has_no_timer() {
        let record = Record::decode(&written(Vec::new()).into()).expect("readable");
        assert_eq!(record.due, None);
    }

    #[test]
    fn what_cannot_be_read_is_corrupt() {
        let whole = written(Vec::new());
        for bytes in [Vec::new(), b"x".to_vec(), whole[..20].to_vec(), whole[..74].to_vec()] {
            assert!(matches!(Record::decode(&bytes.into()), Err(Error::Corrupt(_))));
        }
    }

    fn written(labels: Vec<String>) -> Vec<u8> {
        let next = Next { labels, body: "body".into(), due: Some(5), ..Next::default() };
        let commit = Commit {
            turn: Token(1),
            cause: Cause::Order,
            expected: 0,
            loaded_at: 0,
            next,
            messages: Vec::new(),
            jobs: Vec::new(),
            dead: None,
            settles: None,
        };
        [b"R", &[0; 41][..], &7_u64.to_be_bytes(), &tail(&commit)].concat()
    }
}
