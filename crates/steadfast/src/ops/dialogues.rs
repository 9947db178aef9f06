//! The dialogues: who is where, and a way to free someone who is stuck.

use std::time::Instant;

use axum::Json;
use axum::extract::{Path, Query, State};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tower::ServiceExt;
use tracing::info;

use super::view::body;
use super::{Ops, Trouble, cursor, view};
use crate::dialogue::{self, Input};
use crate::store::{self, Cause, Clock, DialogueKey, Millis, Person, Token};
use crate::turn::Event;

/// How many dialogues a page holds.
const PAGE: usize = 100;
/// How much of each lane is shown.
const WAITING: usize = 100;

/// Which dialogues to list.
#[derive(Debug, Deserialize)]
pub(super) struct Which {
    label: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn list(
    State(ops): State<Ops>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, Trouble> {
    let cursor = which.cursor.as_deref().map(cursor::read).transpose()?;
    let label = which.label.as_deref().filter(|label| !label.is_empty());
    let page = ops.store.people(label, cursor, PAGE).await?;
    let people: Vec<Value> = page.people.iter().map(line).collect();
    let next = page.next.map(cursor::write);
    Ok(Json(json!({ "now": Clock::system().now(), "dialogues": people, "next": next })))
}

pub(super) async fn show(
    State(ops): State<Ops>,
    Path(key): Path<String>,
) -> Result<Json<Value>, Trouble> {
    let key = read_key(&key)?;
    let person = ops.store.peek(&key).await?.ok_or(Trouble::Nobody(key))?;
    let waiting = ops.store.waiting(key.chat, WAITING).await?;
    Ok(Json(view::of(&person, &waiting)))
}

pub(super) async fn reset(
    State(ops): State<Ops>,
    Path(key): Path<String>,
) -> Result<Json<Value>, Trouble> {
    let key = read_key(&key)?;
    ops.store.peek(&key).await?.ok_or(Trouble::Nobody(key))?;
    // In a task of its own: an operator who hangs up must not stop it half-way.
    let moved = tokio::spawn(ops.pipeline.oneshot(order(key, Input::Reset))).await;
    let moved = moved.map_err(|_| Trouble::Panicked)??;
    info!(
        partition = store::partition(key.chat),
        outcome = moved.outcome.word(),
        "an operator reset a dialogue"
    );
    let edge =
        |edge: &dialogue::Passage| json!({ "flow": edge.flow, "from": edge.from, "to": edge.to });
    let edges: Vec<Value> = moved.edges.iter().map(edge).collect();
    Ok(Json(json!({ "outcome": moved.outcome.word(), "edges": edges })))
}

/// An operator's word about whoever this is.
pub(super) fn order(key: DialogueKey, input: Input) -> Event {
    Event {
        cause: Cause::Order,
        kind: "order",
        key,
        person: dialogue::Person::default(),
        sent: None,
        stamp: Token::fresh().to_string(),
        callback: None,
        input,
        reply_to: None,
        settles: None,
        raw: Bytes::new(),
        received: Instant::now(),
    }
}

/// A dialogue without what it holds.
fn line(person: &Person) -> Value {
    json!({
        "dialogue": person.key.to_string(),
        "labels": person.labels,
        "unreadable": person.unreadable.is_some(),
        "version": person.version,
        "since": since(person),
        "due": person.due,
    })
}

/// When the person came to where they are; with nothing but drafts, when the last of them was put aside.
fn since(person: &Person) -> Option<Millis> {
    let body = body(person);
    let time = |value: &Value, place: &str| value.pointer(place).and_then(Value::as_u64);
    let came = |began| began + time(&body, "/live/entered").unwrap_or_default();
    let drafts = body["parked"].as_array().into_iter().flatten();
    let aside = || drafts.filter_map(|draft| time(draft, "/at")).max();
    time(&body, "/live/since").map(came).or_else(aside)
}

fn read_key(text: &str) -> Result<DialogueKey, Trouble> {
    text.parse().map_err(Trouble::Asked)
}
