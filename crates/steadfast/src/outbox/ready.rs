//! When the first effect of a lane may go: its own wait, a Telegram that is away, and the limit of the whole bot.

use std::time::{Duration, Instant};

use super::limits::{NotNow, PATIENCE};
use super::{Inner, Outbox, line};
use crate::store::{Item, Lane};

impl Outbox {
    /// Waits until the effect may be sent, or answers how long to leave it.
    pub(super) async fn ready(
        &self,
        lane: Lane,
        item: &Item,
        wait: Duration,
    ) -> Result<(), Duration> {
        if lane.kind.is_sent() && !wait.is_zero() {
            self.inner.meters.waits(lane.chat, wait);
        }
        if wait > PATIENCE {
            line::waits(lane, item, "chat", wait);
            return Err(wait);
        }
        self.sleep(wait).await?;
        if !lane.kind.is_sent() {
            return Ok(());
        }
        self.inner.failures.admit(lane)?;
        let began = Instant::now();
        let taken = self.take(lane, item.sendings()).await;
        let waits = began.elapsed() + taken.err().unwrap_or_default();
        if waits > PATIENCE {
            line::waits(lane, item, "bot", waits);
        }
        taken
    }

    /// Waits, unless nothing new is begun.
    async fn sleep(&self, wait: Duration) -> Result<(), Duration> {
        let stopping = &self.inner.stopping;
        // A timer rounds up to whole milliseconds, also for what need not wait.
        if !wait.is_zero() {
            let slept = tokio::time::sleep(wait);
            stopping.run_until_cancelled(slept).await;
        }
        match stopping.is_cancelled() {
            true => Err(Duration::ZERO),
            false => Ok(()),
        }
    }

    /// Takes so many sendings out of the limit of the bot, or answers how long to leave it.
    pub(super) async fn take(&self, lane: Lane, count: u32) -> Result<(), Duration> {
        let Inner { stopping, purse, .. } = &*self.inner;
        let taken = purse.take(lane.kind, count);
        let taken = stopping.run_until_cancelled(taken).await;
        taken.unwrap_or(Err(NotNow(Duration::ZERO))).map_err(|NotNow(wait)| wait)
    }
}
