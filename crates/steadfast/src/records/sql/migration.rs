//! Brings the tables up to date.

use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{Connection as _, SqlSafeStr as _};
use tokio::time::{Instant, sleep};
use tracing::warn;

use super::{Database, Fault, Schema};
use crate::refrain::Refrain;

/// How long to wait before each next try.
const PAUSE: Duration = Duration::from_millis(250);
/// How often it is said why there is another one.
const SAID_EVERY: Duration = Duration::from_secs(5);

/// Brings the tables up to date. Any number of processes may do so at once.
pub(super) async fn run_patiently(
    database: &Database,
    schema: &Schema,
    patience: Duration,
) -> Result<(), Fault> {
    let (end, mut refrain) = (Instant::now() + patience, Refrain::every(SAID_EVERY));
    loop {
        match run(database, schema).await.map_err(Fault::from) {
            Err(fault @ (Fault::Raced(_) | Fault::Unavailable(_))) if Instant::now() < end => {
                if refrain.is_due() {
                    warn!(error = %fault, "the database of the records is not reached yet");
                }
                sleep(PAUSE).await;
            }
            other => return other.map_err(|fault| database.named_in(fault)),
        }
    }
}

async fn run(database: &Database, schema: &Schema) -> Result<(), MigrateError> {
    let mut connection = database.connect().await?;
    // Directly, since the compiler cannot tell that the future of `run` may move between threads.
    match database {
        // SQLite has no lock for this but the one on the whole file.
        Database::Sqlite(_) => {
            let mut tx = connection.begin_with(database.begin()).await?;
            migrator(schema).run_direct(None, &mut *tx, false).await?;
            tx.commit().await?;
        }
        Database::Postgres(_) => migrator(schema).run_direct(None, &mut connection, false).await?,
    }
    Ok(connection.close().await?)
}

impl From<MigrateError> for Fault {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::Execute(error) => error.into(),
            MigrateError::ExecuteMigration(error, number) => match error.into() {
                Self::Broken(reason) => Self::Broken(format!("migration {number}: {reason}")),
                passing => passing,
            },
            other => Self::Broken(other.to_string()),
        }
    }
}

fn migrator(schema: &Schema) -> Migrator {
    let steps = schema.migrations.values().map(|step| {
        let sql = step.sql.into_sql_str();
        Migration::new(step.number, step.name.into(), MigrationType::Simple, sql, false)
    });
    let mut migrator = Migrator::with_migrations(steps.collect());
    // A newer build may have been here.
    migrator.set_ignore_missing(true);
    migrator
}
