//! What a backup holds, so that it can be told whether it is whole.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use rusqlite::OpenFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Error, at, open, sync, write};
use crate::store::Millis;

/// The file that it is written to.
const FILE: &str = "manifest.json";
/// How much of a file is read at once.
const CHUNK: usize = 64 * 1024;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The build that took it.
    pub version: String,
    /// When it was complete.
    pub at: Millis,
    /// Its files, in the order in which they were copied.
    pub files: Vec<Copied>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// What it is called.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Writes it into the directory of a backup, which is one from then on.
    pub(super) fn write(&self, dir: &Path) -> Result<(), Error> {
        let json = serde_json::to_vec_pretty(self).expect("a manifest is plain data");
        write(&dir.join(FILE), &json)?;
        sync(dir)
    }

    /// Reads that of a backup.
    pub(super) fn read(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(FILE);
        let json = fs::read(&path).map_err(|error| at(&path, error))?;
        let read = serde_json::from_slice(&json);
        read.map_err(|error| Error::Damaged(path, error.to_string()))
    }
}

impl Copied {
    /// The file of this name as it is now.
    pub(super) fn of(dir: &Path, name: &str) -> Result<Self, Error> {
        let path = dir.join(name);
        let (bytes, sha256) = digest(&path).map_err(|error| at(&path, error))?;
        let name = name.to_owned();
        Ok(Self { name, bytes, sha256 })
    }

    /// Sees to it that the file is as it was taken, and sound.
    pub(super) fn verify(&self, dir: &Path) -> Result<(), Error> {
        let path = dir.join(&self.name);
        if Self::of(dir, &self.name)? != *self {
            let why = "its length or its SHA-256 is another".to_owned();
            return Err(Error::Damaged(path, why));
        }
        let connection = open(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let found = connection.pragma_query_value(None, "integrity_check", |row| row.get(0));
        let found: String = found.map_err(|error| Error::Sqlite(path.clone(), error))?;
        match found.as_str() {
            "ok" => Ok(()),
            _ => Err(Error::Damaged(path, found)),
        }
    }
}

/// The length of a file and its SHA-256.
fn digest(path: &Path) -> io::Result<(u64, String)> {
    let (mut file, mut chunk) = (File::open(path)?, vec![0; CHUNK]);
    let (mut bytes, mut digest) = (0, Sha256::new());
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            read => {
                bytes += read as u64;
                digest.update(&chunk[..read]);
            }
        }
    }
    let hex = digest.finalize();
    let hex = hex.iter().map(|byte| format!("{byte:02x}"));
    Ok((bytes, hex.collect()))
}
