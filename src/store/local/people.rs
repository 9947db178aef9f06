//! Who is in a dialogue, and how many.

use super::Desk;
use super::codec::Reader;
use super::keys;
use crate::store::{Cursor, Key, PARTITIONS, Page, Person, Result};

impl Desk<'_> {
    /// See [`Store::active`](crate::store::Store::active).
    pub(super) fn active(&mut self) -> Result<Vec<(String, u64)>> {
        let counts = keys::counts();
        let found = self.shelf.scan(&counts..&keys::end(&counts), usize::MAX)?;
        found
            .into_iter()
            .map(|(key, count)| Ok((keys::name(&key, counts.len())?, Reader::new(count).u64()?)))
            .collect()
    }

    /// See [`Store::people`](crate::store::Store::people). Looks at `limit` of them, whether or not they have the label.
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
        after: Option<Key>,
        limit: usize,
    ) -> Result<Vec<Key>> {
        let people = keys::people(partition);
        let from = after.map_or_else(
            || people.clone(),
            |key| keys::just_after(keys::person(&key)),
        );
        let found = self.shelf.scan(&from..&keys::end(&people), limit)?;
        found
            .iter()
            .map(|(key, _)| keys::name(key, people.len()))
            .collect()
    }

    /// The records of those who have the label.
    fn with_label(&mut self, keys: &[Key], label: Option<&str>) -> Result<Vec<Person>> {
        let mut people = Vec::new();
        for key in keys {
            people.extend(self.peek(key)?);
        }
        people.retain(|person| label.is_none_or(|label| person.labels.iter().any(|l| l == label)));
        Ok(people)
    }
}
