//! Dialogues as pure values: what comes in, what a flow decides, what it causes.
//!
//! Nothing here waits, sends or looks at a clock; the same turn always gives the same step.

mod input;

pub use input::{Command, Contact, Input, Photo};

/// Who is talking, as far as a dialogue may know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Person {
    /// The first name; empty when a timer makes the turn.
    pub name: String,
    /// The language their app is set to, such as `ru` or `pt-br`; may be empty.
    pub language: String,
}

/// One committed transition of a flow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The flow's name.
    pub flow: String,
    /// The state left, or `start`, or `parked`.
    pub from: String,
    /// The state entered, or `done`, `cancelled`, `parked`, `forgotten`.
    pub to: String,
}
