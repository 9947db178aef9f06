//! How orders are spoken of: to those who create them, and to those who carry them out.

use super::draft::{Assignee, Draft};
use crate::records::colleague::Colleague;
use crate::records::order::{Card, CreateOrder, Details, Status};
use steadfast::dialogue::prelude::*;

/// The usual kinds of equipment: as they are kept, and as they are called.
pub(super) const EQUIPMENT: [(&str, &str); 8] = [
    ("fridge", "order-fridge"),
    ("washer", "order-washer"),
    ("dishwasher", "order-dishwasher"),
    ("stove", "order-stove"),
    ("boiler", "order-boiler"),
    ("conditioner", "order-conditioner"),
    ("tv", "order-tv"),
    ("computer", "order-computer"),
];

/// How much of an address a button shows.
const SHORT: usize = 24;

/// What kind of equipment it is: a usual one by its name, else the dispatcher's own words.
pub(in crate::flows) fn equipment(kept: &str) -> Text {
    let usual = EQUIPMENT.iter().find(|(kind, _)| *kind == kept);
    usual.map_or_else(|| text(kept.to_owned()), |(_, name)| text(*name))
}

/// What the button says that changes this field.
pub(super) fn field(name: &str) -> Text {
    text(match name {
        "equipment" => "order-change-equipment",
        "problem" => "order-change-problem",
        "client" => "order-change-client",
        "address" => "order-change-address",
        "phone" => "order-change-phone",
        _ => "order-change-master",
    })
}

/// Everything that was said so far, to be confirmed.
pub(super) fn summary(draft: &Draft, masters: &[Colleague]) -> Text {
    let said = |field: &Option<String>| field.clone().unwrap_or_default();
    let phone = draft.phone.as_ref().map(ToString::to_string);
    let master = match draft.master {
        Some(Assignee::One(id)) => {
            let master = masters.iter().find(|master| master.id == id);
            text(master.map_or_else(|| id.to_string(), Colleague::called))
        }
        Some(Assignee::All) | None => text("order-to-all"),
    };
    text("order-summary")
        .with("equipment", equipment(&said(&draft.equipment)))
        .with("problem", said(&draft.problem))
        .with("client", said(&draft.client))
        .with("address", said(&draft.address))
        .with("phone", phone.unwrap_or_default())
        .with("master", master)
}

/// A text that mentions everything an order is about; how much of it is for its readers, it knows itself.
pub(in crate::flows) fn about(key: &'static str, no: i64, details: &Details) -> Text {
    text(key)
        .with("no", no.to_string())
        .with("equipment", equipment(&details.equipment))
        .with("problem", &*details.problem)
        .with("client", &*details.client)
        .with("address", &*details.address)
        .with("phone", details.phone.to_string())
}

/// A line in a list of orders.
pub(in crate::flows) fn line(card: &Card) -> Text {
    let whole = card.details.address.as_str();
    let short: String = whole.chars().take(SHORT).collect();
    let address = match short.len() < whole.len() {
        true => text("orders-shortened").with("words", short),
        false => text(short),
    };
    let key = match card.status {
        Status::New => "orders-line-new",
        Status::Assigned | Status::Closed => "orders-line",
    };
    text(key)
        .with("no", card.no.to_string())
        .with("equipment", equipment(&card.details.equipment))
        .with("address", address)
}

/// The name of the message that offers an order, in the chat of each master.
pub(in crate::flows) fn offer(no: i64) -> String {
    format!("offer-{no}")
}

/// What the dispatcher hears of an order that was created.
pub(super) fn created(order: &CreateOrder) -> Prompt {
    let said = match (order.master, &*order.told) {
        (Some(_), [master, ..]) => text("order-given").with("master", master.called()),
        (_, told) => text("order-offered").with("count", told.len()),
    };
    let no = order.no.to_string();
    say(said.with("no", &*no)).link("orders-details", "orders", format!("show {no}"))
}

/// What a master hears of it: everything, if it is theirs; enough to decide, if it is anybody's.
pub(super) fn notice(order: &CreateOrder) -> Prompt {
    let no = order.no;
    match order.master {
        Some(_) => yours(no, &order.details),
        None => say(about("order-offer", no, &order.details)).named(offer(no)).link(
            "order-take",
            "orders",
            format!("take {no}"),
        ),
    }
}

/// What a master hears of an order that is theirs.
pub(in crate::flows) fn yours(no: i64, details: &Details) -> Prompt {
    say(about("order-yours", no, details)).link("order-report", "report", no.to_string())
}
