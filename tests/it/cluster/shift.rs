//! A shift that a worker has open, and what the bot says of it.

use super::entries::Entry;
use super::pay::{Pay, time_at};
use super::site::{Site, Slot};

/// What is said to who closes a shift, before its name.
const CLOSED: &str = "✅ The shift is closed. ";

/// A shift that is open, and what is done in it.
#[derive(Debug)]
pub(super) struct Shift {
    /// Which of this worker's, from 1 on.
    pub(super) place: usize,
    pub(super) site: &'static Site,
    pub(super) slot: &'static Slot,
    /// Since when, as it is told.
    pub(super) since: String,
    /// Which of its tasks are done.
    pub(super) done: Vec<bool>,
}

impl Shift {
    /// What is to be done in it, and how much of that is done.
    pub(super) fn list(&self) -> String {
        let (count, done) = (self.done.len(), self.done.iter().filter(|it| **it).count());
        let (name, since) = (self.site.name, &self.since);
        format!(
            "🛠 <b>{name}</b>, since {since}\nDone: {done} of {count}. Press a task when it is done."
        )
    }

    /// What it comes to, where the time comes to what a summary tells, and ends when it tells.
    pub(super) fn pay(&self, summary: &str) -> Pay {
        let told = Pay::told(summary);
        let (from, until) = told.as_ref().map(|it| it.span.clone()).unwrap_or_default();
        let date = from.rsplit_once(", ").map_or("", |(date, _)| date);
        let time = told.and_then(|it| it.parts.first().map(|(_, sum)| *sum));
        let late = ("Late start".to_owned(), -self.slot.penalty);
        let tasks = self.site.tasks.iter().zip(&self.done);
        let tasks = tasks.filter_map(|(task, is_done)| task.part(*is_done));
        let time = (time_at(self.site.rate), time.unwrap_or_default());
        let parts = [Some(time), self.slot.is_late.then_some(late)].into_iter();
        let parts: Vec<_> = parts.flatten().chain(tasks).collect();
        Pay {
            span: (format!("{date}, {}", self.since), until),
            total: parts.iter().map(|(_, sum)| sum).sum(),
            parts,
        }
    }

    /// What is said before it is closed with this pay.
    pub(super) fn summary(&self, pay: &Pay) -> String {
        let (name, words) = (self.site.name, pay.words());
        format!("🏁 <b>{name}</b>\n{words}\nShall I close the shift?")
    }

    /// What is said when it is closed with this pay.
    pub(super) fn closed(&self, pay: &Pay) -> String {
        let (name, words) = (self.site.name, pay.words());
        format!("{CLOSED}<b>{name}</b>\n{words}")
    }

    /// What is written when it is opened.
    pub(super) fn opened(&self) -> Entry {
        Entry::Opened {
            shift: self.place,
            site: self.site.name.to_owned(),
            hours: self.slot.hours(),
            since: self.since.clone(),
        }
    }

    /// What is written when this task is done, or shown once more.
    pub(super) fn ticked(&self, place: usize, photo: Option<String>) -> Entry {
        Entry::Ticked { shift: self.place, task: self.site.tasks[place].title.to_owned(), photo }
    }
}

/// What every owner is to hear of what this person was told, if that is that a shift of theirs is closed.
pub(super) fn news(name: &str, told: &str) -> Option<String> {
    let rest = told.strip_prefix(CLOSED)?;
    Some(format!("🏁 {name} has closed a shift. {rest}"))
}
