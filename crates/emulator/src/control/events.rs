//! What happens, as Server-Sent Events.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};

use crate::body::Parts;
use crate::desk::Desk;

/// How often something is said where nothing happens, so that nobody takes the connection for dead.
const QUIET: Duration = Duration::from_secs(15);

pub(super) async fn events(State(desk): State<Arc<Desk>>) -> Response {
    let (sender, receiver) = mpsc::channel(64);
    tokio::spawn(tell(desk.events.subscribe(), sender));
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, Body::new(Parts(receiver))).into_response()
}

/// Passes events on until nobody listens. Who was too slow begins anew.
async fn tell(mut events: broadcast::Receiver<String>, listener: mpsc::Sender<io::Result<Bytes>>) {
    let mut line = ": here\n\n".to_owned();
    while listener.send(Ok(Bytes::from(line))).await.is_ok() {
        line = match tokio::time::timeout(QUIET, events.recv()).await {
            Ok(Ok(event)) => format!("data: {event}\n\n"),
            Ok(Err(RecvError::Lagged(_))) => "data: {\"type\":\"reset\"}\n\n".to_owned(),
            Ok(Err(RecvError::Closed)) => return,
            Err(_) => ": still here\n\n".to_owned(),
        };
    }
}
