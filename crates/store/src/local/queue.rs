//! How a lane is kept: its state, its items, and when it is ready.

use bytes::Bytes;

use super::Desk;
use super::codec::{Reader, Writer};
use super::keys;
use crate::{Error, Item, LANE_LEASE, Lane, Millis, Result, Token};

/// A lane that is not empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    /// Whose it is.
    pub(super) owner: Option<Token>,
    /// When it may be claimed: the end of the lease, or of a delay.
    pub(super) ready: Millis,
    /// The place of the first item.
    pub(super) head: u64,
    /// The place after the last item.
    pub(super) tail: u64,
    /// Since when it has not been empty.
    pub(super) since: Millis,
}

impl Desk<'_> {
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
            since: self.now,
        });
        for item in items {
            let value = Writer::default().bytes(item.id.as_bytes()).bytes(&item.body);
            self.shelf.put(&keys::item(lane, queue.tail), &value.finish())?;
            queue.tail += 1;
        }
        self.keep(lane, old, Some(queue))?;
        Ok(old.is_none())
    }

    /// Takes the first item off, and answers what is left of the lane.
    pub(super) fn pop(&mut self, lane: Lane, queue: Queue) -> Result<Option<Queue>> {
        self.shelf.delete(&keys::item(lane, queue.head))?;
        let head = queue.head + 1;
        let left = Queue { head, ..queue };
        let left = Some(left).filter(|left| left.head < left.tail);
        self.keep(lane, Some(queue), left)?;
        Ok(left)
    }

    /// Whose the lane is.
    pub(super) fn owner(&self, lane: Lane) -> Result<Option<Token>> {
        Ok(self.queue(lane)?.and_then(|queue| queue.owner))
    }

    /// How many items the lane has.
    pub(super) fn length(&self, lane: Lane) -> Result<u32> {
        let queue = self.queue(lane)?;
        Ok(queue.map_or(0, |queue| queue.length() as u32))
    }

    /// The state of a lane; none where it is empty.
    pub(super) fn queue(&self, lane: Lane) -> Result<Option<Queue>> {
        let value = self.shelf.get(&keys::lane(lane))?;
        value.map(Queue::decode).transpose()
    }

    /// Writes the state of a lane and when it is ready.
    pub(super) fn keep(
        &mut self,
        lane: Lane,
        old: Option<Queue>,
        new: Option<Queue>,
    ) -> Result<()> {
        let ready = |queue: Queue| keys::ready(queue.ready, lane);
        self.shift(old.map(ready), new.map(ready))?;
        match new {
            Some(queue) => self.shelf.put(&keys::lane(lane), &queue.encode()),
            None => self.shelf.delete(&keys::lane(lane)),
        }
    }

    /// The item at a place of the lane.
    pub(super) fn item(&self, lane: Lane, place: u64) -> Result<Item> {
        let missing = || Error::Corrupt(format!("lane {lane} has lost an item"));
        let value = self.shelf.get(&keys::item(lane, place))?;
        let mut reader = Reader::new(value.ok_or_else(missing)?);
        Ok(Item { id: reader.text()?, body: reader.bytes()? })
    }
}

impl Queue {
    /// How many items it has.
    pub(super) fn length(&self) -> u64 {
        self.tail - self.head
    }

    fn encode(&self) -> Vec<u8> {
        Writer::default()
            .option(self.owner.map(|owner| owner.0))
            .u64(self.ready)
            .u64(self.head)
            .u64(self.tail)
            .u64(self.since)
            .finish()
    }

    /// From bytes.
    pub(super) fn decode(value: Bytes) -> Result<Self> {
        let mut reader = Reader::new(value);
        Ok(Self {
            owner: reader.option()?.map(Token),
            ready: reader.u64()?,
            head: reader.u64()?,
            tail: reader.u64()?,
            since: reader.u64()?,
        })
    }
}
