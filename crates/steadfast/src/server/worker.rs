//! What runs beside the listeners.

use std::fmt;
use std::pin::Pin;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something to run until it is told to stop; it then finishes what it has in hand.
pub struct Worker {
    name: &'static str,
    run: Box<dyn FnOnce(CancellationToken) -> Task + Send>,
}

/// A worker at work.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) name: &'static str,
    pub(super) stop: CancellationToken,
    pub(super) task: JoinHandle<()>,
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Worker").field(&self.name).finish()
    }
}

impl Worker {
    /// Watches its token, and finishes in its own way.
    pub fn new<F>(
        name: &'static str,
        run: impl FnOnce(CancellationToken) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self { name, run: Box::new(move |stop| Box::pin(run(stop))) }
    }

    /// May be dropped wherever it waits.
    pub fn endless(name: &'static str, work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::new(name, async move |stop: CancellationToken| {
            stop.run_until_cancelled(work).await;
        })
    }

    pub(super) fn start(self) -> Running {
        let stop = CancellationToken::new();
        Running { name: self.name, task: tokio::spawn((self.run)(stop.clone())), stop }
    }
}
