//! A turn that begins: what makes it happen, and how it finds the dialogue.

use std::fmt;

use bytes::Bytes;

use super::Millis;

/// What makes a turn happen, and thereby what its tries are counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// An update of Telegram's; its id enters the seen marks.
    Update(u32),
    /// A timer that was due at this time.
    Timer(Millis),
    /// An operator, or the server itself.
    Order,
}

impl Cause {
    /// What tries are counted under. Due times are far above all update ids, so the two never meet.
    pub fn number(self) -> u64 {
        match self {
            Self::Update(id) => u64::from(id),
            Self::Timer(due) => due,
            Self::Order => 0,
        }
    }

    /// The id that enters the seen marks.
    pub fn update(self) -> Option<u32> {
        match self {
            Self::Update(id) => Some(id),
            Self::Timer(_) | Self::Order => None,
        }
    }
}

/// A random number that names a turn, or the holder of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(pub u64);

impl Token {
    /// A token nobody else has.
    pub fn fresh() -> Self {
        Self(rand::random())
    }
}

impl fmt::Display for Token {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The answer to [`Store::load`](super::Store::load).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// This update is committed already.
    Duplicate,
    /// The dialogue as it stands.
    Fresh(Snapshot),
}

/// A dialogue as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// 0: there is no record. [`UNREADABLE`](super::UNREADABLE): it cannot be read.
    pub version: u64,
    /// The record as it was found, where it cannot be read.
    pub unreadable: Option<Bytes>,
    /// What the last commit left, byte for byte.
    pub body: Option<Bytes>,
    /// When its timer is due.
    pub due: Option<Millis>,
    /// Records and hand-overs of this home that are still to be carried out.
    pub pending: u32,
    /// How often this cause has been tried, this time included. 0: nothing could be noted, for lack of a record.
    pub tries: u32,
    /// The store's time.
    pub now: Millis,
}
