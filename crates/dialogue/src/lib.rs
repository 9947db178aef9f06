//! Telegram dialogues as pure values: the types that flows are written with, and the engine that runs one turn.
//!
//! Nothing here waits, sends or reads a clock. The same [`Scene`] always gives the same [`Played`], so a turn can be run again
//! and tested on paper.
//!
//! - [`Flow`]: one kind of dialogue, as its author writes it. [`Step`], [`Prompt`], [`Text`]: what it returns.
//! - [`Turn`]: what a flow sees of a turn. [`Input`]: what the user did. [`Member`], [`Role`]: what the records know of them.
//! - [`Repertoire`]: the flows and texts of a bot. [`Repertoire::play`] runs one turn.
//! - [`Dialogue`]: what is stored of a dialogue between two turns. [`DialogueKey`]: its name.
//! - [`Effect`]: what a turn causes. [`Edge`]: a transition that it went through.
//! - [`Texts`]: Fluent texts by language. The engine has its own in English and Russian, which a bot may replace.
//! - [`TestChat`]: a chat on paper, for tests.

mod data;
mod declared;
mod edge;
mod effect;
mod engine;
mod erased;
mod flow;
mod identity;
mod input;
mod key;
mod markup;
mod pages;
mod prompt;
mod repertoire;
mod role;
mod saved;
mod step;
mod test_chat;
mod text;
mod texts;
mod turn;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use edge::{Edge, Edges, Passage};
pub use effect::{Effect, Keys, Message, Record};
pub use engine::{Halt, How, Played, Scene};
pub use flow::{Flow, OnError};
pub use identity::Identity;
pub use input::{Command, Contact, Input, Photo, Refusal};
pub use key::DialogueKey;
pub use markup::MAX_TEXT;
pub use pages::PAGE;
pub use prompt::{Action, Button, Keyboard, Prompt, choice, link, say};
pub use repertoire::{Repertoire, Waits};
pub use role::{Member, Role};
pub use saved::{BLANK, Dialogue, Draft, Due, DueTo, Live, RECORD, State, Unreadable};
pub use step::{Answer, Deed, Hint, Next, Step, done, goto, hint, keep, open, park};
pub use test_chat::TestChat;
pub use text::{Arg, Text, text};
pub use texts::Texts;
pub use turn::{Context, Read, Reads, Turn, read};

/// Milliseconds since the Unix epoch, by the one clock that all replicas share.
pub type Millis = u64;

/// Who is talking, as far as a dialogue may know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Person {
    /// The first name; empty when a timer makes the turn.
    pub name: String,
    /// The name that others find them by, without the `@`; many have none.
    pub username: String,
    /// The language their app is set to, such as `ru` or `pt-br`; may be empty.
    pub language: String,
    /// The topic of the group in which they are talking, and in which they are answered.
    pub topic: Option<i32>,
}

/// All that a flow's file needs.
pub mod prelude {
    pub use std::time::Duration;

    pub use serde::{Deserialize, Serialize};

    pub use super::{
        Answer, Command, Context, Deed, Flow, Hint, Input, Member, OnError, Photo, Prompt, Read,
        Repertoire, Role, Step, TestChat, Text, Texts, Turn, choice, done, goto, hint, keep, link,
        open, park, read, say, text,
    };
}
