//! Dead letters: what could not be carried out, kept for an operator.

use bytes::Bytes;

use super::{Desk, keys};
use crate::{DEAD_MAX, PARTITIONS, Result};

impl Desk<'_> {
    /// Keeps a letter; the oldest of the partition makes room.
    pub(super) fn keep_letter(&mut self, partition: u8, letter: &Bytes) -> Result<()> {
        let number = self.add(&keys::letter_count(partition), 1)?;
        self.shelf.put(&keys::letter(partition, number), letter)?;
        self.add(&keys::letters_kept(partition), 1)?;
        let Some(oldest) = number.checked_sub(DEAD_MAX as u64) else {
            return Ok(());
        };
        let oldest = keys::letter(partition, oldest);
        match self.shelf.get(&oldest)? {
            Some(_) => self.drop_letter(partition, &oldest),
            None => return Ok(()),
        }?;
        self.add(&keys::letters_dropped(partition), 1).map(|_| ())
    }

    /// See [`Store::dead_letters`](crate::Store::dead_letters).
    pub(super) fn dead_letters(&mut self, limit: usize) -> Result<Vec<Bytes>> {
        let mut found = Vec::new();
        for letters in (0..PARTITIONS).map(keys::letters) {
            let left = limit - found.len();
            let entries = self.shelf.scan(&letters..&keys::end(&letters), left)?;
            found.extend(entries.into_iter().map(|(_, letter)| letter));
        }
        Ok(found)
    }

    /// See [`Store::remove_letter`](crate::Store::remove_letter).
    pub(super) fn remove_letter(&mut self, letter: &[u8]) -> Result<bool> {
        let mut is_found = false;
        for partition in 0..PARTITIONS {
            let letters = keys::letters(partition);
            let entries = self.shelf.scan(&letters..&keys::end(&letters), usize::MAX)?;
            for (key, _) in entries.iter().filter(|(_, found)| found == letter) {
                self.drop_letter(partition, key)?;
                is_found = true;
            }
        }
        Ok(is_found)
    }

    fn drop_letter(&mut self, partition: u8, key: &[u8]) -> Result<()> {
        self.add(&keys::letters_kept(partition), -1)?;
        self.shelf.delete(key)
    }
}
