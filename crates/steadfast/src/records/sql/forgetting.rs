//! Removes personal data: of a person who asks for it, and of everybody after a time.

use super::{Fault, Sql};

/// What came of blanking what is old.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blanked {
    /// In so many rows.
    pub rows: u64,
    /// What could not be blanked, by its table, and why.
    pub failures: Vec<(&'static str, Fault)>,
}

impl Sql {
    /// Forgets a person, but for what the books need: as much of it as can be, whatever fails. Answers how many rows of each table had something of theirs.
    pub async fn forget(&self, user: i64) -> Result<Vec<(&'static str, u64)>, Fault> {
        let mut forgotten = Vec::new();
        for (table, sql) in &self.schema.forget {
            let changed = self.changed(sql, user).await;
            forgotten.push(changed.map(|rows| (*table, rows)));
        }
        forgotten.into_iter().collect()
    }

    /// Blanks what is older than it may get. What fails keeps nothing else from being blanked.
    pub async fn blank_overdue(&self) -> Blanked {
        let mut blanked = Blanked::default();
        for expiry in &self.schema.expiries {
            let before = self.before(expiry.age);
            let sql = expiry.statement.of(&self.database);
            loop {
                match self.changed(sql, before).await {
                    Ok(0) => break,
                    Ok(some) => blanked.rows += some,
                    Err(fault) => {
                        blanked.failures.push((expiry.table, fault));
                        break;
                    }
                }
            }
        }
        blanked
    }

    /// Runs a statement with this one number, and says how many rows it changed.
    async fn changed(&self, sql: &'static str, number: i64) -> Result<u64, Fault> {
        self.write(async |connection| {
            let changed = sqlx::query(sql).bind(number).execute(connection).await?;
            Ok(changed.rows_affected())
        })
        .await
    }
}
