//! The table of effects: what became of each, written in the transaction of the command itself.

use sqlx::{AnyConnection, Row as _};

use super::command::BY;
use crate::records::{Fault, Verdict};

/// Enters an effect as applied, and says whether it is new. Whoever runs the same one at this time is waited for.
pub(super) async fn enter(tx: &mut AnyConnection, effect: &str, now: i64) -> Result<bool, Fault> {
    let sql =
        "INSERT INTO effects (id, outcome, at) VALUES ($1, 'applied', $2) ON CONFLICT DO NOTHING";
    let entered = sqlx::query(sql).bind(effect).bind(now).execute(tx).await?;
    Ok(entered.rows_affected() == 1)
}

/// Corrects an effect that was just entered: it is refused.
pub(super) async fn refuse(
    tx: &mut AnyConnection,
    effect: &str,
    reason: &str,
) -> Result<(), Fault> {
    let sql = "UPDATE effects SET outcome = 'refused', reason = $1 WHERE id = $2";
    let refused = sqlx::query(sql).bind(reason).bind(effect);
    refused.execute(tx).await?;
    Ok(())
}

/// What became of an effect the first time.
pub(super) async fn recall(tx: &mut AnyConnection, effect: &str) -> Result<Verdict, Fault> {
    let sql = "SELECT outcome, reason FROM effects WHERE id = $1";
    let found = sqlx::query(sql).bind(effect).fetch_optional(tx).await?;
    // It was there a moment ago, and may have been forgotten since.
    let Some(row) = found else {
        return Err(Fault::Raced("the outcome was just forgotten".to_owned()));
    };
    let (outcome, reason): (String, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
    match outcome.as_str() {
        "applied" => Ok(Verdict::Applied),
        "refused" => Ok(Verdict::Refused(reason.unwrap_or_default())),
        other => Err(Fault::Broken(format!("`{other}` is no outcome"))),
    }
}

/// What is told of an outcome: who is named by their number is called by their name, or left out where it is not known.
pub(super) async fn told(tx: &mut AnyConnection, verdict: Verdict) -> Result<Verdict, Fault> {
    let Verdict::Refused(reason) = &verdict else {
        return Ok(verdict);
    };
    let by = reason.split_once(&format!(" {BY}"));
    let Some((word, user)) = by.and_then(|(word, user)| Some((word, user.parse::<i64>().ok()?)))
    else {
        return Ok(verdict);
    };
    let found = sqlx::query("SELECT name FROM users WHERE id = $1").bind(user);
    let found = found.fetch_optional(tx).await?;
    let name: Option<String> = found.map(|row| row.try_get(0)).transpose()?;
    let told = format!("{word} {}", name.unwrap_or_default());
    Ok(Verdict::Refused(told.trim_end().to_owned()))
}

/// Forgets some of the effects entered before a time, the oldest first, and says how many.
pub(super) async fn prune(tx: &mut AnyConnection, before: i64) -> Result<u64, Fault> {
    let sql = "DELETE FROM effects WHERE id IN (SELECT id FROM effects WHERE at < $1 ORDER BY at LIMIT 500)";
    let pruned = sqlx::query(sql).bind(before).execute(tx).await?;
    Ok(pruned.rows_affected())
}
