//! What a record that cannot be read has left behind: its timer, its expiry, its counts. Nobody knows any more where they
//! are, so all of them are gone through. That takes as long as there are many, and is not expected to happen.

use super::{Desk, keys};
use crate::{DialogueKey, PARTITIONS, Result, partition};

/// How many entries are gone through at a time.
const AT_ONCE: usize = 1000;

impl Desk<'_> {
    /// Removes everything that points to a dialogue, and counts all others anew.
    pub(super) fn clear_up(&mut self, key: &DialogueKey) -> Result<()> {
        let (timers, expiries) = (keys::all_timers(partition(key.chat)), keys::all_expiries());
        self.remove_timed(&timers, key.to_string().as_bytes())?;
        self.remove_timed(&expiries, &keys::record(key))?;
        self.shelf.delete(&keys::person(key))?;
        self.count_anew()
    }

    /// Removes the entries that begin with `prefix` and a time, and end in `target`.
    fn remove_timed(&mut self, prefix: &[u8], target: &[u8]) -> Result<()> {
        let (mut from, end) = (prefix.to_vec(), keys::end(prefix));
        loop {
            let entries = self.shelf.scan(&from..&end, AT_ONCE)?;
            let Some((last, _)) = entries.last() else {
                return Ok(());
            };
            from = [last, &[0][..]].concat();
            for (entry, _) in &entries {
                if entry.get(prefix.len() + 8..) == Some(target) {
                    self.shelf.delete(entry)?;
                }
            }
        }
    }

    /// Counts everybody who is in a dialogue.
    fn count_anew(&mut self) -> Result<()> {
        let counts = keys::counts();
        for (count, _) in self.shelf.scan(&counts..&keys::end(&counts), usize::MAX)? {
            self.shelf.delete(&count)?;
        }
        for partition in 0..PARTITIONS {
            for person in self.listed(partition, None, usize::MAX)? {
                let record = self.record(&person)?.unwrap_or_default();
                self.recount(&[], &record.labels)?;
            }
        }
        Ok(())
    }
}
