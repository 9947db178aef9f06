//! Waits for the whole of a request before anything is done about it, and not for ever.

use std::time::Duration;

use axum::body::{self, Body, HttpBody as _};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

/// The longest time for a body to arrive.
const TIME: Duration = Duration::from_secs(5);
/// The largest body: many times the longest message.
const BYTES: usize = 1024 * 1024;

/// Passes a request on once its body is there.
pub(crate) async fn wait(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if body.size_hint().lower() > BYTES as u64 {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    }
    match timeout(TIME, body::to_bytes(body, BYTES)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(parts, Body::from(body))).await,
        Ok(Err(_)) => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}
