//! A tower layer that counts turns.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use steadfast::turn::{Event, Outcome, TurnError};
use tower::{Layer, Service};

/// Number of turns that the layer has seen finish.
pub static TURNS: AtomicU64 = AtomicU64::new(0);

/// Counts the turns that are finished.
#[derive(Debug, Clone, Copy)]
pub struct AuditLayer;

/// The service of [`AuditLayer`].
#[derive(Debug, Clone)]
pub struct Audit<T> {
    inner: T,
}

impl<T> Layer<T> for AuditLayer {
    type Service = Audit<T>;

    fn layer(&self, inner: T) -> Audit<T> {
        Audit { inner }
    }
}

impl<T> Service<Event> for Audit<T>
where
    T: Service<Event, Response = Outcome, Error = TurnError>,
    T::Future: Send + 'static,
{
    type Response = Outcome;
    type Error = TurnError;
    type Future = Pin<Box<dyn Future<Output = Result<Outcome, TurnError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), TurnError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, event: Event) -> Self::Future {
        let turn = self.inner.call(event);
        Box::pin(async move {
            let outcome = turn.await;
            if outcome.is_ok() {
                TURNS.fetch_add(1, Ordering::Relaxed);
            }
            outcome
        })
    }
}
