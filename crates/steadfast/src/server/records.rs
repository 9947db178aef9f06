//! Opening the records, and keeping them small.

use std::sync::Arc;
use std::time::Duration;

use tracing::info;

use super::Worker;
use crate::records::{Database, Fault, Schema, Sql};
use crate::staff::Staff;
use crate::store::Clock;

/// How long a database may take to come up at the start.
const PATIENCE: Duration = Duration::from_secs(15);

/// Why there are no records.
#[derive(Debug, thiserror::Error)]
#[error(
    "the database of the records cannot be used: {0}; see DATABASE_URL, or DATA_DIR when that is not set"
)]
pub struct NoDatabase(Fault);

/// Opens the configured database with the schema and the settings of the bot.
///
/// The records tell the time by `clock`.
pub async fn open_records<S: Send + Sync + 'static>(
    database: &Database,
    clock: Clock,
    staff: Staff,
    schema: Schema,
    settings: Arc<S>,
) -> Result<Arc<Sql>, NoDatabase> {
    let sql = Sql::open(database, schema, PATIENCE).await.map_err(NoDatabase)?;
    info!(database = sql.kind(), "the records are open");
    Ok(Arc::new(sql.with_clock(clock).with_staff(staff).with_settings(settings)))
}

/// Whether [`open_records`] could open them; leaves the tables as they are.
pub async fn probe_records(database: &Database) -> Result<(), NoDatabase> {
    database.probe().await.map_err(NoDatabase)
}

/// What keeps the records small.
pub fn records_upkeep(records: Arc<Sql>) -> Worker {
    Worker::endless("records upkeep", async move { records.keep_pruned().await })
}
