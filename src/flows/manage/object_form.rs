//! The form of an object.

use jiff::tz::TimeZone;

use super::form::{Field, amount};
use crate::money::Money;
use crate::records::object::{Object, SaveObject};
use steadfast::dialogue::Button;
use steadfast::dialogue::prelude::*;

/// The zones that are offered; any other can be typed.
const ZONES: [[&str; 2]; 3] = [
    ["Europe/Moscow", "Europe/Samara"],
    ["Asia/Yekaterinburg", "Asia/Novosibirsk"],
    ["Europe/Berlin", "UTC"],
];
const MAX_NAME: usize = 60;

/// What is known of an object so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ObjectForm {
    pub(super) id: Option<String>,
    pub(super) active: bool,
    name: Option<String>,
    rate: Option<Money>,
    zone: Option<String>,
}

impl From<Object> for ObjectForm {
    fn from(object: Object) -> Self {
        Self {
            id: Some(object.id),
            active: object.active,
            name: Some(object.name),
            rate: Some(object.rate),
            zone: Some(object.zone),
        }
    }
}

/// An object in the list.
pub(super) fn line(object: &Object) -> Button {
    let key = if object.active { "manage-object" } else { "manage-object-off" };
    let label = text(key).with("name", object.name.as_str()).with("rate", object.rate);
    choice(label, object.id.clone())
}

impl ObjectForm {
    /// As it was before it was saved, which failed; known by now only if it was there before, and whether it was used.
    pub(super) fn again(object: SaveObject, known: Option<bool>) -> Self {
        Self {
            id: known.map(|_| object.id),
            active: known.unwrap_or(true),
            name: Some(object.name),
            rate: Some(object.rate),
            zone: Some(object.zone),
        }
    }

    /// Without the answer to its last question.
    pub(super) fn reopened(self) -> Self {
        Self { zone: None, ..self }
    }

    pub(super) fn missing(&self) -> Option<Field> {
        let fields = [
            (Field::Name, self.name.is_none()),
            (Field::Rate, self.rate.is_none()),
            (Field::Zone, self.zone.is_none()),
        ];
        fields.into_iter().find(|(_, is)| *is).map(|(field, _)| field)
    }

    pub(super) fn ask(field: Field) -> Prompt {
        match field {
            Field::Rate => say("manage-ask-rate"),
            Field::Zone => ZONES.iter().fold(say("manage-ask-zone"), |prompt, pair| {
                prompt.row(pair.map(|zone| choice(zone.to_owned(), zone)))
            }),
            _ => say("manage-ask-name"),
        }
    }

    pub(super) fn take(mut self, field: Field, turn: &Turn) -> Result<Self, Hint> {
        match field {
            Field::Rate => self.rate = Some(amount(turn)?),
            Field::Zone => self.zone = Some(zone(turn)?),
            _ => self.name = Some(turn.words(MAX_NAME, "manage-name-hint")?),
        }
        Ok(self)
    }

    pub(super) fn card(&self) -> Text {
        text("manage-object-card")
            .with("name", self.name.clone().unwrap_or_default())
            .with("rate", self.rate.unwrap_or_default())
            .with("zone", self.zone.clone().unwrap_or_default())
    }

    pub(super) fn save(&self, id: String) -> SaveObject {
        SaveObject {
            id,
            name: self.name.clone().unwrap_or_default(),
            rate: self.rate.unwrap_or_default(),
            zone: self.zone.clone().unwrap_or_default(),
        }
    }
}

/// A zone by its name, `europe/moscow`, or by that of its city, `new york`.
fn zone(turn: &Turn) -> Result<String, Hint> {
    let said = match &turn.input {
        Input::Choice(zone) => zone.clone(),
        _ => turn.text("manage-zone-hint")?,
    };
    let said = said.trim().replace(' ', "_");
    let named = TimeZone::get(&said).ok();
    let named = named.and_then(|zone| zone.iana_name().map(str::to_owned));
    named.or_else(|| of_city(&said)).ok_or_else(|| hint("manage-zone-hint"))
}

fn of_city(city: &str) -> Option<String> {
    let mut all = jiff::tz::db().available().map(|name| name.to_string());
    all.find(|name| {
        let own = name.rsplit_once('/').map(|(_, own)| own);
        own.is_some_and(|own| own.eq_ignore_ascii_case(city))
    })
}
