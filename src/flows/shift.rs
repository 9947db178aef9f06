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

use crate::dialogue::prelude::*;
use crate::dialogue::{PAGE, Refusal};
use crate::pay::{Task, pay, total};
use crate::records::colleague::Colleague;
use crate::records::member::NOT_ALLOWED;
use crate::records::shift::{
    ALREADY_OPEN, CHANGED, CLOSED, CloseShift, CompleteTask, ENOUGH_PHOTOS, MOST_PHOTOS,
    NEEDS_PHOTO, Offer, OpenShift, Running, Site,
};

mod words;

/// How long a summary may stand before it is shown anew: pay goes by the minute.
const STANDS: i64 = 10 * 60_000;
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
    },
    /// Whether to open it on these terms.
    Start {
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
    const ROLES: &'static [Role] = &[Role::Worker];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return Some(refused(refusal));
        }
        turn.begins(Self::NAME).then(|| begin(turn))
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match turn.begins(Self::NAME) {
            true => vec![read("shift", ""), read("sites", "")],
            false => Vec::new(),
        }
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Object { .. } | Self::Slot { .. } => vec![read("sites", "")],
            Self::Start { object, slot } => {
                let slot = slot.as_deref().unwrap_or_default();
                vec![read("offer", format!("{object} {slot}"))]
            }
            Self::Close { .. } => vec![read("colleagues", "owner")],
            Self::Tasks { .. } | Self::Task { .. } => Vec::new(),
        }
    }

    fn ask(&self, view: &View) -> Prompt {
        let prompt = match self {
            Self::Object { page } => {
                let sites: Vec<Site> = view.read("sites");
                say("shift-ask-object").page(&sites, *page, |site| {
                    choice(site.object.name.clone(), site.object.id.clone())
                })
            }
            Self::Slot { object } => words::slots(site(view, object)),
            Self::Start { .. } => match view.read::<Option<Offer>>("offer") {
                Some(offer) => say(words::offer(&offer)).choice("shift-start", "open"),
                None => say("shift-gone").choice("shift-again", "again"),
            },
            Self::Tasks { shift, page, .. } => say(words::tasks(shift))
                .page(&shift.terms.tasks, *page, |task| {
                    choice(words::task(task), task.id.clone())
                })
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
        Ok(match self {
            Self::Object { .. } => match turn.page() {
                Some(page) => goto(Self::Object { page }),
                None => {
                    let chosen = turn.choice("shift-object-hint")?;
                    let site = site(turn, chosen).ok_or_else(|| hint("shift-gone"))?;
                    goto(towards(&site))
                }
            },
            Self::Slot { object } => {
                let slot = Some(turn.choice("shift-slot-hint")?.to_owned());
                goto(Self::Start { object, slot })
            }
            Self::Start { object, .. } => {
                turn.choice("shift-start-hint")?;
                match turn.read::<Option<Offer>>("offer") {
                    Some(offer) => start(object, offer, turn),
                    None => goto(Self::Object { page: 0 }),
                }
            }
            Self::Tasks { shift, proof, .. } => at_tasks(shift, proof, turn)?,
            Self::Task { shift, task } => at_task(shift, task, turn)?,
            Self::Close { shift, until } => match turn.choice("shift-close-hint")? {
                "back" => goto(list(shift, None)),
                _ if now(turn) - until > STANDS => {
                    let until = now(turn);
                    goto(Self::Close { shift, until }).say("shift-renewed")
                }
                _ => close(&shift, until, turn),
            },
        })
    }

    fn back(self) -> Option<Self> {
        match self {
            Self::Slot { .. } | Self::Start { .. } => Some(Self::Object { page: 0 }),
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

    fn remind(&self, _: &View) -> Option<(Duration, Prompt)> {
        let remind = words::still_open("shift-remind", self.shift()?);
        Some((DAY - Duration::from_secs(3600), remind))
    }

    fn expire(self, _: &View) -> Step<Self> {
        match self.shift() {
            Some(shift) => done().prompt(words::still_open("shift-still-open", shift)),
            None => park(self),
        }
    }

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
            Self::Object { .. } | Self::Slot { .. } | Self::Start { .. } => None,
        }
    }
}

/// To the shift that is open, else to where one can be opened. What leaves no choice is not asked.
fn begin(turn: &Turn) -> Step<ShiftFlow> {
    if let Some(shift) = turn.read::<Option<Running>>("shift") {
        return goto(list(shift, None));
    }
    match &turn.read::<Vec<Site>>("sites")[..] {
        [] => done().say("shift-no-objects"),
        [only] => goto(towards(only)),
        _ => goto(ShiftFlow::Object { page: 0 }),
    }
}

fn towards(site: &Site) -> ShiftFlow {
    let object = site.object.id.clone();
    match &site.slots[..] {
        [] | [_] => ShiftFlow::Start {
            object,
            slot: site.slots.first().map(|slot| slot.id.clone()),
        },
        _ => ShiftFlow::Slot { object },
    }
}

/// Opens it on the terms that were shown.
fn start(object: String, offer: Offer, turn: &Turn) -> Step<ShiftFlow> {
    let Offer {
        object: place,
        terms,
    } = offer;
    let shift = Running {
        id: turn.fresh_id(),
        object: place.name,
        zone: place.zone,
        opened_at: now(turn),
        terms: terms.clone(),
    };
    let open = OpenShift {
        id: shift.id.clone(),
        object,
        terms,
        at: shift.opened_at,
    };
    goto(list(shift, None)).record(open)
}

fn at_tasks(shift: Running, proof: Option<String>, turn: &Turn) -> Answer<ShiftFlow> {
    if let Some(page) = turn.page() {
        return Ok(goto(ShiftFlow::Tasks { shift, page, proof }));
    }
    if let (Input::Photo(part), Some(task)) = (&turn.input, &proof)
        && is_known(part, turn)
    {
        let record = completed(&shift, task, Some(part.file_id.clone()), turn);
        return Ok(keep(list(ticked(shift, task, 1), proof)).record(record));
    }
    match turn.choice("shift-tasks-hint")? {
        "close" => {
            let until = now(turn);
            Ok(goto(ShiftFlow::Close { shift, until }))
        }
        chosen => {
            let known = shift.terms.tasks.iter().any(|task| task.id == chosen);
            let task = known.then(|| chosen.to_owned());
            let task = task.ok_or_else(|| hint("shift-tasks-hint"))?;
            Ok(goto(ShiftFlow::Task { shift, task }))
        }
    }
}

/// A photo shows at once that it is done; what needs none is done at a word.
fn at_task(shift: Running, task: String, turn: &Turn) -> Answer<ShiftFlow> {
    let Some(Task { media, photos, .. }) = find(&shift, &task).cloned() else {
        return Ok(goto(list(shift, None)));
    };
    match &turn.input {
        Input::Photo(_) if photos >= MOST_PHOTOS => {
            Err(hint(text("shift-enough-photos").with("max", MOST_PHOTOS)))
        }
        Input::Photo(photo) => {
            let record = completed(&shift, &task, Some(photo.file_id.clone()), turn);
            let shift = ticked(shift, &task, 1);
            let next = ShiftFlow::Task { shift, task };
            let is_rest = is_known(photo, turn) && photos > 0;
            let step = if is_rest { keep(next) } else { goto(next) };
            Ok(step.record(record))
        }
        Input::Choice(chosen) if chosen == "done" && (!media || photos > 0) => {
            let record = completed(&shift, &task, None, turn);
            let shift = ticked(shift, &task, 0);
            Ok(goto(list(shift, Some(task))).record(record))
        }
        Input::Choice(chosen) if chosen == "back" => Ok(goto(list(shift, Some(task)))),
        _ if media => Err(hint("shift-photo-hint")),
        _ => Err(hint("shift-done-hint")),
    }
}

/// Closes it with the pay that was shown, and tells the owners.
fn close(shift: &Running, until: i64, turn: &Turn) -> Step<ShiftFlow> {
    let record = CloseShift {
        shift: shift.id.clone(),
        at: until,
        total: total(&pay(&shift.terms, shift.opened_at, until)),
    };
    let step = done().record(record);
    let step = step.say(words::summary("shift-closed", shift, until));
    let told = words::told(&turn.person, shift, until);
    let owners: Vec<Colleague> = turn.read("colleagues");
    owners.into_iter().fold(step, |step, owner| {
        step.tell_in(owner.language, owner.id, say(told.clone()))
    })
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

/// The shift with this task done, and so many more photos of it.
fn ticked(mut shift: Running, id: &str, photos: usize) -> Running {
    let mut tasks = shift.terms.tasks.iter_mut();
    if let Some(task) = tasks.find(|task| task.id == id) {
        task.done = true;
        task.photos += photos;
    }
    shift
}

fn completed(shift: &Running, task: &str, photo: Option<String>, turn: &Turn) -> CompleteTask {
    CompleteTask {
        shift: shift.id.clone(),
        task: task.to_owned(),
        photo,
        at: now(turn),
    }
}

fn find<'a>(shift: &'a Running, id: &str) -> Option<&'a Task> {
    shift.terms.tasks.iter().find(|task| task.id == id)
}

fn site(view: &View, object: &str) -> Option<Site> {
    let sites: Vec<Site> = view.read("sites");
    sites.into_iter().find(|site| site.object.id == object)
}

/// A further part of an album whose first part was taken.
fn is_known(part: &Photo, turn: &Turn) -> bool {
    part.album.is_some() && part.album == turn.last_album
}

fn now(view: &View) -> i64 {
    i64::try_from(view.now).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
