//! Who is in a dialogue, page by page.

use bytes::Bytes;

use super::{DialogueKey, Millis};

/// Someone in a dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Who and where.
    pub key: DialogueKey,
    /// The dialogue's version.
    pub version: u64,
    /// The record as it was found, where it cannot be read; nothing else is known then.
    pub unreadable: Option<Bytes>,
    /// What the dialogue is counted under.
    pub labels: Vec<String>,
    /// What the last commit left.
    pub body: Bytes,
    /// When its timer is due.
    pub due: Option<Millis>,
}

/// Where the next page begins: a partition and who was looked at last in it. Whoever comes or goes meanwhile, nobody is passed over who
/// stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The partition to go on in.
    pub partition: u8,
    /// The last one of those before, in the order of the store.
    pub after: Option<DialogueKey>,
}

/// One page of people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// May be fewer than asked for, even none, while `next` is there.
    pub people: Vec<Person>,
    /// Where the next page begins; none at the end.
    pub next: Option<Cursor>,
}
