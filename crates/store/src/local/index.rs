//! Entries that only say that something is so, and numbers.

use super::Desk;
use super::codec::Reader;
use crate::Result;

impl Desk<'_> {
    /// Moves an entry of an index.
    pub(super) fn shift(&mut self, old: Option<Vec<u8>>, new: Option<Vec<u8>>) -> Result<()> {
        if old == new {
            return Ok(());
        }
        if let Some(old) = old {
            self.shelf.delete(&old)?;
        }
        new.map_or(Ok(()), |new| self.shelf.put(&new, &[]))
    }

    /// The number under `key`.
    pub(super) fn number(&self, key: &[u8]) -> Result<u64> {
        let value = self.shelf.get(key)?;
        value.map_or(Ok(0), |value| Reader::new(value).u64())
    }

    /// Changes the number under `key`; there is none at 0.
    pub(super) fn add(&mut self, key: &[u8], change: i64) -> Result<u64> {
        let number = self.number(key)?.saturating_add_signed(change);
        match number {
            0 => self.shelf.delete(key)?,
            _ => self.shelf.put(key, &number.to_be_bytes())?,
        }
        Ok(number)
    }
}
