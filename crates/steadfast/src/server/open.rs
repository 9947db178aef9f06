//! Opening the configured store, and saying what is unsafe about it.

use std::path::Path;
use std::sync::Arc;

use metrics::gauge;
use secrecy::ExposeSecret;
use tracing::{info, warn};

use crate::config::{Fallback, RedisSettings, ServerConfig, StoreConfig};
use crate::ops::timepiece::Timepiece;
use crate::store::{
    self, Clock, Embedded, Finding, Limits, Measured, Memory, Redis, RedisConfig, Shift, Store,
};

/// The embedded store's file in the data directory.
pub const DIALOGUES: &str = "dialogues.db";

/// A store, opened.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The store, measured.
    pub store: Arc<dyn Store>,
    /// It stands in for one that could not be reached.
    pub degraded: bool,
    /// Moves its clock, where that can be moved.
    pub timepiece: Option<Timepiece>,
}

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It could not be opened.
    #[error("{0}; {1}")]
    Closed(store::Error, String),
    /// It could not be opened, and to stand in for it would split the bot in two.
    #[error(
        "{0}; STORE_FALLBACK=memory is refused, since other replicas of this bot were seen, which would hold other dialogues: \
         start Redis, or remove {1} if there are none any more"
    )]
    Shared(store::Error, String),
}

/// Opens the configured store.
pub async fn open(config: &ServerConfig) -> Result<Opened, Refused> {
    let limits = config.telegram.limits;
    match &config.store {
        StoreConfig::Memory => Ok(opened(Memory::new().with_limits(limits), false)),
        StoreConfig::Embedded { dir } => {
            let store = embedded(dir, Clock::system(), limits)?;
            Ok(opened(store, false))
        }
        StoreConfig::Redis(settings) => {
            redis(settings, &config.key_prefix(&settings.prefix), limits).await
        }
    }
}

/// As [`open`], for a bot that is tried out: the time is as far ahead of the machine's as `shift` says, and can be moved. Only an
/// embedded store has such a clock.
pub async fn open_ahead(config: &ServerConfig, shift: Shift) -> Result<Opened, Refused> {
    let StoreConfig::Embedded { dir } = &config.store else {
        return open(config).await;
    };
    let store = embedded(dir, Clock::ahead(&shift), config.telegram.limits)?;
    let store = Arc::new(store);
    Ok(Opened {
        store: Arc::new(Measured::new(Arc::clone(&store) as Arc<dyn Store>)),
        degraded: false,
        timepiece: Some(Timepiece { store, shift }),
    })
}

fn embedded(dir: &Path, clock: Clock, limits: Limits) -> Result<Embedded, Refused> {
    match Embedded::open_with_clock(&dir.join(DIALOGUES), clock) {
        Ok(store) => Ok(store.with_limits(limits)),
        Err(error) => Err(Refused::Closed(error, "see DATA_DIR".to_owned())),
    }
}

async fn redis(settings: &RedisSettings, prefix: &str, limits: Limits) -> Result<Opened, Refused> {
    let config = RedisConfig { limits, ..RedisConfig::new(settings.url.expose_secret(), prefix) };
    let error = match Redis::connect(config).await {
        Ok(store) => return Ok(opened(store, false)),
        Err(error) => error,
    };
    match settings.fallback {
        Fallback::Fail => Err(Refused::Closed(
            error,
            format!("see {}, or start without it by STORE_FALLBACK=memory", settings.named_by),
        )),
        Fallback::Memory if !is_away(&error) => Err(Refused::Closed(
            error,
            format!(
                "see {}; STORE_FALLBACK=memory is for a Redis that cannot be reached",
                settings.named_by
            ),
        )),
        Fallback::Memory if settings.company.exists() => {
            Err(Refused::Shared(error, settings.company.display().to_string()))
        }
        Fallback::Memory => {
            warn!(%error, "DEGRADED: Redis was not reached, a store in memory stands in; nothing survives a restart, \
                and nothing is merged later: restart to leave this mode");
            Ok(opened(Memory::new().with_limits(limits), true))
        }
    }
}

/// Whether nothing but time or the network is in the way. What is refused, such as a password, would be refused for ever.
fn is_away(error: &store::Error) -> bool {
    matches!(error, store::Error::Unavailable { kind: "io" | "timeout" | "loading" | "closed", .. })
}

fn opened(store: impl Store, degraded: bool) -> Opened {
    Opened { store: Arc::new(Measured::new(Arc::new(store))), degraded, timepiece: None }
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
