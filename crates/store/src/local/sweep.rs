//! What is due: timers, lanes nobody works, and entries to be forgotten.

use super::Desk;
use super::{keys, millis};
use crate::{CLOCK_NOTED, DialogueKey, Due, Lane, Millis, PARTITIONS, Result, Token};

/// How many entries are forgotten per sweep.
const FORGET_AT_ONCE: usize = 256;

impl Desk<'_> {
    /// See [`Store::due`](crate::Store::due). What would be leased to somebody who has given up waiting, such as on a disk
    /// that hung, would be lost to whoever holds it and has something to note.
    pub(super) fn due(&mut self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due> {
        self.forget()?;
        self.look_at_clock()?;
        let mut due = Due { now: self.now, ..Due::default() };
        if !self.is_awaited {
            return Ok(due);
        }
        for partition in 0..PARTITIONS {
            due.timers.extend(self.due_timers(partition, limit, hold)?);
            for lane in self.ready(partition, limit)? {
                due.lapsed.extend(self.owner(lane)?.map(|_| lane));
                due.lanes.push((lane, self.claim(lane, token)?));
            }
            due.sequence += self.number(&keys::sequence(partition))?;
        }
        Ok(due)
    }

    fn due_timers(
        &self,
        partition: u8,
        limit: usize,
        hold: Option<Millis>,
    ) -> Result<Vec<(DialogueKey, Millis)>> {
        let from = keys::timers(partition, hold.map_or(0, |hold| hold.saturating_add(1)));
        let to = keys::timers(partition, self.now + 1);
        if from >= to {
            return Ok(Vec::new());
        }
        let found = self.shelf.scan(&from..&to, limit)?;
        let timer = |key: &[u8]| Ok((keys::name(key, from.len())?, keys::time(key, 2)));
        found.iter().map(|(key, _)| timer(key)).collect()
    }

    /// Lanes of a partition that may be claimed.
    fn ready(&self, partition: u8, limit: usize) -> Result<Vec<Lane>> {
        let from = keys::readies(partition, 0);
        let to = keys::readies(partition, self.now + 1);
        let found = self.shelf.scan(&from..&to, limit)?;
        let lanes = found.iter().map(|(key, _)| keys::name(key, from.len()));
        lanes.collect()
    }

    /// Notes what the clock shows. Where it was set back, what lanes wait for goes with it.
    fn look_at_clock(&mut self) -> Result<()> {
        let shown = self.number(&keys::clock())?;
        let back = shown.saturating_sub(self.now);
        if back > 0 {
            (0..PARTITIONS).try_for_each(|partition| self.hasten_lanes(partition, back))?;
        }
        if back > 0 || shown.saturating_add(millis(CLOCK_NOTED)) <= self.now {
            self.shelf.put(&keys::clock(), &self.now.to_be_bytes())?;
        }
        Ok(())
    }

    /// Removes what has expired, a bounded amount at a time.
    fn forget(&mut self) -> Result<()> {
        let (from, to) = (keys::expiries(0), keys::expiries(self.now + 1));
        for (key, _) in self.shelf.scan(&from..&to, FORGET_AT_ONCE)? {
            self.shelf.delete(&key[from.len()..])?;
            self.shelf.delete(&key)?;
        }
        Ok(())
    }
}
