//! The form of a task.

use super::super::shift::words::{media, price};
use super::form::{Field, amount};
use super::slot_form;
use crate::hours::{Days, Hours};
use crate::money::Money;
use crate::pay::Kind;
use crate::records::slot::Slot;
use crate::records::task::{SaveTask, Task};
use steadfast::dialogue::Button;
use steadfast::dialogue::prelude::*;

const MAX_TITLE: usize = 80;

/// What is known of a task so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskForm {
    pub(super) id: Option<String>,
    pub(super) object: String,
    pub(super) active: bool,
    title: Option<String>,
    kind: Option<Kind>,
    price: Option<Money>,
    media: Option<bool>,
    place: Option<Place>,
    /// The page of the time slots to choose the place from.
    #[serde(default)]
    page: usize,
}

/// In which shifts a task is to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub(super) enum Place {
    /// In every shift at the object.
    Every,
    /// In those of this time slot.
    Slot {
        /// Which.
        id: String,
        /// On which days it is.
        days: Days,
        /// From when until when.
        hours: Hours,
    },
}

impl Place {
    /// That of this time slot, or of none; nothing if the slot is not there any more.
    fn find(slot: Option<&str>, slots: &[Slot]) -> Option<Self> {
        match slot {
            None => Some(Self::Every),
            Some(id) => slots.iter().find(|slot| slot.id == id).map(Self::of),
        }
    }

    fn of(slot: &Slot) -> Self {
        Self::Slot { id: slot.id.clone(), days: slot.days, hours: slot.hours }
    }
}

/// A task in the list.
pub(super) fn line(task: &Task) -> Button {
    let key = if task.active { "manage-task" } else { "manage-task-off" };
    let label = text(key)
        .with("title", task.title.as_str())
        .with("price", price(task.kind, task.price))
        .with("media", media(task.media));
    choice(label, task.id.clone())
}

impl TaskForm {
    /// One of this object, of which nothing is known yet.
    pub(super) fn new(object: String) -> Self {
        Self {
            id: None,
            object,
            active: true,
            title: None,
            kind: None,
            price: None,
            media: None,
            place: None,
            page: 0,
        }
    }

    /// One that is there, among these time slots.
    pub(super) fn of(task: Task, slots: &[Slot]) -> Self {
        let place = Place::find(task.slot.as_deref(), slots);
        Self {
            id: Some(task.id),
            object: task.object,
            active: task.active,
            title: Some(task.title),
            kind: Some(task.kind),
            price: Some(task.price),
            media: Some(task.media),
            place,
            page: 0,
        }
    }

    /// As it was before it was saved, which failed; known by now only if it was there before, and whether it was used.
    pub(super) fn again(task: SaveTask, known: Option<bool>, slots: &[Slot]) -> Self {
        let place = Place::find(task.slot.as_deref(), slots);
        Self {
            id: known.map(|_| task.id),
            object: task.object,
            active: known.unwrap_or(true),
            title: Some(task.title),
            kind: Some(task.kind),
            price: Some(task.price),
            media: Some(task.media),
            place,
            page: 0,
        }
    }

    /// Without the answer to its last question.
    pub(super) fn reopened(self) -> Self {
        Self { place: None, ..self }
    }

    /// With another page of the time slots.
    pub(super) fn leafed(self, page: usize) -> Self {
        Self { page, ..self }
    }

    pub(super) fn missing(&self) -> Option<Field> {
        let fields = [
            (Field::Title, self.title.is_none()),
            (Field::Kind, self.kind.is_none()),
            (Field::Price, self.price.is_none()),
            (Field::Media, self.media.is_none()),
            (Field::Place, self.place.is_none()),
        ];
        fields.into_iter().find(|(_, is)| *is).map(|(field, _)| field)
    }

    pub(super) fn ask(&self, field: Field, view: &Context) -> Prompt {
        match field {
            Field::Kind => say("manage-ask-kind")
                .choice("manage-bonus", "bonus")
                .choice("manage-mandatory", "mandatory"),
            Field::Price => match self.kind {
                Some(Kind::Mandatory) => say("manage-ask-cost"),
                _ => say("manage-ask-price"),
            },
            Field::Media => say("manage-ask-media")
                .row([choice("manage-yes", "yes"), choice("manage-no", "no")]),
            Field::Place => {
                let every = say("manage-ask-place").choice("manage-every-shift", "every");
                let mut slots: Vec<Slot> = view.read("slots");
                slots.retain(|slot| slot.active);
                every.page(&slots, self.page, slot_form::line)
            }
            _ => say("manage-ask-title"),
        }
    }

    pub(super) fn take(mut self, field: Field, turn: &Turn) -> Result<Self, Hint> {
        match field {
            Field::Kind => {
                let kind = turn.choice("manage-button-hint")?.parse();
                self.kind = Some(kind.map_err(|_| hint("manage-button-hint"))?);
            }
            Field::Price => self.price = Some(amount(turn)?),
            Field::Media => self.media = Some(turn.choice("manage-button-hint")? == "yes"),
            Field::Place => {
                let chosen = turn.choice("manage-button-hint")?;
                let slots: Vec<Slot> = turn.read("slots");
                let slot = slots.iter().find(|slot| slot.id == chosen);
                self.place = Some(slot.map_or(Place::Every, Place::of));
            }
            _ => self.title = Some(turn.words(MAX_TITLE, "manage-title-hint")?),
        }
        Ok(self)
    }

    pub(super) fn card(&self) -> Text {
        let needs =
            if self.media == Some(true) { "manage-with-photo" } else { "manage-without-photo" };
        let place = match &self.place {
            Some(Place::Slot { days, hours, .. }) => slot_form::named("manage-slot", *days, *hours),
            _ => text("manage-every-shift"),
        };
        let key = match self.kind() {
            Kind::Bonus => "manage-bonus-card",
            Kind::Mandatory => "manage-mandatory-card",
        };
        text(key)
            .with("title", self.title.clone().unwrap_or_default())
            .with("price", price(self.kind(), self.price.unwrap_or_default()))
            .with("media", text(needs))
            .with("place", place)
    }

    pub(super) fn save(&self, id: String) -> SaveTask {
        let slot = match &self.place {
            Some(Place::Slot { id, .. }) => Some(id.clone()),
            _ => None,
        };
        SaveTask {
            id,
            object: self.object.clone(),
            slot,
            title: self.title.clone().unwrap_or_default(),
            price: self.price.unwrap_or_default(),
            kind: self.kind(),
            media: self.media == Some(true),
        }
    }

    fn kind(&self) -> Kind {
        self.kind.unwrap_or(Kind::Bonus)
    }
}
