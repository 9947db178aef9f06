//! Who and what is let in: decided by the header first, and by the body only then.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, Method, StatusCode, header, request};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::OwnedSemaphorePermit;

use super::answer::{Answer, Outcome};
use super::meter::Busy;
use super::{Webhook, start};

/// The header that carries the secret.
const SECRET: &str = "x-telegram-bot-api-secret-token";
/// The header a proxy stamps with the time the request reached it.
const REQUEST_START: &str = "x-request-start";

/// Room for one update.
pub(super) type Room = (OwnedSemaphorePermit, Busy);

impl Webhook {
    /// Decides by the header alone.
    pub(super) fn admit(&self, parts: &request::Parts) -> Result<(), Answer> {
        if parts.method != Method::POST {
            return Err(Answer::bad_input(StatusCode::METHOD_NOT_ALLOWED));
        }
        let secret = parts.headers.get(SECRET).map(|value| value.as_bytes());
        if !secret.is_some_and(|secret| self.secrets.accept(secret)) {
            return Err(Answer::unauthorized());
        }
        if !is_json(&parts.headers) {
            return Err(Answer::bad_input(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        match request_age(&parts.headers) {
            Some(age) if age > self.limits.request_age => Err(Answer::later(Outcome::Stale)),
            _ => Ok(()),
        }
    }

    /// Room for one more update, given back when dropped.
    pub(super) fn room(&self) -> Result<Room, Answer> {
        let permit = Arc::clone(&self.permits).try_acquire_owned();
        permit
            .map(|permit| (permit, self.meter.busy()))
            .map_err(|_| Answer::later(Outcome::Overloaded))
    }

    /// The body, if it is small enough and comes soon enough.
    pub(super) async fn body(&self, headers: &HeaderMap, body: Body) -> Result<Bytes, Answer> {
        let limit = self.limits.body_bytes;
        if body.size_hint().lower() > limit as u64 || announced(headers) > limit as u64 {
            return Err(Answer::bad_input(StatusCode::PAYLOAD_TOO_LARGE));
        }
        let whole = Limited::new(body, limit).collect();
        match tokio::time::timeout(self.limits.body_time, whole).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                Err(Answer::bad_input(StatusCode::PAYLOAD_TOO_LARGE))
            }
            Ok(Err(_)) => Err(Answer::bad_input(StatusCode::BAD_REQUEST)),
            Err(_) => Err(Answer::slow_body()),
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE);
    value
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// How many bytes the peer says will come.
fn announced(headers: &HeaderMap) -> u64 {
    let value = headers.get(header::CONTENT_LENGTH);
    value.and_then(|value| value.to_str().ok()?.parse().ok()).unwrap_or(0)
}

fn request_age(headers: &HeaderMap) -> Option<Duration> {
    let started = start::parse(headers.get(REQUEST_START)?.to_str().ok()?)?;
    Some(SystemTime::now().duration_since(started).unwrap_or_default())
}
