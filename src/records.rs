//! Business data, written by commands that a step has caused.
//!
//! A command is run in one transaction together with its effect id, so that it happens once however often it is asked for.
//! Beside commands only operators and upkeep write: roles that are given by hand, people who are forgotten, photos that were
//! downloaded. What they write may be repeated.
//! [`Sql`] keeps the data in a SQLite file or in PostgreSQL. Its commands and reads are a file each, such as [`coupon`], and
//! are listed in [`commands`] and [`lookups`].

use std::fmt;

use async_trait::async_trait;
use serde_json::Value;

use crate::store::DialogueKey;

mod audience;
pub(crate) mod command;
mod database;
mod fault;
mod forgetting;
mod lookup;
pub mod member;
mod migration;
pub mod person;
mod role;
mod sql;

pub use audience::Audience;
pub use command::{Command, Commands, Ruling, Tx};
pub use database::Database;
pub use fault::Fault;
pub use forgetting::{Blanked, Retention};
pub use lookup::{Desk, Lookup, Lookups};
pub use sql::Sql;

/// Where business data is kept.
#[async_trait]
pub trait Records: fmt::Debug + Send + Sync + 'static {
    /// Runs a command once: the same effect again answers as the first time.
    async fn run(&self, order: &Order) -> Verdict;

    /// Whether there is a place for the people themselves: then each is noted there by [`person::Meet`].
    fn keeps_people(&self) -> bool {
        false
    }
}

/// A command that is to be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// Names it; stable over redelivery and restarts.
    pub effect: String,
    /// Whose step it was.
    pub key: DialogueKey,
    /// What to do.
    pub command: Value,
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is done.
    Applied,
    /// The rules, or somebody faster, forbid it: for this reason, in a word the flow knows.
    Refused(String),
    /// The database cannot be asked now; it waits.
    Unavailable(String),
    /// No command of this build: that of another replica may have it.
    Unknown(String),
    /// It can never be done: a mistake of the program.
    Broken(String),
}

/// For bots that keep no business data.
#[derive(Debug, Clone, Copy)]
pub struct NoRecords;

#[async_trait]
impl Records for NoRecords {
    async fn run(&self, _: &Order) -> Verdict {
        Verdict::Broken("no records are set up".to_owned())
    }
}
