//! A form: fields that are asked for one by one, and a card on which each can be changed.

use super::object_form::ObjectForm;
use super::slot_form::SlotForm;
use super::task_form::TaskForm;
use super::{ManageFlow, to_objects};
use crate::money::Money;
use crate::records::object::Thing;
use steadfast::dialogue::Button;
use steadfast::dialogue::prelude::*;

/// What is being added or changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Form {
    /// An object.
    Object(ObjectForm),
    /// A time slot of one.
    Slot(SlotForm),
    /// A task of one.
    Task(TaskForm),
}

/// A field of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// What an object is called.
    Name,
    /// What an hour earns there.
    Rate,
    /// Where its clocks stand.
    Zone,
    /// On which days a slot is.
    Days,
    /// From when until when.
    Hours,
    /// How late is not late.
    Grace,
    /// What being late costs.
    Penalty,
    /// What a task is called.
    Title,
    /// Whether its price is for doing it or for not doing it.
    Kind,
    /// Its price.
    Price,
    /// Whether a photo must show it.
    Media,
    /// In which shifts it is to be done.
    Place,
}

impl Field {
    /// What its button on the card carries.
    pub(super) fn value(self) -> &'static str {
        self.words().1
    }

    /// What its button says, and what it carries.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Name => ("manage-change-name", "f name"),
            Self::Rate => ("manage-change-rate", "f rate"),
            Self::Zone => ("manage-change-zone", "f zone"),
            Self::Days => ("manage-change-days", "f days"),
            Self::Hours => ("manage-change-hours", "f hours"),
            Self::Grace => ("manage-change-grace", "f grace"),
            Self::Penalty => ("manage-change-penalty", "f penalty"),
            Self::Title => ("manage-change-title", "f title"),
            Self::Kind => ("manage-change-kind", "f kind"),
            Self::Price => ("manage-change-price", "f price"),
            Self::Media => ("manage-change-media", "f media"),
            Self::Place => ("manage-change-place", "f place"),
        }
    }
}

impl Form {
    /// Its fields, in the order in which they are asked for.
    pub(super) fn fields(&self) -> &'static [Field] {
        match self {
            Self::Object(_) => &[Field::Name, Field::Rate, Field::Zone],
            Self::Slot(_) => &[Field::Days, Field::Hours, Field::Grace, Field::Penalty],
            Self::Task(_) => &[Field::Title, Field::Kind, Field::Price, Field::Media, Field::Place],
        }
    }

    /// The first field that was not filled in yet.
    pub(super) fn missing(&self) -> Option<Field> {
        match self {
            Self::Object(form) => form.missing(),
            Self::Slot(form) => form.missing(),
            Self::Task(form) => form.missing(),
        }
    }

    /// What must be read to ask for this field.
    pub(super) fn reads(&self, field: Field) -> Vec<Read> {
        match (self, field) {
            (Self::Task(form), Field::Place) => vec![read("slots", &form.object)],
            _ => Vec::new(),
        }
    }

    /// The question for this field.
    pub(super) fn ask(&self, field: Field, view: &Context) -> Prompt {
        match self {
            Self::Object(_) => ObjectForm::ask(field),
            Self::Slot(_) => SlotForm::ask(field),
            Self::Task(form) => form.ask(field, view),
        }
    }

    /// The form with this field filled in from what was said.
    pub(super) fn take(self, field: Field, turn: &Turn) -> Result<Self, Hint> {
        Ok(match self {
            Self::Object(form) => Self::Object(form.take(field, turn)?),
            Self::Slot(form) => Self::Slot(form.take(field, turn)?),
            Self::Task(form) => Self::Task(form.take(field, turn)?),
        })
    }

    /// The same with another page of what can be chosen from.
    pub(super) fn leafed(self, page: usize) -> Self {
        match self {
            Self::Task(form) => Self::Task(form.leafed(page)),
            other @ (Self::Object(_) | Self::Slot(_)) => other,
        }
    }

    /// The field that is asked for before this one.
    pub(super) fn before(&self, field: Field) -> Option<Field> {
        let before = self.fields().iter().take_while(|it| **it != field);
        before.last().copied()
    }

    /// The same with its last question open again.
    pub(super) fn reopened(self) -> Self {
        match self {
            Self::Object(form) => Self::Object(form.reopened()),
            Self::Slot(form) => Self::Slot(form.reopened()),
            Self::Task(form) => Self::Task(form.reopened()),
        }
    }

    /// All of it, with a way to change each field.
    pub(super) fn card(&self) -> Prompt {
        let (words, active) = match self {
            Self::Object(form) => (form.card(), form.active),
            Self::Slot(form) => (form.card(), form.active),
            Self::Task(form) => (form.card(), form.active),
        };
        let changes: Vec<Button> =
            (self.fields().iter()).map(|field| choice(field.words().0, field.value())).collect();
        let card = changes.chunks(2).fold(say(words), |card, pair| card.row(pair.to_vec()));
        let card = match (self, self.id()) {
            (Self::Object(_), Some(_)) => card.row([
                choice("manage-slots-button", "slots"),
                choice("manage-tasks-button", "tasks"),
            ]),
            _ => card,
        };
        let card = match (self.id(), active) {
            (None, _) => card,
            (Some(_), true) => card.choice("manage-off", "off"),
            (Some(_), false) => card.choice("manage-on", "on"),
        };
        card.row([choice("manage-save", "save"), choice("manage-back", "back")])
    }

    /// Its id, once it has one.
    pub(super) fn id(&self) -> Option<&str> {
        match self {
            Self::Object(form) => form.id.as_deref(),
            Self::Slot(form) => form.id.as_deref(),
            Self::Task(form) => form.id.as_deref(),
        }
    }

    /// What it is.
    pub(super) fn thing(&self) -> Thing {
        match self {
            Self::Object(_) => Thing::Object,
            Self::Slot(_) => Thing::Slot,
            Self::Task(_) => Thing::Task,
        }
    }

    /// Writes it down under this id.
    pub(super) fn save(&self, id: &str, step: Step<ManageFlow>) -> Step<ManageFlow> {
        let id = id.to_owned();
        match self {
            Self::Object(form) => step.record(form.save(id)),
            Self::Slot(form) => step.record(form.save(id)),
            Self::Task(form) => step.record(form.save(id)),
        }
    }

    /// The list that it stands in.
    pub(super) fn list(&self) -> ManageFlow {
        let page = 0;
        match self {
            Self::Object(_) => ManageFlow::Objects { page },
            Self::Slot(form) => ManageFlow::Slots { object: form.object.clone(), page },
            Self::Task(form) => ManageFlow::Tasks { object: form.object.clone(), page },
        }
    }

    /// What may be wanted once it is saved.
    pub(super) fn links(&self, id: &str) -> Vec<Button> {
        let mut links = match self {
            Self::Object(_) => {
                vec![to("manage-slots-button", "slots", id), to("manage-tasks-button", "tasks", id)]
            }
            Self::Slot(form) => vec![
                to("manage-add-slot", "slot", &form.object),
                to("manage-slots-button", "slots", &form.object),
                to("manage-tasks-button", "tasks", &form.object),
            ],
            Self::Task(form) => vec![
                to("manage-add-task", "task", &form.object),
                to("manage-tasks-button", "tasks", &form.object),
            ],
        };
        links.push(to_objects());
        links
    }

    /// The way back to its list, from its end.
    pub(super) fn list_links(&self) -> Vec<Button> {
        match self {
            Self::Object(_) => vec![to_objects()],
            Self::Slot(form) => vec![to("manage-slots-button", "slots", &form.object)],
            Self::Task(form) => vec![to("manage-tasks-button", "tasks", &form.object)],
        }
    }
}

/// A way to something of an object.
fn to(label: &'static str, what: &str, object: &str) -> Button {
    link(label, ManageFlow::NAME, format!("{what} {object}"))
}

/// An amount of money.
pub(super) fn amount(turn: &Turn) -> Result<Money, Hint> {
    match &turn.input {
        Input::Choice(none) if none == "0" => Ok(Money::ZERO),
        _ => turn.parse("manage-amount-hint"),
    }
}
