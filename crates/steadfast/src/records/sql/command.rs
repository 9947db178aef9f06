//! Record commands, and the transaction that one runs in.

use std::any::Any;
use std::pin::Pin;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use sqlx::AnyConnection;

use super::{Fault, Order, Verdict, settings};
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
    /// The roles that the configuration gives.
    pub staff: &'a Staff,
    /// The time, UTC, in milliseconds.
    pub now: i64,
    pub(super) settings: &'a (dyn Any + Send + Sync),
}

impl Tx<'_> {
    /// Returns the settings of the bot.
    ///
    /// # Panics
    /// If the records were opened with settings of another type.
    pub fn settings<S: 'static>(&self) -> &S {
        settings(self.settings)
    }
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
pub(super) const BY: &str = "@";

/// Refuses a command for this reason.
pub fn refused(reason: &str) -> Ruling {
    Ruling::Refused(reason.to_owned())
}

/// Refuses a command for this reason, because of this person.
///
/// The reason is stored with the person's id. The flow gets `reason Name`, or only the reason if the name is not known any more.
pub fn refused_by(reason: &str, user: Option<i64>) -> Ruling {
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
pub(super) type Handler =
    for<'a> fn(
        &'a mut Tx<'_>,
        &'a Order,
    ) -> Pin<Box<dyn Future<Output = Result<Ruling, Fault>> + Send + 'a>>;

/// Runs a command of this type.
pub(super) fn handle<'a, C: Command>(
    tx: &'a mut Tx<'_>,
    order: &'a Order,
) -> Pin<Box<dyn Future<Output = Result<Ruling, Fault>> + Send + 'a>> {
    // The decoder's own words would quote what people wrote.
    let read = C::deserialize(&order.command)
        .map_err(|_| Fault::Broken(format!("a command `{}` is not of its shape", C::NAME)));
    Box::pin(async move { read?.run(tx, order).await })
}
