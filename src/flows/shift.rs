//! A worker's shift: opened at an object, its tasks ticked off with photos where they are asked for, closed with its pay.
//!
//! ```text
//! 🛠 My shift                   → Where are you working?  [Warehouse] [Shop]
//! ‹Warehouse›                   → Warehouse, 350.50 ₽ an hour. 🕘 09:00–18:00 …  [▶️ Open the shift]
//! ‹Open the shift›              → Done: 0 of 2.  [⬜️ Sweep · +100.00 ₽] [⬜️ Lock up · −33.00 ₽ 📷] [🏁 Close the shift]
//! ‹Lock up›                     → Send a photo that shows it is done.  [⬅️ All tasks]
//! ‹photo›                       → ✅ Lock up is done. One photo.
//! ‹Close the shift›             → Time × rate: 9.90 ₽ … Total: 76.90 ₽  [✅ Close it]
//! ‹Close it›                    → Closed. Total: 76.90 ₽
//! ```
//! The shift itself lives in the records and is entered by a link, so that anything else can be done in between; what is asked
//! about it is short-lived and never put aside. Within the dialogue its state says what is done.
//!
//! Opening one takes the role of a worker. One that is open is its worker's to finish, whatever became of the role: work that was
//! agreed to is paid.

use crate::pay::Task;
use crate::records::shift::{
    ALREADY_OPEN, CHANGED, CLOSED, ENOUGH_PHOTOS, MOST_PHOTOS, NEEDS_PHOTO, Offer, Running, Site,
};
use crate::role::WORKER;
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{PAGE, Refusal};
use steadfast::records::member::NOT_ALLOWED;

mod closing;
mod opening;
pub(super) mod words;
mod working;

/// The name of the message that shows the tasks, a task, or the summary.
const LIST: &str = "shift";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A worker's shift.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum ShiftFlow {
    /// Where.
    Object {
        /// The page of the list.
        page: usize,
    },
    /// For which time slot, where there are several at this time.
    Slot {
        /// Where.
        object: String,
        /// The page of the list.
        #[serde(default)]
        page: usize,
    },
    /// Whether to open it on these terms. The button says which: they may be others when it is pressed.
    #[serde(alias = "start")]
    Terms {
        /// Where.
        object: String,
        /// For which time slot.
        slot: Option<String>,
    },
    /// Which task is next. The shift is open.
    Tasks {
        /// The shift, and what is done.
        shift: Running,
        /// The page of the list.
        page: usize,
        /// The task that photos were sent for last: the rest of an album may still come.
        proof: Option<String>,
    },
    /// Whether this task is done, and what shows it.
    Task {
        /// The shift.
        shift: Running,
        /// Which task.
        task: String,
    },
    /// Whether to close it with this pay.
    Close {
        /// The shift.
        shift: Running,
        /// When it ends: when the summary was asked for.
        until: i64,
    },
}

impl Flow for ShiftFlow {
    const NAME: &'static str = "shift";
    const ROLES: &'static [Role] = &[WORKER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return Some(refused(refusal));
        }
        turn.begins(Self::NAME).then(|| opening::begin(turn))
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match turn.begins(Self::NAME) {
            true => vec![read("shift", ""), read("sites", "")],
            false => Vec::new(),
        }
    }

    /// Whoever has a shift open.
    fn admits(turn: &Turn) -> bool {
        turn.begins(Self::NAME) && turn.read::<Option<Running>>("shift").is_some()
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Object { .. } | Self::Slot { .. } => vec![read("sites", "")],
            Self::Terms { object, slot } => {
                let slot = slot.as_deref().unwrap_or_default();
                let offer = read("offer", format!("{object} {slot}"));
                vec![read("sites", ""), offer]
            }
            Self::Close { .. } => vec![read("other_colleagues", "owner")],
            Self::Tasks { .. } | Self::Task { .. } => Vec::new(),
        }
    }

    /// Whoever has opened a shift may close it, whatever became of their roles.
    fn roles(&self) -> &'static [Role] {
        match self.shift() {
            Some(_) => &[],
            None => Self::ROLES,
        }
    }

    fn ask(&self, view: &Context) -> Prompt {
        let prompt = match self {
            Self::Object { page } => {
                let sites: Vec<Site> = view.read("sites");
                say("shift-ask-object").page(&sites, *page, |site| {
                    choice(site.object.name.clone(), site.object.id.clone())
                })
            }
            Self::Slot { object, page } => words::slots(opening::site(view, object), *page),
            Self::Terms { .. } => match view.read::<Option<Offer>>("offer") {
                Some(offer) => {
                    say(words::offer(&offer)).choice("shift-start", opening::mark(&offer))
                }
                None => say("shift-gone").choice("shift-again", "again"),
            },
            Self::Tasks { shift, page, .. } => say(words::tasks(shift))
                .page(&shift.terms.tasks, *page, |task| choice(words::task(task), task.id.clone()))
                .choice("shift-close", "close"),
            Self::Task { shift, task } => words::task_card(find(shift, task)),
            Self::Close { shift, until } => say(words::summary("shift-summary", shift, *until))
                .choice("shift-confirm", "close")
                .choice("shift-back", "back"),
        };
        prompt.refreshes(LIST)
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(refusal) = &turn.input {
            return Ok(refused(refusal));
        }
        match self {
            Self::Object { .. } => opening::at_object(turn),
            Self::Slot { object, .. } => opening::at_slot(object, turn),
            Self::Terms { object, slot } => opening::at_terms(&object, slot.as_deref(), turn),
            Self::Tasks { shift, proof, .. } => working::at_tasks(shift, proof, turn),
            Self::Task { shift, task } => working::at_task(shift, task, turn),
            Self::Close { shift, until } => closing::at_close(shift, until, turn),
        }
    }

    fn back(self) -> Option<Self> {
        match self {
            Self::Slot { .. } | Self::Terms { .. } => Some(Self::Object { page: 0 }),
            Self::Task { shift, task } => Some(list(shift, Some(task))),
            Self::Close { shift, .. } => Some(list(shift, None)),
            Self::Object { .. } | Self::Tasks { .. } => None,
        }
    }

    fn ttl(&self) -> Duration {
        DAY
    }

    /// What is asked of an open shift is never put aside: the records know all of it.
    fn data_ttl(&self) -> Option<Duration> {
        self.shift().map(|_| Duration::ZERO)
    }

    fn remind(&self, _: &Context) -> Option<(Duration, Prompt)> {
        let remind = match self.shift() {
            Some(shift) => words::still_open("shift-remind", shift),
            None => say("shift-remind-opening"),
        };
        Some((DAY - Duration::from_secs(3600), remind))
    }

    fn expire(self, _: &Context) -> Step<Self> {
        match self.shift() {
            Some(shift) => done().prompt(words::still_open("shift-still-open", shift)),
            None => park(self),
        }
    }

    /// The shift is a record, and its link leads there again.
    fn on_error(&self) -> OnError {
        match self {
            Self::Close { .. } => OnError::Clear,
            _ => OnError::Rollback,
        }
    }
}

impl ShiftFlow {
    /// The open shift, in the states that are about one.
    fn shift(&self) -> Option<&Running> {
        match self {
            Self::Tasks { shift, .. } | Self::Task { shift, .. } | Self::Close { shift, .. } => {
                Some(shift)
            }
            Self::Object { .. } | Self::Slot { .. } | Self::Terms { .. } => None,
        }
    }
}

/// What was not written: the truth, and the way to what is so.
fn refused(refusal: &Refusal) -> Step<ShiftFlow> {
    let words = match refusal.reason.as_str() {
        ALREADY_OPEN => text("shift-already-open"),
        CHANGED => text("shift-changed"),
        CLOSED => text("shift-closed-before"),
        NEEDS_PHOTO => text("shift-photo-hint"),
        ENOUGH_PHOTOS => text("shift-enough-photos").with("max", MOST_PHOTOS),
        NOT_ALLOWED => text("not-allowed"),
        _ => text("apology"),
    };
    done().prompt(say(words).link("shift-title", ShiftFlow::NAME, ""))
}

/// The list, at the page where this task is.
fn list(shift: Running, proof: Option<String>) -> ShiftFlow {
    let mut tasks = shift.terms.tasks.iter();
    let place = tasks.position(|task| Some(&task.id) == proof.as_ref());
    let page = place.unwrap_or(0) / PAGE;
    ShiftFlow::Tasks { shift, page, proof }
}

fn find<'a>(shift: &'a Running, id: &str) -> Option<&'a Task> {
    shift.terms.tasks.iter().find(|task| task.id == id)
}

fn now(view: &Context) -> i64 {
    i64::try_from(view.now).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
