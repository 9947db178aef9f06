//! Whose a lane is, for all that is known: leases are renewed while there is work, and looked after before anything is sent.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Outbox;
use super::retry::Failure;
use crate::store::{self, LANE_LEASE, Lane, Token};

/// How old a lease may be and still be taken for granted.
const SURE: Duration = LANE_LEASE.saturating_sub(Duration::from_secs(1));

/// A lane that is being worked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) token: Token,
    /// When the lease was asked for that it is held by.
    pub(super) since: Instant,
}

/// Keeps a lane among those whose leases are renewed, for as long as it lives: also a worker that panics lets go of it.
pub(super) struct Hold {
    pub(super) outbox: Outbox,
    pub(super) lane: Lane,
    pub(super) token: Token,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.outbox.held();
        if held.get(&self.lane).is_some_and(|held| held.token == self.token) {
            held.remove(&self.lane);
        }
    }
}

impl Outbox {
    /// Renews the leases of all lanes at once.
    pub(super) async fn keep_leases(self) {
        let mut tick = tokio::time::interval(LANE_LEASE / 3);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = self.inner.closed.cancelled() => return,
            }
            let held: Vec<_> = self.held().iter().map(|(lane, held)| (*lane, held.token)).collect();
            if held.is_empty() {
                continue;
            }
            if let Err(error) = self.renew(&held).await {
                tracing::warn!(lanes = held.len(), %error, "leases could not be renewed");
            }
        }
    }

    /// Whether this lane is still ours. A process that was paused wakes up with lanes that others have worked since, and must
    /// not send what they have sent.
    pub(super) async fn holds(&self, lane: Lane, token: Token) -> bool {
        let is_sure = |held: &Held| held.token == token && held.since.elapsed() < SURE;
        if self.held().get(&lane).is_some_and(is_sure) {
            return true;
        }
        let renewed = self.renew(&[(lane, token)]).await;
        let is_ours = renewed.as_ref().is_ok_and(Vec::is_empty);
        // A store that is away says nothing about whose it is.
        if renewed.is_ok_and(|lost| !lost.is_empty()) {
            self.inner.meters.stale.increment(1);
            tracing::info!(%lane, "a lane was taken over: nothing more is sent from it here");
        }
        is_ours
    }

    /// Nothing may be sent that the next holder of the lane may have sent already, along with what comes after it: whoever has
    /// waited for an answer looks again.
    pub(super) async fn still_holds(&self, lane: Lane, token: Token) -> Result<(), Failure> {
        match self.holds(lane, token).await {
            true => Ok(()),
            false => Err(Failure::Wait(Duration::ZERO)),
        }
    }

    /// Renews these leases, and answers those that are lost.
    async fn renew(&self, lanes: &[(Lane, Token)]) -> store::Result<Vec<Lane>> {
        let since = Instant::now();
        let lost = self.inner.store.renew(lanes).await?;
        let mut held = self.held();
        for (lane, token) in lanes.iter().filter(|(lane, _)| !lost.contains(lane)) {
            if let Some(held) = held.get_mut(lane).filter(|held| held.token == *token) {
                held.since = since;
            }
        }
        Ok(lost)
    }

    pub(super) fn held(&self) -> MutexGuard<'_, HashMap<Lane, Held>> {
        self.inner.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
