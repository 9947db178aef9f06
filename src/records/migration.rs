//! The tables, as a list of steps from nothing to now.
//!
//! A step that was released is never changed; another one follows it. Steps only add, so that an older build works beside a
//! newer one while a release is rolled out. Both databases run the same text: `TEXT` and `BIGINT`, times as UTC milliseconds.

use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{Connection as _, SqlSafeStr as _};
use tokio::time::{Instant, sleep};
use tracing::warn;

use super::{Database, Fault};
use crate::refrain::Refrain;

/// How long to wait before each next try.
const PAUSE: Duration = Duration::from_millis(250);
/// How often it is said why there is another one.
const SAID_EVERY: Duration = Duration::from_secs(5);

/// Every step, by its number.
const STEPS: &[(i64, &str, &str)] = &[
    (1, "effects", include_str!("migrations/0001_effects.sql")),
    (2, "coupons", include_str!("migrations/0002_coupons.sql")),
    (3, "people", include_str!("migrations/0003_people.sql")),
    (4, "languages", include_str!("migrations/0004_languages.sql")),
    (5, "orders", include_str!("migrations/0005_orders.sql")),
    (6, "shifts", include_str!("migrations/0006_shifts.sql")),
    (7, "joining", include_str!("migrations/0007_joining.sql")),
    (8, "introductions", include_str!("migrations/0008_introductions.sql")),
];

/// Brings the tables up to date. Any number of processes may do so at once.
pub(super) async fn run_patiently(database: &Database, patience: Duration) -> Result<(), Fault> {
    let (end, mut refrain) = (Instant::now() + patience, Refrain::every(SAID_EVERY));
    loop {
        match run(database).await.map_err(Fault::from) {
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

async fn run(database: &Database) -> Result<(), MigrateError> {
    let mut connection = database.connect().await?;
    // Directly, since the compiler cannot tell that the future of `run` may move between threads.
    match database {
        // SQLite has no lock for this but the one on the whole file.
        Database::Sqlite(_) => {
            let mut tx = connection.begin_with(database.begin()).await?;
            migrator().run_direct(None, &mut *tx, false).await?;
            tx.commit().await?;
        }
        Database::Postgres(_) => migrator().run_direct(None, &mut connection, false).await?,
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

fn migrator() -> Migrator {
    let steps = STEPS.iter().map(|(number, name, sql)| {
        let (kind, sql) = (MigrationType::Simple, sql.into_sql_str());
        Migration::new(*number, (*name).into(), kind, sql, false)
    });
    let mut migrator = Migrator::with_migrations(steps.collect());
    // A newer build may have been here.
    migrator.set_ignore_missing(true);
    migrator
}
