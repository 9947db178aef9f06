//! Keeps the webhook registered: one replica, by lease, tells Telegram where updates go.
//!
//! It says so when `getWebhookInfo` shows something else, or when what was registered last, of which the store keeps a mark, is
//! something else: the secret is not shown. A new secret is registered only when every replica that is alive accepts it. Nothing
//! is ever deleted: a replica that stops must not cut the others off.
//!
//! Whoever registers puts a claim in the place of the mark first: one who dies before the mark is kept leaves the claim behind, which is
//! the mark of nothing, and not a mark that is no longer true. Telegram knows no fence: one who was paused may say what it is no longer its
//! to say. It finds out from the claim, which is not its own any more, and takes away what is kept there, so that the next look puts it
//! right.

use std::sync::Arc;
use std::time::Duration;

use metrics::gauge;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::duty::{self, Duty};
use crate::intake::update::ALLOWED;
use crate::mark;
use crate::outbox::telegram::{CallError, Telegram};
use crate::replica::Peers;
use crate::store::{self, Store, Token};
use failure::Failures;

mod failure;

/// How often the registration is looked at.
pub const INTERVAL: Duration = Duration::from_secs(60);
/// How soon it is looked at again when it is not as it should be.
const SOON: Duration = Duration::from_secs(2);
/// How soon this replica looks whether it knows the others.
const MOMENT: Duration = Duration::from_millis(100);
/// Kept where nobody knows what is registered: it is the mark of nothing, so whoever looks next registers. A claim begins with it.
const UNKNOWN: &[u8] = b"?";

/// What is shown of it, by whoever keeps it: updates that wait, and when Telegram last failed to deliver.
const SHOWN: [&str; 2] = [
    "steadfast_telegram_webhook_pending_updates",
    "steadfast_telegram_webhook_last_error_timestamp_seconds",
];

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
    // Before the first sign of life nobody knows what the others accept.
    while peers.count() == 0 && !stop.is_cancelled() {
        stop.run_until_cancelled(tokio::time::sleep(MOMENT)).await;
    }
    let registrar = Registrar {
        registration,
        store: Arc::clone(&store),
        telegram,
        peers,
        failures: Arc::default(),
    };
    duty::keep(registrar, store, stop).await;
}

#[derive(Clone)]
struct Registrar {
    registration: Registration,
    store: Arc<dyn Store>,
    telegram: Telegram,
    peers: Peers,
    failures: Arc<Failures>,
}

/// Why the registration is not as it should be.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("a replica does not accept the new secret yet")]
    Secret,
    #[error("another replica registers it")]
    Claimed,
}

#[derive(Debug, Default, Deserialize)]
struct Info {
    #[serde(default)]
    url: String,
    #[serde(default)]
    pending_update_count: u64,
    last_error_date: Option<u64>,
    #[serde(default)]
    last_error_message: String,
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

impl Duty for Registrar {
    const NAME: &'static str = "webhook";

    async fn see_to(&self) -> Duration {
        match self.check().await {
            Ok(()) => self.registration.every,
            Err(error) => {
                tracing::warn!(%error, "the webhook is not registered as it should be");
                SOON
            }
        }
    }

    /// What this replica saw is old from now on: two who tell of the same thing at different times make it seem to move.
    fn hand_on(&self) {
        for name in SHOWN {
            gauge!(name).set(f64::NAN);
        }
    }
}

impl Registrar {
    async fn check(&self) -> Result<(), Trouble> {
        let nothing = serde_json::json!({});
        let answer = self.telegram.ask("getWebhookInfo", &nothing).await?;
        let info: Info = answer.result().unwrap_or_default();
        show(&info);
        self.tell(&info);
        let (kept, ours) = (self.store.kept(Self::NAME).await?, self.registration.mark());
        if self.is_right(&info) && kept.as_deref() == Some(ours.as_bytes()) {
            return Ok(());
        }
        if !self.peers.accept(&mark(&self.registration.secret)) {
            return Err(Trouble::Secret);
        }
        let claim = format!("?{}", Token::fresh());
        let claimed = self.store.keep(Self::NAME, kept.as_deref(), claim.as_bytes());
        if !claimed.await? {
            return Err(Trouble::Claimed);
        }
        // In a task of its own: what was said must be noted also by one who has lost the lease meanwhile, and is dropped.
        let registered = tokio::spawn(self.clone().register_and_note(claim, ours)).await;
        Ok(registered.unwrap_or(Err(CallError::Ambiguous("the registrar panicked")))?)
    }

    /// Says in Telegram's words why it does not get updates across: where they do not arrive, nothing else tells of them.
    fn tell(&self, info: &Info) {
        if self.failures.is_news(info.last_error_date) {
            let (error, pending) = (&info.last_error_message, info.pending_update_count);
            tracing::warn!(error, pending, "Telegram failed to deliver an update");
        }
    }

    /// Registers, and keeps the mark of that in the place of the claim. One who was paused before the call may have undone what another
    /// registered since: then nobody knows which of the two came last, and that is what is kept. So it is if nobody knows whether
    /// the call came through: the claim stays.
    async fn register_and_note(self, claim: String, ours: String) -> Result<(), CallError> {
        let registered = self.register().await;
        let claim = claim.as_bytes();
        while let Err(error) = match registered {
            Ok(()) => self.note(claim, ours.as_bytes()).await,
            Err(_) => self.doubt_unless(claim).await,
        } {
            tracing::warn!(%error, "what was registered cannot be noted yet");
            tokio::time::sleep(SOON).await;
        }
        registered
    }

    /// Notes what is registered, or that nobody knows.
    async fn note(&self, claim: &[u8], ours: &[u8]) -> store::Result<()> {
        if self.store.keep(Self::NAME, Some(claim), ours).await? {
            return Ok(());
        }
        self.doubt_unless(claim).await
    }

    /// Notes that nobody knows what is registered, unless the claim is there still, which says the same.
    async fn doubt_unless(&self, claim: &[u8]) -> store::Result<()> {
        loop {
            let kept = self.store.kept(Self::NAME).await?;
            if kept.as_deref() == Some(claim) {
                return Ok(());
            }
            let doubted = self.store.keep(Self::NAME, kept.as_deref(), UNKNOWN);
            if doubted.await? {
                tracing::warn!(
                    "another replica registered the webhook meanwhile: it is registered again"
                );
                return Ok(());
            }
        }
    }

    fn is_right(&self, info: &Info) -> bool {
        let same_kinds =
            ALLOWED.iter().all(|kind| info.allowed_updates.iter().any(|known| known == kind));
        info.url == self.registration.url
            && info.max_connections == Some(u32::from(self.registration.max_connections))
            && same_kinds
            && info.allowed_updates.len() == ALLOWED.len()
    }

    async fn register(&self) -> Result<(), CallError> {
        let Registration { url, secret, max_connections, .. } = &self.registration;
        let payload = SetWebhook {
            url,
            secret_token: secret.expose_secret(),
            max_connections: *max_connections,
            allowed_updates: ALLOWED,
        };
        self.telegram.ask("setWebhook", &payload).await?;
        tracing::info!(url, max_connections, "the webhook is registered");
        Ok(())
    }
}

impl Registration {
    /// Tells what is to be registered from anything else, without saying the secret.
    fn mark(&self) -> String {
        let secret = self.secret.expose_secret();
        let all = serde_json::json!([self.url, secret, self.max_connections, ALLOWED]);
        mark::of(all.to_string(), 16)
    }
}

/// What others may know of a secret: enough to tell it from another, not enough to use it.
pub fn mark(secret: &SecretString) -> String {
    mark::of(secret.expose_secret(), 8)
}

fn show(info: &Info) {
    let seen = [info.pending_update_count, info.last_error_date.unwrap_or(0)];
    for (name, seen) in SHOWN.into_iter().zip(seen) {
        gauge!(name).set(seen as f64);
    }
}
