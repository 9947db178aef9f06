//! Keeps the world in a directory: what is said and known in one file, and each file's content in one of its own.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::clock::{Clock, Millis};
use super::desk::Desk;
use super::journal::{self, Journal};
use super::world::World;

/// How long changes are gathered in the journal before everything is written.
const GATHER: Duration = Duration::from_secs(2);
/// How long to wait after they could not be written.
const PAUSE: Duration = Duration::from_secs(1);
const STATE: &str = "emulator.json";
const FILES: &str = "files";

/// What is written down.
#[derive(Serialize, Deserialize)]
struct Kept<W> {
    /// How far the clock was moved.
    ahead: Millis,
    /// The journal that goes on from here.
    #[serde(default)]
    journal: u64,
    world: W,
}

/// Reads what was written down; a clock that runs goes on from where it was.
pub(super) fn read(directory: &Path, clock: &Clock) -> io::Result<World> {
    fs::create_dir_all(directory.join(FILES))?;
    let text = match fs::read(directory.join(STATE)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(World::default()),
        Err(error) => return Err(error),
    };
    let mut kept: Kept<World> = serde_json::from_slice(&text).map_err(|error| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{STATE} cannot be read: {error}"),
        )
    })?;
    let ahead = journal::read(directory, &mut kept.world, kept.journal)?;
    let behind = kept.ahead.max(ahead).saturating_sub(clock.offset());
    clock.advance(Duration::from_millis(behind));
    let mut world = kept.world;
    world.written = kept.journal;
    world.queue.index();
    world.chats.skip();
    for entry in fs::read_dir(directory.join(FILES))? {
        let path = entry?.path();
        let number = path
            .file_name()
            .and_then(|name| name.to_str()?.parse().ok());
        if let Some(number) = number {
            world.files.restore(number, Bytes::from(fs::read(&path)?));
        }
    }
    Ok(world)
}

/// Writes down what changes, until told to stop.
pub(super) async fn keep(directory: PathBuf, desk: Arc<Desk>, stop: CancellationToken) {
    let written = async {
        loop {
            desk.changed.notified().await;
            tokio::time::sleep(GATHER).await;
            let (place, shared) = (directory.clone(), Arc::clone(&desk));
            let written = tokio::task::spawn_blocking(move || write(&place, &shared)).await;
            if let Ok(Err(error)) = written {
                tracing::warn!(%error, "the chats could not be written down; trying again");
                tokio::time::sleep(PAUSE).await;
                desk.changed.notify_one();
            }
        }
    };
    stop.run_until_cancelled(written).await;
}

/// Writes everything down, whole or not at all. What changes meanwhile is in the next journal.
pub(super) fn write(directory: &Path, desk: &Desk) -> io::Result<()> {
    let _writing = desk.writing.lock().unwrap_or_else(PoisonError::into_inner);
    let (text, contents, number) = {
        let mut world = desk.world();
        world.note();
        let number = world.written + 1;
        world.journal = Some(Journal::begin(directory, number, world.files.last())?);
        world.written = number;
        let kept = Kept {
            ahead: desk.clock.offset(),
            journal: number,
            world: &*world,
        };
        let contents: Vec<(u64, Bytes)> = world
            .files
            .contents()
            .map(|(number, bytes)| (number, bytes.clone()))
            .collect();
        (serde_json::to_vec(&kept)?, contents, number)
    };
    let files = directory.join(FILES);
    let known = contents
        .iter()
        .map(|(number, _)| number.to_string())
        .collect();
    for (number, bytes) in contents {
        put(directory, number, &bytes)?;
    }
    replace(&directory.join(STATE), &text)?;
    journal::sweep(directory, number)?;
    sweep(&files, &known)
}

/// Writes the content of a file, unless it is there.
pub(super) fn put(directory: &Path, number: u64, bytes: &[u8]) -> io::Result<()> {
    let path = directory.join(FILES).join(number.to_string());
    match path.exists() {
        true => Ok(()),
        false => replace(&path, bytes),
    }
}

/// Takes away the contents that nobody knows any more.
fn sweep(files: &Path, known: &HashSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(files)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !known.contains(&name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Puts a file into the place of another in one step.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let next = path.with_extension("new");
    let mut file = fs::File::create(&next)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(next, path)
}
