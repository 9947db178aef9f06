//! How much there is still to do.

use std::time::Duration;

use super::queue::Queue;
use super::{Desk, keys};
use crate::{Backlog, Lane, LaneKind, Millis, PARTITIONS, Result};

impl Desk<'_> {
    /// See [`Store::backlog`](crate::Store::backlog).
    pub(super) fn backlog(&mut self) -> Result<Backlog> {
        let mut backlog = Backlog::default();
        for partition in 0..PARTITIONS {
            let begun = self.begun(partition)?;
            backlog.lanes += begun.len() as u64;
            let is_bulk = |(lane, _): &&(Lane, Queue)| lane.kind == LaneKind::Bulk;
            backlog.bulk += begun.iter().filter(is_bulk).count() as u64;
            backlog.effects += begun.iter().map(|(_, queue)| queue.length()).sum::<u64>();
            backlog.dead += self.number(&keys::letters_kept(partition))?;
            backlog.dropped += self.number(&keys::letters_dropped(partition))?;
            for (lane, queue) in begun {
                backlog.saw(lane.kind, Some(self.age(queue.since)));
            }
        }
        Ok(backlog)
    }

    /// The lanes of a partition that have work.
    fn begun(&self, partition: u8) -> Result<Vec<(Lane, Queue)>> {
        let lanes = keys::lanes(partition);
        let found = self.shelf.scan(&lanes..&keys::end(&lanes), usize::MAX)?;
        found
            .into_iter()
            .map(|(key, value)| {
                let lane = keys::name(&key, lanes.len())?;
                Ok((lane, Queue::decode(value)?))
            })
            .collect()
    }

    fn age(&self, since: Millis) -> Duration {
        Duration::from_millis(self.now.saturating_sub(since))
    }
}
