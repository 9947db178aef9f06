//! Keeps the world in a directory: what is said and known in one file, and each file's content in one of its own.

use std::collections::BTreeMap;
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
    let mut world = match fs::read(directory.join(STATE)) {
        Ok(text) => resume(directory, clock, &text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => World::default(),
        Err(error) => return Err(error),
    };
    restore(&directory.join(FILES), &mut world)?;
    Ok(world)
}

/// Goes on from where it was written down, with what the journal says since.
fn resume(directory: &Path, clock: &Clock, text: &[u8]) -> io::Result<World> {
    let mut kept: Kept<World> = serde_json::from_slice(text).map_err(|error| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{STATE} cannot be read: {error}"))
    })?;
    let ahead = journal::read(directory, &mut kept.world, kept.journal)?;
    let behind = kept.ahead.max(ahead).saturating_sub(clock.offset());
    clock.advance(Duration::from_millis(behind));
    let mut world = kept.world;
    world.written = kept.journal;
    world.queue.index();
    world.chats.skip();
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
    let snapshot = Snapshot::take(directory, &mut desk.world())?;
    snapshot.save(directory)
}

/// Everything as it was at one moment.
struct Snapshot {
    text: Vec<u8>,
    contents: BTreeMap<u64, Bytes>,
    /// The last content there was. Later ones are for the journal to write.
    last: u64,
    /// The journal that goes on from here.
    journal: u64,
}

impl Snapshot {
    fn take(directory: &Path, world: &mut World) -> io::Result<Self> {
        world.note();
        let (journal, last) = (world.written + 1, world.files.last());
        world.journal = Some(Journal::begin(directory, journal, last)?);
        world.written = journal;
        let ahead = world.clock.offset();
        let contents = world.files.contents_after(0);
        let contents = contents.map(|(number, bytes)| (number, bytes.clone()));
        Ok(Self {
            contents: contents.collect(),
            text: serde_json::to_vec(&Kept { ahead, journal, world: &*world })?,
            last,
            journal,
        })
    }

    fn save(self, directory: &Path) -> io::Result<()> {
        for (number, bytes) in &self.contents {
            put(directory, *number, bytes)?;
        }
        replace(&directory.join(STATE), &self.text)?;
        journal::sweep(directory, self.journal)?;
        self.sweep(&directory.join(FILES))
    }

    /// Takes away the contents that nobody knew any more. What has come since is not touched, nor what is still being written.
    fn sweep(&self, files: &Path) -> io::Result<()> {
        for entry in fs::read_dir(files)? {
            let path = entry?.path();
            let number = numbered(&path).filter(|it| *it <= self.last);
            if number.is_some_and(|it| !self.contents.contains_key(&it)) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// Puts back the contents that are known. Others are taken away: nothing was written down of them before somebody was killed,
/// and their numbers are given anew.
fn restore(files: &Path, world: &mut World) -> io::Result<()> {
    let known = world.files.known_contents();
    for entry in fs::read_dir(files)? {
        let path = entry?.path();
        match numbered(&path).filter(|it| known.contains(it)) {
            Some(number) => world.files.restore(number, Bytes::from(fs::read(&path)?)),
            None => fs::remove_file(path)?,
        }
    }
    Ok(())
}

/// Which content a file is; nothing: none that was written whole.
fn numbered(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.parse().ok()
}

/// Writes the content of a file, unless it is there.
pub(super) fn put(directory: &Path, number: u64, bytes: &[u8]) -> io::Result<()> {
    let path = directory.join(FILES).join(number.to_string());
    match path.exists() {
        true => Ok(()),
        false => replace(&path, bytes),
    }
}

/// Puts a file into the place of another in one step.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let next = path.with_extension("new");
    let mut file = fs::File::create(&next)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(next, path)
}

#[cfg(test)]
mod tests {
    use super::super::files::PICTURE;
    use super::*;

    fn send(world: &mut World) -> u64 {
        world.files.add_picture(Bytes::from_static(PICTURE));
        world.note();
        world.files.last()
    }

    fn is_kept(directory: &Path, name: &impl ToString) -> bool {
        directory.join(FILES).join(name.to_string()).exists()
    }

    #[test]
    fn a_picture_that_is_sent_while_all_is_written_down_stays() {
        let place = tempfile::tempdir().expect("a directory");
        let mut world = read(place.path(), &Clock::still(0)).expect("a world");
        let first = send(&mut world);
        let snapshot = Snapshot::take(place.path(), &mut world).expect("a journal");
        let next = send(&mut world);
        let half = place.path().join(FILES).join("9.new");
        fs::write(&half, "half").expect("a file");
        snapshot.save(place.path()).expect("it is written down");
        assert!(is_kept(place.path(), &first) && is_kept(place.path(), &next));
        assert!(is_kept(place.path(), &"9.new"), "somebody is writing it");
        world.files.clear();
        let snapshot = Snapshot::take(place.path(), &mut world).expect("a journal");
        let last = send(&mut world);
        snapshot.save(place.path()).expect("it is written down");
        assert!(!is_kept(place.path(), &first) && !is_kept(place.path(), &next));
        assert!(is_kept(place.path(), &last));
    }

    /// Somebody took away what was said, and left the pictures.
    #[test]
    fn a_world_that_begins_anew_has_no_pictures_of_another() {
        let place = tempfile::tempdir().expect("a directory");
        fs::create_dir(place.path().join(FILES)).expect("a directory");
        fs::write(place.path().join(FILES).join("1"), "of another").expect("a file");
        let clock = Clock::still(0);
        let mut world = read(place.path(), &clock).expect("a world");
        assert_eq!(send(&mut world), 1);
        let snapshot = Snapshot::take(place.path(), &mut world).expect("a journal");
        snapshot.save(place.path()).expect("it is written down");
        let world = read(place.path(), &clock).expect("the same");
        let (_, bytes) = world.files.contents_after(0).next().expect("a picture");
        assert_eq!(bytes, PICTURE);
    }

    /// Whoever was killed after a content was written and before its line in the journal was.
    #[test]
    fn a_content_that_nothing_is_known_of_makes_room_for_the_next() {
        let place = tempfile::tempdir().expect("a directory");
        let clock = Clock::still(0);
        let mut world = read(place.path(), &clock).expect("a world");
        let snapshot = Snapshot::take(place.path(), &mut world).expect("a journal");
        snapshot.save(place.path()).expect("it is written down");
        for name in ["1", "2.new"] {
            fs::write(place.path().join(FILES).join(name), "lost").expect("a file");
        }
        let mut world = read(place.path(), &clock).expect("the same");
        assert!(!is_kept(place.path(), &1) && !is_kept(place.path(), &"2.new"));
        let snapshot = Snapshot::take(place.path(), &mut world).expect("a journal");
        snapshot.save(place.path()).expect("it is written down");
        assert_eq!(send(&mut world), 1);
        let world = read(place.path(), &clock).expect("the same");
        let (_, bytes) = world.files.contents_after(0).next().expect("a picture");
        assert_eq!(bytes, PICTURE);
    }
}
