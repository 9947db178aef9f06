//! What one replica sees to for all of them: whoever holds the lease of it.
//!
//! Whoever takes the lease over looks at once, and again when the duty says so. It is prolonged meanwhile, so that nobody else
//! begins while Telegram takes its time. What was done last is told by a mark that the store keeps under the duty's name.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::store::{Store, Token};

/// How long a replica that is gone keeps the lease.
const LEASE: Duration = Duration::from_secs(8);
/// How often the lease is prolonged, or asked for.
const RENEW: Duration = Duration::from_secs(2);
/// How long what is under way at the end may take.
const LAST: Duration = Duration::from_secs(1);

/// What one replica sees to for all of them.
pub trait Duty: Send + Sync {
    /// The name of its lease, and of the mark that is kept of it.
    const NAME: &'static str;

    /// Sees to it that all is as it should be, and answers when to look again. It may be dropped wherever it waits.
    fn see_to(&self) -> impl Future<Output = Duration> + Send;

    /// Another replica sees to it, or nobody knows who: what was seen last is no longer ours to tell.
    fn hand_on(&self) {}
}

/// Sees to a duty until told to stop, whenever this replica holds its lease.
pub async fn keep<D: Duty>(duty: D, store: Arc<dyn Store>, stop: CancellationToken) {
    let mut keeper = Keeper { duty, lease: Lease::new(D::NAME, store), looks_at: Instant::now() };
    loop {
        let pause = tokio::select! {
            pause = keeper.round() => pause,
            // A call that is given up may still arrive at Telegram: the lease runs out before anybody makes another.
            () = long_after(&stop) => return,
        };
        let pause = tokio::time::sleep(pause);
        if stop.run_until_cancelled(pause).await.is_none() {
            return keeper.lease.release().await;
        }
    }
}

async fn long_after(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(LAST).await;
}

struct Keeper<D> {
    duty: D,
    lease: Lease,
    /// When it is looked at next.
    looks_at: Instant,
}

impl<D: Duty> Keeper<D> {
    /// Looks if it is time, and answers how long until the next round.
    async fn round(&mut self) -> Duration {
        if !self.lease.is_ours().await {
            self.duty.hand_on();
            // Whoever takes it over looks at once.
            self.looks_at = Instant::now();
            return RENEW;
        }
        if self.looks_at <= Instant::now() {
            let wait = self.look().await;
            self.looks_at = Instant::now() + wait;
        }
        RENEW.min(self.looks_at - Instant::now())
    }

    /// Sees to it, and prolongs the lease meanwhile: Telegram may take longer to answer.
    async fn look(&self) -> Duration {
        let seen_to = self.duty.see_to();
        tokio::pin!(seen_to);
        loop {
            tokio::select! {
                wait = &mut seen_to => return wait,
                () = tokio::time::sleep(RENEW) => {}
            }
            if !self.lease.is_ours().await {
                tracing::warn!(duty = D::NAME, "its lease was lost while it was seen to");
                return RENEW;
            }
        }
    }
}

/// A lease that is asked for or prolonged by this replica.
struct Lease {
    name: &'static str,
    store: Arc<dyn Store>,
    me: Token,
}

impl Lease {
    fn new(name: &'static str, store: Arc<dyn Store>) -> Self {
        let me = Token::fresh();
        Self { name, store, me }
    }

    /// Takes or prolongs it.
    async fn is_ours(&self) -> bool {
        let lease = self.store.lease(self.name, self.me, LEASE).await;
        lease.is_ok_and(|fence| fence.is_some())
    }

    async fn release(self) {
        if let Err(error) = self.store.release(self.name, self.me).await {
            tracing::debug!(lease = self.name, %error, "it will run out");
        }
    }
}
