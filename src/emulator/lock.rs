//! A directory belongs to one process at a time.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// A directory that is taken as long as this lives.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the directory, or makes it.
    ///
    /// # Errors
    /// It cannot be written; or, as [`io::ErrorKind::ResourceBusy`], it is taken.
    pub fn take(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        let file = File::create(directory.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(fs::TryLockError::Error(error)) => Err(error),
            Err(fs::TryLockError::WouldBlock) => Err(io::Error::new(
                io::ErrorKind::ResourceBusy,
                "another process uses it",
            )),
        }
    }
}
