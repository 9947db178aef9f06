//! Who is in a dialogue: how many, in one trip, and page by page, in three trips however they are spread. And which dialogues
//! somebody has, in as many trips as it takes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use redis::Pipeline;

use super::Redis;
use super::connection::Ask;
use super::keys::named_dialogue;
use crate::{Cursor, DialogueKey, PARTITIONS, Page, Result};

/// How many keys are looked at in one trip, about: meanwhile Redis does nothing else.
const LOOKED_AT: usize = 1000;

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

    /// Looks at `limit` people, whether or not they have the label, and at as many more while nobody is among them.
    pub(super) async fn page(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        let mut cursor = cursor.unwrap_or_default();
        loop {
            let mut page = self.whoever(cursor, limit.max(1)).await?;
            if let (Some(next), true) = (page.next, page.people.is_empty()) {
                cursor = next;
                continue;
            }
            let people = &mut page.people;
            people.retain(|person| {
                label.is_none_or(|label| person.labels.iter().any(|l| l == label))
            });
            return Ok(page);
        }
    }

    /// Who is in a dialogue of the next so many that have a timer.
    async fn whoever(&self, start: Cursor, limit: usize) -> Result<Page> {
        let partitions = whole(&self.sizes().await?, start.partition, limit);
        let end = partitions.end;
        let (keys, next) = cut(self.timed(partitions).await?, start, limit, end);
        let people = self.members(&keys).await?;
        Ok(Page { people, next })
    }

    /// Every dialogue of this person, by a look at all keys there are.
    pub(super) async fn kept_of(&self, user: i64) -> Result<Vec<DialogueKey>> {
        let pattern = self.keys.records_of(user);
        let (mut found, mut cursor) = (BTreeSet::new(), 0_u64);
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor).arg("MATCH").arg(&pattern);
            scan.arg("COUNT").arg(LOOKED_AT);
            let (next, names): (u64, Vec<Vec<u8>>) = self.connection.ask(Ask::Cmd(&scan)).await?;
            let names = names.iter().map(|name| String::from_utf8_lossy(name));
            let keys = names.filter_map(|name| self.keys.dialogue(&name));
            found.extend(keys.filter(|key| key.user == user));
            match next {
                0 => return Ok(found.into_iter().collect()),
                next => cursor = next,
            }
        }
    }

    /// How many there are in each partition.
    async fn sizes(&self) -> Result<Vec<usize>> {
        let mut pipeline = redis::pipe();
        for keys in self.keys.partitions() {
            pipeline.cmd("ZCARD").arg(&keys.timers);
        }
        self.connection.ask(Ask::Cmds(&pipeline)).await
    }

    /// Everybody in these partitions who has a timer. In Redis they lie in the order of their timers, which move.
    async fn timed(&self, partitions: Range<u8>) -> Result<Vec<(u8, Vec<DialogueKey>)>> {
        let mut pipeline = redis::pipe();
        for partition in partitions.clone() {
            let timers = &self.keys.partition(partition).timers;
            pipeline.cmd("ZRANGE").arg(timers).arg(0).arg(-1);
        }
        let names: Vec<Vec<String>> = self.ask_unless_empty(&pipeline).await?;
        let key = |name: &String| named_dialogue(name);
        let keys =
            names.iter().map(|names| names.iter().map(key).collect::<Result<Vec<DialogueKey>>>());
        partitions.zip(keys).map(|(it, keys)| Ok((it, keys?))).collect()
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

/// As many partitions from this one on as hold a page, not counting the first: who was looked at in it before is not known here.
fn whole(sizes: &[usize], first: u8, limit: usize) -> Range<u8> {
    let (mut end, mut found) = (first, 0);
    while end < PARTITIONS && found < limit {
        end += 1;
        found += sizes.get(usize::from(end)).copied().unwrap_or(0);
    }
    first..(end + 1).min(PARTITIONS)
}

/// The first `limit` of these after the start, and where the next page begins: behind them, or at the partition `end`.
fn cut(
    partitions: Vec<(u8, Vec<DialogueKey>)>,
    start: Cursor,
    limit: usize,
    end: u8,
) -> (Vec<DialogueKey>, Option<Cursor>) {
    let mut found = Vec::new();
    for (partition, mut keys) in partitions {
        keys.sort_unstable();
        let after = start.after.filter(|_| partition == start.partition);
        keys.retain(|key| after.is_none_or(|after| *key > after));
        keys.truncate(limit - found.len());
        found.append(&mut keys);
        if found.len() == limit {
            let after = found.last().copied();
            return (found, Some(Cursor { partition, after }));
        }
    }
    let next = Cursor { partition: end, after: None };
    (found, (end < PARTITIONS).then_some(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(chat: i64) -> DialogueKey {
        DialogueKey { chat, user: 1, topic: None }
    }

    /// Three people in partition 0, one in 3, two in 63; the order in which they lie changes from page to page.
    #[test]
    fn pages_cover_everyone_once_however_they_lie() {
        let mut all = vec![Vec::new(); usize::from(PARTITIONS)];
        all[0] = [5, -7, 6].map(key).to_vec();
        all[3] = [8].map(key).to_vec();
        all[63] = [9, 10].map(key).to_vec();
        for limit in 1..9 {
            let (mut cursor, mut seen) = (Cursor::default(), Vec::new());
            loop {
                let sizes: Vec<usize> = all.iter().map(Vec::len).collect();
                let range = whole(&sizes, cursor.partition, limit);
                let end = range.end;
                let there = range.map(|it| (it, all[usize::from(it)].clone()));
                let (page, next) = cut(there.collect(), cursor, limit, end);
                assert!(page.len() <= limit);
                seen.extend(page);
                let Some(next) = next else { break };
                cursor = next;
                all.iter_mut().for_each(|keys| keys.reverse());
            }
            assert_eq!(seen, [-7, 5, 6, 8, 9, 10].map(key), "by {limit}");
        }
    }
}
