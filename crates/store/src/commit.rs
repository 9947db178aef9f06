//! A step to be put into effect, and what comes of it.

use std::time::Duration;

use bytes::Bytes;

use super::{Cause, Error, MAX_BODY_BYTES, Millis, Result, Settle, Snapshot, Token};

/// A step to be put into effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Names the turn: the same turn again answers as the first time. Also the token of the lanes it is given.
    pub turn: Token,
    /// Why the turn happened.
    pub cause: Cause,
    /// The version that was loaded.
    pub expected: u64,
    /// [`Snapshot::now`] of the load.
    pub loaded_at: Millis,
    /// What the dialogue becomes.
    pub next: Next,
    /// Messages for the home chat, in order.
    pub messages: Vec<Item>,
    /// Records and hand-overs to other chats, in order. They never wait for Telegram.
    pub jobs: Vec<Item>,
    /// A dead letter to keep.
    pub dead: Option<Bytes>,
    /// Jobs of the home that this step brings to an end.
    pub settles: Option<Settle>,
}

impl Commit {
    /// [`Receipt::dropped`], where the messages were left out or not.
    pub(super) fn dropped(&self, is_dropped: bool) -> u32 {
        if is_dropped { self.messages.len() as u32 } else { 0 }
    }
}

/// What a dialogue becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Next {
    /// Under which it is counted, such as `order/phone`. None: the dialogue is idle.
    pub labels: Vec<String>,
    /// Opaque; at most [`MAX_BODY_BYTES`], and without a line feed.
    pub body: Bytes,
    /// When the timer is due. A dialogue with labels has one.
    pub due: Option<Millis>,
    /// How long an idle record is kept.
    pub idle: Duration,
}

/// An effect in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Stable over redelivery: (update id, date or callback id, index). Without a line feed. One that ends in `~3` counts as
    /// three sendings.
    pub id: String,
    /// Opaque.
    pub body: Bytes,
}

impl Item {
    /// The same, counting as so many sendings: it waits until as many are free at once, or all that ever are, and takes as many.
    #[must_use]
    pub fn counting(mut self, sendings: usize) -> Self {
        if sendings > 1 {
            self.id = format!("{}~{sendings}", self.name());
        }
        self
    }

    /// The id, without how many it counts as: an effect is the same however it is counted.
    pub fn name(&self) -> &str {
        match sendings(&self.id) {
            None => &self.id,
            Some((name, _)) => name,
        }
    }

    /// How many sendings it counts as.
    pub fn sendings(&self) -> u32 {
        count(&self.id)
    }
}

/// How many sendings an item of this id counts as.
pub(super) fn count(id: &str) -> u32 {
    sendings(id).map_or(1, |(_, count)| count)
}

fn sendings(id: &str) -> Option<(&str, u32)> {
    let (name, count) = id.rsplit_once('~')?;
    Some((name, count.parse().ok()?))
}

/// The answer to [`Store::commit`](super::Store::commit).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is done, now or by an earlier call of the same turn.
    Done(Receipt),
    /// Someone else was first; this is how the dialogue stands now.
    Conflict(Snapshot),
    /// The update was committed by another turn.
    Duplicate,
    /// The turn took longer than [`MAX_TURN_AGE`](super::MAX_TURN_AGE).
    TooOld,
    /// What it [settles](Commit::settles) is not at the head of the lane, or the lane is someone else's. Nothing was written.
    Stale,
}

/// What a commit brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipt {
    /// The new version; to a repeat after another commit, the latest one.
    pub version: u64,
    /// The message lane of the home was idle and is now leased to the turn.
    pub messages_leased: bool,
    /// How long to wait before sending the first of them; to a repeat, what is left of that.
    pub messages_wait: Duration,
    /// The same for its jobs, which never wait.
    pub jobs_leased: bool,
    /// Messages that were left out because the home is [blocked](super::Store::block); to a repeat after another commit, 0.
    pub dropped: u32,
    /// Seen marks younger than [`SEEN_YOUNG`](super::SEEN_YOUNG) that had to make room.
    pub crowded_out: u32,
    /// The partition's commit counter, this commit included.
    pub sequence: u64,
}

/// Refuses a body over the ceiling, before anything is sent or written.
pub(super) fn check_size(commit: &Commit) -> Result<()> {
    match commit.next.body.len() {
        bytes if bytes > MAX_BODY_BYTES => Err(Error::TooLarge { bytes }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_counts_as_its_id_says() {
        let item = |id: &str| Item { id: id.to_owned(), body: Bytes::new() };
        assert_eq!(item("7.1760.0").counting(1), item("7.1760.0"));
        let album = item("7.1760.0").counting(3).counting(3);
        assert_eq!(album, item("7.1760.0~3"));
        assert_eq!((album.name(), album.sendings()), ("7.1760.0", 3));
        let broadcast = item("b:may~9:5");
        assert_eq!((broadcast.name(), broadcast.sendings()), ("b:may~9:5", 1));
    }
}
