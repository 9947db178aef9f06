//! Opening the file, and making sure that nobody else has.

use std::fmt::Display;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};

use crate::lock::Lock;
use crate::private;
use crate::{Error, Result};

/// What is in the file; to be raised when an older build could not read it.
const FORMAT: i64 = 2;

/// The file, and the lock that makes it this process's own. The connection closes first.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) connection: Connection,
    _lock: Lock,
    path: PathBuf,
    /// Which file it is, whatever is at the path later.
    identity: Identity,
}

/// What tells a file from every other that is there: its device and its number on that.
type Identity = (u64, u64);

impl Opened {
    /// Refuses to go on once the path leads elsewhere: what is written to a file without a name is gone when the process ends.
    pub(super) fn check_place(&self) -> Result<()> {
        match identity(&self.path) {
            Ok(found) if found == self.identity => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(unavailable(&self.path, &error))
            }
            _ => Err(Error::Unavailable {
                kind: "io",
                detail: format!(
                    "{} was deleted, moved or replaced while it was in use; stop the server, put the file back, and start again",
                    self.path.display()
                ),
            }),
        }
    }
}

/// Opens the file, making it where there is none.
pub(super) fn open(path: &Path) -> Result<Opened> {
    let lock = hold(path)?;
    private::file(path).map_err(|error| unavailable(path, &error))?;
    let connection = connect(path).map_err(|error| match sqlite(&error) {
        Error::Unavailable { .. } => unavailable(path, &error),
        corrupt => corrupt,
    })?;
    check_format(path, &connection)?;
    Ok(Opened {
        connection,
        _lock: lock,
        path: path.to_owned(),
        identity: identity(path).map_err(|error| unavailable(path, &error))?,
    })
}

fn identity(path: &Path) -> io::Result<Identity> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Makes the file this process's own, whether or not it is there.
pub(super) fn hold(path: &Path) -> Result<Lock> {
    let parent = path.parent().unwrap_or(Path::new(""));
    private::directory(parent).map_err(|error| unavailable(parent, &error))?;
    lock(path)
}

/// Locks a file beside it, since SQLite's own locks come and go with its transactions.
fn lock(path: &Path) -> Result<Lock> {
    let beside = PathBuf::from(format!("{}.lock", path.display()));
    Lock::file(&beside).map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => Error::Unavailable {
            kind: "locked",
            detail: format!(
                "{} is in use by another process; stop that one, or set DATA_DIR to another directory",
                path.display()
            ),
        },
        _ => unavailable(&beside, &error),
    })
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "cache_size", -32_000)?;
    // Savepoints keep what they may have to undo; in a file it would halve the commits per second.
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS shelf (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    )?;
    Ok(connection)
}

/// Refuses a file that this build would misread.
fn check_format(path: &Path, connection: &Connection) -> Result<()> {
    let found = connection.pragma_query_value(None, "user_version", |row| row.get(0));
    match found.map_err(|error| sqlite(&error))? {
        0 => connection.pragma_update(None, "user_version", FORMAT).map_err(|error| sqlite(&error)),
        FORMAT => Ok(()),
        other => Err(Error::Corrupt(format!(
            "{} has format {other}, and this build reads {FORMAT}; run the build that wrote it",
            path.display()
        ))),
    }
}

/// What an error of SQLite's means.
pub(super) fn sqlite(error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt(error.to_string())
        }
        _ => Error::Unavailable { kind: "io", detail: error.to_string() },
    }
}

/// A path that cannot be used.
pub(super) fn unavailable(path: &Path, error: &dyn Display) -> Error {
    Error::Unavailable {
        kind: "io",
        detail: format!(
            "cannot use {}: {error}; let this user write there, or set DATA_DIR to another directory",
            path.display()
        ),
    }
}
