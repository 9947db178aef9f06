//! Those who answered a conversation and cannot any more: their role was taken away, or they were forgotten. What they had claimed
//! is nobody's again.

use sqlx::Row as _;

use super::super::colleague::is_reached_at_desk;
use steadfast::records::{Desk, Fault, Tx};

/// The number of nobody.
const NOBODY: i64 = 0;

/// Whoever has claimed this conversation and cannot answer any more; the number of nobody where there is no such person.
pub(super) async fn of(tx: &mut Tx<'_>, conversation: &str) -> Result<i64, Fault> {
    let sql = "SELECT dispatcher FROM conversations WHERE id = $1 AND dispatcher IS NOT NULL";
    let found = sqlx::query(sql).bind(conversation);
    let Some(row) = found.fetch_optional(&mut *tx.connection).await? else {
        return Ok(NOBODY);
    };
    let user: i64 = row.try_get(0)?;
    match is_reached_at_desk(tx.connection, tx.staff, user).await? {
        true => Ok(NOBODY),
        false => Ok(user),
    }
}

/// Everybody who has claimed an open conversation and cannot answer any more.
pub(super) async fn all(desk: &mut Desk<'_>) -> Result<Vec<i64>, Fault> {
    let sql = "SELECT DISTINCT dispatcher FROM conversations WHERE closed_at IS NULL AND dispatcher IS NOT NULL";
    let claimed = sqlx::query(sql).fetch_all(&mut *desk.connection).await?;
    let mut lapsed = Vec::new();
    for row in claimed {
        let user: i64 = row.try_get(0)?;
        if !is_reached_at_desk(desk.connection, desk.staff, user).await? {
            lapsed.push(user);
        }
    }
    Ok(lapsed)
}
