//! What a command is, and the list of those that are known.

use std::collections::BTreeMap;
use std::pin::Pin;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use sqlx::AnyConnection;

use super::{Fault, Order, Verdict};
use crate::company::Company;
use crate::staff::Staff;

/// Something that can be done to the records. Its fields are what an order says beside the name.
///
/// Race by condition: `UPDATE … WHERE` it is still free, `INSERT … ON CONFLICT DO NOTHING`, and look at the number of rows.
/// What was read before says nothing about what is so now.
#[async_trait]
pub trait Command: DeserializeOwned + Send + 'static {
    /// Its name, as an order says it in the field `command`.
    const NAME: &'static str;

    /// Does it, or refuses it; what a refused one has written is undone.
    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault>;
}

/// The transaction a command is run in.
#[derive(Debug)]
pub struct Tx<'a> {
    /// Queries are executed on it: in SQL that both databases speak, with parameters as `$1`.
    pub connection: &'a mut AnyConnection,
    /// What the configuration says.
    pub company: &'a Company,
    /// The roles that the configuration gives.
    pub staff: &'a Staff,
    /// The time, UTC, in milliseconds.
    pub now: i64,
}

/// What a command comes to when it could be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It is done.
    Applied,
    /// The rules, or somebody faster, forbid it: for this reason, in a word the flow knows.
    Refused(String),
}

/// What stands before the number of a person in a reason.
pub(crate) const BY: &str = "@";

/// A refusal for this reason.
pub(crate) fn refused(reason: &str) -> Ruling {
    Ruling::Refused(reason.to_owned())
}

/// A refusal for this reason, because of this person. They are kept by their number; whoever is told hears their name, as long as it
/// is known.
pub(crate) fn refused_by(reason: &str, user: Option<i64>) -> Ruling {
    match user {
        Some(user) => refused(&format!("{reason} {BY}{user}")),
        None => refused(reason),
    }
}

impl From<Ruling> for Verdict {
    fn from(ruling: Ruling) -> Self {
        match ruling {
            Ruling::Applied => Self::Applied,
            Ruling::Refused(reason) => Self::Refused(reason),
        }
    }
}

/// A command, whatever its type.
type Handler = for<'a> fn(
    &'a mut Tx<'_>,
    &'a Order,
) -> Pin<Box<dyn Future<Output = Result<Ruling, Fault>> + Send + 'a>>;

/// The commands that are known, by name.
#[derive(Debug, Clone, Default)]
pub struct Commands(BTreeMap<&'static str, Handler>);

impl Commands {
    /// Adds one.
    ///
    /// # Panics
    /// When another has its name: the first test shows it.
    #[must_use]
    pub fn with<C: Command>(mut self) -> Self {
        let before = self.0.insert(C::NAME, handle::<C>);
        assert!(before.is_none(), "two commands are named `{}`", C::NAME);
        self
    }

    /// Runs the one that the order names.
    pub(crate) async fn run(&self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let name = order.command.get("command").and_then(|name| name.as_str());
        let name = name.ok_or_else(|| Fault::Broken("the command has no name".to_owned()))?;
        match self.0.get(name) {
            Some(handle) => handle(tx, order).await,
            None => Err(Fault::Unknown(format!("no command is named `{name}`"))),
        }
    }
}

fn handle<'a, C: Command>(
    tx: &'a mut Tx<'_>,
    order: &'a Order,
) -> Pin<Box<dyn Future<Output = Result<Ruling, Fault>> + Send + 'a>> {
    // The decoder's own words would quote what people wrote.
    let read = C::deserialize(&order.command)
        .map_err(|_| Fault::Broken(format!("a command `{}` is not of its shape", C::NAME)));
    Box::pin(async move { read?.run(tx, order).await })
}
