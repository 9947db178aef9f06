//! Dead letters: what could not be carried out, kept for an operator.

use bytes::Bytes;

use super::{Desk, keys};
use crate::store::{DEAD_MAX, PARTITIONS, Result};

impl Desk<'_> {
    /// Keeps a letter; the oldest of the partition makes room.
    pub(super) fn keep_letter(&mut self, partition: u8, letter: &Bytes) -> Result<()> {
        let number = self.add(&keys::letter_count(partition), 1)?;
        self.shelf.put(&keys::letter(partition, number), letter)?;
        match number.checked_sub(DEAD_MAX as u64) {
            Some(oldest) => self.shelf.delete(&keys::letter(partition, oldest)),
            None => Ok(()),
        }
    }

    /// See [`Store::dead_letters`](crate::store::Store::dead_letters).
    pub(super) fn dead_letters(&mut self, limit: usize) -> Result<Vec<Bytes>> {
        let mut found = Vec::new();
        for letters in (0..PARTITIONS).map(keys::letters) {
            let left = limit - found.len();
            let entries = self.shelf.scan(&letters..&keys::end(&letters), left)?;
            found.extend(entries.into_iter().map(|(_, letter)| letter));
        }
        Ok(found)
    }
}
