//! What changed since everything was last written down: a line for each change, in the file before the change is answered. So
//! whoever is killed has lost nothing that was said.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::bot::Bot;
use super::chats::Chats;
use super::clock::Millis;
use super::files::Files;
use super::people::People;
use super::presses::Presses;
use super::queue::Queue;
use super::webhook::Webhook;
use super::world::World;

/// How its files are called, before their numbers.
const NAME: &str = "journal";

/// The file that is written to. Each time that everything is written down, another begins.
#[derive(Debug)]
pub(super) struct Journal {
    directory: PathBuf,
    file: File,
    /// Everything up to this content of a file is on the disk.
    contents: u64,
}

/// What one change came to: of what is large only the parts that are new or other than before.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct News {
    /// How far the clock was moved.
    pub(super) ahead: Millis,
    /// Everything before was forgotten.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_anew: bool,
    pub(super) chats: Chats,
    pub(super) queue: Queue,
    pub(super) presses: Presses,
    pub(super) webhook: Option<Webhook>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) people: Option<Arc<People>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bot: Option<Arc<Bot>>,
    pub(super) files: Files,
}

impl Journal {
    /// Begins the journal of this number, after everything was written down, but for contents of files from this one on.
    pub(super) fn begin(directory: &Path, number: u64, contents: u64) -> io::Result<Self> {
        let file = File::create(directory.join(format!("{NAME}.{number}")))?;
        Ok(Self { directory: directory.to_owned(), file, contents })
    }

    /// Writes a line. A process that is killed takes nothing back of what the system was given.
    pub(super) fn add(&mut self, world: &World, news: &News) -> io::Result<()> {
        for (number, bytes) in world.files.contents_after(self.contents) {
            super::keep::put(&self.directory, number, bytes)?;
        }
        self.contents = world.files.last();
        let mut line = serde_json::to_vec(news)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

/// Adds to a world what was written since it was, and answers how far the clock was moved by then.
pub(super) fn read(directory: &Path, world: &mut World, since: u64) -> io::Result<Millis> {
    let mut ahead = 0;
    for (_, path) in numbered(directory)?.iter().filter(|it| it.0 >= since) {
        let text = fs::read_to_string(path)?;
        // The last line may have been cut off.
        let lines = text.lines().map_while(|line| serde_json::from_str(line).ok());
        for news in lines {
            let news: News = news;
            ahead = ahead.max(news.ahead);
            world.learn(news);
        }
    }
    Ok(ahead)
}

/// Takes away those that are older than what was written down whole.
pub(super) fn sweep(directory: &Path, since: u64) -> io::Result<()> {
    let all = numbered(directory)?;
    let mut old = all.into_iter().filter(|it| it.0 < since);
    old.try_for_each(|(_, path)| fs::remove_file(path))
}

/// The journals there are, by number.
fn numbered(directory: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let entries: io::Result<Vec<_>> = fs::read_dir(directory)?.collect();
    let paths = entries?.into_iter().map(|entry| entry.path());
    let mut journals: Vec<_> = paths
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            let number = name.strip_prefix(NAME)?.strip_prefix('.')?.parse();
            Some((number.ok()?, path))
        })
        .collect();
    journals.sort();
    Ok(journals)
}
