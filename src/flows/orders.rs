//! The orders that are open: a list, each of them in detail, and what can be done with it.
//!
//! ```text
//! /orders                       → 2 open orders  [№ 11 · Fridge · Lenin St. 5] [№ 12 · …]
//! ‹№ 12 · …›                    → ‹all about it›  [Give it to a master] [Report] [Back]
//! ‹Take the order›              → Order 12 is yours: ‹all about it›      (or: Ivan was faster)
//! ```
//! Nothing waits for an answer here. Every button is a link that says all it needs, works for ever, and is judged by what the records say
//! when it is pressed; so whoever looks at orders interrupts nothing.

use crate::dialogue::Refusal;
use crate::dialogue::prelude::*;
use crate::records::colleague::Colleague;
use crate::records::member::NOT_ALLOWED;
use crate::records::order::{
    AssignOrder, CHANGED, Card, DESK, GONE, NO_MASTER, Status, TAKEN, TakeOrder, YOURS,
};
use crate::role::Member;

use super::order::words::{about, equipment, line, offer, yours};
use leaf::leaf;
use wish::Wish;

mod leaf;
mod wish;

/// The message that is leafed through.
const LIST: &str = "orders";

/// The orders that are open. There is nothing to wait for, so there is no state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OrdersFlow {}

impl Flow for OrdersFlow {
    const NAME: &'static str = "orders";
    const ROLES: &'static [Role] = &[Role::Owner, Role::Dispatcher, Role::Master];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return refused(refusal);
        }
        Some(match Wish::of(turn)? {
            Wish::List(page) => done().prompt(list(turn, page)),
            Wish::Show(no, page) => done().prompt(show(turn, no, page)),
            Wish::Take(no) => take(turn, no),
            Wish::Assign(..) | Wish::Give(..) if !is_at_desk(turn) => done().say("not-allowed"),
            Wish::Assign(no, page) => done().prompt(candidates(turn, no, page)),
            Wish::Give(no, master) => give(turn, no, master),
        })
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        let order = |no: i64| read("order", no.to_string());
        let masters = read("colleagues", "master");
        let member = read(Member::READ, "");
        match Wish::of(turn) {
            None => Vec::new(),
            Some(Wish::List(_)) => vec![read("open_orders", "")],
            Some(Wish::Show(no, _)) => vec![order(no), member],
            Some(Wish::Take(no)) => vec![order(no), masters],
            Some(Wish::Assign(no, _) | Wish::Give(no, _)) => vec![order(no), masters, member],
        }
    }

    fn ask(&self, _: &View) -> Prompt {
        match *self {}
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        match self {}
    }
}

fn is_at_desk(view: &View) -> bool {
    view.read::<Member>(Member::READ).is_any_of(DESK)
}

/// A page of the list.
fn list(view: &View, page: Option<usize>) -> Prompt {
    let orders: Vec<Card> = view.read("open_orders");
    let heading = match orders.is_empty() {
        true => text("orders-none"),
        false => text("orders-list").with("count", orders.len()),
    };
    let shown = leaf(&orders, page.unwrap_or_default());
    let lines = shown.entries.iter();
    let prompt = lines.fold(say(heading), |prompt, card| {
        prompt.link(
            line(card),
            "orders",
            format!("show {} {}", card.no, shown.page),
        )
    });
    place(prompt.ways(&shown, "list"), page.is_some())
}

/// An order in detail, for those whom it concerns, with what they can do.
fn show(view: &View, no: i64, page: Option<usize>) -> Prompt {
    let card: Option<Card> = view.read("order");
    let is_own = |card: &Card| card.master.as_ref().map(|it| it.id) == Some(view.key.user);
    let concerned = card.filter(|card| is_own(card) || is_at_desk(view));
    let Some(card) = concerned else {
        return say(text("orders-gone").with("no", no.to_string()));
    };
    let is_open = card.status != Status::Closed;
    let mut prompt = say(details(&card));
    if is_open && is_own(&card) {
        prompt = prompt.link("order-report", "report", no.to_string());
    }
    if is_open && is_at_desk(view) {
        prompt = prompt.link("orders-assign", "orders", format!("assign {no} 0"));
    }
    let back = format!("list {}", page.unwrap_or_default());
    place(prompt.link("orders-back", "orders", back), page.is_some())
}

fn details(card: &Card) -> Text {
    let status = match (card.status, &card.master) {
        (Status::Closed, _) => text("orders-closed"),
        (_, Some(master)) => text("orders-with").with("master", master.called()),
        (_, None) => text("orders-free"),
    };
    about("orders-card", card.no, &card.details)
        .with("status", status)
        .with("author", card.author.called())
}

/// A master wants an order that everybody was offered: the first gets it, the dispatcher hears of it, and the others see it gone.
fn take(turn: &Turn, no: i64) -> Step<OrdersFlow> {
    let Some(card) = turn.read::<Option<Card>>("order") else {
        return done().say(text("orders-gone").with("no", no.to_string()));
    };
    let said = |key| {
        text(key)
            .with("no", no.to_string())
            .with("name", &*turn.person.name)
    };
    let mine = yours(no, &card.details).in_place(offer(no));
    let mut step = done().record(TakeOrder { no }).prompt(mine);
    if card.author_hears && card.author.id != turn.key.user {
        let news = say(said("orders-taken")).link("orders-details", "orders", format!("show {no}"));
        step = step.tell_in(&*card.author.language, card.author.id, news);
    }
    let masters: Vec<Colleague> = turn.read("colleagues");
    let others = masters.iter().filter(|other| other.id != turn.key.user);
    others.fold(step, |step, other| {
        let gone = say(said("orders-offer-taken")).in_place(offer(no));
        step.tell_in(&*other.language, other.id, gone)
    })
}

/// Who could carry it out.
fn candidates(view: &View, no: i64, page: usize) -> Prompt {
    let masters: Vec<Colleague> = view.read("colleagues");
    let shown = leaf(&masters, page);
    let asked = say(text("orders-ask-master").with("no", no.to_string()));
    let listed = shown.entries.iter().fold(asked, |prompt, master| {
        prompt.link(
            master.called(),
            "orders",
            format!("give {no} {}", master.id),
        )
    });
    let listed = listed.ways(&shown, &format!("assign {no}"));
    let back = format!("show {no} 0");
    listed.link("orders-back", "orders", back).in_place(LIST)
}

/// A dispatcher gives the order to a master, who hears of it; so does the one who had it, if they still are a master.
fn give(turn: &Turn, no: i64, master: i64) -> Step<OrdersFlow> {
    let masters: Vec<Colleague> = turn.read("colleagues");
    let chosen = masters.iter().find(|it| it.id == master);
    let card: Option<Card> = turn.read("order");
    let card = card.filter(|card| card.status != Status::Closed);
    let (Some(chosen), Some(card)) = (chosen, card) else {
        return done().say(text("orders-gone").with("no", no.to_string()));
    };
    let said = |key| text(key).with("no", no.to_string());
    let given = say(said("orders-given").with("master", chosen.called())).in_place(LIST);
    let was = card.master.as_ref().map(|was| was.id);
    if was == Some(master) {
        return done().prompt(given);
    }
    let mine = yours(no, &card.details).in_place(offer(no));
    let step = done()
        .record(AssignOrder { no, master, was })
        .prompt(given)
        .tell_in(&*chosen.language, chosen.id, mine);
    let still = |was: &Colleague| masters.iter().any(|it| it.id == was.id);
    let Some(was) = card.master.filter(still) else {
        return step;
    };
    let withdrawn = said("orders-withdrawn").with("equipment", equipment(&card.details.equipment));
    step.tell_in(was.language, was.id, say(withdrawn))
}

/// It could not be done: somebody was faster, or things have changed.
fn refused(refusal: &Refusal) -> Option<Step<OrdersFlow>> {
    let no = refusal.command["no"].as_i64()?;
    let reason = refusal.reason.as_str();
    let (word, name) = reason.split_once(' ').unwrap_or((reason, ""));
    let name = match name {
        "" => text("orders-somebody"),
        name => text(name.to_owned()),
    };
    let said = match word {
        TAKEN => text("orders-faster").with("name", name),
        YOURS => text("orders-yours-already"),
        GONE => text("orders-gone"),
        CHANGED => text("orders-changed"),
        NO_MASTER => text("order-no-master"),
        NOT_ALLOWED => text("not-allowed"),
        _ => return None,
    };
    Some(done().say(said.with("no", no.to_string())))
}

/// Changes the list under the finger, or sends it anew.
fn place(prompt: Prompt, is_there: bool) -> Prompt {
    match is_there {
        true => prompt.in_place(LIST),
        false => prompt.named(LIST),
    }
}

#[cfg(test)]
mod tests;
