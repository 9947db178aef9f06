//! The bottom of the stack: plays a scene. Panics end here.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use metrics::{Counter, Histogram, counter, histogram};
use tower::Service;

use crate::dialogue::{Dialogue, Halt, Played, Repertoire, Scene};

/// Plays scenes of a repertoire.
#[derive(Debug, Clone)]
pub struct Engine {
    repertoire: Arc<Repertoire>,
    durations: Arc<Durations>,
    panics: Counter,
}

/// How long steps take, by flow.
#[derive(Debug)]
struct Durations {
    flows: HashMap<String, Histogram>,
    /// Of turns in which no flow was under way, before or after.
    none: Histogram,
}

/// Why a scene could not be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unplayed {
    /// Something is missing.
    Halt(Halt),
    /// The record is one that nobody can read.
    Broken,
    /// What it wants to read can never be read.
    Unread(String),
    /// The flow panicked, or what it reads did. The log says where; what it said may hold user data and is not repeated.
    Panicked,
}

impl Engine {
    /// A player of this repertoire.
    pub fn new(repertoire: Arc<Repertoire>) -> Self {
        Self {
            durations: Arc::new(Durations::new(&repertoire)),
            repertoire,
            panics: counter!("steadfast_handler_panics_total"),
        }
    }
}

impl Durations {
    fn new(repertoire: &Repertoire) -> Self {
        let of = |flow: &str| histogram!("steadfast_handler_duration_seconds", "flow" => flow.to_owned());
        let flows = repertoire.names().map(|name| (name.to_owned(), of(name)));
        Self { flows: flows.collect(), none: of("none") }
    }

    /// Of the flow that is under way in this dialogue, if one is.
    fn live(&self, dialogue: &Dialogue) -> Option<&Histogram> {
        self.flows.get(&dialogue.live.as_ref()?.flow)
    }

    /// Of the flow that a turn began, if it did; it may be over already.
    fn begun(&self, played: &Played) -> Option<&Histogram> {
        self.flows.get(&played.edges.first()?.flow)
    }
}

impl Service<Scene> for Engine {
    type Response = Played;
    type Error = Unplayed;
    type Future = Ready<Result<Played, Unplayed>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Unplayed>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, scene: Scene) -> Self::Future {
        let (start, durations) = (Instant::now(), Arc::clone(&self.durations));
        let before = durations.live(&scene.dialogue);
        // Nothing is shared with the step but the repertoire, which it cannot change.
        let played = catch_unwind(AssertUnwindSafe(|| self.repertoire.play(scene)));
        let begun = || durations.begun(played.as_ref().ok()?.as_ref().ok()?);
        // What only asked for something to read is played once more, and is measured then.
        if !matches!(played, Ok(Err(Halt::Needs(_)))) {
            let duration = before.or_else(begun).unwrap_or(&durations.none);
            duration.record(start.elapsed());
        }
        ready(played.map_or_else(
            |_| {
                self.panics.increment(1);
                Err(Unplayed::Panicked)
            },
            |played| played.map_err(Unplayed::Halt),
        ))
    }
}
