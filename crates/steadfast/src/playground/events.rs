//! What is told as it happens: Server-Sent Events, each a JSON object with its `type`.

use std::time::Duration;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Playground;
use super::said::Transition;

/// How many events a slow listener may be behind.
const BEHIND: usize = 1024;
/// How often something is said to those who listen, so that who has left is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Those who listen.
#[derive(Debug, Clone)]
pub(super) struct Events(broadcast::Sender<Value>);

impl Default for Events {
    fn default() -> Self {
        Self(broadcast::Sender::new(BEHIND))
    }
}

impl Events {
    pub(super) fn moved(&self, transition: &Transition) {
        let mut event = json!(transition);
        event["type"] = "transition".into();
        self.tell(event);
    }

    pub(super) fn turned(&self, dialogue: &str) {
        self.tell(json!({ "type": "dialogue", "dialogue": dialogue }));
    }

    fn tell(&self, event: Value) {
        // Nobody may be listening.
        let _ = self.0.send(event);
    }
}

/// Tells of every change of the bot itself, for ever.
pub(super) async fn tell_of_the_bot(playground: Playground) {
    let mut status = playground.0.status.subscribe();
    while status.changed().await.is_ok() {
        status.borrow_and_update();
        playground.0.events.tell(bot(&playground));
    }
}

/// Everything from now on, beginning with how the bot is.
pub(super) fn listen(playground: &Playground) -> Response {
    let (sender, body) = Channel::<Bytes>::new(BEHIND);
    let events = playground.0.events.0.subscribe();
    tokio::spawn(forward(playground.clone(), events, sender));
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, Body::new(body)).into_response()
}

/// Until the listener leaves.
async fn forward(
    playground: Playground,
    mut events: broadcast::Receiver<Value>,
    mut listener: Sender<Bytes>,
) {
    let mut line = data(&bot(&playground));
    while listener.send_data(line).await.is_ok() {
        line = match tokio::time::timeout(KEEP_ALIVE, events.recv()).await {
            Err(_) => ":\n\n".into(),
            Ok(Ok(event)) => data(&event),
            // Too slow: what was missed can be asked for.
            Ok(Err(RecvError::Lagged(_))) => data(&bot(&playground)),
            Ok(Err(RecvError::Closed)) => return,
        };
    }
}

fn bot(playground: &Playground) -> Value {
    let mut event = json!(*playground.0.status.borrow());
    event["type"] = "bot".into();
    event
}

fn data(event: &Value) -> Bytes {
    format!("data: {event}\n\n").into()
}
