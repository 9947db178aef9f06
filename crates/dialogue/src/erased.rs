//! Flows without their types, so that many can stand in one list.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::to_raw_value;

use super::declared;
use super::flow::{Flow, OnError};
use super::prompt::Prompt;
use super::saved::State;
use super::step::{Deed, Hint, Next, Step};
use super::text::text;
use super::turn::{Context, Read, Turn, read};
use crate::{Member, Role};

/// A flow without its type.
pub(super) trait AnyFlow: Send + Sync {
    fn name(&self) -> &'static str;
    fn schema(&self) -> u32;
    fn states(&self) -> &'static [&'static str];
    fn in_menu(&self) -> bool;
    fn roles(&self) -> &'static [Role];
    fn hears_replies(&self) -> bool;
    fn goes_on(&self) -> bool;
    fn finds_lost(&self) -> bool;
    fn open(&self, turn: &Turn) -> Result<Option<Taken>, Stop>;
    fn admits(&self, turn: &Turn) -> Result<bool, Stop>;
    fn act(&self, schema: u32, state: &State, act: Act, turn: &Turn) -> Result<Acted, Stop>;
    fn cancelled(&self, schema: u32, state: &State, turn: &Turn) -> Vec<Deed>;
    fn on_error(&self, schema: u32, state: &State) -> OnError;
    fn data_ttl(&self, schema: u32, state: &State) -> Option<Duration>;
}

/// What is to be done with a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Answer,
    Back,
    Ask,
    Remind,
    Resume,
    Expire,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum Acted {
    Taken(Taken),
    Hint(Hint, Placed),
    Remind(Option<Prompt>, Placed),
    /// There is no way back.
    Nowhere,
    /// The person may not go on with it any more.
    Barred,
}

/// A step without its type.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) next: Onward,
    pub(super) deeds: Vec<Deed>,
}

/// Where a dialogue goes, without the flow's type.
#[derive(Debug)]
pub(super) enum Onward {
    /// To this state; the prompt is there if it asks.
    At(Placed, Option<Prompt>),
    Done,
    Park(Placed),
    Open {
        park: Placed,
        flow: &'static str,
        arg: String,
    },
}

/// A state with what the engine must know of it.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) state: State,
    pub(super) schema: u32,
    pub(super) ttl: Duration,
    pub(super) remind: Option<Duration>,
    pub(super) pause: Option<Duration>,
    /// What arriving there causes.
    pub(super) arrival: Vec<Deed>,
}

/// Why a step could not be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// This must be read first.
    Needs(Vec<Read>),
    /// Only a newer build reads this state.
    Newer,
    /// Nobody reads this state.
    Broken,
    /// The person may not see what it reads.
    Barred,
}

/// Stands for a flow in a list.
pub(super) struct Erased<F>(pub(super) PhantomData<fn() -> F>);

impl<F: Flow> AnyFlow for Erased<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn schema(&self) -> u32 {
        F::SCHEMA
    }

    fn states(&self) -> &'static [&'static str] {
        declared::states::<F>()
    }

    fn in_menu(&self) -> bool {
        F::IN_MENU
    }

    fn roles(&self) -> &'static [Role] {
        F::ROLES
    }

    fn hears_replies(&self) -> bool {
        F::HEARS_REPLIES
    }

    fn goes_on(&self) -> bool {
        F::GOES_ON
    }

    fn finds_lost(&self) -> bool {
        F::FINDS_LOST
    }

    fn open(&self, turn: &Turn) -> Result<Option<Taken>, Stop> {
        let step = F::open(&*focus(turn, &F::reads_to_open(turn))?);
        step.map(|step| taken(step, turn)).transpose()
    }

    fn admits(&self, turn: &Turn) -> Result<bool, Stop> {
        Ok(F::admits(&*focus(turn, &F::reads_to_open(turn))?))
    }

    fn act(&self, schema: u32, state: &State, act: Act, turn: &Turn) -> Result<Acted, Stop> {
        let state: F = decode(schema, state)?;
        let own = sight(&state, turn)?;
        let step = match act {
            Act::Answer => match state.clone().answer(&own) {
                Ok(step) => step,
                Err(hint) => return Ok(Acted::Hint(hint, place(&state, &own))),
            },
            Act::Back => match state.back() {
                Some(state) => super::step::goto(state),
                None => return Ok(Acted::Nowhere),
            },
            Act::Ask => super::step::goto(state),
            Act::Resume => state.resume(&own),
            Act::Expire => state.expire(&own),
            Act::Remind => {
                let reminder = state.remind(&own).map(|(_, reminder)| reminder);
                let reminder = reminder.map(|it| reminded(it, || state.ask(&own)));
                return Ok(Acted::Remind(reminder, place(&state, &own)));
            }
        };
        taken(step, turn).map(Acted::Taken)
    }

    fn cancelled(&self, schema: u32, state: &State, turn: &Turn) -> Vec<Deed> {
        // Whoever wants to end it can, whether or not it can be read.
        decode::<F>(schema, state).map_or_else(|_| Vec::new(), |state| state.cancelled(turn))
    }

    fn on_error(&self, schema: u32, state: &State) -> OnError {
        decode::<F>(schema, state).map_or(OnError::Rollback, |state| state.on_error())
    }

    fn data_ttl(&self, schema: u32, state: &State) -> Option<Duration> {
        decode::<F>(schema, state).ok().and_then(|state| state.data_ttl())
    }
}

/// A reminder with the question that it is about, so that nobody answers the reminder instead. One with buttons of its own says all.
fn reminded(reminder: Prompt, question: impl FnOnce() -> Prompt) -> Prompt {
    if !reminder.rows.is_empty() {
        return reminder;
    }
    let question = question();
    Prompt {
        text: text("reminder").with("words", reminder.text).with("question", question.text),
        ..question
    }
}

/// Reads a state, by way of its migrations if it is older.
fn decode<F: Flow>(schema: u32, state: &State) -> Result<F, Stop> {
    if schema > F::SCHEMA {
        return Err(Stop::Newer);
    }
    if schema == F::SCHEMA {
        return serde_json::from_str(state.0.get()).map_err(|_| Stop::Broken);
    }
    let value: Option<Value> = serde_json::from_str(state.0.get()).ok();
    let migrated = (schema..F::SCHEMA).fold(value, |value, schema| F::migrate(schema, value?));
    serde_json::from_value(migrated.ok_or(Stop::Broken)?).map_err(|_| Stop::Broken)
}

/// The turn as this state sees it, for a person who may. Whoever they are is read with everything else, so that nobody waits longer.
fn sight<'a, F: Flow>(state: &F, turn: &'a Turn) -> Result<Cow<'a, Turn>, Stop> {
    let (reads, roles) = (state.reads(), state.roles());
    if reads.is_empty() || roles.is_empty() {
        return focus(turn, &reads);
    }
    let who = [read(Member::READ, "")];
    let missing = missing(turn, reads.iter().chain(&who));
    if !missing.is_empty() {
        return Err(Stop::Needs(missing));
    }
    match turn.read::<Member>(Member::READ).is_any_of(roles) {
        true => focus(turn, &reads),
        false => Err(Stop::Barred),
    }
}

/// The turn with these reads and no others, so that a state never finds what another one read under the same name. Stops if
/// something has not been read yet.
fn focus<'a>(turn: &'a Turn, reads: &[Read]) -> Result<Cow<'a, Turn>, Stop> {
    let missing = missing(turn, reads);
    if !missing.is_empty() {
        return Err(Stop::Needs(missing));
    }
    if turn.reads.iter().all(|read| reads.contains(read)) {
        return Ok(Cow::Borrowed(turn));
    }
    let mut own = turn.clone();
    own.view.reads.retain(|read| reads.contains(read));
    Ok(Cow::Owned(own))
}

/// What of this has not been read yet.
fn missing<'a>(turn: &Turn, reads: impl IntoIterator<Item = &'a Read>) -> Vec<Read> {
    let mut missing: Vec<Read> = Vec::new();
    for read in reads {
        if !turn.reads.has(read) && !missing.contains(read) {
            missing.push(read.clone());
        }
    }
    missing
}

fn taken<F: Flow>(step: Step<F>, turn: &Turn) -> Result<Taken, Stop> {
    let next = match step.next {
        Next::Goto(state) => {
            let own = sight(&state, turn)?;
            let placed = Placed { arrival: state.arrives(&own), ..place(&state, &own) };
            Onward::At(placed, Some(state.ask(&own)))
        }
        Next::Keep(state) => {
            let own = sight(&state, turn)?;
            Onward::At(place(&state, &own), None)
        }
        Next::Done => Onward::Done,
        Next::Park(state) => Onward::Park(aside(&state)),
        Next::Open { park, flow, arg } => Onward::Open { park: aside(&park), flow, arg },
    };
    Ok(Taken { next, deeds: step.deeds })
}

/// A state that waits for an answer.
fn place<F: Flow>(state: &F, view: &Context) -> Placed {
    Placed { remind: state.remind(view).map(|(after, _)| after), ..aside(state) }
}

/// A state that nobody asks about for now.
fn aside<F: Flow>(state: &F) -> Placed {
    Placed {
        state: State(to_raw_value(state).expect("a flow's state is plain data")),
        schema: F::SCHEMA,
        ttl: state.ttl(),
        remind: None,
        pause: state.pause(),
        arrival: Vec::new(),
    }
}
