//! Where a page begins, as text: `PARTITION.SKIP`.

use std::str::FromStr;

use super::Trouble;
use crate::store::{Cursor, PARTITIONS};

pub(super) fn write(cursor: Cursor) -> String {
    format!("{}.{}", cursor.partition, cursor.skip)
}

pub(super) fn read(text: &str) -> Result<Cursor, Trouble> {
    fn part<T: FromStr>(text: &str) -> Option<T> {
        text.parse().ok()
    }
    let cursor = text.split_once('.').and_then(|(partition, skip)| {
        Some(Cursor {
            partition: part(partition).filter(|p| *p < PARTITIONS)?,
            skip: part(skip)?,
        })
    });
    cursor.ok_or_else(|| Trouble::Asked(format!("`{text}` is no cursor of ours")))
}
