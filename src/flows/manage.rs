//! What owners set up: objects with their hourly rates and zones, time slots, tasks.
//!
//! ```text
//! ⚙️ Objects and tasks          → Your objects.  [Depot · 350.50 ₽] [➕ Add an object]
//! ‹Add an object›               → What is it called?
//! Shop                          → What does an hour earn there?
//! 350,50                        → In which time zone is it?  [Europe/Moscow] …
//! ‹Europe/Moscow›               → Shop: 350.50 ₽ an hour, Europe/Moscow.  [✏️ Name] [✏️ Rate] [✏️ Time zone] [💾 Save]
//! ‹Save›                        → Saved.  [🕘 Time slots] [📋 Tasks] [🏢 All objects]
//! ```
//! Whatever is added or changed is a form: it asks for what is missing, and its card lets each field be changed by itself.

use crate::records::object::{Object, SetActive};
use crate::records::slot::Slot;
use crate::records::task::Task;
use crate::role::OWNER;
use form::{Field, Form};
use steadfast::dialogue::Button;
use steadfast::dialogue::prelude::*;

mod form;
mod object_form;
mod refused;
mod slot_form;
mod task_form;

/// The name of the message that shows a list or a card.
const CARD: &str = "manage";

/// What owners set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum ManageFlow {
    /// Which object, or another one.
    Objects {
        /// The page of the list.
        page: usize,
    },
    /// Which time slot of an object, or another one.
    Slots {
        /// The object.
        object: String,
        /// The page of the list.
        page: usize,
    },
    /// Which task of an object, or another one.
    Tasks {
        /// The object.
        object: String,
        /// The page of the list.
        page: usize,
    },
    /// A field of a form.
    Field {
        /// What was said so far.
        form: Form,
        /// Which field.
        field: Field,
    },
    /// A form that is complete: save it, or change something.
    Card {
        /// All of it.
        form: Form,
    },
}

impl Flow for ManageFlow {
    const NAME: &'static str = "manage";
    const ROLES: &'static [Role] = &[OWNER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Refused(refusal) => Some(refused::refused(turn, refusal)),
            Input::Link(arg) => Some(goto(linked(arg))),
            _ => turn.is_command(Self::NAME).then(|| goto(linked(""))),
        }
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match &turn.input {
            Input::Refused(refusal) => refused::reads(refusal),
            _ => Vec::new(),
        }
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Objects { .. } => vec![read("objects", "")],
            Self::Slots { object, .. } => vec![read("slots", object)],
            Self::Tasks { object, .. } => vec![read("tasks", object), read("slots", object)],
            Self::Field { form, field } => form.reads(*field),
            Self::Card { .. } => Vec::new(),
        }
    }

    fn ask(&self, view: &Context) -> Prompt {
        let prompt = match self {
            Self::Objects { page } => {
                let all: Vec<Object> = view.read("objects");
                say("manage-objects")
                    .page(&all, *page, object_form::line)
                    .choice("manage-add-object", "add")
            }
            Self::Slots { page, .. } => {
                let all: Vec<Slot> = view.read("slots");
                say("manage-slots")
                    .page(&all, *page, slot_form::line)
                    .choice("manage-add-slot", "add")
                    .choice("manage-all-objects", "objects")
            }
            Self::Tasks { page, .. } => {
                let all: Vec<Task> = view.read("tasks");
                say("manage-tasks")
                    .page(&all, *page, task_form::line)
                    .choice("manage-add-task", "add")
                    .choice("manage-all-objects", "objects")
            }
            Self::Field { form, field } => form.ask(*field, view),
            Self::Card { form } => form.card(),
        };
        prompt.refreshes(CARD)
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(refusal) = &turn.input {
            return Ok(refused::refused_beside(self, refusal));
        }
        Ok(match self {
            Self::Objects { .. } => match turn.page() {
                Some(page) => goto(Self::Objects { page }),
                None => goto(of_object(turn)?),
            },
            Self::Slots { object, .. } => match turn.page() {
                Some(page) => goto(Self::Slots { object, page }),
                None => goto(of_slot(&object, turn)?),
            },
            Self::Tasks { object, .. } => match turn.page() {
                Some(page) => goto(Self::Tasks { object, page }),
                None => goto(of_task(&object, turn)?),
            },
            Self::Field { form, field } => match turn.page() {
                Some(page) => goto(Self::Field { form: form.leafed(page), field }),
                None => goto(onward(form.take(field, turn)?)),
            },
            Self::Card { form } => at_card(form, turn)?,
        })
    }

    /// One question back: who only changes one field comes back to the card, and before the first there is the list.
    fn back(self) -> Option<Self> {
        Some(match self {
            Self::Objects { .. } => return None,
            Self::Slots { .. } | Self::Tasks { .. } => Self::Objects { page: 0 },
            Self::Field { form, .. } if form.missing().is_none() => Self::Card { form },
            Self::Field { form, field } => match form.before(field) {
                Some(field) => Self::Field { form, field },
                None => form.list(),
            },
            Self::Card { form } if form.id().is_none() => onward(form.reopened()),
            Self::Card { form } => form.list(),
        })
    }

    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        match self {
            Self::Field { .. } | Self::Card { .. } => {
                Some((Duration::from_secs(2700), say("manage-remind")))
            }
            Self::Objects { .. } | Self::Slots { .. } | Self::Tasks { .. } => None,
        }
    }

    /// A form is put aside, to be gone on with. Who only looked at a list has said nothing that would be lost.
    fn expire(self, _: &Context) -> Step<Self> {
        match self {
            Self::Field { .. } | Self::Card { .. } => park(self),
            Self::Objects { .. } | Self::Slots { .. } | Self::Tasks { .. } => done(),
        }
    }
}

/// To the first field that is missing, else to the card.
fn onward(form: Form) -> ManageFlow {
    match form.missing() {
        Some(field) => ManageFlow::Field { form, field },
        None => ManageFlow::Card { form },
    }
}

/// Where a link leads: to all objects, or to something of one.
fn linked(arg: &str) -> ManageFlow {
    let (what, object) = arg.split_once(' ').unwrap_or((arg, ""));
    let (object, page) = (object.to_owned(), 0);
    match what {
        "slots" => ManageFlow::Slots { object, page },
        "tasks" => ManageFlow::Tasks { object, page },
        "slot" => onward(Form::Slot(slot_form::SlotForm::new(object))),
        "task" => onward(Form::Task(task_form::TaskForm::new(object))),
        _ => ManageFlow::Objects { page },
    }
}

fn of_object(turn: &Turn) -> Result<ManageFlow, Hint> {
    let chosen = turn.choice("manage-list-hint")?;
    let all: Vec<Object> = turn.read("objects");
    let found = all.into_iter().find(|object| object.id == chosen);
    Ok(onward(Form::Object(found.map(Into::into).unwrap_or_default())))
}

fn of_slot(object: &str, turn: &Turn) -> Result<ManageFlow, Hint> {
    let chosen = turn.choice("manage-list-hint")?;
    let all: Vec<Slot> = turn.read("slots");
    Ok(match all.into_iter().find(|slot| slot.id == chosen) {
        Some(slot) => onward(Form::Slot(slot.into())),
        None if chosen == "add" => linked(&format!("slot {object}")),
        None => linked(""),
    })
}

fn of_task(object: &str, turn: &Turn) -> Result<ManageFlow, Hint> {
    let chosen = turn.choice("manage-list-hint")?;
    let (all, slots): (Vec<Task>, Vec<Slot>) = (turn.read("tasks"), turn.read("slots"));
    Ok(match all.into_iter().find(|task| task.id == chosen) {
        Some(task) => onward(Form::Task(task_form::TaskForm::of(task, &slots))),
        None if chosen == "add" => linked(&format!("task {object}")),
        None => linked(""),
    })
}

fn at_card(form: Form, turn: &Turn) -> Answer<ManageFlow> {
    let chosen = turn.choice("manage-card-hint")?;
    if let Some(field) = form.fields().iter().find(|field| field.value() == chosen) {
        let field = *field;
        return Ok(goto(ManageFlow::Field { form, field }));
    }
    Ok(match (chosen, form.id()) {
        ("save", _) => saved(&form, turn),
        ("slots", Some(object)) => goto(linked(&format!("slots {object}"))),
        ("tasks", Some(object)) => goto(linked(&format!("tasks {object}"))),
        ("off" | "on", Some(id)) => {
            let (thing, id, active) = (form.thing(), id.to_owned(), chosen == "on");
            let words = if active { "manage-is-on" } else { "manage-is-off" };
            let step = done().record(SetActive { thing, id, active });
            step.prompt(say(words).row(form.list_links()))
        }
        _ => goto(form.list()),
    })
}

fn saved(form: &Form, turn: &Turn) -> Step<ManageFlow> {
    let id = form.id().map_or_else(|| turn.fresh_id(), str::to_owned);
    let step = form.save(&id, done());
    let links = form.links(&id).into_iter();
    step.prompt(links.fold(say("manage-saved"), |prompt, link| prompt.row([link])))
}

fn to_objects() -> Button {
    link("manage-all-objects", ManageFlow::NAME, "")
}

#[cfg(test)]
mod tests;
