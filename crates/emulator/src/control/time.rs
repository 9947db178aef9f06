//! Moving the clock, restarting the server, beginning anew.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use serde::Deserialize;
use serde_json::json;

use super::{Shown, body};
use crate::acts::wrong;
use crate::clock::LONGEST;
use crate::desk::Desk;
use crate::span;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    advance: String,
}

pub(super) async fn advance(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let said: Advance = body(&bytes)?;
    let by = span::read(&said.advance);
    let by = by.ok_or_else(|| wrong("`advance` is a length of time such as 90s, 15m or 24h"))?;
    if by > LONGEST {
        return Err(wrong("at most 366d may pass at once"));
    }
    desk.advance(by);
    Ok(Json(json!({ "now": desk.clock.now() })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restart {
    ids: Option<String>,
}

pub(super) async fn restart(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let said: Restart = body(&bytes)?;
    let is_lower = match said.ids.as_deref() {
        None => false,
        Some("lower") => true,
        Some(_) => return Err(wrong("`ids` can only be \"lower\"")),
    };
    desk.restart(is_lower);
    Ok(Json(json!({})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reset {
    #[serde(default)]
    people: bool,
}

pub(super) async fn reset(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let said: Reset = body(&bytes)?;
    desk.reset(said.people);
    Ok(Json(json!({})))
}
