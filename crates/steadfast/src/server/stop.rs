//! Stopping, step by step. It is a courtesy: whatever is missed is repaired by redelivery and leases.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use super::{App, HttpServer, worker};

/// What is kept back from the deadline for the steps that follow a slow one.
const RESERVE: Duration = Duration::from_secs(2);

/// Until when steps may take their time, and when all must be over.
#[derive(Debug, Clone, Copy)]
struct Time {
    soon: Instant,
    end: Instant,
}

impl App {
    /// Stops everything in order, within the deadline, each step logged.
    pub async fn stop(self) {
        let time = Time::new(self.stop.deadline);
        self.vitals.drain();
        info!(delay = ?self.stop.drain_delay, "stopping: not ready any more, still serving");
        tokio::time::sleep_until(time.soon.min(Instant::now() + self.stop.drain_delay)).await;
        step("requests in flight finished", time, async {
            self.webhook.stop().await;
            self.hook.finish().await;
        })
        .await;
        for running in self.workers {
            finish(running, time).await;
        }
        step("operations listener closed", time, self.ops.stop()).await;
        for running in self.watchers {
            finish(running, time).await;
        }
        if let Some(records) = &self.records {
            step("records closed", time, records.close()).await;
        }
        step("store closed", time, self.store.close()).await;
        info!("stopped");
    }
}

async fn finish(running: worker::Running, time: Time) {
    running.stop.cancel();
    step(running.name, time, async {
        // A worker that panicked has stopped as well; the panic is on record.
        let _ = running.task.await;
    })
    .await;
}

async fn step(name: &str, time: Time, work: impl Future<Output = ()>) {
    match tokio::time::timeout_at(time.by(), work).await {
        Ok(()) => info!(step = name, "stopping"),
        Err(_) => warn!(step = name, "stopping: gave up waiting, SHUTDOWN_DEADLINE is near"),
    }
}

impl Time {
    fn new(deadline: Duration) -> Self {
        let end = Instant::now() + deadline;
        let soon = end - RESERVE.min(deadline / 4);
        Self { soon, end }
    }

    /// When the next step must be over. One that took all its time leaves some to those after it: each gets a quarter of
    /// what is left.
    fn by(self) -> Instant {
        let left = self.end.saturating_duration_since(Instant::now());
        self.soon.max(Instant::now() + left / 4)
    }
}

impl HttpServer {
    async fn stop(self) {
        self.stop.cancel();
        if !matches!(self.task.await, Ok(true)) {
            warn!(address = %self.address, "some connections did not finish in time");
        }
    }
}
