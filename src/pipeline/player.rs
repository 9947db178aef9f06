//! The bottom of the stack: plays a scene. Panics end here.

use std::future::{Ready, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use metrics::{Counter, Histogram, counter, histogram};
use tower::Service;

use crate::dialogue::{Halt, Played, Repertoire, Scene};

/// Plays scenes of a repertoire.
#[derive(Debug, Clone)]
pub struct Player {
    repertoire: Arc<Repertoire>,
    duration: Histogram,
    panics: Counter,
}

/// Why a scene could not be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unplayed {
    /// Something is missing.
    Halt(Halt),
    /// The flow panicked. The log says where; what it said may hold user data and is not repeated.
    Panicked,
}

impl Player {
    /// A player of this repertoire.
    pub fn new(repertoire: Arc<Repertoire>) -> Self {
        Self {
            repertoire,
            duration: histogram!("steadfast_handler_duration_seconds"),
            panics: counter!("steadfast_handler_panics_total"),
        }
    }
}

impl Service<Scene> for Player {
    type Response = Played;
    type Error = Unplayed;
    type Future = Ready<Result<Played, Unplayed>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Unplayed>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, scene: Scene) -> Self::Future {
        let start = Instant::now();
        // Nothing is shared with the step but the repertoire, which it cannot change.
        let played = catch_unwind(AssertUnwindSafe(|| self.repertoire.play(scene)));
        self.duration.record(start.elapsed());
        ready(played.map_or_else(
            |_| {
                self.panics.increment(1);
                Err(Unplayed::Panicked)
            },
            |played| played.map_err(Unplayed::Halt),
        ))
    }
}
