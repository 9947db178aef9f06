//! What a named read is, and the list of those that are known.

use std::collections::BTreeMap;
use std::pin::Pin;

use async_trait::async_trait;
use serde_json::Value;
use sqlx::AnyConnection;

use super::Fault;
use crate::company::Company;
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
    /// What the configuration says.
    pub company: &'a Company,
    /// The roles that the configuration gives.
    pub staff: &'a Staff,
    /// The time, UTC, in milliseconds.
    pub now: i64,
    /// What was kept of a dialogue before this time is gone on with no more, as the dialogue itself would not be.
    pub drafts_since: Option<i64>,
}

/// A read, whatever its type.
type Handler = for<'a> fn(
    &'a mut Desk<'_>,
    &'a DialogueKey,
    &'a str,
) -> Pin<Box<dyn Future<Output = Result<Value, Fault>> + Send + 'a>>;

/// The reads that are known, by name.
#[derive(Debug, Clone, Default)]
pub struct Lookups(BTreeMap<&'static str, Handler>);

impl Lookups {
    /// Adds one.
    ///
    /// # Panics
    /// When another has its name: the first test shows it.
    #[must_use]
    pub fn with<L: Lookup>(mut self) -> Self {
        let before = self.0.insert(L::NAME, |desk, key, arg| L::fetch(desk, key, arg));
        assert!(before.is_none(), "two reads are named `{}`", L::NAME);
        self
    }

    /// Does the one of this name.
    pub(crate) async fn fetch(
        &self,
        name: &str,
        desk: &mut Desk<'_>,
        key: &DialogueKey,
        arg: &str,
    ) -> Result<Value, Fault> {
        match self.0.get(name) {
            Some(fetch) => fetch(desk, key, arg).await,
            None => Err(Fault::Broken(format!("no read is named `{name}`"))),
        }
    }
}
