//! Business data, written by commands that a step has caused.
//!
//! A command is run in one transaction together with its effect id, so that it happens once however often it is asked for.
//! Beside commands only operators and upkeep write: roles that are given by hand, people who are forgotten, photos that were
//! downloaded. What they write may be repeated.
//!
//! [`Sql`] keeps the data in a SQLite file or in PostgreSQL. A bot lists its commands, lookups and tables in a [`Schema`]. A bot
//! without a database has [`NoRecords`], in which only roles are found.

use std::collections::BTreeSet;
use std::fmt;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::dialogue::{Member, Person, Read, Role};
use crate::staff::Staff;
use crate::store::DialogueKey;

mod database;
mod fault;

#[cfg(feature = "sql")]
mod sql;
#[cfg(not(feature = "sql"))]
#[path = "records/without_sql.rs"]
mod sql;

pub use database::Database;
pub use fault::Fault;
pub use sql::*;

/// Where business data is kept.
#[async_trait]
pub trait Records: fmt::Debug + Send + Sync + 'static {
    /// Runs a command once: the same effect again answers as the first time.
    async fn run(&self, order: &Order) -> Verdict;

    /// Fetches a lookup for this dialogue. A value that does not exist is `null`.
    async fn fetch(&self, key: &DialogueKey, read: &Read) -> Result<Value, Unread>;

    /// Returns the command that saves who somebody is. `None` if these records keep no people.
    fn meeting(&self, _person: &Person) -> Option<Value> {
        None
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

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It cannot be had now; the update comes again.
    #[error("{0}")]
    Unavailable(String),
    /// It can never be had; the update is tried a few times, and then put aside.
    #[error("{0}")]
    Broken(String),
}

/// Some of the people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Everybody who has written to the bot in private.
    All,
    /// Those who have this role, by the configuration or because it was given to them.
    Role(Role),
}

/// The records of a bot without a database: people have the roles that the configuration gives them.
#[derive(Debug, Clone, Default)]
pub struct NoRecords {
    /// Roles by the configuration.
    pub staff: Staff,
}

#[async_trait]
impl Records for NoRecords {
    async fn run(&self, _: &Order) -> Verdict {
        Verdict::Broken("this bot has no database".to_owned())
    }

    async fn fetch(&self, key: &DialogueKey, read: &Read) -> Result<Value, Unread> {
        if read.name != Member::READ {
            let said = format!("`{}` cannot be read: this bot has no database", read.name);
            return Err(Unread::Broken(said));
        }
        let roles = self.staff.roles_of(key.user, &BTreeSet::new());
        Ok(json!(Member::with(roles)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[tokio::test]
    async fn roles_follow_from_the_configuration_without_a_database() {
        let members = BTreeMap::from([("owner".to_owned(), BTreeSet::from([1]))]);
        let default = Some("guest".to_owned());
        let records = NoRecords { staff: Staff { members, default } };
        let member = Read { name: Member::READ, arg: String::new() };
        for (user, role) in [(1, "owner"), (2, "guest")] {
            let key = DialogueKey { chat: user, user, topic: None };
            let found = records.fetch(&key, &member).await;
            assert_eq!(found, Ok(json!(Member::with([role]))));
        }
    }

    #[tokio::test]
    async fn lookups_are_broken_without_a_database() {
        let key = DialogueKey { chat: 1, user: 1, topic: None };
        let orders = Read { name: "orders", arg: String::new() };
        let found = NoRecords::default().fetch(&key, &orders).await;
        assert!(matches!(found, Err(Unread::Broken(_))), "{found:?}");
    }
}
