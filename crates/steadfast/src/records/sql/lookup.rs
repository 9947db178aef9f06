//! Lookups: named reads of the records.

use std::any::Any;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use sqlx::AnyConnection;

use super::{Fault, before, settings};
use crate::staff::Staff;
use crate::store::DialogueKey;

/// Something that a flow's state can wish to read.
#[async_trait]
pub trait Lookup: 'static {
    /// Its name, as the state says it.
    const NAME: &'static str;

    /// Reads it for this dialogue. What is not there is `null`.
    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, arg: &str) -> Result<Value, Fault>;
}

/// Where something is read.
#[derive(Debug)]
pub struct Desk<'a> {
    /// Queries are executed on it, as on that of a [`Tx`](super::Tx).
    pub connection: &'a mut AnyConnection,
    /// The roles that the configuration gives.
    pub staff: &'a Staff,
    /// The time, UTC, in milliseconds.
    pub now: i64,
    pub(super) settings: &'a (dyn Any + Send + Sync),
}

impl Desk<'_> {
    /// Returns the time that is `age` ago, in UTC milliseconds.
    pub fn before(&self, age: Duration) -> i64 {
        before(self.now, age)
    }

    /// Returns the settings of the bot.
    ///
    /// # Panics
    /// If the records were opened with settings of another type.
    pub fn settings<S: 'static>(&self) -> &S {
        settings(self.settings)
    }
}

/// A read, whatever its type.
pub(super) type Handler =
    for<'a> fn(
        &'a mut Desk<'_>,
        &'a DialogueKey,
        &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Value, Fault>> + Send + 'a>>;

/// Does a read of this type.
pub(super) fn handle<'a, L: Lookup>(
    desk: &'a mut Desk<'_>,
    key: &'a DialogueKey,
    arg: &'a str,
) -> Pin<Box<dyn Future<Output = Result<Value, Fault>> + Send + 'a>> {
    L::fetch(desk, key, arg)
}
