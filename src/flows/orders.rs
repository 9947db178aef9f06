//! The orders that are open: a list, each of them in detail, and what can be done with it.
//!
//! ```text
//! /orders                       → 2 open orders  [№ 11 · Fridge · Lenin St. 5] [№ 12 · …]
//! ‹№ 12 · …›                    → ‹all about it›  [Give it to a master] [Report] [Back]
//! ‹Take the order›              → Order 12 is yours: ‹all about it›      (or: Ivan was faster)
//! ```
//! Nothing waits for an answer here. Every button is a link that says all it needs, works for ever, and is judged by what the records say
//! when it is pressed; so whoever looks at orders interrupts nothing.

use crate::records::colleague::Colleague;
use crate::records::order::{
    AssignOrder, CHANGED, Card, DESK, GONE, NO_MASTER, Status, TAKEN, TakeOrder, YOURS,
};
use crate::role::{DISPATCHER, MASTER, OWNER};
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Button, Refusal};
use steadfast::records::member::NOT_ALLOWED;

use super::DESK_ROLES;
use super::order::words::{about, equipment, line, offer, yours};
use wish::Wish;

mod wish;

/// The message that is leafed through.
const LIST: &str = "orders";

/// The orders that are open. There is nothing to wait for, so there is no state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OrdersFlow {}

impl Flow for OrdersFlow {
    const NAME: &'static str = "orders";
    const ROLES: &'static [Role] = &[OWNER, DISPATCHER, MASTER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return refused(refusal);
        }
        Some(match Wish::of(turn)? {
            Wish::List(page) => done().prompt(list(turn, page)),
            Wish::Show(no, page) => done().prompt(show(turn, no, page)),
            Wish::Take(no, page) => take(turn, no, page),
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
            Some(Wish::Take(no, _)) => {
                vec![order(no), masters, read("other_colleagues", DESK_ROLES)]
            }
            Some(Wish::Assign(no, _) | Wish::Give(no, _)) => vec![order(no), masters, member],
        }
    }

    fn ask(&self, _: &Context) -> Prompt {
        match *self {}
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        match self {}
    }
}

fn is_at_desk(view: &Context) -> bool {
    view.read::<Member>(Member::READ).is_any_of(DESK)
}

fn is_master(view: &Context) -> bool {
    let member: Member = view.read(Member::READ);
    member.is_any_of(&[MASTER])
}

/// A page of the list.
fn list(view: &Context, page: Option<usize>) -> Prompt {
    let orders: Vec<Card> = view.read("open_orders");
    let heading = match orders.is_empty() {
        true => text("orders-none"),
        false => text("orders-list").with("count", orders.len()),
    };
    let entry = |card: &Card, page| link(line(card), "orders", format!("show {} {page}", card.no));
    let at = page.unwrap_or_default();
    let listed = say(heading).leaf(&orders, at, entry, ways("list".to_owned()));
    place(listed, page.is_some())
}

/// An order in detail, for those whom it concerns, with what they can do.
fn show(view: &Context, no: i64, page: Option<usize>) -> Prompt {
    let card: Option<Card> = view.read("order");
    let is_own = |card: &Card| card.master.as_ref().map(|it| it.id) == Some(view.key.user);
    let is_free = |card: &Card| card.status == Status::New && is_master(view);
    let concerned = card.filter(|card| is_own(card) || is_at_desk(view) || is_free(card));
    let Some(card) = concerned else {
        return say(text("orders-gone").with("no", no.to_string()));
    };
    let is_open = card.status != Status::Closed;
    // Whose it is not yet reads as much of it as everybody was offered.
    let mut prompt = match is_at_desk(view) || is_own(&card) {
        true => say(details(&card)),
        false => say(about("order-offer", no, &card.details)),
    };
    if is_free(&card) {
        let page = page.unwrap_or_default();
        prompt = prompt.link("order-take", "orders", format!("take {no} {page}"));
    }
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

/// A master wants an order that everybody was offered: the first gets it, the dispatcher hears of it, and the others see it gone. Who
/// found it on a page of the list sees it there.
fn take(turn: &Turn, no: i64, page: Option<usize>) -> Step<OrdersFlow> {
    let Some(card) = turn.read::<Option<Card>>("order") else {
        return done().say(text("orders-gone").with("no", no.to_string()));
    };
    let mine = yours(no, &card.details);
    let mine = match page {
        Some(_) => mine.in_place(LIST),
        None => mine.in_place(offer(no)),
    };
    let step = done().record(TakeOrder { no }).prompt(mine);
    let name = &*turn.person.name;
    let news = text("orders-taken").with("no", no.to_string());
    let news = say(news.with("name", name)).link("orders-details", "orders", format!("show {no}"));
    let step = hear_of(&card, turn)
        .iter()
        .fold(step, |step, hearer| step.tell_in(&*hearer.language, hearer.id, news.clone()));
    let masters: Vec<Colleague> = turn.read("colleagues");
    withdraw_offers(step, no, &masters, (turn.key.user, name))
}

/// Who hears what becomes of an order: whoever created it; if they are not at the desk any more, those who are. Nobody is told what
/// they do themselves. It finds the latter as `other_colleagues`.
pub(super) fn hear_of(card: &Card, turn: &Turn) -> Vec<Colleague> {
    match card.author_hears {
        _ if card.author.id == turn.key.user => Vec::new(),
        true => vec![card.author.clone()],
        false => turn.read("other_colleagues"),
    }
}

/// The other masters, who were offered the order, see who has it now.
fn withdraw_offers(
    step: Step<OrdersFlow>,
    no: i64,
    masters: &[Colleague],
    (master, name): (i64, &str),
) -> Step<OrdersFlow> {
    let others = masters.iter().filter(|other| other.id != master);
    others.fold(step, |step, other| {
        let gone = text("orders-offer-taken").with("no", no.to_string());
        let gone = say(gone.with("name", name)).in_place(offer(no));
        step.tell_in(&*other.language, other.id, gone)
    })
}

/// Who could carry it out.
fn candidates(view: &Context, no: i64, page: usize) -> Prompt {
    let masters: Vec<Colleague> = view.read("colleagues");
    let asked = say(text("orders-ask-master").with("no", no.to_string()));
    let entry = |master: &Colleague, _| {
        let give = format!("give {no} {}", master.id);
        link(master.called(), "orders", give)
    };
    let listed = asked.leaf(&masters, page, entry, ways(format!("assign {no}")));
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
    // Sent anew: nobody is notified of a message that is only changed.
    let mine = yours(no, &card.details).named(offer(no));
    let step = done().record(AssignOrder { no, master, was }).prompt(given).tell_in(
        &*chosen.language,
        chosen.id,
        mine,
    );
    let Some(was) = card.master else {
        return withdraw_offers(step, no, &masters, (chosen.id, &chosen.called()));
    };
    if masters.iter().all(|it| it.id != was.id) {
        return step;
    }
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

/// Links to the pages of what this asks for.
fn ways(wish: String) -> impl Fn(Text, usize) -> Button {
    move |label, page| link(label, "orders", format!("{wish} {page}"))
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
