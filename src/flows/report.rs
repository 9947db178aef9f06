//! A master's report of an order that is carried out, which closes it.
//!
//! ```text
//! /report                       → Which order?  [№ 11 · Fridge · Lenin St. 5] [№ 12 · …]
//! ‹№ 12 · …›                    → How much did the client pay?
//! 1 500                         → Which materials did you use?  [None]
//! ‹None›                        → Has the client written a review?  [Yes] [No]
//! ‹Yes›                         → ‹all of it›  [Close the order] [Change …]
//! ‹Close the order›             → Order 12 is closed: ₽1,500.00.
//! ```
//! A report that the records do not take is shown once more: it is neither lost nor written twice, and nobody is held by it.

use crate::records::order::{Card, Status};
use crate::records::report::{CloseOrder, NOT_OPEN};
use crate::role::MASTER;
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;
use steadfast::records::member::NOT_ALLOWED;

use super::DESK_ROLES;
use super::order::words::line;
use super::orders::hear_of;
use draft::Draft;

mod draft;

/// The longest list of materials.
const MAX_MATERIALS: usize = 1000;

/// A report in the making.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum ReportFlow {
    /// Of which order.
    Which {
        /// The page of the list.
        page: usize,
        /// All that is known already, where only the order is changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<Draft>,
    },
    /// What the client paid.
    Amount {
        /// What is known so far.
        draft: Draft,
    },
    /// What was used.
    Materials {
        /// What is known so far.
        draft: Draft,
    },
    /// Whether there is a review.
    Review {
        /// What is known so far.
        draft: Draft,
    },
    /// Whether all of it is right.
    Confirm {
        /// Everything.
        draft: Draft,
    },
}

impl Flow for ReportFlow {
    const NAME: &'static str = "report";
    const ROLES: &'static [Role] = &[MASTER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return not_kept(refusal, None);
        }
        turn.begins(Self::NAME).then(|| {
            let orders: Vec<Card> = turn.read("own_orders");
            match wanted(turn) {
                Some(no) => choose(&orders, no, None).unwrap_or_else(|| done().say(not_open(no))),
                None if orders.is_empty() => done().say("report-nothing"),
                None => goto(Self::Which { page: 0, draft: None }),
            }
        })
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match turn.begins(Self::NAME) {
            true => vec![read("own_orders", "")],
            false => Vec::new(),
        }
    }

    fn ask(&self, view: &Context) -> Prompt {
        match self {
            Self::Which { page, .. } => {
                let orders: Vec<Card> = view.read("own_orders");
                let prompt = say("report-ask-order").refreshes("report-orders");
                prompt.page(&orders, *page, |card| choice(line(card), card.no.to_string()))
            }
            Self::Amount { draft } => {
                say(text("report-ask-amount").with("no", draft.no.to_string()))
            }
            Self::Materials { .. } => {
                say("report-ask-materials").choice("report-no-materials", "none")
            }
            Self::Review { .. } => say("report-ask-review")
                .row([choice("report-yes", "yes"), choice("report-no", "no")]),
            Self::Confirm { draft } => say(draft.summary(view.read("order")))
                .choice("report-close", "yes")
                .choice("report-change-order", "order")
                .choice("report-change-amount", "amount")
                .choice("report-change-materials", "materials")
                .choice("report-change-review", "review"),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(refusal) = &turn.input {
            return not_kept(refusal, Some(self)).ok_or_else(|| hint("apology"));
        }
        Ok(match self {
            Self::Which { page, draft } => match turn.page() {
                Some(page) => goto(Self::Which { page, draft }),
                None => chosen(turn, page, draft)?,
            },
            Self::Amount { draft } => {
                let amount = Some(turn.parse("report-amount-hint")?);
                goto(Draft { amount, ..draft }.next())
            }
            Self::Materials { draft } => {
                let materials = Some(materials_of(turn)?);
                goto(Draft { materials, ..draft }.next())
            }
            Self::Review { draft } => {
                let review = Some(turn.choice("report-review-hint")? == "yes");
                goto(Draft { review, ..draft }.next())
            }
            Self::Confirm { draft } => match turn.choice("report-confirm-hint")? {
                "yes" => close(&draft, turn),
                field => goto(draft.about(field)),
            },
        })
    }

    /// Who only changes one field comes back to all of it, as it was.
    fn back(self) -> Option<Self> {
        let (draft, before) = match self {
            Self::Amount { draft } | Self::Materials { draft } | Self::Review { draft }
                if draft.is_complete() =>
            {
                return Some(draft.next());
            }
            Self::Which { draft, .. } => return draft.map(Draft::next),
            Self::Amount { .. } => {
                return Some(Self::Which { page: 0, draft: None });
            }
            Self::Materials { draft } => (draft, "amount"),
            Self::Review { draft } => (draft, "materials"),
            Self::Confirm { draft } => (draft, "review"),
        };
        Some(draft.without(before).next())
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Which { .. } => vec![read("own_orders", "")],
            Self::Confirm { draft } => {
                vec![read("order", draft.no.to_string()), read("other_colleagues", DESK_ROLES)]
            }
            _ => Vec::new(),
        }
    }

    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        Some((Duration::from_secs(45 * 60), say("report-remind")))
    }

    fn on_error(&self) -> OnError {
        match self {
            Self::Confirm { .. } => OnError::Park,
            _ => OnError::Rollback,
        }
    }
}

/// The number of the order that a link or a command names.
fn wanted(turn: &Turn) -> Option<i64> {
    match &turn.input {
        Input::Link(no) => no.parse().ok(),
        Input::Command(command) => command.arg.parse().ok(),
        _ => None,
    }
}

/// Begins the report of an order, or makes what is known one of it, if it is one of these.
fn choose(orders: &[Card], no: i64, draft: Option<Draft>) -> Option<Step<ReportFlow>> {
    let no = orders.iter().find(|card| card.no == no)?.no;
    let draft = draft.unwrap_or_else(|| Draft::new(no));
    Some(goto(Draft { no, ..draft }.next()))
}

/// The order that was pressed, or typed by its number.
fn chosen(turn: &Turn, page: usize, draft: Option<Draft>) -> Answer<ReportFlow> {
    let no: i64 = match &turn.input {
        Input::Choice(no) => no.parse().map_err(|_| hint("report-order-hint"))?,
        _ => turn.parse("report-order-hint")?,
    };
    let own: Vec<Card> = turn.read("own_orders");
    let step = choose(&own, no, draft.clone());
    let again = || goto(ReportFlow::Which { page, draft }).say(not_open(no));
    Ok(step.unwrap_or_else(again))
}

fn not_open(no: i64) -> Text {
    text("report-not-open").with("no", no.to_string())
}

fn materials_of(turn: &Turn) -> Result<String, Hint> {
    match &turn.input {
        Input::Choice(_) => Ok(String::new()),
        _ => turn.words(MAX_MATERIALS, "report-materials-hint"),
    }
}

/// Everything is right: the order is closed, and whoever created it hears of it, or those at the desk if that one has left it.
fn close(draft: &Draft, turn: &Turn) -> Step<ReportFlow> {
    let card: Option<Card> = turn.read("order");
    let own = |card: &Card| card.master.as_ref().map(|it| it.id) == Some(turn.key.user);
    let Some(card) = card.filter(|card| card.status == Status::Assigned && own(card)) else {
        return done().say(not_open(draft.no));
    };
    let report = CloseOrder {
        no: draft.no,
        amount: draft.amount.unwrap_or_default(),
        materials: draft.materials.clone().unwrap_or_default(),
        review: draft.review.unwrap_or_default(),
    };
    let step = done().record(report).say(draft.told("report-done"));
    let news = say(draft.told("report-news").with("master", &*turn.person.name));
    hear_of(&card, turn)
        .iter()
        .fold(step, |step, hearer| step.tell_in(&*hearer.language, hearer.id, news.clone()))
}

/// The report could not be recorded. A `live` one that was begun meanwhile is left alone.
fn not_kept(refusal: &Refusal, live: Option<ReportFlow>) -> Option<Step<ReportFlow>> {
    let report = CloseOrder::deserialize(&refusal.command).ok()?;
    let draft = Draft::of(report);
    let is_alone = live.is_none();
    let aside = live.map_or_else(done, keep);
    Some(match refusal.reason.as_str() {
        NOT_OPEN => aside.say(not_open(draft.no)),
        NOT_ALLOWED => aside.say("not-allowed"),
        _ if is_alone => goto(ReportFlow::Confirm { draft }).say("report-not-kept"),
        _ => aside.say("report-not-kept-beside").say(draft.told("report-done-not")),
    })
}

#[cfg(test)]
mod tests;
