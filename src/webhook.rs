//! Keeps the webhook registered: one replica, by lease, tells Telegram where updates go.
//!
//! `setWebhook` with unchanged parameters is a no-op for Telegram, so whoever takes the lease says it once, and again when
//! `getWebhookInfo` shows something else. A new secret is registered only when every replica that is alive accepts it. Nothing is
//! ever deleted: a replica that stops must not cut the others off.

use std::sync::Arc;
use std::time::Duration;

use metrics::gauge;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use crate::replica::Peers;
use crate::store::{Store, Token};
use crate::telegram::{CallError, Telegram};
use crate::update::ALLOWED;

/// How often the registration is looked at.
pub const INTERVAL: Duration = Duration::from_secs(60);
/// How soon it is looked at again when it is not as it should be.
const SOON: Duration = Duration::from_secs(2);
/// How soon this replica looks whether it knows the others.
const MOMENT: Duration = Duration::from_millis(100);
/// How long a replica that stopped looking keeps the lease.
const LEASE: Duration = Duration::from_secs(90);

/// What is to be registered.
#[derive(Debug, Clone)]
pub struct Registration {
    /// The public address.
    pub url: String,
    /// The secret to register: the first of those accepted.
    pub secret: SecretString,
    /// How many connections Telegram may open.
    pub max_connections: u8,
    /// How often to look whether it is as it should be; [`INTERVAL`] is often enough.
    pub every: Duration,
}

/// Keeps the webhook registered until told to stop.
pub async fn keep(
    registration: Registration,
    store: Arc<dyn Store>,
    telegram: Telegram,
    peers: Peers,
    stop: CancellationToken,
) {
    let mut registrar = Registrar {
        registration,
        store,
        telegram,
        peers,
        me: Token::fresh(),
        told: false,
    };
    loop {
        let pause = registrar.round().await;
        if stop
            .run_until_cancelled(tokio::time::sleep(pause))
            .await
            .is_none()
        {
            break;
        }
    }
    if let Err(error) = registrar.store.release(NAME, registrar.me).await {
        tracing::debug!(%error, "the lease on the registration will run out");
    }
}

/// The name of the lease.
const NAME: &str = "webhook";

struct Registrar {
    registration: Registration,
    store: Arc<dyn Store>,
    telegram: Telegram,
    peers: Peers,
    me: Token,
    /// This replica has registered it since it took the lease.
    told: bool,
}

#[derive(Debug, Default, Deserialize)]
struct Info {
    #[serde(default)]
    url: String,
    #[serde(default)]
    pending_update_count: u64,
    last_error_date: Option<u64>,
    max_connections: Option<u32>,
    #[serde(default)]
    allowed_updates: Vec<String>,
}

#[derive(Serialize)]
struct SetWebhook<'a> {
    url: &'a str,
    secret_token: &'a str,
    max_connections: u8,
    allowed_updates: [&'static str; ALLOWED.len()],
}

impl Registrar {
    /// Looks once, and answers how long until the next look.
    async fn round(&mut self) -> Duration {
        // Before the first sign of life nobody knows what the others accept.
        if self.peers.count() == 0 {
            return MOMENT;
        }
        match self.store.lease(NAME, self.me, LEASE).await {
            Ok(Some(_)) => {}
            Ok(None) => {
                self.told = false;
                return self.registration.every / 2;
            }
            Err(_) => return SOON,
        }
        match self.check().await {
            Ok(()) => self.registration.every,
            Err(error) => {
                tracing::warn!(%error, "the webhook is not registered as it should be");
                SOON
            }
        }
    }

    async fn check(&mut self) -> Result<(), CallError> {
        let answer = self
            .telegram
            .ask("getWebhookInfo", &serde_json::json!({}))
            .await?;
        let info: Info = answer.result().unwrap_or_default();
        show(&info);
        if self.told && self.is_right(&info) {
            return Ok(());
        }
        if !self.peers.accept(&mark(&self.registration.secret)) {
            return Err(CallError::Connect(
                "a replica does not accept the new secret yet".to_owned(),
            ));
        }
        self.register().await
    }

    fn is_right(&self, info: &Info) -> bool {
        let same_kinds = ALLOWED
            .iter()
            .all(|kind| info.allowed_updates.iter().any(|known| known == kind));
        info.url == self.registration.url
            && info.max_connections == Some(u32::from(self.registration.max_connections))
            && same_kinds
            && info.allowed_updates.len() == ALLOWED.len()
    }

    async fn register(&mut self) -> Result<(), CallError> {
        let Registration {
            url,
            secret,
            max_connections,
            ..
        } = &self.registration;
        let payload = SetWebhook {
            url,
            secret_token: secret.expose_secret(),
            max_connections: *max_connections,
            allowed_updates: ALLOWED,
        };
        self.telegram.ask("setWebhook", &payload).await?;
        self.told = true;
        tracing::info!(url, max_connections, "the webhook is registered");
        Ok(())
    }
}

/// What others may know of a secret: enough to tell it from another, not enough to use it.
pub fn mark(secret: &SecretString) -> String {
    let digest = Sha256::digest(secret.expose_secret().as_bytes());
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn show(info: &Info) {
    gauge!("steadfast_telegram_webhook_pending_updates").set(info.pending_update_count as f64);
    gauge!("steadfast_telegram_webhook_last_error_timestamp_seconds")
        .set(info.last_error_date.unwrap_or(0) as f64);
}
