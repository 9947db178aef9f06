//! Lanes: effects of one destination, in order, one holder at a time.

use std::time::Duration;

use bytes::Bytes;

use super::Desk;
use super::codec::{Reader, Writer};
use super::keys;
use crate::store::{
    After, Error, Item, LANE_LEASE, Lane, Millis, Result, SEEN_FOR, Token, partition,
};

/// A lane that is not empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    /// Whose it is.
    owner: Option<Token>,
    /// When it may be claimed: the end of the lease, or of a delay.
    ready: Millis,
    /// The place of the first item.
    head: u64,
    /// The place after the last item.
    tail: u64,
}

impl Desk<'_> {
    /// See [`Store::done`](crate::store::Store::done) and, with a letter, [`Store::bury`](crate::store::Store::bury).
    pub(super) fn done(
        &mut self,
        lane: Lane,
        token: Token,
        id: &str,
        letter: Option<&Bytes>,
    ) -> Result<After> {
        let Some(mut queue) = self.queue(lane)? else {
            return Ok(After::Empty);
        };
        if queue.owner != Some(token) {
            return Ok(After::Stale);
        }
        let head = self.item(lane, queue.head)?;
        if head.id != id {
            // It was taken off before, and the answer got lost.
            return Ok(After::Next(head));
        }
        if let Some(letter) = letter {
            self.keep_letter(partition(lane.chat), letter)?;
        }
        self.shelf.delete(&keys::item(lane, queue.head))?;
        let old = queue;
        queue.head += 1;
        if queue.head == queue.tail {
            self.keep(lane, Some(old), None)?;
            return Ok(After::Empty);
        }
        self.keep(lane, Some(old), Some(queue))?;
        self.item(lane, queue.head).map(After::Next)
    }

    /// See [`Store::retry`](crate::store::Store::retry).
    pub(super) fn retry(&mut self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        let ready = self.after(delay);
        self.release_until(lane, token, ready, None)
    }

    /// See [`Store::renew`](crate::store::Store::renew).
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

    /// See [`Store::push`](crate::store::Store::push).
    pub(super) fn push(&mut self, lane: Lane, token: Token, item: &Item) -> Result<bool> {
        let handed = keys::handed(lane, &item.id);
        let until = self.number(&handed)?;
        if until > self.now {
            return Ok(self.owner(lane)? == Some(token));
        }
        let forget = self.after(SEEN_FOR);
        let expiry = |at| keys::expiry(at, &handed);
        self.shift((until != 0).then(|| expiry(until)), Some(expiry(forget)))?;
        self.shelf.put(&handed, &forget.to_be_bytes())?;
        self.append(lane, token, std::slice::from_ref(item))
    }

    /// Adds items at the end. `true`: the lane was empty and is now the token's.
    pub(super) fn append(&mut self, lane: Lane, token: Token, items: &[Item]) -> Result<bool> {
        if items.is_empty() {
            return Ok(false);
        }
        let old = self.queue(lane)?;
        let mut queue = old.unwrap_or(Queue {
            owner: Some(token),
            ready: self.after(LANE_LEASE),
            head: 0,
            tail: 0,
        });
        for item in items {
            let value = Writer::default()
                .bytes(item.id.as_bytes())
                .bytes(&item.body);
            self.shelf
                .put(&keys::item(lane, queue.tail), &value.finish())?;
            queue.tail += 1;
        }
        self.keep(lane, old, Some(queue))?;
        Ok(old.is_none())
    }

    /// Leases a lane to the token, whoever had it, and answers its first item.
    pub(super) fn claim(&mut self, lane: Lane, token: Token) -> Result<Item> {
        let missing = || Error::Corrupt(format!("lane {lane} is ready but empty"));
        let old = self.queue(lane)?.ok_or_else(missing)?;
        let queue = Queue {
            owner: Some(token),
            ready: self.after(LANE_LEASE),
            ..old
        };
        let head = self.item(lane, queue.head)?;
        self.keep(lane, Some(old), Some(queue))?;
        Ok(head)
    }

    /// Whose the lane is.
    pub(super) fn owner(&self, lane: Lane) -> Result<Option<Token>> {
        Ok(self.queue(lane)?.and_then(|queue| queue.owner))
    }

    /// How many items the lane has.
    pub(super) fn length(&self, lane: Lane) -> Result<u32> {
        let queue = self.queue(lane)?;
        Ok(queue.map_or(0, |queue| (queue.tail - queue.head) as u32))
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
        let queue = Queue {
            owner,
            ready,
            ..old
        };
        self.keep(lane, Some(old), Some(queue))?;
        Ok(true)
    }

    fn queue(&self, lane: Lane) -> Result<Option<Queue>> {
        let value = self.shelf.get(&keys::lane(lane))?;
        value.map(Queue::decode).transpose()
    }

    /// Writes the state of a lane and when it is ready.
    fn keep(&mut self, lane: Lane, old: Option<Queue>, new: Option<Queue>) -> Result<()> {
        let ready = |queue: Queue| keys::ready(queue.ready, lane);
        self.shift(old.map(ready), new.map(ready))?;
        match new {
            Some(queue) => self.shelf.put(&keys::lane(lane), &queue.encode()),
            None => self.shelf.delete(&keys::lane(lane)),
        }
    }

    fn item(&self, lane: Lane, place: u64) -> Result<Item> {
        let missing = || Error::Corrupt(format!("lane {lane} has lost an item"));
        let value = self.shelf.get(&keys::item(lane, place))?;
        let mut reader = Reader::new(value.ok_or_else(missing)?);
        Ok(Item {
            id: reader.text()?,
            body: reader.bytes()?,
        })
    }
}

impl Queue {
    fn encode(&self) -> Vec<u8> {
        Writer::default()
            .option(self.owner.map(|owner| owner.0))
            .u64(self.ready)
            .u64(self.head)
            .u64(self.tail)
            .finish()
    }

    fn decode(value: Bytes) -> Result<Self> {
        let mut reader = Reader::new(value);
        Ok(Self {
            owner: reader.option()?.map(Token),
            ready: reader.u64()?,
            head: reader.u64()?,
            tail: reader.u64()?,
        })
    }
}
