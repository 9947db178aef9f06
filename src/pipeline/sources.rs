//! Where the reads come from that a flow's state names.

use std::fmt::Debug;

use async_trait::async_trait;
use serde_json::Value;

use crate::dialogue::Read;
use crate::records::{Fault, Sql};
use crate::store::DialogueKey;

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

/// Something that can be read for a step.
#[async_trait]
pub trait Sources: Debug + Send + Sync + 'static {
    /// Answers one wish.
    async fn fetch(&self, key: &DialogueKey, read: &Read) -> Result<Value, Unread>;
}

#[async_trait]
impl Sources for Sql {
    async fn fetch(&self, key: &DialogueKey, read: &Read) -> Result<Value, Unread> {
        let found = Self::fetch(self, key, read.name, &read.arg).await;
        found.map_err(|fault| {
            let said = format!("`{}` cannot be read: {fault}", read.name);
            match fault {
                Fault::Raced(_) | Fault::Unavailable(_) | Fault::Damaged(_) => {
                    Unread::Unavailable(said)
                }
                Fault::Unknown(_) | Fault::Broken(_) => Unread::Broken(said),
            }
        })
    }
}

/// For bots whose flows read nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoSources;

#[async_trait]
impl Sources for NoSources {
    async fn fetch(&self, _: &DialogueKey, read: &Read) -> Result<Value, Unread> {
        let said = format!("nothing is set up to read `{}` from", read.name);
        Err(Unread::Unavailable(said))
    }
}
