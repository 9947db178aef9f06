//! How values are written: numbers big-endian, bytes with their length before them, an option with a flag before it.

use bytes::{Buf, BufMut, Bytes, TryGetError};

use crate::{Error, Result};

/// Writes a value, piece by piece.
#[derive(Debug, Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn u32(mut self, value: u32) -> Self {
        self.0.put_u32(value);
        self
    }

    pub(super) fn u64(mut self, value: u64) -> Self {
        self.0.put_u64(value);
        self
    }

    pub(super) fn option(mut self, value: Option<u64>) -> Self {
        self.0.put_u8(value.is_some().into());
        self.u64(value.unwrap_or_default())
    }

    pub(super) fn bytes(self, value: &[u8]) -> Self {
        let mut writer = self.u32(value.len() as u32);
        writer.0.put_slice(value);
        writer
    }

    pub(super) fn blob(mut self, value: Option<&[u8]>) -> Self {
        self.0.put_u8(value.is_some().into());
        self.bytes(value.unwrap_or_default())
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a value in the order it was written; what it cannot read is [`Error::Corrupt`].
#[derive(Debug)]
pub(super) struct Reader(Bytes);

impl Reader {
    pub(super) fn new(value: Bytes) -> Self {
        Self(value)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.0.try_get_u32().map_err(|error| short(&error))
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        self.0.try_get_u64().map_err(|error| short(&error))
    }

    pub(super) fn option(&mut self) -> Result<Option<u64>> {
        let there = self.flag()?;
        let value = self.u64()?;
        Ok(there.then_some(value))
    }

    pub(super) fn blob(&mut self) -> Result<Option<Bytes>> {
        let there = self.flag()?;
        let value = self.bytes()?;
        Ok(there.then_some(value))
    }

    pub(super) fn bytes(&mut self) -> Result<Bytes> {
        let length = self.u32()? as usize;
        if length > self.0.len() {
            return Err(Error::Corrupt("a value ends too early".into()));
        }
        Ok(self.0.split_to(length))
    }

    pub(super) fn text(&mut self) -> Result<String> {
        let bytes = self.bytes()?.to_vec();
        String::from_utf8(bytes).map_err(|error| Error::Corrupt(error.to_string()))
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn flag(&mut self) -> Result<bool> {
        Ok(self.0.try_get_u8().map_err(|error| short(&error))? != 0)
    }
}

fn short(error: &TryGetError) -> Error {
    Error::Corrupt(format!("a value ends too early: {error}"))
}
