//! The dead letters: what could not be done, and why.

use std::cmp::Reverse;

use axum::Json;
use axum::extract::{Path, State};
use bytes::Bytes;
use serde_json::{Value, json};
use tracing::info;

use super::{Ops, Trouble};
use crate::letter::Letter;
use crate::store::{self, Clock, DEAD_MAX, PARTITIONS};

/// How many a list shows.
const LISTED: usize = 1000;

pub(super) async fn list(State(ops): State<Ops>) -> Result<Json<Value>, Trouble> {
    let kept = all(&ops).await?;
    let total = kept.len();
    let letters = aside(move || newest(&kept)).await?;
    let now = Clock::system().now();
    Ok(Json(json!({ "now": now, "total": total, "letters": letters })))
}

pub(super) async fn show(
    State(ops): State<Ops>,
    Path(id): Path<String>,
) -> Result<Json<Letter>, Trouble> {
    find(&ops, &id).await.map(|(letter, _)| Json(letter))
}

pub(super) async fn remove(
    State(ops): State<Ops>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Trouble> {
    let (letter, kept) = find(&ops, &id).await?;
    if !ops.store.remove_letter(&kept).await? {
        return Err(Trouble::NoLetter(id));
    }
    info!(letter = letter.id, kind = letter.kind.word(), "an operator dropped a dead letter");
    Ok(Json(json!({ "outcome": "dropped" })))
}

/// The letter of this name, and as the store keeps it.
pub(super) async fn find(ops: &Ops, id: &str) -> Result<(Letter, Bytes), Trouble> {
    let (kept, wanted) = (all(ops).await?, id.to_owned());
    let found = aside(move || {
        let mut letters = kept.into_iter().map(|kept| (Letter::read(&kept), kept));
        letters.find(|(letter, _)| letter.id == wanted)
    });
    found.await?.ok_or_else(|| Trouble::NoLetter(id.to_owned()))
}

/// The newest of these, as a list shows them.
fn newest(kept: &[Bytes]) -> Vec<Letter> {
    let mut letters: Vec<Letter> = kept.iter().map(|kept| line(kept)).collect();
    letters.sort_by_key(|letter| Reverse(letter.at));
    letters.truncate(LISTED);
    letters
}

/// A letter without what it holds.
fn line(kept: &[u8]) -> Letter {
    Letter { body: Value::Null, ..Letter::read(kept) }
}

/// Every letter there is: the newest of all are known only when all are.
pub(super) async fn all(ops: &Ops) -> store::Result<Vec<Bytes>> {
    let most = usize::from(PARTITIONS) * DEAD_MAX;
    ops.store.dead_letters(most).await
}

/// Beside the thread that everything else waits for: to read them all may take a second.
pub(super) async fn aside<T: Send + 'static>(
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Trouble> {
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|_| Trouble::Panicked)
}
