//! Stopping, step by step. It is a courtesy: whatever is missed is repaired by redelivery and leases.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use super::{App, Server, worker};

/// What is kept back from the deadline so that the store can still be closed.
const RESERVE: Duration = Duration::from_secs(2);

impl App {
    /// Stops everything in order, within the deadline, each step logged.
    pub async fn stop(self) {
        let end = Instant::now() + self.stop.deadline;
        let soon = end - RESERVE.min(self.stop.deadline / 4);
        self.vitals.drain();
        info!(delay = ?self.stop.drain_delay, "stopping: not ready any more, still serving");
        tokio::time::sleep_until(soon.min(Instant::now() + self.stop.drain_delay)).await;
        step("requests in flight finished", soon, async {
            self.webhook.stop().await;
            self.hook.finish().await;
        })
        .await;
        for running in self.workers {
            finish(running, soon).await;
        }
        step("operations listener closed", soon, self.ops.stop()).await;
        for running in self.watchers {
            finish(running, soon).await;
        }
        step("store closed", end, self.store.close()).await;
        info!("stopped");
    }
}

async fn finish(running: worker::Running, by: Instant) {
    running.stop.cancel();
    step(running.name, by, async {
        // A worker that panicked has stopped as well; the panic is on record.
        let _ = running.task.await;
    })
    .await;
}

async fn step(name: &str, by: Instant, work: impl Future<Output = ()>) {
    match tokio::time::timeout_at(by, work).await {
        Ok(()) => info!(step = name, "stopping"),
        Err(_) => warn!(
            step = name,
            "stopping: gave up waiting, SHUTDOWN_DEADLINE is near"
        ),
    }
}

impl Server {
    async fn stop(self) {
        self.stop.cancel();
        if !matches!(self.task.await, Ok(true)) {
            warn!(address = %self.address, "some connections did not finish in time");
        }
    }
}
