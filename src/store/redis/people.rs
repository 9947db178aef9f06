//! Who is in a dialogue: how many, in one trip, and page by page, in three trips however they are spread.

use std::collections::BTreeMap;

use redis::Pipeline;

use super::Redis;
use super::connection::Ask;
use super::keys::named_dialogue;
use crate::store::{Cursor, Key, PARTITIONS, Page, Result};

/// A part of a partition: its first people to skip, and how many to take.
struct Slice {
    partition: u8,
    skip: usize,
    take: usize,
}

impl Redis {
    /// How many dialogues carry each label, over all partitions.
    pub(super) async fn counts(&self) -> Result<Vec<(String, u64)>> {
        let mut pipeline = redis::pipe();
        for keys in self.keys.partitions() {
            pipeline.cmd("HGETALL").arg(&keys.active);
        }
        let parts: Vec<Vec<(String, u64)>> = self.connection.ask(Ask::Cmds(&pipeline)).await?;
        let mut counts = BTreeMap::new();
        for (label, count) in parts.into_iter().flatten() {
            *counts.entry(label).or_default() += count;
        }
        Ok(counts.into_iter().collect())
    }

    /// Looks at `limit` people, whether or not they have the label.
    pub(super) async fn page(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        let (slices, next) = self.plan(cursor, limit.max(1)).await?;
        let mut people = self.read_all(&self.members(&slices).await?).await?;
        people.retain(|person| label.is_none_or(|label| person.labels.iter().any(|l| l == label)));
        Ok(Page { people, next })
    }

    /// Which parts of which partitions make up the page, and where the next one begins.
    async fn plan(
        &self,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<(Vec<Slice>, Option<Cursor>)> {
        let mut pipeline = redis::pipe();
        for keys in self.keys.partitions() {
            pipeline.cmd("ZCARD").arg(&keys.timers);
        }
        let sizes: Vec<usize> = self.connection.ask(Ask::Cmds(&pipeline)).await?;
        let start = cursor.unwrap_or(Cursor {
            partition: 0,
            skip: 0,
        });
        Ok(slices(&sizes, start, limit))
    }

    async fn members(&self, slices: &[Slice]) -> Result<Vec<Key>> {
        let mut pipeline = redis::pipe();
        for Slice {
            partition,
            skip,
            take,
        } in slices
        {
            let timers = &self.keys.partition(*partition).timers;
            pipeline
                .cmd("ZRANGE")
                .arg(timers)
                .arg(*skip)
                .arg(skip + take - 1);
        }
        let names: Vec<Vec<String>> = self.ask_unless_empty(&pipeline).await?;
        let names = names.iter().flatten();
        names.map(|name| named_dialogue(name)).collect()
    }

    async fn ask_unless_empty<T>(&self, pipeline: &Pipeline) -> Result<Vec<T>>
    where
        T: redis::FromRedisValue,
    {
        if pipeline.is_empty() {
            return Ok(Vec::new());
        }
        self.connection.ask(Ask::Cmds(pipeline)).await
    }
}

fn slices(sizes: &[usize], start: Cursor, limit: usize) -> (Vec<Slice>, Option<Cursor>) {
    let (mut slices, mut left) = (Vec::new(), limit);
    let mut skip = start.skip as usize;
    for partition in start.partition..PARTITIONS {
        let size = sizes.get(usize::from(partition)).copied().unwrap_or(0);
        let take = size.saturating_sub(skip).min(left);
        if take > 0 {
            slices.push(Slice {
                partition,
                skip,
                take,
            });
        }
        left -= take;
        if left == 0 {
            let skip = (skip + take) as u32;
            return (slices, Some(Cursor { partition, skip }));
        }
        skip = 0;
    }
    (slices, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_everyone_once() {
        let mut sizes = vec![0; usize::from(PARTITIONS)];
        (sizes[0], sizes[3], sizes[63]) = (5, 1, 4);
        let (mut cursor, mut seen) = (
            Cursor {
                partition: 0,
                skip: 0,
            },
            Vec::new(),
        );
        loop {
            let (slices, next) = slices(&sizes, cursor, 3);
            for Slice {
                partition,
                skip,
                take,
            } in slices
            {
                seen.extend((skip..skip + take).map(|at| (partition, at)));
            }
            let Some(next) = next else { break };
            cursor = next;
        }
        assert_eq!(seen.len(), 10);
        assert!(seen.is_sorted() && seen.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
