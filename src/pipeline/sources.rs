//! Where the reads come from that a flow's state names.

use std::fmt::Debug;

use async_trait::async_trait;
use serde_json::Value;

use crate::dialogue::Read;
use crate::records::Sql;
use crate::store::Key;

/// Something that can be read for a step.
#[async_trait]
pub trait Sources: Debug + Send + Sync + 'static {
    /// Answers one wish. An error means that it cannot be answered now; the update comes again.
    async fn fetch(&self, key: &Key, read: &Read) -> Result<Value, String>;
}

#[async_trait]
impl Sources for Sql {
    async fn fetch(&self, key: &Key, read: &Read) -> Result<Value, String> {
        let found = Self::fetch(self, key, read.name, &read.arg).await;
        found.map_err(|fault| format!("`{}` cannot be read: {fault}", read.name))
    }
}

/// For bots whose flows read nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoSources;

#[async_trait]
impl Sources for NoSources {
    async fn fetch(&self, _: &Key, read: &Read) -> Result<Value, String> {
        Err(format!("nothing is set up to read `{}` from", read.name))
    }
}
