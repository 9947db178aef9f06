//! Trying once more what a dead letter holds.
//!
//! An update is read and played again, as a new cause whose effects have new ids. An effect goes into its lane again. All these ids
//! follow from the letter's: a retry whose answer was lost, or whose letter could not be removed, can be repeated. The letter goes only
//! when this has worked.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use bytes::Bytes;
use serde::Serialize;
use tower::ServiceExt;
use tracing::{info, warn};

use super::letters::find;
use super::{Ops, Trouble};
use crate::dialogue::{Dialogue, Effect};
use crate::intake::update::Read;
use crate::letter::{Kind, Letter};
use crate::store::{Cause, Item, Person, Token};
use crate::turn::Event;
use crate::turn::OutcomeKind;

/// The lease under which letters are retried one by one, so that two operators never play one twice.
const LEASE: &str = "dead letters";
/// Longer than any turn takes.
const LEASE_TIME: Duration = Duration::from_secs(30);

/// What came of a retry.
#[derive(Debug, Serialize)]
pub(super) struct Retried {
    outcome: &'static str,
    /// The letter is still there.
    kept: bool,
    /// What the operator should know.
    warning: Option<&'static str>,
}

pub(super) async fn retry(
    State(ops): State<Ops>,
    Path(id): Path<String>,
) -> Result<Json<Retried>, Trouble> {
    // In a task of its own: an operator who hangs up must not stop it half-way.
    let retried = tokio::spawn(async move { alone(&ops, &id).await }).await;
    retried.map_err(|_| Trouble::Panicked)?.map(Json)
}

/// Retries the letter while nobody else does.
async fn alone(ops: &Ops, id: &str) -> Result<Retried, Trouble> {
    let me = Token::fresh();
    let lease = ops.store.lease(LEASE, me, LEASE_TIME).await?;
    lease.ok_or(Trouble::Busy)?;
    let retried = again(ops, id).await;
    if let Err(error) = ops.store.release(LEASE, me).await {
        warn!(%error, "the lease of the dead letters was not given back; it will run out");
    }
    retried
}

async fn again(ops: &Ops, id: &str) -> Result<Retried, Trouble> {
    let (letter, kept) = find(ops, id).await?;
    let retried = match letter.kind {
        Kind::Update | Kind::Unreadable => play(ops, &letter).await?,
        Kind::Record => {
            return Err(Trouble::Refused(
                "the letter holds a record that cannot be read; it can only be dropped".to_owned(),
            ));
        }
        Kind::Effect => queue(ops, &letter).await?,
    };
    if !retried.kept {
        ops.store.remove_letter(&kept).await?;
    }
    info!(
        letter = letter.id,
        kind = letter.kind.word(),
        outcome = retried.outcome,
        "an operator retried a dead letter"
    );
    Ok(retried)
}

/// Plays the update once more, as a cause of its own.
async fn play(ops: &Ops, letter: &Letter) -> Result<Retried, Trouble> {
    let incoming = read(ops, letter)?;
    let person = ops.store.peek(&incoming.key).await?;
    let moved_on = has_moved_on(letter, person.as_ref());
    let moved = ops.pipeline.clone().oneshot(incoming).await?;
    Ok(Retried {
        outcome: moved.outcome.word(),
        kept: moved.outcome == OutcomeKind::Ignored,
        warning: warning(moved.outcome, moved_on),
    })
}

fn read(ops: &Ops, letter: &Letter) -> Result<Event, Trouble> {
    let refused = |why: String| Trouble::Refused(format!("{why}; it can only be dropped"));
    if let Some(bytes) = letter.cut {
        return Err(refused(format!(
            "the update had {bytes} bytes, and a letter keeps only the beginning of one so long"
        )));
    }
    let body = letter.body.as_str().unwrap_or_default();
    if body.is_empty() {
        return Err(refused(
            "the letter holds no update: nobody sent one, a timer or an order caused the turn"
                .to_owned(),
        ));
    }
    match ops.reader.read(&Bytes::from(body.to_owned())) {
        Ok(Read::Event(incoming)) => Ok(Event {
            cause: Cause::Order,
            // What it causes is named after the letter: a retry whose letter stayed causes the same once more, and not anew.
            stamp: format!("r:{}", letter.id),
            // Nobody waits for the answer any more.
            callback: None,
            ..*incoming
        }),
        Ok(Read::Ignored(kind)) => {
            Err(refused(format!("a `{kind}` like this concerns no dialogue")))
        }
        Ok(Read::Migrated { .. }) => {
            Err(refused("that a group became another chat concerns no dialogue".to_owned()))
        }
        Err(unreadable) => Err(refused(unreadable.to_string())),
    }
}

/// Whether somebody, or a timer, has moved the dialogue since the letter was written.
fn has_moved_on(letter: &Letter, person: Option<&Person>) -> bool {
    let Some(person) = person else {
        return letter.version.is_some();
    };
    match letter.version {
        Some(met) => person.version != met + 1,
        None => Dialogue::read(Some(&person.body))
            .is_ok_and(|dialogue| dialogue.live.is_some_and(|live| live.active > letter.at)),
    }
}

fn warning(outcome: OutcomeKind, moved_on: bool) -> Option<&'static str> {
    match outcome {
        OutcomeKind::DeadLetter => {
            Some("it failed again, and a new dead letter took the place of this one")
        }
        OutcomeKind::Ignored => {
            Some("nothing came of it, so the letter is kept: drop it if that is as it should be")
        }
        OutcomeKind::Applied | OutcomeKind::Duplicate if moved_on => {
            Some("the dialogue had moved on since the letter was written: see where it is now")
        }
        OutcomeKind::Applied | OutcomeKind::Duplicate => None,
    }
}

/// Puts the effect into its lane once more.
async fn queue(ops: &Ops, letter: &Letter) -> Result<Retried, Trouble> {
    let refused = |why: &str| Trouble::Refused(why.to_owned());
    let unknown = || refused("this build cannot read the effect; it can only be dropped");
    let lane = letter.lane.ok_or_else(unknown)?;
    let item = item(letter).ok_or_else(unknown)?;
    match ops.outbox.push(lane, &item).await? {
        true => Ok(Retried { outcome: "queued", kept: false, warning: None }),
        false => Err(refused("the person has blocked the bot; retry it when they have come back")),
    }
}

/// The effect under its new id. A record stands alone now: there is no rest of its step to skip.
fn item(letter: &Letter) -> Option<Item> {
    let mut effect: Effect = serde_json::from_value(letter.body.clone()).ok()?;
    match &mut effect {
        Effect::Record(record) => record.last = 0,
        // How long it took says nothing any more.
        Effect::Send(message) => message.received = None,
        Effect::Delete { .. } | Effect::Typing { .. } => {}
    }
    let item =
        Item { id: format!("r:{}.0", letter.id), body: serde_json::to_vec(&effect).ok()?.into() };
    Some(item.counting(effect.sendings()))
}
