//! Opening the configured store, and saying what is unsafe about it.

use std::sync::Arc;

use metrics::gauge;
use secrecy::ExposeSecret;
use tracing::{info, warn};

use crate::config::{Fallback, RedisSettings, StoreConfig};
use crate::store::{self, Embedded, Finding, Measured, Memory, Redis, RedisConfig, Store};

/// The embedded store's file in the data directory.
const FILE: &str = "dialogues.db";

/// A store, opened.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The store, measured.
    pub store: Arc<dyn Store>,
    /// It stands in for one that could not be reached.
    pub degraded: bool,
}

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It could not be opened.
    #[error("{0}; {1}")]
    Closed(store::Error, &'static str),
    /// It could not be opened, and to stand in for it would split the bot in two.
    #[error(
        "{0}; STORE_FALLBACK=memory is refused, since another replica of this bot was seen: it would hold other dialogues"
    )]
    Shared(store::Error),
}

/// Opens the store. `shared` says whether another replica of this bot is known of; no store in memory may then stand in.
pub async fn open(config: &StoreConfig, shared: bool) -> Result<Opened, Refused> {
    match config {
        StoreConfig::Memory => Ok(opened(Memory::new(), false)),
        StoreConfig::Embedded { dir } => match Embedded::open(&dir.join(FILE)) {
            Ok(store) => Ok(opened(store, false)),
            Err(error) => Err(Refused::Closed(error, "see DATA_DIR")),
        },
        StoreConfig::Redis(settings) => redis(settings, shared).await,
    }
}

async fn redis(settings: &RedisSettings, shared: bool) -> Result<Opened, Refused> {
    let config = RedisConfig::new(settings.url.expose_secret(), &settings.prefix);
    let error = match Redis::connect(config).await {
        Ok(store) => return Ok(opened(store, false)),
        Err(error) => error,
    };
    match settings.fallback {
        Fallback::Fail => Err(Refused::Closed(
            error,
            "see REDIS_URL, or start without it by STORE_FALLBACK=memory",
        )),
        Fallback::Memory if shared => Err(Refused::Shared(error)),
        Fallback::Memory => {
            warn!(%error, "DEGRADED: Redis was not reached, a store in memory stands in; nothing survives a restart, \
                and nothing is merged later: restart to leave this mode");
            Ok(opened(Memory::new(), true))
        }
    }
}

fn opened(store: impl Store, degraded: bool) -> Opened {
    Opened {
        store: Arc::new(Measured::new(Arc::new(store))),
        degraded,
    }
}

impl Opened {
    /// Looks at how the store is set up; what is unsafe goes to the log and the metrics.
    pub async fn inspect(&self) -> Vec<Finding> {
        let findings = self.store.inspect().await.unwrap_or_else(|error| {
            warn!(%error, "the store could not be inspected");
            Vec::new()
        });
        for finding in &findings {
            gauge!("steadfast_store_config_ok", "check" => finding.check)
                .set(f64::from(u8::from(finding.ok)));
            match finding.ok {
                true => info!(check = finding.check, "{}", finding.advice),
                false => warn!(check = finding.check, "{}", finding.advice),
            }
        }
        findings
    }
}
