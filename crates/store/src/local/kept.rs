//! Small values by name.

use bytes::Bytes;

use super::{Desk, keys};
use crate::Result;

impl Desk<'_> {
    /// See [`Store::kept`](crate::Store::kept).
    pub(super) fn kept(&self, name: &str) -> Result<Option<Bytes>> {
        self.shelf.get(&keys::kept(name))
    }

    /// See [`Store::keep`](crate::Store::keep).
    pub(super) fn keep_value(
        &mut self,
        name: &str,
        expected: Option<&[u8]>,
        value: &[u8],
    ) -> Result<bool> {
        let found = self.kept(name)?;
        if found.as_deref() == Some(value) {
            return Ok(true);
        }
        if found.as_deref() != expected {
            return Ok(false);
        }
        self.shelf.put(&keys::kept(name), value).map(|()| true)
    }
}
