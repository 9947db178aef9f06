//! The directory where a playground keeps everything.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::store::lock::Lock;

/// How the token of every bot begins: with its id.
const FIXED: &str = "7000000001:";

/// A directory that belongs to one playground at a time.
#[derive(Debug, Clone)]
pub struct Home {
    path: PathBuf,
    _lock: Arc<Lock>,
}

impl Home {
    /// Takes the directory, or makes it.
    ///
    /// # Errors
    /// In one line: it cannot be written, or another playground has it.
    pub fn take(path: &Path) -> Result<Self, String> {
        let unusable = |error: io::Error| {
            let why = match path.is_file() {
                true => "it is a file, not a directory".to_owned(),
                false => error.to_string(),
            };
            format!(
                "cannot write to {}: {why}; choose another directory with --data",
                path.display()
            )
        };
        fs::create_dir_all(path).map_err(unusable)?;
        // The bot has a directory of its own as its working directory.
        let path = path.canonicalize().map_err(unusable)?;
        let lock = Lock::directory(&path).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => format!(
                "another playground uses {}; end that one, or choose another directory with --data",
                path.display()
            ),
            _ => unusable(error),
        })?;
        for part in ["telegram", "bot"] {
            fs::create_dir_all(path.join(part)).map_err(unusable)?;
        }
        Ok(Self { path, _lock: Arc::new(lock) })
    }

    /// Where that is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The made-up token of the bot: the same for ever, and nobody else knows it.
    pub(super) fn token(&self) -> io::Result<String> {
        let place = self.path.join("token");
        match fs::read_to_string(&place) {
            Ok(token) if token.len() == FIXED.len() + 32 => return Ok(token),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            // There is none, or half of one.
            _ => {}
        }
        let token = format!("{FIXED}{:032x}", rand::random::<u128>());
        fs::write(place, &token)?;
        Ok(token)
    }

    /// What the emulator keeps.
    pub(super) fn telegram(&self) -> PathBuf {
        self.path.join("telegram")
    }

    /// What the bot keeps.
    pub(super) fn bot(&self) -> PathBuf {
        self.path.join("bot")
    }

    /// The roles that the bot and the page both had last. With what the bot keeps, so that they are forgotten together.
    pub(super) fn roles(&self) -> PathBuf {
        self.bot().join("roles.json")
    }

    /// What the bot says.
    pub(super) fn log(&self) -> PathBuf {
        self.path.join("bot.log")
    }

    /// The transitions of dialogues.
    pub(super) fn timeline(&self) -> PathBuf {
        self.path.join("timeline.jsonl")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_belongs_to_one_playground_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("not/yet/there");
        let home = Home::take(&place).unwrap();
        let said = Home::take(&place).unwrap_err();
        assert!(said.contains("another playground") && said.contains("--data"), "{said}");
        drop(home);
        Home::take(&place).unwrap();
    }

    #[test]
    fn the_token_is_the_same_in_one_directory_and_another_in_the_next() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let token = |place: &Path| Home::take(place).unwrap().token().unwrap();
        let first = token(here.path());
        assert!(first.starts_with(FIXED));
        assert_eq!(token(here.path()), first);
        assert_ne!(token(there.path()), first);
    }

    #[test]
    fn a_directory_that_cannot_be_written_is_named_with_the_option() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let said = Home::take(&file.join("data")).unwrap_err();
        assert!(said.contains("cannot write to") && said.contains("--data"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let said = Home::take(&file).unwrap_err();
        assert!(said.contains("it is a file, not a directory"), "{said}");
    }
}
