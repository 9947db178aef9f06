//! Shows every committed transition: one event and one counter each.
//!
//! It stands outside the session, so it never sees a step that lost a race. A transition that no transcript has walked is
//! flagged: either a test is missing, or something happens that nobody meant.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use metrics::{Counter, counter};
use tower::{Layer, Service};

use super::Moved;
use crate::dialogue::{Edge, Edges};
use crate::update::Incoming;

/// Shows transitions. See the [module docs](self).
#[derive(Debug, Clone)]
pub struct TransitionLayer {
    counters: Arc<Counters>,
}

impl TransitionLayer {
    /// Holds transitions against those known from transcripts.
    pub fn new(edges: &Edges) -> Self {
        Self {
            counters: Arc::new(Counters::new(edges)),
        }
    }
}

impl<S> Layer<S> for TransitionLayer {
    type Service = Transition<S>;

    fn layer(&self, inner: S) -> Transition<S> {
        Transition {
            inner,
            counters: Arc::clone(&self.counters),
        }
    }
}

/// The service of [`TransitionLayer`].
#[derive(Debug, Clone)]
pub struct Transition<S> {
    inner: S,
    counters: Arc<Counters>,
}

impl<S> Service<Incoming> for Transition<S>
where
    S: Service<Incoming, Response = Moved>,
    S::Future: Send + 'static,
{
    type Response = Shown;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Shown, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let (update, key) = (incoming.cause.number(), incoming.key);
        let turn = self.inner.call(incoming);
        let counters = Arc::clone(&self.counters);
        Box::pin(async move {
            let moved = turn.await?;
            for edge in &moved.edges {
                let known = counters.count(edge);
                let Edge { flow, from, to } = edge;
                tracing::info!(
                    update.id = update,
                    chat.id = key.chat,
                    user.id = key.user,
                    topic.id = key.topic,
                    flow,
                    from,
                    to,
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
pub struct Shown(pub Moved);

/// A counter for each transition, made once.
#[derive(Debug)]
struct Counters {
    edges: Edges,
    known: HashMap<Edge, Counter>,
    unknown: Counter,
}

impl Counters {
    fn new(edges: &Edges) -> Self {
        let known = edges
            .all()
            .into_iter()
            .map(|edge| (edge.clone(), transitions(&edge)))
            .collect();
        for flow in edges.flows() {
            started(flow).increment(0);
            Edge::OUTCOMES
                .iter()
                .for_each(|outcome| finished(flow, outcome).increment(0));
        }
        Self {
            edges: edges.clone(),
            known,
            unknown: counter!("steadfast_transitions_unknown_total"),
        }
    }

    /// Counts a transition; answers whether it is known.
    fn count(&self, edge: &Edge) -> bool {
        match self.known.get(edge) {
            Some(counter) => counter.increment(1),
            None => transitions(edge).increment(1),
        }
        if edge.from == "start" {
            started(&edge.flow).increment(1);
        }
        if let Some(outcome) = edge.outcome() {
            finished(&edge.flow, outcome).increment(1);
        }
        let known = self.edges.knows(edge);
        self.unknown.increment(u64::from(!known));
        known
    }
}

fn transitions(edge: &Edge) -> Counter {
    let Edge { flow, from, to } = edge.clone();
    counter!("steadfast_transitions_total", "flow" => flow, "from" => from, "to" => to)
}

fn started(flow: &str) -> Counter {
    counter!("steadfast_dialogues_started_total", "flow" => flow.to_owned())
}

fn finished(flow: &str, outcome: &'static str) -> Counter {
    counter!("steadfast_dialogues_finished_total", "flow" => flow.to_owned(), "outcome" => outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry;

    #[test]
    fn a_transition_that_no_transcript_has_walked_is_flagged() {
        let recorder = telemetry::recorder().unwrap();
        let edges = Edges::read("photo: start -> caption\nphoto: caption -> done").unwrap();
        metrics::with_local_recorder(&recorder, || {
            let counters = Counters::new(&edges);
            assert!(counters.count(&Edge::new("photo", "start", "caption")));
            assert!(counters.count(&Edge::new("photo", "caption", "cancelled")));
            assert!(!counters.count(&Edge::new("photo", "start", "done")));
        });
        let page = recorder.handle().render();
        for line in [
            "steadfast_transitions_unknown_total 1",
            r#"steadfast_transitions_total{flow="photo",from="start",to="caption"} 1"#,
            r#"steadfast_transitions_total{flow="photo",from="caption",to="done"} 0"#,
            r#"steadfast_transitions_total{flow="photo",from="caption",to="cancelled"} 1"#,
            r#"steadfast_transitions_total{flow="photo",from="caption",to="parked"} 0"#,
            r#"steadfast_transitions_total{flow="photo",from="parked",to="forgotten"} 0"#,
            r#"steadfast_transitions_total{flow="photo",from="start",to="done"} 1"#,
        ] {
            assert!(page.lines().any(|shown| shown == line), "{line}");
        }
    }
}
