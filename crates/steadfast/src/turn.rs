//! The stack an update goes through, top to bottom, on one screen.

use std::sync::Arc;

use tower::util::{BoxCloneSyncService, BoxCloneSyncServiceLayer};
use tower::{Layer as _, ServiceBuilder};

use crate::dialogue::{Edges, Passage, Repertoire};
use crate::store;

pub mod engine;
mod event;
mod leased;
pub mod log;
pub mod migration;
mod pardon;
pub mod session;
pub mod transition;
mod turnstile;

pub use engine::{Engine, Unplayed};
pub use event::{Event, Settled};
pub use leased::{LeasedQueue, LeasedQueues, LeasedReceiver};
pub use log::{Log, LogLayer};
pub use session::{Desk, MAX_TRIES, StateLayer, StateService};
pub(crate) use transition::WAYS;
pub use transition::{Shown, Transition, TransitionLayer};

/// The whole stack, ready to be called by the webhook, the timers and the operators.
pub type Pipeline = BoxCloneSyncService<Event, Outcome, TurnError>;

/// A layer around every turn, made from any `tower::Layer<Pipeline>` with `TurnLayer::new`.
pub type TurnLayer = BoxCloneSyncServiceLayer<Pipeline, Event, Outcome, TurnError>;

/// The stack. Each layer changes what is asked or answered, so this order compiles and no other does:
///
/// ```
/// # use std::sync::Arc;
/// # use steadfast::dialogue::{Edges, Repertoire};
/// # use steadfast::turn::{Desk, LogLayer, Engine, StateLayer, TransitionLayer, Pipeline};
/// # fn right(repertoire: Arc<Repertoire>, edges: &Edges, desk: Desk) -> Pipeline {
/// Pipeline::new(
///     tower::ServiceBuilder::new()
///         .layer(LogLayer::new(false))
///         .layer(TransitionLayer::new(edges))
///         .layer(StateLayer::new(desk))
///         .service(Engine::new(repertoire)),
/// )
/// # }
/// ```
/// ```compile_fail,E0271
/// # use std::sync::Arc;
/// # use steadfast::dialogue::{Edges, Repertoire};
/// # use steadfast::turn::{Desk, LogLayer, Engine, StateLayer, TransitionLayer, Pipeline};
/// # fn wrong(repertoire: Arc<Repertoire>, edges: &Edges, desk: Desk) -> Pipeline {
/// Pipeline::new(
///     tower::ServiceBuilder::new()
///         .layer(LogLayer::new(false))
///         .layer(StateLayer::new(desk)) // it would tell of transitions before they are committed
///         .layer(TransitionLayer::new(edges))
///         .service(Engine::new(repertoire)),
/// )
/// # }
/// ```
/// ```compile_fail,E0271
/// # use std::sync::Arc;
/// # use steadfast::dialogue::{Edges, Repertoire};
/// # use steadfast::turn::{Desk, LogLayer, Engine, StateLayer, TransitionLayer, Pipeline};
/// # fn wrong(repertoire: Arc<Repertoire>, edges: &Edges, desk: Desk) -> Pipeline {
/// Pipeline::new(
///     tower::ServiceBuilder::new()
///         .layer(TransitionLayer::new(edges)) // it would see steps that were never shown
///         .layer(LogLayer::new(false))
///         .layer(StateLayer::new(desk))
///         .service(Engine::new(repertoire)),
/// )
/// # }
/// ```
///
/// The layers of the bot's author stand around it, the first outermost.
pub fn build(
    repertoire: Arc<Repertoire>,
    edges: &Edges,
    desk: Desk,
    log_texts: bool,
    layers: &[TurnLayer],
) -> Pipeline {
    let stack = BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(LogLayer::new(log_texts)) // one line per update when it comes, one when it is over
            .layer(TransitionLayer::new(edges)) // one event per transition that was committed
            .layer(StateLayer::new(desk)) // Event → Scene below, Played → Outcome above
            .service(Engine::new(repertoire)), // Scene → Played: pure
    );
    layers.iter().rev().fold(stack, |inner, layer| layer.layer(inner))
}

/// What became of an incoming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// In one word.
    pub outcome: OutcomeKind,
    /// The transitions that were committed; often one, sometimes none.
    pub edges: Vec<Passage>,
    /// How often the step was run: more than once after a conflict.
    pub attempts: u32,
    /// What to show the presser of a button: the text of `answerCallbackQuery`, which may be empty.
    pub toast: String,
}

/// What became of an incoming, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeKind {
    /// Its step is committed.
    Applied,
    /// It had been committed before.
    Duplicate,
    /// It concerned no dialogue and caused nothing: nothing was written.
    Ignored,
    /// It failed too often and was put aside with a dead letter.
    DeadLetter,
}

impl OutcomeKind {
    /// The word in logs and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Duplicate => "duplicate",
            Self::Ignored => "ignored",
            Self::DeadLetter => "dead_letter",
        }
    }
}

/// Why an incoming could not be dealt with now. It is not acknowledged and comes again.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The store, or what the step wanted to read, is out of reach.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// What the step wanted to read could not be had.
    #[error("the records are unavailable: {0}")]
    Records(String),
    /// Others were faster, again and again.
    #[error("the dialogue changed {0} times while the step was made")]
    Contended(u32),
    /// It took too long; someone else may have dealt with it meanwhile.
    #[error("the turn took too long to be committed")]
    TooOld,
    /// The step failed; it is tried again until the tries are used up.
    #[error("the step failed at try {tries}: {reason}")]
    Failed {
        /// How many tries are on record.
        tries: u32,
        /// What is known, without user data.
        reason: String,
    },
    /// What the turn was to settle has been settled, or is someone else's to settle.
    #[error("the job that the turn was about is someone else's by now")]
    Stale,
    /// The dialogue was written by a newer build, and a replica of that build is alive to go on with it.
    #[error("the dialogue is in a state of `{flow}` that only a newer build reads")]
    Newer {
        /// The flow.
        flow: String,
    },
}

impl From<migration::Error> for TurnError {
    fn from(error: migration::Error) -> Self {
        match error {
            migration::Error::Store(error) => Self::Store(error),
            migration::Error::Pending => Self::Records(error.to_string()),
            migration::Error::Contended => Self::Contended(0),
        }
    }
}

impl TurnError {
    /// The word in metrics.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Store(_) | Self::Records(_) => "store_error",
            Self::Contended(_) => "contended",
            Self::TooOld | Self::Stale => "timeout",
            Self::Failed { .. } => "failed",
            Self::Newer { .. } => "newer_state",
        }
    }
}

impl Outcome {
    /// Nothing was committed.
    fn nothing(outcome: OutcomeKind, toast: String) -> Self {
        Self { outcome, edges: Vec::new(), attempts: 0, toast }
    }
}
