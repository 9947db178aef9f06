//! The one table of the file.

use std::ops::Range;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::file::sqlite;
use crate::Result;
use crate::local::{Entry, Shelf};

/// The table as a shelf.
pub(super) struct Table<'a>(pub(super) &'a Connection);

impl Shelf for Table<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let statement = self.0.prepare_cached("SELECT value FROM shelf WHERE key = ?1");
        let found = statement.and_then(|mut statement| {
            let value = statement.query_row([key], |row| bytes(row, 0));
            value.optional()
        });
        found.map_err(|error| sqlite(&error))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let statement = self.0.prepare_cached("REPLACE INTO shelf (key, value) VALUES (?1, ?2)");
        let done = statement.and_then(|mut statement| statement.execute(params![key, value]));
        done.map(|_| ()).map_err(|error| sqlite(&error))
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        let statement = self.0.prepare_cached("DELETE FROM shelf WHERE key = ?1");
        let done = statement.and_then(|mut statement| statement.execute([key]));
        done.map(|_| ()).map_err(|error| sqlite(&error))
    }

    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<Entry>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let statement = self.0.prepare_cached(
            "SELECT key, value FROM shelf WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT ?3",
        );
        let found = statement.and_then(|mut statement| {
            let rows = statement.query_map(params![range.start, range.end, limit], |row| {
                Ok((row.get(0)?, bytes(row, 1)?))
            })?;
            rows.collect()
        });
        found.map_err(|error| sqlite(&error))
    }
}

fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Bytes> {
    Ok(Bytes::copy_from_slice(row.get_ref(column)?.as_bytes()?))
}
