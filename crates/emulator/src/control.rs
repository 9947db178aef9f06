//! The control API: what people can do and see over HTTP, in JSON, under `/emulator/`.

use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, patch, post};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::acts::{Cannot, wrong};
use super::desk::Desk;

mod doing;
mod events;
mod faults;
mod fields;
mod list;
mod looking;
mod people;
mod time;
mod words;

pub(super) use words::nowhere;

/// What a request is answered.
type Shown = Result<Json<Value>, Cannot>;

pub(super) fn routes() -> Router<Arc<Desk>> {
    Router::new()
        .route("/emulator/", get(list::list))
        .route("/emulator", get(list::list))
        .route("/emulator/state", get(looking::state))
        .route("/emulator/bot", patch(people::rename))
        .route("/emulator/people", post(people::add))
        .route("/emulator/people/{id}", patch(people::change))
        .route("/emulator/people/{id}/block", post(people::block))
        .route("/emulator/people/{id}/deactivate", post(people::deactivate))
        .route("/emulator/groups", post(people::found))
        .route("/emulator/groups/{id}/bot", post(people::bot_becomes))
        .route("/emulator/groups/{id}/topics", post(people::open_topic))
        .route("/emulator/groups/{id}/migrate", post(people::migrate))
        .route("/emulator/groups/{id}/members", post(people::become_member))
        .route("/emulator/groups/{id}/requests", post(people::ask_to_join))
        .route("/emulator/messages", post(doing::send))
        .route("/emulator/messages/edit", post(doing::edit))
        .route("/emulator/press", post(doing::press))
        // The first guess of many, after `messages` and `reactions`.
        .route("/emulator/presses", post(doing::press))
        .route("/emulator/reactions", post(doing::react))
        .route("/emulator/race", post(doing::race))
        .route("/emulator/chats/{id}", get(looking::chat))
        .route("/emulator/callbacks/{id}", get(looking::callback))
        .route("/emulator/files/{id}", get(looking::file))
        .route("/emulator/calls", get(looking::calls))
        .route("/emulator/updates", get(looking::updates).post(doing::tell))
        .route("/emulator/updates/{id}/again", post(doing::again))
        .route("/emulator/clock", post(time::advance))
        .route("/emulator/restart", post(time::restart))
        .route("/emulator/reset", post(time::reset))
        .route("/emulator/faults", get(faults::list).post(faults::add).delete(faults::clear))
        .route("/emulator/faults/{id}", axum::routing::delete(faults::remove))
        .route("/emulator/limits", post(faults::limits))
        .route("/emulator/events", get(events::events))
        .layer(axum::extract::DefaultBodyLimit::max(64 << 20))
        .layer(axum::middleware::from_fn(words::explain))
        .layer(axum::middleware::from_fn(own_pages))
}

/// A page from elsewhere that is open in the browser may not play with the emulator.
async fn own_pages(request: Request, next: Next) -> Response {
    if is_foreign(request.headers()) {
        let status = 403;
        let words = "only pages of the emulator itself may ask that".to_owned();
        return Cannot { status, words }.into_response();
    }
    next.run(request).await
}

fn is_foreign(headers: &HeaderMap) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|it| it.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    let origin = text(header::ORIGIN).and_then(|origin| origin.split("://").last());
    origin.is_some_and(|origin| origin != host)
}

impl IntoResponse for Cannot {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(json!({ "error": self.words }))).into_response()
    }
}

/// Reads a body; no body at all is an empty object.
fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Cannot> {
    let bytes = if bytes.trim_ascii().is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes)
        .map_err(|error| wrong(format!("the body is not as it should be: {error}")))
}
