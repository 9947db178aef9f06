//! Where a page begins, as text: `PARTITION`, or `PARTITION.DIALOGUE` for behind that one.

use super::Trouble;
use crate::store::{Cursor, PARTITIONS};

pub(super) fn write(cursor: Cursor) -> String {
    let after = cursor.after.map(|key| format!(".{key}"));
    format!("{}{}", cursor.partition, after.unwrap_or_default())
}

pub(super) fn read(text: &str) -> Result<Cursor, Trouble> {
    parse(text).ok_or_else(|| Trouble::Asked(format!("`{text}` is no cursor of ours")))
}

fn parse(text: &str) -> Option<Cursor> {
    let (partition, after) = match text.split_once('.') {
        Some((partition, after)) => (partition, Some(after.parse().ok()?)),
        None => (text, None),
    };
    let partition = partition.parse().ok().filter(|it| *it < PARTITIONS)?;
    Some(Cursor { partition, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_back_as_written() {
        for text in ["0", "63", "7.5:5", "7.-100123:5:12"] {
            assert_eq!(parse(text).map(write).as_deref(), Some(text));
        }
        for text in ["", "64", "64.5:5", "x", "1.", "1.5", "-1.5:5"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
