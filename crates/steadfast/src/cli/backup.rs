//! `backup` and `restore`: copies of the files that everything is kept in, and the way back.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::Failure;
use super::client::Client;
use super::say::say;
use crate::backup::{self, Place};
use crate::bot::Program;
use crate::config::{self, Declared, Source, StoreConfig};
use crate::records::Database;
use crate::server::DIALOGUES;
use crate::store::Embedded;

/// What the records are called in a backup.
const RECORDS: &str = "records.db";

#[derive(Debug, Clone, Args)]
pub(super) struct Backup {
    /// A directory that is empty, or not there yet.
    dir: PathBuf,
}

#[derive(Debug, Clone, Args)]
pub(super) struct Restore {
    /// The directory of a backup.
    dir: PathBuf,
    /// Move what is there aside, rather than to stop.
    #[arg(long)]
    force: bool,
}

/// Where everything is kept.
struct Kept {
    /// In which files.
    places: Vec<Place>,
    /// What is in no file, and how it is copied.
    elsewhere: Vec<&'static str>,
    /// The store's file, which one process has at a time.
    embedded: Option<PathBuf>,
}

pub(super) fn take(
    asked: &Backup,
    source: Source<'_>,
    program: &Program,
) -> Result<ExitCode, Failure> {
    let kept = Kept::read(source, &program.declared)?.in_files()?;
    let manifest =
        backup::take(&kept.places, &asked.dir, program.build.version).map_err(Failure::plain)?;
    for file in &manifest.files {
        say!("{}: {} bytes", asked.dir.join(&file.name).display(), file.bytes)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn restore(
    asked: Restore,
    source: Source<'_>,
    program: &Program,
) -> Result<ExitCode, Failure> {
    let kept = Kept::read(source, &program.declared)?.in_files()?;
    // Held until all is done, so that no server starts meanwhile.
    let _held = match &kept.embedded {
        Some(path) => Some(Embedded::hold(path).map_err(Failure::plain)?),
        None => None,
    };
    if kept.embedded.is_none() && Client::new(source)?.is_up().await {
        return Err(Failure::plain("a server runs: stop it first"));
    }
    let restored = backup::restore(&kept.places, &asked.dir, asked.force);
    for aside in restored.map_err(Failure::plain)? {
        say!("moved aside: {}", aside.display())?;
    }
    let in_backup = |place: &&Place| asked.dir.join(place.name).exists();
    for place in kept.places.iter().filter(in_backup) {
        say!("restored: {}", place.path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Kept {
    fn read(source: Source<'_>, declared: &Declared) -> Result<Self, Failure> {
        let (store, records) = config::places(source, declared)?;
        let (mut places, mut elsewhere, mut embedded) = (Vec::new(), Vec::new(), None);
        match store {
            StoreConfig::Embedded { dir } => {
                let path = dir.join(DIALOGUES);
                embedded = Some(path.clone());
                let name = DIALOGUES;
                places.push(Place { name, path });
            }
            StoreConfig::Redis(_) => elsewhere.push(
                "the dialogues are in Redis, not in a file of ours: copy them with `redis-cli --rdb FILE`",
            ),
            StoreConfig::Memory => {
                elsewhere.push("the dialogues are in memory: there is nothing to copy");
            }
        }
        match records {
            Some(Database::Sqlite(path)) => places.push(Place {
                name: RECORDS,
                path,
            }),
            Some(Database::Postgres(_)) => elsewhere.push(
                "the records are in PostgreSQL, not in a file of ours: copy them with `pg_dump` and `pg_restore`",
            ),
            None => {}
        }
        Ok(Self { places, elsewhere, embedded })
    }

    /// Says what is kept elsewhere; where everything is, that is all there is to do.
    fn in_files(self) -> Result<Self, Failure> {
        if self.places.is_empty() {
            return Err(Failure::plain(self.elsewhere.join("\n")));
        }
        for note in &self.elsewhere {
            eprintln!("note: {note}");
        }
        Ok(self)
    }
}
