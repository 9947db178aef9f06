//! When the first effect of a lane may go: its own wait, a Telegram that is away, and the limit of the whole bot.

use std::time::Duration;

use super::limits::{NotNow, PATIENCE};
use super::{Inner, Outbox};
use crate::store::Lane;

impl Outbox {
    /// Waits until the effect may be sent, or answers how long to leave it.
    pub(super) async fn ready(
        &self,
        lane: Lane,
        wait: Duration,
        count: u32,
    ) -> Result<(), Duration> {
        let Inner {
            stopping,
            failures,
            meters,
            ..
        } = &*self.inner;
        if lane.kind.is_sent() && !wait.is_zero() {
            meters.waits(lane.chat, wait);
        }
        if wait > PATIENCE {
            return Err(wait);
        }
        if stopping
            .run_until_cancelled(tokio::time::sleep(wait))
            .await
            .is_none()
            || stopping.is_cancelled()
        {
            return Err(Duration::ZERO);
        }
        if !lane.kind.is_sent() {
            return Ok(());
        }
        failures.admit(lane)?;
        self.take(lane, count).await
    }

    /// Takes so many sendings out of the limit of the bot, or answers how long to leave it.
    pub(super) async fn take(&self, lane: Lane, count: u32) -> Result<(), Duration> {
        let Inner {
            stopping, purse, ..
        } = &*self.inner;
        let taken = purse.take(lane.kind, count);
        let taken = stopping.run_until_cancelled(taken).await;
        taken
            .unwrap_or(Err(NotNow(Duration::ZERO)))
            .map_err(|NotNow(wait)| wait)
    }
}
