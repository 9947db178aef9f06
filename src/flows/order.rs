//! A repair order: what is broken, where, whom to call, and who repairs it.
//!
//! ```text
//! /order                        → What is to be repaired?  [Fridge] [Washing machine] …
//! ‹Fridge›                      → What is wrong with it?
//! It does not cool              → What is the client's name?
//! Anna                          → At which address?
//! Lenin St. 5                   → What is the client's phone number?
//! 8 912 345-67-89               → Who shall do it?  [Offer it to all masters] [Ivan] …
//! ‹Ivan›                        → ‹all of it›  [Create the order] [Change …]
//! ‹Create the order›            → Order 12 is created and given to Ivan.
//! ```
//! Whom it was offered to take it by a button: the first gets it, see [`orders`](super::orders).

use crate::phone::Phone;
use crate::records::colleague::Colleague;
use crate::records::order::{CreateOrder, DESK, KNOWN, NO_MASTER, NUMBER};
use steadfast::dialogue::Refusal;
use steadfast::dialogue::prelude::*;
use steadfast::records::member::NOT_ALLOWED;

pub(super) mod draft;
pub(super) mod words;

use draft::{Assignee, Draft};

/// The longest name, address and kind of equipment.
const MAX_LINE: usize = 200;
/// The longest description of a problem.
const MAX_PROBLEM: usize = 1000;

/// A repair order in the making.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum OrderFlow {
    /// What is to be repaired.
    Equipment {
        /// What is known so far.
        draft: Draft,
    },
    /// What is wrong with it.
    Problem {
        /// What is known so far.
        draft: Draft,
    },
    /// The client's name.
    Client {
        /// What is known so far.
        draft: Draft,
    },
    /// Where it is.
    Address {
        /// What is known so far.
        draft: Draft,
    },
    /// The client's number.
    Phone {
        /// What is known so far.
        draft: Draft,
    },
    /// Who shall do it.
    Master {
        /// What is known so far.
        draft: Draft,
        /// The page of the list.
        page: usize,
    },
    /// Whether all of it is right.
    Confirm {
        /// Everything.
        draft: Draft,
    },
}

impl Flow for OrderFlow {
    const NAME: &'static str = "order";
    const ROLES: &'static [Role] = DESK;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Refused(refusal) => not_kept(refusal, None),
            _ => turn.begins(Self::NAME).then(|| goto(Draft::new(&turn.stamp).next())),
        }
    }

    fn ask(&self, view: &Context) -> Prompt {
        match self {
            Self::Equipment { .. } => {
                let kinds = words::EQUIPMENT.chunks(2);
                kinds.fold(say("order-ask-equipment"), |prompt, row| {
                    prompt.row(row.iter().map(|(kind, label)| choice(*label, *kind)))
                })
            }
            Self::Problem { .. } => say("order-ask-problem"),
            Self::Client { .. } => say("order-ask-client"),
            Self::Address { .. } => say("order-ask-address"),
            Self::Phone { .. } => say("order-ask-phone"),
            Self::Master { page, .. } => {
                let prompt = say("order-ask-master").refreshes("order-masters");
                prompt.choice("order-to-all", "all").page(&masters(view), *page, |master| {
                    choice(master.called(), master.id.to_string())
                })
            }
            Self::Confirm { draft } => say(words::summary(draft, &masters(view)))
                .choice("order-create", "yes")
                .row(["equipment", "problem"].map(change))
                .row(["client", "address"].map(change))
                .row(["phone", "master"].map(change)),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(refusal) = &turn.input {
            return not_kept(refusal, Some(self)).ok_or_else(|| hint("apology"));
        }
        Ok(match self {
            Self::Equipment { draft } => {
                let equipment = Some(equipment_of(turn)?);
                goto(Draft { equipment, ..draft }.next())
            }
            Self::Problem { draft } => {
                let problem = Some(turn.words(MAX_PROBLEM, "order-problem-hint")?);
                goto(Draft { problem, ..draft }.next())
            }
            Self::Client { draft } => {
                let client = Some(turn.words(MAX_LINE, "order-client-hint")?);
                goto(Draft { client, ..draft }.next())
            }
            Self::Address { draft } => {
                let address = Some(turn.words(MAX_LINE, "order-address-hint")?);
                goto(Draft { address, ..draft }.next())
            }
            Self::Phone { draft } => {
                let phone = Some(phone_of(turn)?);
                goto(Draft { phone, ..draft }.next())
            }
            Self::Master { draft, page } => match turn.page() {
                Some(page) => goto(Self::Master { draft, page }),
                None => match assignee_of(turn)? {
                    Some(master) => goto(Draft { master: Some(master), ..draft }.next()),
                    None => goto(Self::Master { draft, page }).say("order-no-master"),
                },
            },
            Self::Confirm { draft } => match turn.choice("order-confirm-hint")? {
                "yes" => create(draft, turn),
                field => goto(draft.about(field)),
            },
        })
    }

    /// Who only changes one field comes back to all of it, as it was.
    fn back(self) -> Option<Self> {
        let (draft, before) = match self {
            Self::Equipment { draft }
            | Self::Problem { draft }
            | Self::Client { draft }
            | Self::Address { draft }
            | Self::Phone { draft }
            | Self::Master { draft, .. }
                if draft.is_complete() =>
            {
                return Some(draft.next());
            }
            Self::Equipment { .. } => return None,
            Self::Problem { draft } => (draft, "equipment"),
            Self::Client { draft } => (draft, "problem"),
            Self::Address { draft } => (draft, "client"),
            Self::Phone { draft } => (draft, "address"),
            Self::Master { draft, .. } => (draft, "phone"),
            Self::Confirm { draft } => (draft, "master"),
        };
        Some(draft.without(before).next())
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Master { .. } => vec![read("colleagues", "master")],
            Self::Confirm { .. } => vec![read("colleagues", "master"), read("next_order", "")],
            _ => Vec::new(),
        }
    }

    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        Some((Duration::from_secs(45 * 60), say("order-remind")))
    }

    fn on_error(&self) -> OnError {
        match self {
            Self::Confirm { .. } => OnError::Park,
            _ => OnError::Rollback,
        }
    }
}

fn masters(view: &Context) -> Vec<Colleague> {
    view.read("colleagues")
}

/// A button that changes one field.
fn change(field: &'static str) -> steadfast::dialogue::Button {
    choice(words::field(field), field)
}

fn equipment_of(turn: &Turn) -> Result<String, Hint> {
    match &turn.input {
        Input::Choice(kind) => Ok(kind.clone()),
        _ => turn.words(MAX_LINE, "order-equipment-hint"),
    }
}

/// Typed, or shared as a contact.
fn phone_of(turn: &Turn) -> Result<Phone, Hint> {
    match &turn.input {
        Input::Contact(contact) => {
            Phone::of_contact(&contact.phone).map_err(|_| hint("order-phone-hint"))
        }
        _ => turn.parse("order-phone-hint"),
    }
}

/// Who was chosen; nobody, if that one is no master any more.
fn assignee_of(turn: &Turn) -> Result<Option<Assignee>, Hint> {
    let chosen = turn.choice("order-master-hint")?;
    if chosen == "all" {
        return Ok(Some(Assignee::All));
    }
    let known = masters(turn).into_iter().map(|master| master.id);
    let mut known = known.filter(|id| id.to_string() == chosen);
    Ok(known.next().map(Assignee::One))
}

/// Everything is right: the order is created, and whom it concerns is told.
fn create(draft: Draft, turn: &Turn) -> Step<OrderFlow> {
    let mut told = masters(turn);
    let master = match draft.master {
        Some(Assignee::One(id)) => Some(id),
        Some(Assignee::All) | None => None,
    };
    told.retain(|colleague| master.is_none_or(|id| id == colleague.id));
    let (Some(details), true) = (draft.details(), master.is_none() || !told.is_empty()) else {
        return goto(draft.without("master").next()).say("order-no-master");
    };
    let order = CreateOrder { id: draft.id, no: turn.read("next_order"), details, master, told };
    submit(done(), &order)
}

/// Records the order, and tells what comes of it.
fn submit(step: Step<OrderFlow>, order: &CreateOrder) -> Step<OrderFlow> {
    let told = order.told.iter();
    told.fold(step.record(order).prompt(words::created(order)), |step, master| {
        step.tell_in(&*master.language, master.id, words::notice(order))
    })
}

/// The order could not be recorded as it was. It is not lost: it is tried with the next number, or shown once more for the
/// dispatcher to decide. A `live` order that was begun meanwhile is left alone.
fn not_kept(refusal: &Refusal, live: Option<OrderFlow>) -> Option<Step<OrderFlow>> {
    let mut order = CreateOrder::deserialize(&refusal.command).ok()?;
    let draft = Draft::of(&order);
    let is_alone = live.is_none();
    let aside = live.map_or_else(done, keep);
    Some(match refusal.reason.as_str() {
        NUMBER => {
            order.no += 1;
            submit(aside, &order)
        }
        KNOWN => aside.say("order-known"),
        NOT_ALLOWED => aside.say("not-allowed"),
        NO_MASTER if is_alone => goto(draft.without("master").next()).say("order-no-master"),
        _ if is_alone => goto(OrderFlow::Confirm { draft }).say("order-not-kept"),
        _ => aside.say("order-not-kept-beside").say(words::summary(&draft, &order.told)),
    })
}

#[cfg(test)]
mod tests;
