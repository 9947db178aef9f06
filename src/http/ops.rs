//! The dialogues, for those who run the bot: who is where, and a way to free someone who is stuck.
//!
//! | request | answer |
//! |---|---|
//! | `GET /dialogues?label=order/phone&cursor=…` | a page of dialogues, and where the next begins |
//! | `GET /dialogues/{key}` | one dialogue with all it holds |
//! | `POST /dialogues/{key}/reset` | frees the person, by a turn like any other |

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};
use tower::ServiceExt;
use tracing::info;

use crate::dialogue::{self, Input};
use crate::pipeline::{self, Pipeline};
use crate::store::{self, Cause, Cursor, Key, Person, Store, Token};
use crate::update::Incoming;

mod guard;

pub use guard::Guard;

/// How many dialogues a page holds.
const PAGE: usize = 100;

/// What the operations work with.
#[derive(Clone)]
pub struct Ops {
    /// Where the dialogues are.
    pub store: Arc<dyn Store>,
    /// What moves them.
    pub pipeline: Pipeline,
}

impl fmt::Debug for Ops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ops")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// The dialogues, behind `guard`.
pub fn router(ops: Ops, guard: Guard) -> Router {
    Router::new()
        .route("/dialogues", get(list))
        .route("/dialogues/{key}", get(show))
        .route("/dialogues/{key}/reset", post(reset))
        .route_layer(middleware::from_fn_with_state(
            Arc::new(guard),
            guard::check,
        ))
        .with_state(ops)
}

/// Which dialogues to list.
#[derive(Debug, Deserialize)]
struct Which {
    label: Option<String>,
    cursor: Option<String>,
}

async fn list(State(ops): State<Ops>, Query(which): Query<Which>) -> Result<Json<Value>, Trouble> {
    let cursor = which.cursor.as_deref().map(read_cursor).transpose()?;
    let label = which.label.as_deref().filter(|label| !label.is_empty());
    let page = ops.store.people(label, cursor, PAGE).await?;
    let people: Vec<Value> = page.people.iter().map(line).collect();
    let next = page
        .next
        .map(|next| format!("{}.{}", next.partition, next.skip));
    Ok(Json(
        json!({ "now": now(), "dialogues": people, "next": next }),
    ))
}

async fn show(State(ops): State<Ops>, Path(key): Path<String>) -> Result<Json<Value>, Trouble> {
    let key = read_key(&key)?;
    let person = ops.store.peek(&key).await?.ok_or(Trouble::Nobody(key))?;
    let mut shown = line(&person);
    shown["body"] = body(&person);
    Ok(Json(shown))
}

async fn reset(State(ops): State<Ops>, Path(key): Path<String>) -> Result<Json<Value>, Trouble> {
    let key = read_key(&key)?;
    ops.store.peek(&key).await?.ok_or(Trouble::Nobody(key))?;
    // In a task of its own: an operator who hangs up must not stop it half-way.
    let moved = tokio::spawn(ops.pipeline.oneshot(order(key))).await;
    let moved = moved.map_err(|_| Trouble::Panicked)??;
    info!(
        partition = key.partition(),
        outcome = moved.outcome.word(),
        "an operator reset a dialogue"
    );
    let edge =
        |edge: &dialogue::Edge| json!({ "flow": edge.flow, "from": edge.from, "to": edge.to });
    let edges: Vec<Value> = moved.edges.iter().map(edge).collect();
    Ok(Json(
        json!({ "outcome": moved.outcome.word(), "edges": edges }),
    ))
}

/// An operator's word to free whoever this is.
fn order(key: Key) -> Incoming {
    Incoming {
        cause: Cause::Order,
        kind: "order",
        key,
        person: dialogue::Person::default(),
        sent: None,
        stamp: Token::fresh().to_string(),
        callback: None,
        input: Input::Reset,
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
        "version": person.version,
        "since": body(person).pointer("/live/since"),
        "due": person.due,
    })
}

/// What the dialogue holds; `null` if it is no JSON.
fn body(person: &Person) -> Value {
    serde_json::from_slice(&person.body).unwrap_or_default()
}

fn read_key(text: &str) -> Result<Key, Trouble> {
    text.parse().map_err(Trouble::Asked)
}

fn read_cursor(text: &str) -> Result<Cursor, Trouble> {
    fn part<T: FromStr>(text: &str) -> Option<T> {
        text.parse().ok()
    }
    let cursor = text.split_once('.').and_then(|(partition, skip)| {
        Some(Cursor {
            partition: part(partition).filter(|p| *p < store::PARTITIONS)?,
            skip: part(skip)?,
        })
    });
    cursor.ok_or_else(|| Trouble::Asked(format!("`{text}` is no cursor of ours")))
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("{0}")]
    Asked(String),
    #[error("nothing is kept of {0}")]
    Nobody(Key),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Pipeline(#[from] pipeline::Error),
    #[error("the reset panicked; the log says where")]
    Panicked,
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Asked(_) => StatusCode::BAD_REQUEST,
            Self::Nobody(_) => StatusCode::NOT_FOUND,
            Self::Store(_) | Self::Pipeline(_) | Self::Panicked => StatusCode::SERVICE_UNAVAILABLE,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}
