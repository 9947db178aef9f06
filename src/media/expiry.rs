//! Deletes the files of photos that are older than the company keeps any: one replica, by lease, now and then.
//!
//! A file goes first, then its line in the records. So it may be stopped anywhere: a file that has gone is no trouble.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::fs;

use crate::records::proof::{self, Kept};
use steadfast::duty::Duty;
use steadfast::records::{Fault, Sql};

/// How often it is looked for old ones.
const INTERVAL: Duration = Duration::from_secs(3600);
/// When it is looked again after something went wrong.
const AGAIN: Duration = Duration::from_secs(60);
/// How many are taken up at once.
const BATCH: usize = 100;

pub(super) struct Remover {
    pub(super) dir: PathBuf,
    pub(super) records: Arc<Sql>,
}

impl Duty for Remover {
    const NAME: &'static str = "media-expiry";

    async fn see_to(&self) -> Duration {
        match self.remove_some().await {
            Ok(0) => INTERVAL,
            Ok(count) => {
                tracing::info!(count, "old photos of tasks were deleted");
                Duration::ZERO
            }
            Err(error) => {
                tracing::warn!(%error, "old photos of tasks were not deleted");
                AGAIN
            }
        }
    }
}

impl Remover {
    /// Deletes some that are too old; answers how many.
    async fn remove_some(&self) -> Result<usize, Trouble> {
        let old = proof::overdue_proofs(&self.records, BATCH).await?;
        for kept in &old {
            self.remove(kept).await?;
        }
        Ok(old.len())
    }

    async fn remove(&self, kept: &Kept) -> Result<(), Trouble> {
        delete(&self.dir, &kept.path).await?;
        proof::note_removed(&self.records, kept).await?;
        Ok(())
    }
}

/// Why old ones are still there.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Records(#[from] Fault),
    #[error("MEDIA_DIR cannot be written: {0}")]
    Disk(#[from] io::Error),
}

/// Deletes a file, and its place when nothing else is there.
async fn delete(dir: &Path, name: &str) -> io::Result<()> {
    let file = dir.join(name);
    match fs::remove_file(&file).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if let Some(place) = file.parent().filter(|place| *place != dir) {
        // Others of the shift may be there still.
        let _ = fs::remove_dir(place).await;
    }
    Ok(())
}
