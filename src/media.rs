//! Downloads the photos that show that tasks are done, and deletes them when their time is over: one replica, by lease, in the
//! background.
//!
//! The records say which are missing, and a photo is noted there once its file is whole. So it may be stopped anywhere: what was
//! under way is downloaded again, under the same name.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::fs;
use tokio::io::AsyncWriteExt as _;
use tokio_util::sync::CancellationToken;

use crate::Company;
use crate::records::proof::{self, Fetched, Proof};
use expiry::Remover;
use steadfast::bot::Running;
use steadfast::duty::{self, Duty};
use steadfast::outbox::telegram::{CallError, Telegram};
use steadfast::records::{Fault, Sql};
use steadfast::server::Worker;
use steadfast::store::{Finding, Store};

mod expiry;

/// How often it is looked for new ones.
const INTERVAL: Duration = Duration::from_secs(3);
/// How many are taken up at once.
const BATCH: usize = 20;
/// When one that could not be had is tried again, in milliseconds.
const AGAIN: i64 = 60_000;
/// The largest file that is downloaded; Telegram gives none larger.
const MOST: usize = 20 << 20;

/// Downloads photos into this directory, and deletes old ones there, until told to stop.
async fn keep(
    dir: PathBuf,
    records: Arc<Sql>,
    telegram: Telegram,
    store: Arc<dyn Store>,
    stop: CancellationToken,
) {
    let remover = Remover { dir: dir.clone(), records: Arc::clone(&records) };
    let fetcher = Fetcher { dir, records, telegram };
    let removes = duty::keep(remover, Arc::clone(&store), stop.clone());
    tokio::join!(duty::keep(fetcher, store, stop), removes);
}

/// Returns the worker that downloads photos, if there is a directory for them.
pub fn downloads(running: &Running<Company>) -> Option<Worker> {
    let Running { settings, store, records, telegram } = running.clone();
    let (dir, records) = (settings.media.clone()?, records?);
    Some(Worker::new("downloads", move |stop| keep(dir, records, telegram, store, stop)))
}

/// Checks that photos can be written to their directory.
pub fn finding(company: &Company) -> Option<Finding> {
    let dir = company.media.as_deref()?;
    let error = try_out(dir).err()?;
    Some(Finding {
        check: "media",
        ok: false,
        advice: format!(
            "no photo can be kept in {}: {error}; let this user write there, or set MEDIA_DIR to another directory",
            dir.display()
        ),
    })
}

/// Puts a file into this directory and takes it away again.
fn try_out(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let file = dir.join(".check");
    std::fs::write(&file, "")?;
    std::fs::remove_file(file)
}

struct Fetcher {
    dir: PathBuf,
    records: Arc<Sql>,
    telegram: Telegram,
}

impl Duty for Fetcher {
    const NAME: &'static str = "media";

    async fn see_to(&self) -> Duration {
        let due = match proof::proofs(&self.records, BATCH).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "it is not known which photos are missing");
                return INTERVAL;
            }
        };
        let is_all = due.len() < BATCH;
        for proof in due {
            let fetched = self.fetch(&proof).await;
            if let Err(error) = self.note(&proof, &fetched).await {
                tracing::warn!(%error, "a photo was not noted, and is downloaded again");
                return INTERVAL;
            }
        }
        if is_all { INTERVAL } else { Duration::ZERO }
    }
}

/// What Telegram tells of a file.
#[derive(Deserialize)]
struct File {
    file_path: String,
}

impl Fetcher {
    async fn fetch(&self, proof: &Proof) -> Fetched {
        match self.try_fetch(proof).await {
            Ok(name) => Fetched::Kept(name),
            Err(Trouble::Call(CallError::Permanent { description, .. })) => {
                tracing::warn!(shift = proof.no, "a photo cannot be downloaded, ever");
                Fetched::Lost(description)
            }
            Err(Trouble::Call(CallError::RetryAfter(wait))) => {
                Fetched::Later(i64::try_from(wait.as_millis()).unwrap_or(AGAIN))
            }
            Err(error) => {
                tracing::warn!(%error, shift = proof.no, "a photo could not be downloaded yet");
                Fetched::Later(AGAIN)
            }
        }
    }

    /// Notes what became of a photo. The file of one that was forgotten while it was under way goes, too.
    async fn note(&self, proof: &Proof, fetched: &Fetched) -> Result<(), Fault> {
        let is_noted = proof::note_proof(&self.records, proof, fetched).await?;
        if let (false, Fetched::Kept(name)) = (is_noted, fetched)
            && let Err(error) = fs::remove_file(self.dir.join(name)).await
        {
            tracing::warn!(%error, shift = proof.no, "a photo that nobody wants any more is still there");
        }
        Ok(())
    }

    async fn try_fetch(&self, proof: &Proof) -> Result<String, Trouble> {
        let asked = json!({ "file_id": proof.file_id });
        let answer = self.telegram.ask("getFile", &asked).await?;
        let file = answer.result::<File>().ok_or(Trouble::NoPath)?;
        let bytes = self.telegram.download(&file.file_path, MOST).await?;
        let name = proof.name(suffix(&file.file_path));
        put(&self.dir.join(&name), &bytes).await?;
        Ok(name)
    }
}

/// Why a photo is not there yet.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("MEDIA_DIR cannot be written: {0}")]
    Disk(#[from] io::Error),
    #[error("Telegram did not say where it is")]
    NoPath,
}

/// What the name of a file ends with, if that is harmless.
fn suffix(path: &str) -> &str {
    let suffix = path.rsplit_once('.').map(|(_, suffix)| suffix);
    let is_plain =
        |it: &&str| (1..=5).contains(&it.len()) && it.bytes().all(|b| b.is_ascii_alphanumeric());
    suffix.filter(is_plain).unwrap_or("jpg")
}

/// Puts a file there whole, or not at all.
async fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).await?;
    }
    let part = path.with_extension("part");
    let mut file = fs::File::create(&part).await?;
    file.write_all(bytes).await?;
    file.sync_all().await?;
    fs::rename(part, path).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Company;
    use crate::records::schema;
    use steadfast::records::Database;

    fn proof() -> Proof {
        Proof {
            shift: "a".to_owned(),
            no: 12,
            task: "b".to_owned(),
            task_place: 1,
            place: 0,
            file_id: "c".to_owned(),
        }
    }

    #[test]
    fn a_file_is_named_by_what_it_shows() {
        let proof = proof();
        let name = |path| proof.name(suffix(path));
        assert_eq!(name("photos/file_7.png"), "shift-000012/task-02-01.png");
        for path in ["photos/file_7", "a.b/../c", "x.", "x.toolong"] {
            assert_eq!(name(path), "shift-000012/task-02-01.jpg", "{path}");
        }
    }

    /// The records do not know it any more when its file is there.
    #[tokio::test]
    async fn the_file_of_a_photo_that_is_not_wanted_any_more_goes() {
        let dir = tempfile::tempdir().expect("a directory");
        let database = Database::Sqlite(dir.path().join("records.db"));
        let records = Sql::open(&database, schema(&Company::default()), Duration::ZERO).await;
        let fetcher = Fetcher {
            dir: dir.path().to_owned(),
            records: Arc::new(records.expect("opened")),
            telegram: Telegram::new("http://127.0.0.1:1", &"1:a".to_owned().into()),
        };
        let name = proof().name("jpg");
        put(&dir.path().join(&name), b"one").await.expect("put");
        let kept = Fetched::Kept(name.clone());
        fetcher.note(&proof(), &kept).await.expect("seen to");
        assert!(!dir.path().join(&name).exists());
    }

    #[tokio::test]
    async fn a_file_is_put_there_whole_and_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("shift-000001/task-01-01.jpg");
        for bytes in [b"one".as_slice(), b"other"] {
            put(&path, bytes).await.expect("it is put there");
            assert_eq!(std::fs::read(&path).expect("a file"), bytes);
        }
        let kept = std::fs::read_dir(path.parent().expect("its place"));
        assert_eq!(kept.expect("a directory").count(), 1, "nothing else is left");
    }
}
