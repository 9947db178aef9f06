//! Opening the records, and keeping them small.

use std::sync::Arc;
use std::time::Duration;

use tracing::info;

use super::Worker;
use crate::company::Company;
use crate::config::Config;
use crate::records::{Database, Fault, Sql};
use crate::store::Clock;

/// How long a database may take to come up at the start.
const PATIENCE: Duration = Duration::from_secs(15);

/// Why there are no records.
#[derive(Debug, thiserror::Error)]
#[error(
    "the database of the records cannot be used: {0}; see DATABASE_URL, or DATA_DIR when that is not set"
)]
pub struct NoDatabase(Fault);

/// Opens the database of the records, which tells the time by this clock.
pub async fn open_records(
    database: &Database,
    config: &Config<Company>,
    clock: Clock,
) -> Result<Arc<Sql>, NoDatabase> {
    let (commands, lookups) =
        (crate::company::records::commands(), crate::company::records::lookups());
    let sql = Sql::open(database, commands, lookups, PATIENCE).await;
    let sql = sql.map_err(NoDatabase)?;
    info!(database = sql.kind(), "the records are open");
    let company = Company::clone(&config.settings);
    let sql = sql.with_clock(clock).with_retention(company.retention).with_company(company);
    Ok(Arc::new(sql.with_staff(config.server.staff.clone())))
}

/// Whether [`open_records`] could open them; leaves the tables as they are.
pub async fn probe_records(database: &Database) -> Result<(), NoDatabase> {
    database.probe().await.map_err(NoDatabase)
}

/// What keeps the records small.
pub fn records_upkeep(records: Arc<Sql>) -> Worker {
    Worker::endless("records upkeep", async move { records.keep_pruned().await })
}
