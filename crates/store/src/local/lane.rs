//! Lanes: effects of one destination, in order, one holder at a time.

use std::time::Duration;

use super::queue::Queue;
use super::{Desk, keys};
use crate::{
    After, Error, Head, Item, LANE_LEASE, Lane, LaneKind, Millis, Note, Pushed, Result, SEEN_FOR,
    Settle, Token,
};

impl Desk<'_> {
    /// See [`Store::done`](crate::Store::done).
    pub(super) fn done_with(
        &mut self,
        lane: Lane,
        token: Token,
        id: &str,
        note: Option<&Note>,
    ) -> Result<After> {
        let mut is_noted = false;
        let after = self.done(lane, token, id, |desk| {
            is_noted = true;
            note.map_or(Ok(()), |note| desk.keep_note(lane.chat, note))
        })?;
        // A repeat finds the effect gone; but whoever took the lane over notes a message of their own.
        match note.filter(|_| !is_noted && after != After::Stale) {
            Some(note) => self.keep_newer_note(lane.chat, note).map(|()| after),
            None => Ok(after),
        }
    }

    /// What [`Store::done`](crate::Store::done) and [`Store::bury`](crate::Store::bury) have in common.
    /// Keeps `with` along with taking the effect off.
    pub(super) fn done(
        &mut self,
        lane: Lane,
        token: Token,
        id: &str,
        with: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<After> {
        let Some(queue) = self.queue(lane)? else {
            return Ok(After::Empty);
        };
        if queue.owner != Some(token) {
            return Ok(After::Stale);
        }
        let head = self.item(lane, queue.head)?;
        if head.id != id {
            // It was taken off before, and the answer got lost.
            return self.hand(lane, head).map(After::Next);
        }
        with(self)?;
        self.count_sent(lane, id)?;
        let Some(left) = self.pop(lane, queue)? else {
            return Ok(After::Empty);
        };
        let next = self.item(lane, left.head)?;
        self.hand(lane, next).map(After::Next)
    }

    /// See [`Store::retry`](crate::Store::retry).
    pub(super) fn retry(&mut self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        let ready = self.after(delay);
        self.release_until(lane, token, ready, None)
    }

    /// See [`Store::renew`](crate::Store::renew).
    pub(super) fn renew(&mut self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        let ready = self.after(LANE_LEASE);
        let mut lost = Vec::new();
        for &(lane, token) in held {
            if !self.release_until(lane, token, ready, Some(token))? {
                lost.push(lane);
            }
        }
        Ok(lost)
    }

    /// See [`Store::push`](crate::Store::push).
    pub(super) fn push(&mut self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        let handed = keys::handed(lane, item.name());
        let until = self.number(&handed)?;
        if until > self.now {
            return self.pushed(lane, token);
        }
        if lane.kind.is_sent() && self.is_blocked(lane.chat)? {
            return Ok(Pushed::Blocked);
        }
        let forget = self.after(SEEN_FOR);
        let expiry = |at| keys::expiry(at, &handed);
        self.shift((until != 0).then(|| expiry(until)), Some(expiry(forget)))?;
        self.shelf.put(&handed, &forget.to_be_bytes())?;
        if self.append(lane, token, std::slice::from_ref(item))? {
            self.pushed(lane, token)
        } else {
            Ok(Pushed::Queued)
        }
    }

    /// See [`Store::waiting`](crate::Store::waiting).
    pub(super) fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        let mut waiting = Vec::new();
        for kind in LaneKind::ALL {
            let lane = Lane { kind, chat };
            if let Some(queue) = self.queue(lane)? {
                let places = (queue.head..queue.tail).take(limit);
                let items = places.map(|place| self.item(lane, place));
                waiting.push((kind, items.collect::<Result<_>>()?));
            }
        }
        Ok(waiting)
    }

    /// See [`Store::drop_messages`](crate::Store::drop_messages).
    pub(super) fn drop_messages(&mut self, chat: i64) -> Result<u64> {
        let mut dropped = 0;
        for kind in LaneKind::ALL.into_iter().filter(|kind| kind.is_sent()) {
            let lane = Lane { kind, chat };
            let length = self.length(lane)?;
            self.settle(lane, length as usize)?;
            dropped += u64::from(length);
        }
        Ok(dropped)
    }

    /// Leases a lane to the token, whoever had it, and answers its head.
    pub(super) fn claim(&mut self, lane: Lane, token: Token) -> Result<Head> {
        let missing = || Error::Corrupt(format!("lane {lane} is ready but empty"));
        let old = self.queue(lane)?.ok_or_else(missing)?;
        let queue = Queue { owner: Some(token), ready: self.after(LANE_LEASE), ..old };
        let head = self.item(lane, queue.head)?;
        self.keep(lane, Some(old), Some(queue))?;
        self.hand(lane, head)
    }

    /// Gives up the lanes of a partition that somebody holds.
    pub(super) fn free_lanes(&mut self, partition: u8) -> Result<()> {
        let lanes = keys::lanes(partition);
        for (key, value) in self.shelf.scan(&lanes..&keys::end(&lanes), usize::MAX)? {
            let old = Queue::decode(value)?;
            if old.owner.is_some() {
                let (owner, ready) = (None, self.now);
                let free = Queue { owner, ready, ..old };
                self.keep(keys::name(&key, lanes.len())?, Some(old), Some(free))?;
            }
        }
        Ok(())
    }

    /// Lets the lanes of a partition be claimed so much earlier.
    pub(super) fn hasten_lanes(&mut self, partition: u8, by: Millis) -> Result<()> {
        let lanes = keys::lanes(partition);
        for (key, value) in self.shelf.scan(&lanes..&keys::end(&lanes), usize::MAX)? {
            let old = Queue::decode(value)?;
            let ready = old.ready.saturating_sub(by);
            let hastened = Queue { ready, ..old };
            self.keep(keys::name(&key, lanes.len())?, Some(old), Some(hastened))?;
        }
        Ok(())
    }

    /// How long the holder of a lane is to wait before sending its head.
    pub(super) fn wait(&mut self, lane: Lane) -> Result<Duration> {
        let Some(queue) = self.queue(lane)? else {
            return Ok(Duration::ZERO);
        };
        let head = self.item(lane, queue.head)?;
        self.reserve(lane, &head.id)
    }

    /// Whether these are the first items of the lane, and the lane is theirs who settle them.
    pub(super) fn can_settle(&self, lane: Lane, settle: &Settle) -> Result<bool> {
        let Some(queue) = self.queue(lane)? else {
            return Ok(false);
        };
        let places = queue.head..queue.tail;
        if queue.owner != Some(settle.token) || settle.ids.len() > places.clone().count() {
            return Ok(false);
        }
        for (place, id) in places.zip(&settle.ids) {
            if self.item(lane, place)?.id != *id {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes the first `count` items off.
    pub(super) fn settle(&mut self, lane: Lane, count: usize) -> Result<()> {
        let mut queue = self.queue(lane)?;
        for _ in 0..count {
            let Some(left) = queue else { break };
            queue = self.pop(lane, left)?;
        }
        Ok(())
    }

    /// The answer to a push, once the item is in the lane or was before.
    fn pushed(&mut self, lane: Lane, token: Token) -> Result<Pushed> {
        if self.owner(lane)? != Some(token) {
            return Ok(Pushed::Queued);
        }
        let wait = self.wait(lane)?;
        Ok(Pushed::Leased { wait })
    }

    /// Hands the head of a lane to its holder.
    fn hand(&mut self, lane: Lane, item: Item) -> Result<Head> {
        let wait = self.reserve(lane, &item.id)?;
        Ok(Head { item, wait })
    }

    /// Gives a lane of the token's to `owner` until `ready`. `false`: it was not the token's.
    fn release_until(
        &mut self,
        lane: Lane,
        token: Token,
        ready: Millis,
        owner: Option<Token>,
    ) -> Result<bool> {
        let Some(old) = self.queue(lane)?.filter(|queue| queue.owner == Some(token)) else {
            return Ok(false);
        };
        let queue = Queue { owner, ready, ..old };
        self.keep(lane, Some(old), Some(queue))?;
        Ok(true)
    }
}
