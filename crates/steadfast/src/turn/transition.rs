//! Shows every transition that it knows to be committed: one event and one counter each.
//!
//! It stands outside the session, so it never sees a step that lost a race. A transition that no transcript has walked is
//! flagged: either a test is missing, or something happens that nobody meant.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower::{Layer, Service};

use super::Outcome;
use crate::dialogue::{Edge, Edges};
use crate::turn::Event;

mod meter;

pub(crate) use meter::WAYS;

use meter::Meter;

/// Shows transitions. See the [module docs](self).
#[derive(Debug, Clone)]
pub struct TransitionLayer {
    meter: Arc<Meter>,
}

impl TransitionLayer {
    /// Holds transitions against those known from transcripts.
    pub fn new(edges: &Edges) -> Self {
        Self { meter: Arc::new(Meter::new(edges)) }
    }
}

impl<S> Layer<S> for TransitionLayer {
    type Service = Transition<S>;

    fn layer(&self, inner: S) -> Transition<S> {
        Transition { inner, meter: Arc::clone(&self.meter) }
    }
}

/// The service of [`TransitionLayer`].
#[derive(Debug, Clone)]
pub struct Transition<S> {
    inner: S,
    meter: Arc<Meter>,
}

impl<S> Service<Event> for Transition<S>
where
    S: Service<Event, Response = Outcome>,
    S::Future: Send + 'static,
{
    type Response = Shown;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Shown, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Event) -> Self::Future {
        let (trace, update, key) = (incoming.trace(), incoming.cause.number(), incoming.key);
        let turn = self.inner.call(incoming);
        let meter = Arc::clone(&self.meter);
        Box::pin(async move {
            let moved = turn.await?;
            for walked in &moved.edges {
                let known = meter.count(walked);
                let Edge { flow, from, to } = &walked.edge;
                let stood_ms = walked.stood.map(|stood| stood.as_millis() as u64);
                tracing::info!(
                    %trace,
                    update.id = update,
                    chat.id = key.chat,
                    user.id = key.user,
                    topic.id = key.topic,
                    flow,
                    from,
                    to,
                    stood_ms,
                    known,
                    "transition"
                );
            }
            Ok(Shown(moved))
        })
    }
}

/// What became of an incoming, whose transitions have been shown: nothing above may look at it before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(pub Outcome);
