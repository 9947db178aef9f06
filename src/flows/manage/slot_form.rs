//! The form of a time slot.

use super::form::{Field, amount};
use crate::hours::{Days, Hours};
use crate::money::Money;
use crate::records::slot::{SaveSlot, Slot};
use steadfast::dialogue::Button;
use steadfast::dialogue::prelude::*;

/// The most minutes of grace.
const MAX_GRACE: i64 = 240;
const GRACES: [i64; 4] = [0, 5, 10, 15];
const WEEK: [&str; 7] = [
    "manage-day-1",
    "manage-day-2",
    "manage-day-3",
    "manage-day-4",
    "manage-day-5",
    "manage-day-6",
    "manage-day-7",
];

/// What is known of a time slot so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlotForm {
    pub(super) id: Option<String>,
    pub(super) object: String,
    pub(super) active: bool,
    days: Option<Days>,
    hours: Option<Hours>,
    grace: Option<i64>,
    penalty: Option<Money>,
}

impl From<Slot> for SlotForm {
    fn from(slot: Slot) -> Self {
        Self {
            id: Some(slot.id),
            object: slot.object,
            active: slot.active,
            days: Some(slot.days),
            hours: Some(slot.hours),
            grace: Some(slot.grace),
            penalty: Some(slot.penalty),
        }
    }
}

/// A time slot in the list.
pub(super) fn line(slot: &Slot) -> Button {
    let key = if slot.active { "manage-slot" } else { "manage-slot-off" };
    choice(named(key, slot.days, slot.hours), slot.id.clone())
}

/// A slot by its days and hours.
pub(super) fn named(key: &'static str, of_days: Days, hours: Hours) -> Text {
    text(key).with("days", days(of_days)).with("hours", hours.to_string())
}

fn days(days: Days) -> Text {
    match days {
        Days::ALL => text("manage-every-day"),
        Days::WORKDAYS => text("manage-workdays"),
        Days::WEEKEND => text("manage-weekend"),
        _ => {
            let mut own = (0..7).filter(|day| days.has(*day)).map(|day| text(WEEK[day]));
            let first = own.next().unwrap_or_default();
            own.fold(first, |before, day| {
                text("manage-days").with("before", before).with("day", day)
            })
        }
    }
}

impl SlotForm {
    /// One of this object, of which nothing is known yet.
    pub(super) fn new(object: String) -> Self {
        Self { id: None, object, active: true, days: None, hours: None, grace: None, penalty: None }
    }

    /// As it was before it was saved, which failed; known by now only if it was there before, and whether it was used.
    pub(super) fn again(slot: SaveSlot, known: Option<bool>) -> Self {
        Self {
            id: known.map(|_| slot.id),
            object: slot.object,
            active: known.unwrap_or(true),
            days: Some(slot.days),
            hours: Some(slot.hours),
            grace: Some(slot.grace),
            penalty: Some(slot.penalty),
        }
    }

    /// Without the answer to its last question.
    pub(super) fn reopened(self) -> Self {
        Self { penalty: None, ..self }
    }

    pub(super) fn missing(&self) -> Option<Field> {
        let fields = [
            (Field::Days, self.days.is_none()),
            (Field::Hours, self.hours.is_none()),
            (Field::Grace, self.grace.is_none()),
            (Field::Penalty, self.penalty.is_none()),
        ];
        fields.into_iter().find(|(_, is)| *is).map(|(field, _)| field)
    }

    pub(super) fn ask(field: Field) -> Prompt {
        match field {
            Field::Hours => say("manage-ask-hours"),
            Field::Grace => {
                let offered = GRACES.map(|grace| choice(grace.to_string(), grace.to_string()));
                say("manage-ask-grace").row(offered)
            }
            Field::Penalty => say("manage-ask-penalty").choice("manage-no-penalty", "0"),
            _ => say("manage-ask-days")
                .choice("manage-every-day", "1-7")
                .choice("manage-workdays", "1-5")
                .choice("manage-weekend", "6-7"),
        }
    }

    pub(super) fn take(mut self, field: Field, turn: &Turn) -> Result<Self, Hint> {
        match field {
            Field::Hours => self.hours = Some(turn.parse("manage-hours-hint")?),
            Field::Grace => self.grace = Some(grace(turn)?),
            Field::Penalty => self.penalty = Some(amount(turn)?),
            _ => self.days = Some(which_days(turn)?),
        }
        Ok(self)
    }

    pub(super) fn card(&self) -> Text {
        let (days, hours) = (self.days.unwrap_or(Days::ALL), self.hours());
        named("manage-slot-card", days, hours)
            .with("grace", self.grace.unwrap_or_default())
            .with("penalty", -self.penalty.unwrap_or_default())
    }

    pub(super) fn save(&self, id: String) -> SaveSlot {
        SaveSlot {
            id,
            object: self.object.clone(),
            days: self.days.unwrap_or(Days::ALL),
            hours: self.hours(),
            grace: self.grace.unwrap_or_default(),
            penalty: self.penalty.unwrap_or_default(),
        }
    }

    fn hours(&self) -> Hours {
        self.hours.unwrap_or(Hours { from: 0, until: 1440 })
    }
}

fn which_days(turn: &Turn) -> Result<Days, Hint> {
    let or = || hint("manage-days-hint");
    match &turn.input {
        Input::Choice(days) => days.parse().map_err(|_| or()),
        _ => turn.parse("manage-days-hint"),
    }
}

fn grace(turn: &Turn) -> Result<i64, Hint> {
    let or = || hint(text("manage-grace-hint").with("max", MAX_GRACE));
    let minutes = match &turn.input {
        Input::Choice(grace) => grace.parse().map_err(|_| or())?,
        _ => turn.parse(or().0)?,
    };
    (0..=MAX_GRACE).contains(&minutes).then_some(minutes).ok_or_else(or)
}
