//! What is said of a shift: its terms, its tasks with their prices and ticks, its pay.

use crate::moment::{date_time, time, zone};
use crate::money::Money;
use crate::pay::{Adjustment, Kind, Task, Why, pay, total};
use crate::records::shift::{Offer, Running, Site};
use steadfast::dialogue::Person;
use steadfast::dialogue::prelude::*;

/// Which time slot, where there are several.
pub(super) fn slots(site: Option<Site>, page: usize) -> Prompt {
    let Some(site) = site else {
        return say("shift-gone");
    };
    let there = zone(&site.object.zone);
    let ask = text("shift-ask-slot").with("object", site.object.name);
    say(ask).page(&site.slots, page, |slot| {
        let hours = text("shift-slot")
            .with("from", time(moment(slot.start), &there))
            .with("until", time(moment(slot.end), &there));
        choice(hours, slot.id.clone())
    })
}

/// What a shift would be opened on.
pub(super) fn offer(offer: &Offer) -> Text {
    let Offer { object, terms } = offer;
    let there = zone(&object.zone);
    let slot = match &terms.slot {
        Some(slot) => text("shift-offer-slot")
            .with("from", time(moment(slot.start), &there))
            .with("until", time(moment(slot.end), &there))
            .with("grace", slot.grace)
            .with("penalty", -slot.penalty),
        None => text("shift-offer-no-slot"),
    };
    text("shift-offer")
        .with("object", object.name.as_str())
        .with("rate", terms.rate)
        .with("slot", slot)
        .with("tasks", lines(terms.tasks.iter().map(task), "shift-no-tasks"))
}

/// The head of the list of tasks.
pub(super) fn tasks(shift: &Running) -> Text {
    let tasks = &shift.terms.tasks;
    text("shift-tasks")
        .with("object", shift.object.as_str())
        .with("since", time(moment(shift.opened_at), &zone(&shift.zone)))
        .with("done", tasks.iter().filter(|task| task.done).count())
        .with("count", tasks.len())
}

/// A task in a list: whether it is done, what it is, what it brings or costs, whether it needs a photo.
pub(super) fn task(task: &Task) -> Text {
    let tick = if task.done { "shift-tick" } else { "shift-no-tick" };
    text("shift-task")
        .with("tick", text(tick))
        .with("title", task.title.as_str())
        .with("price", price(task.kind, task.price))
        .with("media", media(task.media))
}

/// What doing a task brings, or not doing it costs.
pub(in crate::flows) fn price(kind: Kind, price: Money) -> Text {
    match kind {
        Kind::Bonus => text("shift-bonus").with("sum", price),
        Kind::Mandatory => text("shift-penalty").with("sum", -price),
    }
}

/// Whether a photo must show it.
pub(in crate::flows) fn media(is_needed: bool) -> Text {
    text(match is_needed {
        true => "shift-media",
        false => "shift-no-media",
    })
}

/// A task by itself, and what to do about it.
pub(super) fn task_card(task: Option<&Task>) -> Prompt {
    let Some(task) = task else {
        return say("shift-changed").choice("shift-back", "back");
    };
    let key = match (task.done, task.media) {
        (true, _) => "shift-task-is-done",
        (false, true) => "shift-task-with-photo",
        (false, false) => "shift-task-plain",
    };
    let card = text(key)
        .with("title", task.title.as_str())
        .with("price", price(task.kind, task.price))
        .with("count", task.photos);
    let card = match task.done || task.media {
        true => say(card),
        false => say(card).choice("shift-done", "done"),
    };
    card.choice("shift-back", "back")
}

/// The pay of a shift that ends at this time.
pub(super) fn summary(key: &'static str, shift: &Running, until: i64) -> Text {
    let (adjustments, there) = (pay(&shift.terms, shift.opened_at, until), zone(&shift.zone));
    let parts = adjustments.iter().map(|it| adjustment(it, shift));
    text(key)
        .with("object", shift.object.as_str())
        .with("from", date_time(moment(shift.opened_at), &there))
        .with("until", date_time(moment(until), &there))
        .with("lines", lines(parts, "shift-no-tasks"))
        .with("total", total(&adjustments))
}

fn adjustment(adjustment: &Adjustment, shift: &Running) -> Text {
    let key = match adjustment.why {
        Why::ShiftBase => "shift-pay-base",
        Why::LateStart => "shift-pay-late",
        Why::TaskBonus => "shift-pay-bonus",
        Why::TaskPenalty => "shift-pay-penalty",
        Why::TaskCompleted => "shift-pay-completed",
    };
    let line = text(key).with("sum", adjustment.amount);
    let mut tasks = shift.terms.tasks.iter();
    match tasks.find(|task| Some(&task.id) == adjustment.task.as_ref()) {
        Some(task) => line.with("title", task.title.as_str()),
        None => line.with("rate", shift.terms.rate),
    }
}

/// What an owner is told of a shift that was closed.
pub(super) fn told(person: &Person, shift: &Running, until: i64) -> Text {
    let worker = match person.username.as_str() {
        "" => text(person.name.clone()),
        username => {
            text("shift-worker").with("name", person.name.as_str()).with("username", username)
        }
    };
    summary("shift-told", shift, until).with("worker", worker)
}

/// A word about a shift that nobody has closed, and the way to it.
pub(super) fn still_open(key: &'static str, shift: &Running) -> Prompt {
    let since = date_time(moment(shift.opened_at), &zone(&shift.zone));
    let words = text(key).with("object", shift.object.as_str());
    say(words.with("since", since)).link("shift-title", "shift", "")
}

/// One under the other.
fn lines(mut all: impl Iterator<Item = Text>, or: &'static str) -> Text {
    let Some(first) = all.next() else {
        return text(or);
    };
    all.fold(first, |above, below| {
        let both = text("shift-lines").with("above", above);
        both.with("below", below)
    })
}

fn moment(at: i64) -> u64 {
    u64::try_from(at).unwrap_or(0)
}
