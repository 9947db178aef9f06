//! A file that is kept, and what belongs to it.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::OpenFlags;

use super::{Copied, Error, at, open, sync};
use crate::store::Millis;

/// What SQLite keeps beside a file: a new file with the old ones beside it would be read as a broken one.
const BESIDE: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// A file that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What it is called in a backup.
    pub name: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

impl Place {
    /// Copies the file as it stands at this moment, down to the disk.
    pub(super) fn copy_to(&self, dir: &Path) -> Result<Copied, Error> {
        if !self.path.exists() {
            return Err(Error::Missing(self.path.clone()));
        }
        let copy = dir.join(self.name);
        let connection = open(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let target = copy.display().to_string();
        let copied = connection.execute("VACUUM INTO ?1", [target]);
        copied.map_err(|error| Error::Sqlite(self.path.clone(), error))?;
        sync(&copy)?;
        Copied::of(dir, self.name)
    }

    /// What is there already.
    pub(super) fn found(&self) -> Vec<PathBuf> {
        let beside = BESIDE.iter().map(|end| self.beside(end));
        beside.filter(|path| path.exists()).collect()
    }

    /// Moves what is there aside; answers where to.
    pub(super) fn clear(&self, now: Millis) -> Result<Vec<PathBuf>, Error> {
        let mut moved = Vec::new();
        for end in BESIDE {
            let (old, aside) = (self.beside(end), self.beside(&format!(".before-{now}{end}")));
            if old.exists() {
                fs::rename(&old, &aside).map_err(|error| at(&old, error))?;
                moved.push(aside);
            }
        }
        Ok(moved)
    }

    /// Puts a copy of this file there, whole or not at all.
    pub(super) fn fill(&self, from: &Path) -> Result<(), Error> {
        let dir = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(|error| at(dir, error))?;
        let beside = self.beside(".restoring");
        fs::copy(from, &beside).map_err(|error| at(&beside, error))?;
        sync(&beside)?;
        fs::rename(&beside, &self.path).map_err(|error| at(&self.path, error))?;
        sync(dir)
    }

    fn beside(&self, end: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(end);
        path.into()
    }
}
