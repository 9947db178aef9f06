//! Copies of the files that everything is kept in where there is neither Redis nor PostgreSQL, and the way back.
//!
//! A copy is taken beside a running server, which notices nothing: SQLite reads a file as it stood at one moment, while others
//! write. The dialogues are copied first and the records after them. So what the dialogues' copy still has to write may be
//! written in the records' already, which is found out by the effect's id, and nothing that it has written is missing.
//!
//! [`take`] makes a copy with a [`Manifest`], written last: without one it is no backup. [`restore`] looks at every byte before it
//! touches anything.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::store::Clock;

mod manifest;
mod place;

pub use manifest::{Copied, Manifest};
pub use place::Place;

/// How long to wait for somebody who has locked a file.
const WAIT: Duration = Duration::from_secs(10);

/// Why there is no backup, or nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, or a directory, cannot be used.
    #[error("cannot use {path}: {1}", path = .0.display())]
    Io(PathBuf, #[source] io::Error),
    /// SQLite cannot read or copy a file.
    #[error("cannot copy {path}: {1}", path = .0.display())]
    Sqlite(PathBuf, #[source] rusqlite::Error),
    /// There is nothing to copy.
    #[error("there is no {path}: has the server run? See DATA_DIR", path = .0.display())]
    Missing(PathBuf),
    /// The directory for the copy is used already.
    #[error("{path} is not empty: name a directory that is, or none yet", path = .0.display())]
    Taken(PathBuf),
    /// What is to be restored is no backup, or not as it was taken.
    #[error("{path} is not as it was taken: {1}", path = .0.display())]
    Damaged(PathBuf, String),
    /// What would be overwritten.
    #[error("{path} is there already: move it away, or have it moved aside with --force", path = .0.display())]
    Exists(PathBuf),
    /// The copy has a file that the configuration keeps elsewhere.
    #[error(
        "the backup holds {0}, which the configuration does not keep in a file: see STORE and DATABASE_URL"
    )]
    Homeless(String),
}

/// Copies these files of a bot of this version to a directory, and says what came of it.
pub fn take(places: &[Place], dir: &Path, version: &str) -> Result<Manifest, Error> {
    fresh(dir)?;
    let copied = places.iter().map(|place| place.copy_to(dir));
    let manifest = Manifest {
        version: version.to_owned(),
        at: Clock::system().now(),
        files: copied.collect::<Result<_, _>>()?,
    };
    manifest.write(dir)?;
    Ok(manifest)
}

/// Puts the files of a backup to these places. What is there is in the way, or with `force` moved aside; answers what was.
pub fn restore(places: &[Place], dir: &Path, force: bool) -> Result<Vec<PathBuf>, Error> {
    let manifest = Manifest::read(dir)?;
    let mut moves = Vec::new();
    for file in &manifest.files {
        let place = places.iter().find(|place| place.name == file.name);
        moves.push((file, place.ok_or_else(|| Error::Homeless(file.name.clone()))?));
    }
    for (file, place) in &moves {
        file.verify(dir)?;
        let found = place.found();
        if let Some(found) = found.first().filter(|_| !force) {
            return Err(Error::Exists(found.clone()));
        }
    }
    let (now, mut aside) = (Clock::system().now(), Vec::new());
    for (_, place) in &moves {
        aside.extend(place.clear(now)?);
    }
    for (file, place) in &moves {
        place.fill(&dir.join(&file.name))?;
    }
    Ok(aside)
}

/// Makes an empty directory that nobody else may read, or takes one that is there.
fn fresh(dir: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|error| at(dir, error))?;
    let mut found = fs::read_dir(dir).map_err(|error| at(dir, error))?;
    match found.next() {
        None => Ok(()),
        Some(_) => Err(Error::Taken(dir.to_owned())),
    }
}

/// Writes a file, down to the disk.
fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    let written = File::create(path).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    written.map_err(|error| at(path, error))
}

/// Sees to it that a file, or the names in a directory, survive an outage.
fn sync(path: &Path) -> Result<(), Error> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| at(path, error))
}

/// Opens a file of SQLite's that is there.
fn open(path: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags);
    let opened = opened.and_then(|connection| connection.busy_timeout(WAIT).map(|()| connection));
    opened.map_err(|error| Error::Sqlite(path.to_owned(), error))
}

fn at(path: &Path, error: io::Error) -> Error {
    Error::Io(path.to_owned(), error)
}

#[cfg(test)]
mod tests;
