//! Two lines per update: what came, and, when it is over, what became of it and how long it took.
//!
//! That is all an ordinary update costs at level `info`, but for a line per transition. The first says nothing that the second does
//! not, unless there never is a second: then it names the update on which a process hangs, or has died.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use tower::{Layer, Service};

use super::transition::Shown;
use super::{Outcome, TurnError};
use crate::dialogue::Input;
use crate::trace::Trace;
use crate::turn::Event;

/// Logs every turn. See the [module docs](self).
#[derive(Debug, Clone, Copy, Default)]
pub struct LogLayer {
    texts: bool,
}

impl LogLayer {
    /// With `texts`, what people write is logged too; without, never.
    pub fn new(texts: bool) -> Self {
        Self { texts }
    }
}

impl<S> Layer<S> for LogLayer {
    type Service = Log<S>;

    fn layer(&self, inner: S) -> Log<S> {
        Log { inner, texts: self.texts }
    }
}

/// The service of [`LogLayer`].
#[derive(Debug, Clone)]
pub struct Log<S> {
    inner: S,
    texts: bool,
}

impl<S> Service<Event> for Log<S>
where
    S: Service<Event, Response = Shown, Error = TurnError>,
    S::Future: Send + 'static,
{
    type Response = Outcome;
    type Error = TurnError;
    type Future = Pin<Box<dyn Future<Output = Result<Outcome, TurnError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TurnError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Event) -> Self::Future {
        let line = Line::of(&incoming, self.texts);
        line.announce();
        let turn = self.inner.call(incoming);
        Box::pin(async move {
            let moved = turn.await.map(|Shown(moved)| moved);
            line.write(&moved);
            moved
        })
    }
}

/// What is known before the turn is made.
struct Line {
    trace: Trace,
    kind: &'static str,
    input: &'static str,
    update: u64,
    chat: i64,
    user: i64,
    text: Option<String>,
    start: Instant,
}

impl Line {
    fn of(incoming: &Event, texts: bool) -> Self {
        let text = match &incoming.input {
            Input::Text(text) if texts => Some(text.clone()),
            _ => None,
        };
        Self {
            trace: incoming.trace(),
            kind: incoming.kind,
            input: incoming.input.word(),
            update: incoming.cause.number(),
            chat: incoming.key.chat,
            user: incoming.key.user,
            text,
            start: incoming.received,
        }
    }

    fn announce(&self) {
        tracing::info!(
            trace = %self.trace,
            update.id = self.update,
            kind = self.kind,
            input = self.input,
            chat.id = self.chat,
            user.id = self.user,
            "update received"
        );
    }

    fn write(&self, moved: &Result<Outcome, TurnError>) {
        let Self { trace, kind, input, update, chat, user, .. } = *self;
        let duration_ms = self.start.elapsed().as_micros() as f64 / 1000.0;
        let text = self.text.as_deref();
        match moved {
            Ok(moved) => tracing::info!(
                %trace,
                update.id = update,
                kind,
                input,
                chat.id = chat,
                user.id = user,
                text,
                duration_ms,
                attempts = moved.attempts,
                outcome = moved.outcome.word(),
                "update"
            ),
            Err(error) => tracing::warn!(
                %trace, update.id = update, kind, input, chat.id = chat, user.id = user, text, duration_ms,
                outcome = error.word(), %error, "update not taken in; it will come again"
            ),
        }
    }
}
