//! What the outbox and a store tell each other.

use std::time::Duration;

use super::{Item, LaneKind, Token};

/// Jobs that are taken off the head of their lane by a commit, which is the answer to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settle {
    /// Who holds the lane of jobs; not the committing turn. What is left in the lane stays theirs. An empty lane is given
    /// up, and new jobs lease it to the turn.
    pub token: Token,
    /// The first items of the lane, in order.
    pub ids: Vec<String>,
}

/// The first effect of a lane, for the one who holds the lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// What is to be carried out.
    pub item: Item,
    /// How long to wait before sending it; zero for jobs.
    pub wait: Duration,
}

/// The answer to [`Store::done`](super::Store::done).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// Work on with this one.
    Next(Head),
    /// The lane is empty and given up.
    Empty,
    /// The lane is someone else's by now.
    Stale,
}

/// The answer to [`Store::push`](super::Store::push). A repeat is answered by how the lane stands then: the effect counts
/// as queued when the lane is no longer the token's, or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// The lane was idle and is now leased to the token.
    Leased {
        /// How long to wait before sending it.
        wait: Duration,
    },
    /// It waits in the lane, which is someone else's.
    Queued,
    /// Messages do not reach the chat; nothing was kept. Jobs are never refused.
    Blocked,
}

/// A message that can be found by name, because a later one may edit it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Unique in its chat; the latest message of that name counts.
    pub name: String,
    /// Telegram's id of the message.
    pub message: i64,
}

/// A call that was refused because the person has blocked the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// How long ago it began.
    pub ago: Duration,
    /// The update that it was to answer, which was committed before.
    pub update: Option<u32>,
}

/// The answer to [`Store::backlog`](super::Store::backlog).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// How many lanes have work.
    pub lanes: u64,
    /// How many effects wait in them.
    pub effects: u64,
    /// How many of those lanes are of broadcasts.
    pub bulk: u64,
    /// For how long the one with work for the longest has not been empty, of each kind in the order of [`LaneKind::ALL`].
    pub oldest: [Option<Duration>; LaneKind::ALL.len()],
    /// How many dead letters there are.
    pub dead: u64,
    /// How many had to make room for others, ever since.
    pub dropped: u64,
}

impl Backlog {
    /// For how long the lane of this kind with work for the longest has not been empty.
    pub fn oldest(&self, kind: LaneKind) -> Option<Duration> {
        self.oldest[kind as usize]
    }

    /// There is a lane of this kind that has not been empty for so long.
    pub(super) fn saw(&mut self, kind: LaneKind, age: Option<Duration>) {
        let oldest = &mut self.oldest[kind as usize];
        *oldest = (*oldest).max(age);
    }
}
