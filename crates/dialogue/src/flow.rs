//! What the author of a flow writes.

use std::fmt::Debug;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::prompt::Prompt;
use super::step::{Answer, Deed, Step, park};
use super::turn::{Context, Read, Turn};
use crate::Role;

/// One kind of dialogue. A state is a question; a transition is an answer.
///
/// Implemented by an enum of states with `#[serde(tag = "at", rename_all = "snake_case")]`: the tag is the state's name in the
/// store, in metrics and in the diagram, so renaming a state needs an `alias`.
///
/// Pure and synchronous: whatever a flow wants to know is in its arguments, whatever it wants done is in its step. So a step may be
/// run again on fresher state, and its test is a plain `#[test]`.
///
/// # A whole flow, with its tests
///
#[doc = include_str!("../signup.md")]
///
/// # What an author can rely on
///
/// - A hint leaves the state and its buttons alone and only shows that somebody is there: the wait begins anew.
/// - `/start`, `/cancel`, `/back`, `/help` and `/menu` never reach [`Flow::answer`]; a command that no flow opens on does.
/// - A [`choice`](super::choice) works while its question stands; [`keep`](super::keep) leaves it standing,
///   [`goto`](super::goto) asks anew. A [`link`](super::link) works for ever, so the flow it opens decides who may.
/// - What a step says comes before the question of the state it goes to.
/// - A step that panics is tried again, then put aside with an apology; [`Flow::on_error`] says what becomes of the dialogue.
/// - A text that is no key of the Fluent files is said as it stands.
pub trait Flow: Debug + Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Its name: in the store, in metrics, in the diagram, and its title as the text `<name>-title`. Also its command, as far as
    /// Telegram is told; the text `<name>-command` says there what it does, else its title.
    const NAME: &'static str;

    /// The version of its states. Raise it when an older build could not read them, and write [`Flow::migrate`].
    const SCHEMA: u32 = 1;

    /// Whether `/menu` has a button for it.
    const IN_MENU: bool = true;

    /// Who may begin it: whoever has one of these roles; everybody where none is named. Others do not see it in the menu, and by
    /// its command or its links they get a polite refusal. Who goes on with it: see [`Flow::roles`].
    const ROLES: &'static [Role] = &[];

    /// Whether a message that answers another one is shown to [`Flow::open`] before the waiting flow gets it: who answers a message
    /// means that one, whatever else was asked.
    const HEARS_REPLIES: bool = false;

    /// Whether who begins it once more goes on with what is under way, or put aside, instead: for what is asked once, and lost if it
    /// was begun anew.
    const GOES_ON: bool = false;
    /// Whether the records may know of a dialogue of its that is lost. Then whatever is done while nothing is under way is shown to
    /// [`Flow::open`] before any other flow gets it, and so is a choice that nobody waits for, as [`super::Input::Press`].
    const FINDS_LOST: bool = false;

    /// Begins a dialogue, if this is how one begins: a command, a link, a photo out of the blue. Has no default: a flow that nobody
    /// can begin would rather be a mistake.
    fn open(turn: &Turn) -> Option<Step<Self>>;

    /// The question of this state.
    fn ask(&self, view: &Context) -> Prompt;

    /// Takes the answer.
    fn answer(self, turn: &Turn) -> Answer<Self>;

    /// What asking this question causes, whichever way led to it: an answer, `/back`, a draft that is taken up again. Comes before
    /// the question.
    fn arrives(&self, _view: &Context) -> Vec<Deed> {
        Vec::new()
    }

    /// The state before this one, for `/back`.
    fn back(self) -> Option<Self> {
        None
    }

    /// What must be read from the records before this state asks or is answered.
    fn reads(&self) -> Vec<Read> {
        Vec::new()
    }

    /// Whether somebody without any of [`Flow::ROLES`] may begin it all the same: to finish what they began when they had one. It
    /// finds what [`Flow::reads_to_open`] names. The menu does not ask.
    fn admits(_turn: &Turn) -> bool {
        false
    }

    /// Who may go on in this state. A role may be taken away while it waits: so whenever a state reads from the records, they are
    /// asked about the person too, and who has none of these roles any more hears no word of what was read; the flow ends with a
    /// polite refusal. A state that reads nothing knows only what its person was told already, and asks nobody; what a flow writes
    /// is for its record commands to guard once more.
    fn roles(&self) -> &'static [Role] {
        Self::ROLES
    }

    /// What must be read from the records before [`Flow::open`] can tell.
    fn reads_to_open(_turn: &Turn) -> Vec<Read> {
        Vec::new()
    }

    /// How long it waits for an answer. The server's `STATE_TTL`, when set, takes its place.
    fn ttl(&self) -> Duration {
        Duration::from_secs(3600)
    }

    /// How long after that its draft can still be gone on with. The default is the server's `DATA_TTL`. With zero there is none:
    /// for what is found again elsewhere, and would be out of date by then.
    fn data_ttl(&self) -> Option<Duration> {
        None
    }

    /// A reminder: how long after the last answer, and what. The question follows in the same message, unless the reminder has
    /// buttons of its own. Where the server's `STATE_TTL` ends the wait before that, it comes after three quarters of the wait.
    fn remind(&self, _view: &Context) -> Option<(Duration, Prompt)> {
        None
    }

    /// For a state that waits for a moment rather than for a person: how long.
    fn pause(&self) -> Option<Duration> {
        None
    }

    /// What happens when the [`Flow::pause`] is over.
    fn resume(self, _view: &Context) -> Step<Self> {
        park(self)
    }

    /// What happens when nobody answered in time.
    fn expire(self, _view: &Context) -> Step<Self> {
        park(self)
    }

    /// What ending it half-way causes, beside ending it: at the person's own word, or an operator's, or because nobody came back to
    /// its draft. A draft whose flow is under way anew ends without it: what that one keeps is its own.
    fn cancelled(self, _view: &Context) -> Vec<Deed> {
        Vec::new()
    }

    /// What becomes of the dialogue when a step fails for good.
    fn on_error(&self) -> OnError {
        OnError::Rollback
    }

    /// Turns a state of an older schema into one of the next. `None`: it cannot be gone on with and is parked.
    fn migrate(_schema: u32, _state: Value) -> Option<Value> {
        None
    }
}

/// What becomes of a dialogue when a step fails for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// It stays where it was before.
    Rollback,
    /// It ends: nobody is trapped in a state whose finish fails. For what is found again elsewhere.
    Clear,
    /// It is put aside, to be gone on with later: nobody is trapped, and nothing that was said is lost.
    Park,
}
