//! A running bot, as its workers and routes see it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use crate::config::Settings;
use crate::outbox::telegram::Telegram;
use crate::records::Sql;
use crate::store::Store;

/// A running bot, as its workers and routes see it.
#[derive(Debug)]
pub struct Running<S: Settings = ()> {
    /// Settings of the bot.
    pub settings: Arc<S>,
    /// Store of the dialogues.
    pub store: Arc<dyn Store>,
    /// Records, if the bot has any.
    pub records: Option<Arc<Sql>>,
    /// Client of the Bot API.
    pub telegram: Telegram,
}

impl<S: Settings> Clone for Running<S> {
    fn clone(&self) -> Self {
        Self {
            settings: Arc::clone(&self.settings),
            store: Arc::clone(&self.store),
            records: self.records.clone(),
            telegram: self.telegram.clone(),
        }
    }
}

/// A function that fills the records of a playground.
pub(crate) type Sample<S> =
    Arc<dyn Fn(Running<S>) -> Pin<Box<dyn Future<Output = io::Result<()>> + Send>> + Send + Sync>;
