//! Opening the records, and keeping them small.

use std::sync::Arc;
use std::time::Duration;

use tracing::info;

use super::Worker;
use crate::company::records::onboarding;
use crate::config::Config;
use crate::records::{Fault, Retention, Sql};
use crate::store::Clock;

/// How long a database may take to come up at the start.
const PATIENCE: Duration = Duration::from_secs(15);

/// Why there are no records.
#[derive(Debug, thiserror::Error)]
#[error(
    "the database of the records cannot be used: {0}; see DATABASE_URL, or DATA_DIR when that is not set"
)]
pub struct NoDatabase(Fault);

/// Opens the configured database of the records, which tells the time by this clock.
pub async fn open_records(config: &Config, clock: Clock) -> Result<Arc<Sql>, NoDatabase> {
    let (commands, lookups) =
        (crate::company::records::commands(), crate::company::records::lookups());
    let sql = Sql::open(&config.records, commands, lookups, PATIENCE).await;
    let sql = sql.map_err(NoDatabase)?;
    info!(database = sql.kind(), "the records are open");
    let sql = sql.with_clock(clock).with_company(config.company.clone());
    let sql = sql.with_staff(config.staff.clone());
    Ok(Arc::new(sql.with_retention(retention(config))))
}

/// Whether [`open_records`] could open them; leaves the tables as they are.
pub async fn probe_records(config: &Config) -> Result<(), NoDatabase> {
    config.records.probe().await.map_err(NoDatabase)
}

/// How long personal data is kept: drafts for as long as their dialogues wait.
fn retention(config: &Config) -> Retention {
    let waits = config.dialogue.state_ttl.unwrap_or(onboarding::WAITS);
    Retention { drafts: Some(waits + config.dialogue.data_ttl), ..config.retention }
}

/// What keeps the records small.
pub fn records_upkeep(records: Arc<Sql>) -> Worker {
    Worker::endless("records upkeep", async move { records.keep_pruned().await })
}
