//! A file or a directory belongs to one process at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// What is taken as long as this lives.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes a file, or makes it.
    ///
    /// # Errors
    /// It cannot be written; or, as [`io::ErrorKind::ResourceBusy`], it is taken.
    pub fn file(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::Error(error)) => Err(error),
            Err(TryLockError::WouldBlock) => {
                Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process uses it"))
            }
        }
    }

    /// Takes a directory, or makes it.
    ///
    /// # Errors
    /// As [`Lock::file`].
    pub fn directory(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Self::file(&path.join("lock"))
    }
}

impl Drop for Lock {
    /// A child that was just forked has the file as well until it becomes another program: it must not hold it any longer.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_up_can_be_taken_although_somebody_has_the_file_still() {
        let dir = tempfile::tempdir().expect("a directory");
        let lock = Lock::directory(dir.path()).expect("it is free");
        let refused = Lock::directory(dir.path()).expect_err("it is taken");
        assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);
        let forked = lock.file.try_clone().expect("another descriptor");
        drop(lock);
        Lock::directory(dir.path()).expect("it is free again");
        drop(forked);
    }
}
