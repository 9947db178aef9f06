//! What becomes of a form that could not be saved: it is shown once more, so that nobody fills it in twice.

use super::form::Form;
use super::object_form::ObjectForm;
use super::slot_form::{SlotForm, named};
use super::task_form::TaskForm;
use super::{ManageFlow, onward, to_objects};
use crate::records::object::{NO_ZONE, Object, SaveObject, UNKNOWN};
use crate::records::slot::{SaveSlot, Slot};
use crate::records::task::{MOST, SaveTask, TOO_MANY, Task};
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;
use steadfast::records::Command as _;
use steadfast::records::member::NOT_ALLOWED;

/// What was to be saved.
enum Unsaved {
    Object(SaveObject),
    Slot(SaveSlot),
    Task(SaveTask),
}

/// What must be read to show it once more: whether it is new.
pub(super) fn reads(refusal: &Refusal) -> Vec<Read> {
    match Unsaved::of(refusal) {
        Some(Unsaved::Object(_)) => vec![read("objects", "")],
        Some(Unsaved::Slot(slot)) => vec![read("slots", slot.object)],
        Some(Unsaved::Task(task)) => vec![read("tasks", &*task.object), read("slots", task.object)],
        None => Vec::new(),
    }
}

/// What was not written, and why. A form that may still be saved is shown once more.
pub(super) fn refused(turn: &Turn, refusal: &Refusal) -> Step<ManageFlow> {
    let unsaved = Unsaved::of(refusal);
    let form = match refusal.reason.as_str() {
        NOT_ALLOWED | UNKNOWN => None,
        reason => unsaved.map(|it| it.form(reason, turn)),
    };
    match form {
        Some(form) => goto(onward(form)).say(why(refusal, text("manage-not-kept"))),
        None => done().prompt(say(why(refusal, text("apology"))).row([to_objects()])),
    }
}

/// The same, where the owner is busy with something else, which is left alone.
pub(super) fn refused_beside(live: ManageFlow, refusal: &Refusal) -> Step<ManageFlow> {
    let or = Unsaved::of(refusal).map_or_else(
        || text("apology"),
        |it| text("manage-not-kept-beside").with("what", it.title()),
    );
    keep(live).say(why(refusal, or))
}

fn why(refusal: &Refusal, or: Text) -> Text {
    match refusal.reason.as_str() {
        NOT_ALLOWED => text("not-allowed"),
        UNKNOWN => text("manage-unknown"),
        NO_ZONE => text("manage-zone-hint"),
        TOO_MANY => text("manage-too-many").with("max", MOST),
        _ => or,
    }
}

impl Unsaved {
    fn of(refusal: &Refusal) -> Option<Self> {
        let command = &refusal.command;
        match command["command"].as_str()? {
            SaveObject::NAME => SaveObject::deserialize(command).ok().map(Self::Object),
            SaveSlot::NAME => SaveSlot::deserialize(command).ok().map(Self::Slot),
            SaveTask::NAME => SaveTask::deserialize(command).ok().map(Self::Task),
            _ => None,
        }
    }

    /// What people call it.
    fn title(&self) -> Text {
        match self {
            Self::Object(object) => text(object.name.clone()),
            Self::Slot(slot) => named("manage-slot", slot.days, slot.hours),
            Self::Task(task) => text(task.title.clone()),
        }
    }

    /// The form as it was, without what was refused.
    fn form(self, reason: &str, turn: &Turn) -> Form {
        match self {
            Self::Object(object) => {
                let all: Vec<Object> = turn.read("objects");
                let known = all.into_iter().find(|it| it.id == object.id);
                let form = ObjectForm::again(object, known.map(|it| it.active));
                Form::Object(match reason {
                    NO_ZONE => form.reopened(),
                    _ => form,
                })
            }
            Self::Slot(slot) => {
                let all: Vec<Slot> = turn.read("slots");
                let known = all.into_iter().find(|it| it.id == slot.id);
                Form::Slot(SlotForm::again(slot, known.map(|it| it.active)))
            }
            Self::Task(task) => {
                let (all, slots): (Vec<Task>, Vec<Slot>) = (turn.read("tasks"), turn.read("slots"));
                let known = all.into_iter().find(|it| it.id == task.id);
                Form::Task(TaskForm::again(task, known.map(|it| it.active), &slots))
            }
        }
    }
}
