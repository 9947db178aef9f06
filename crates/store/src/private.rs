//! Files and directories that nobody but this user may read: they hold what people wrote, and their phone numbers.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Makes an empty file along with the directories above it. What is there already is left as somebody has set it.
pub fn file(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        directory(parent)?;
    }
    let mut options = OpenOptions::new();
    match options.write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes a directory along with those above it. What is there already is left as somebody has set it.
pub fn directory(path: &Path) -> io::Result<()> {
    match path.as_os_str().is_empty() {
        true => Ok(()),
        false => DirBuilder::new().recursive(true).mode(0o700).create(path),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        let found = fs::metadata(path).expect("it is there");
        found.permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_is_for_this_user_alone_and_what_is_there_is_left() {
        let ground = tempfile::tempdir().expect("a directory");
        let dir = ground.path().join("data");
        let path = dir.join("records.db");
        file(&path).expect("made");
        assert_eq!((mode(&dir), mode(&path)), (0o700, 0o600));

        fs::set_permissions(&dir, Permissions::from_mode(0o750)).expect("set");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("set");
        fs::write(&path, "something").expect("written");
        file(&path).expect("there");
        assert_eq!((mode(&dir), mode(&path)), (0o750, 0o640));
        assert_eq!(fs::read(&path).expect("read"), b"something");
    }
}
