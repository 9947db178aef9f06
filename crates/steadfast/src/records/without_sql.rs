//! Stands in for [`Sql`] in a build without the feature `sql`: the same methods on a type that has no values.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use super::{Audience, Database, Fault, Order, Records, Unread, Verdict};
use crate::dialogue::{Member, Read, Role};
use crate::staff::Staff;
use crate::store::{Clock, DialogueKey};

/// The schema of a bot's records. This build has none.
#[derive(Debug, Clone)]
pub struct Schema(Infallible);

impl Schema {
    /// Returns the faults of the schema.
    pub fn faults(&self) -> &[String] {
        match self.0 {}
    }
}

/// Records in a SQL database. This build has none.
#[derive(Debug)]
pub struct Sql(Infallible);

impl Database {
    /// Returns an error: this build cannot reach any database.
    pub async fn probe(&self) -> Result<(), Fault> {
        Err(Fault::Broken(WITHOUT.to_owned()))
    }
}

const WITHOUT: &str = "is not supported by this build: enable the feature `sql`";

#[expect(missing_docs, clippy::unused_async, reason = "see those of the feature `sql`")]
impl Sql {
    pub async fn open(_: &Database, schema: Schema, _: Duration) -> Result<Self, Fault> {
        match schema.0 {}
    }

    pub fn with_clock(self, _: Clock) -> Self {
        self
    }

    pub fn with_staff(self, _: Staff) -> Self {
        self
    }

    pub fn with_settings<S: Send + Sync + 'static>(self, _: Arc<S>) -> Self {
        self
    }

    pub fn kind(&self) -> &'static str {
        match self.0 {}
    }

    pub async fn members(&self) -> Result<Vec<(i64, String, Member)>, Fault> {
        match self.0 {}
    }

    pub async fn audience(
        &self,
        _: Audience,
        _: &Staff,
        _: i64,
        _: usize,
    ) -> Result<(Vec<i64>, Option<i64>), Fault> {
        match self.0 {}
    }

    pub async fn audience_size(&self, _: Audience, _: &Staff) -> Result<u64, Fault> {
        match self.0 {}
    }

    pub async fn roles_given(
        &self,
        _: Option<i64>,
    ) -> Result<BTreeMap<i64, BTreeSet<String>>, Fault> {
        match self.0 {}
    }

    pub async fn give_role(&self, _: i64, _: Role) -> Result<bool, Fault> {
        match self.0 {}
    }

    pub async fn take_role(&self, _: i64, _: Role) -> Result<bool, Fault> {
        match self.0 {}
    }

    pub async fn forget(&self, _: i64) -> Result<Vec<(&'static str, u64)>, Fault> {
        match self.0 {}
    }

    pub async fn keep_pruned(&self) {
        match self.0 {}
    }

    pub async fn close(&self) {
        match self.0 {}
    }
}

#[async_trait]
impl Records for Sql {
    async fn run(&self, _: &Order) -> Verdict {
        match self.0 {}
    }

    async fn fetch(&self, _: &DialogueKey, _: &Read) -> Result<Value, Unread> {
        match self.0 {}
    }
}

/// Checks the address of a PostgreSQL database.
pub(crate) fn check_postgres(_: &str) -> Result<(), String> {
    Err(WITHOUT.to_owned())
}
