//! The transitions of dialogues, kept in a file, an object a line.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::said::Transition;

/// How many are kept of all dialogues together.
const MOST: usize = 5000;

/// The latest transitions.
#[derive(Debug)]
pub(super) struct Timeline(Mutex<Kept>);

#[derive(Debug)]
struct Kept {
    latest: VecDeque<Transition>,
    file: File,
}

impl Timeline {
    /// Those of earlier days; what is too much is dropped from the file.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let lines = &lines[lines.len().saturating_sub(MOST)..];
        // One that a crash cut off is left out.
        let latest = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
        let latest: VecDeque<Transition> = latest.collect();
        let mut file = File::create(path)?;
        for transition in &latest {
            write(&mut file, transition)?;
        }
        Ok(Self(Mutex::new(Kept { latest, file })))
    }

    /// One more.
    pub(super) fn add(&self, transition: Transition) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = write(&mut kept.file, &transition) {
            tracing::warn!(%error, "a transition is not kept for another day");
        }
        kept.latest.push_back(transition);
        if kept.latest.len() > MOST {
            kept.latest.pop_front();
        }
    }

    /// Those of one dialogue, the latest last.
    pub(super) fn of(&self, dialogue: &str) -> Vec<Transition> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = kept.latest.iter().filter(|it| it.dialogue == dialogue);
        own.cloned().collect()
    }
}

fn write(file: &mut File, transition: &Transition) -> io::Result<()> {
    let mut line = serde_json::to_vec(transition)?;
    line.push(b'\n');
    file.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transition(dialogue: &str, to: &str) -> Transition {
        Transition {
            dialogue: dialogue.into(),
            at: 5,
            flow: "photo".into(),
            from: "start".into(),
            to: to.into(),
            update_id: None,
        }
    }

    #[test]
    fn transitions_are_there_on_another_day_but_not_one_that_was_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("timeline");
        let timeline = Timeline::open(&path).unwrap();
        timeline.add(transition("7:7", "shot"));
        timeline.add(transition("8:8", "shot"));
        timeline.add(transition("7:7", "done"));
        fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(b"{\"dialogue\":\"7:"))
            .unwrap();
        let again = Timeline::open(&path).unwrap();
        let own = [transition("7:7", "shot"), transition("7:7", "done")];
        assert_eq!(again.of("7:7"), own);
        assert_eq!(Timeline::open(&path).unwrap().of("7:7"), own);
    }
}
