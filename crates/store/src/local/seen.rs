//! The updates a dialogue has seen.

use bytes::Bytes;

use crate::{Millis, SEEN_FOR, SEEN_MAX, SEEN_YOUNG};

/// Marks of eight bytes, oldest first: the update's id and the second it was committed.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(pub(super) Bytes);

impl Seen {
    /// Whether this update is remembered.
    pub(super) fn contains(&self, id: u32, now: Millis) -> bool {
        self.marks().any(|mark| mark.id == id && mark.age(now) < SEEN_FOR.as_secs())
    }

    /// Remembers an update, and answers how many young ones had to make room for it.
    pub(super) fn add(&mut self, id: u32, now: Millis) -> u32 {
        let kept: Vec<Mark> =
            self.marks().filter(|mark| mark.age(now) < SEEN_FOR.as_secs()).collect();
        let excess = (kept.len() + 1).saturating_sub(SEEN_MAX);
        let (crowded_out, kept) = kept.split_at(excess);
        let fresh = Mark { id, second: (now / 1000) as u32 };
        self.0 = kept.iter().chain([&fresh]).flat_map(Mark::pack).collect();
        crowded_out.iter().filter(|mark| mark.age(now) < SEEN_YOUNG.as_secs()).count() as u32
    }

    /// The update that was committed last, and in which second.
    pub(super) fn last(&self) -> Option<(u32, u64)> {
        let last = self.marks().last()?;
        Some((last.id, u64::from(last.second)))
    }

    fn marks(&self) -> impl Iterator<Item = Mark> {
        self.0.as_chunks().0.iter().map(Mark::unpack)
    }
}

/// One update.
#[derive(Debug, Clone, Copy)]
struct Mark {
    id: u32,
    second: u32,
}

impl Mark {
    /// In seconds.
    fn age(&self, now: Millis) -> u64 {
        (now / 1000).saturating_sub(u64::from(self.second))
    }

    fn pack(&self) -> [u8; 8] {
        (u64::from(self.id) << 32 | u64::from(self.second)).to_be_bytes()
    }

    fn unpack(bytes: &[u8; 8]) -> Self {
        let both = u64::from_be_bytes(*bytes);
        Self { id: (both >> 32) as u32, second: both as u32 }
    }
}
