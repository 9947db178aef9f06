//! Who is in a dialogue, and how many.

use super::codec::Reader;
use super::keys;
use super::{Desk, Entry};
use crate::{Cursor, DialogueKey, PARTITIONS, Page, Person, Result};

/// How many records are looked at in one go, so that nobody waits long.
const LOOKED_AT: usize = 1000;

impl Desk<'_> {
    /// See [`Store::active`](crate::Store::active).
    pub(super) fn active(&mut self) -> Result<Vec<(String, u64)>> {
        let counts = keys::counts();
        let found = self.shelf.scan(&counts..&keys::end(&counts), usize::MAX)?;
        found
            .into_iter()
            .map(|(key, count)| Ok((keys::name(&key, counts.len())?, Reader::new(count).u64()?)))
            .collect()
    }

    /// See [`Store::people`](crate::Store::people). Looks at `limit` of them, whether or not they have the label.
    pub(super) fn people(
        &mut self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        let start = cursor.unwrap_or_default();
        let (mut people, mut left) = (Vec::new(), limit.max(1));
        for partition in start.partition..PARTITIONS {
            let after = start.after.filter(|_| partition == start.partition);
            let keys = self.listed(partition, after, left)?;
            left -= keys.len();
            people.extend(self.with_label(&keys, label)?);
            if left == 0 {
                let after = keys.last().copied();
                let next = Some(Cursor { partition, after });
                return Ok(Page { people, next });
            }
        }
        Ok(Page { people, next: None })
    }

    /// Those in a dialogue, of one partition, in the order of their names.
    pub(super) fn listed(
        &self,
        partition: u8,
        after: Option<DialogueKey>,
        limit: usize,
    ) -> Result<Vec<DialogueKey>> {
        let people = keys::people(partition);
        let from = after.map_or_else(|| people.clone(), |key| keys::just_after(keys::person(&key)));
        let found = self.shelf.scan(&from..&keys::end(&people), limit)?;
        found.iter().map(|(key, _)| keys::name(key, people.len())).collect()
    }

    /// Looks at some records, from the first one on or from behind this one: answers those of this person, and the last one that was
    /// looked at, if there may be more.
    pub(super) fn some_of(
        &mut self,
        user: i64,
        after: Option<DialogueKey>,
    ) -> Result<(Vec<DialogueKey>, Option<DialogueKey>)> {
        let all = keys::records();
        let from = after.map_or_else(|| all.clone(), |key| keys::just_after(keys::record(&key)));
        let found = self.shelf.scan(&from..&keys::end(&all), LOOKED_AT)?;
        let named = |(key, _): &Entry| keys::name(key, all.len() + 1);
        let mut some: Vec<DialogueKey> = found.iter().map(named).collect::<Result<_>>()?;
        let next = some.last().copied().filter(|_| some.len() == LOOKED_AT);
        some.retain(|key| key.user == user);
        Ok((some, next))
    }

    /// The records of those who have the label.
    fn with_label(&mut self, keys: &[DialogueKey], label: Option<&str>) -> Result<Vec<Person>> {
        let mut people = Vec::new();
        for key in keys {
            people.extend(self.peek(key)?);
        }
        people.retain(|person| label.is_none_or(|label| person.labels.iter().any(|l| l == label)));
        Ok(people)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn whoever_has_many_dialogues_among_many_is_found_over_several_looks() {
        let mut shelf = BTreeMap::new();
        let mut desk = Desk::new(&mut shelf, 0);
        let key = |chat, user| DialogueKey { chat, user, topic: None };
        for n in 1..=1500 {
            desk.put(&keys::record(&key(-n, 7))).expect("put");
            desk.put(&keys::record(&key(-n, 8))).expect("put");
        }
        let (mut found, mut after, mut looks) = (Vec::new(), None, 0);
        loop {
            let (some, next) = desk.some_of(7, after).expect("some");
            found.extend(some);
            looks += 1;
            match next {
                None => break,
                next => after = next,
            }
        }
        found.sort();
        let all = (1..=1500).map(|n| key(n - 1501, 7));
        assert_eq!(found, all.collect::<Vec<_>>());
        assert!(looks > 1);
    }
}
