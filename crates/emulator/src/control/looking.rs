//! What can be seen.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shown;
use super::words::{Asked, Id};
use crate::acts::{Cannot, missing};
use crate::api;
use crate::desk::Desk;
use crate::world::World;

pub(super) async fn state(State(desk): State<Arc<Desk>>) -> Json<Value> {
    let world = desk.world();
    let me = world.me();
    Json(json!({
        "now": world.now(),
        "bot": {
            "id": me.id, "username": me.username, "first_name": me.first_name,
            "commands": api::shown_commands(&world), "roles": world.roles,
        },
        "people": world.people.people.values().map(super::people::shown).collect::<Vec<_>>(),
        "groups": world.people.groups.values().filter(|it| it.migrated_to.is_none()).collect::<Vec<_>>(),
        "webhook": webhook(&world),
        "pending": world.queue.pending(),
        "limits": !world.meter.limits.is_empty(),
        "faults": world.faults.list(),
    }))
}

fn webhook(world: &World) -> Value {
    let Some(webhook) = &world.webhook else {
        return Value::Null;
    };
    let mut shown = json!({ "url": webhook.url, "pending_update_count": world.queue.pending() });
    if let Some((_, message)) = &webhook.last_error {
        shown["last_error_message"] = json!(message);
    }
    shown
}

pub(super) async fn chat(State(desk): State<Arc<Desk>>, Id(id): Id) -> Shown {
    let world = desk.world();
    let chat = world.people.chat(id).ok_or_else(|| missing(format!("there is no chat {id}")))?;
    let room = world.chats.get(id);
    let messages = room.into_iter().flat_map(|room| room.all());
    let messages: Vec<Value> = messages.map(|entry| world.shown(entry)).collect();
    let action = room.and_then(|room| room.action.as_ref());
    let action = action.filter(|(_, until)| *until > world.now()).map(|(action, _)| action);
    Ok(Json(json!({
        "chat": chat, "messages": messages, "keyboard": room.and_then(|room| room.keyboard.clone()), "action": action,
        "commands": api::offered(&world, id),
    })))
}

pub(super) async fn callback(State(desk): State<Arc<Desk>>, Path(id): Path<String>) -> Shown {
    let world = desk.world();
    let press = world.presses.get(&id);
    let press = press.ok_or_else(|| missing(format!("there was no press {id}")))?;
    Ok(Json(press.shown()))
}

pub(super) async fn file(
    State(desk): State<Arc<Desk>>,
    Path(id): Path<String>,
) -> Result<Response, Cannot> {
    let world = desk.world();
    let file =
        world.files.get(&id).and_then(|file| Some((file.mime.clone(), world.files.bytes(file)?)));
    let (_, bytes) = file.ok_or_else(|| missing("there is no such file"))?;
    let kind = if bytes.starts_with(b"\x89PNG") { "image/png" } else { "application/octet-stream" };
    let kind = if bytes.starts_with(&[0xff, 0xd8]) { "image/jpeg" } else { kind };
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

/// Which ones are asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Which {
    after: Option<i64>,
    method: Option<String>,
    chat: Option<i64>,
    limit: Option<usize>,
}

/// The first so many after a certain one; where none is named, the last so many.
fn page<T>(mut all: Vec<T>, asked: &Which) -> Vec<T> {
    let limit = asked.limit.unwrap_or(100);
    if asked.after.is_some() {
        all.truncate(limit);
    } else {
        all.drain(..all.len().saturating_sub(limit));
    }
    all
}

pub(super) async fn calls(
    State(desk): State<Arc<Desk>>,
    Asked(asked): Asked<Which>,
) -> Json<Value> {
    let world = desk.world();
    let after = asked.after.unwrap_or(0).unsigned_abs();
    let method = asked.method.as_deref().filter(|it| !it.is_empty());
    let calls = world.calls.iter().filter(|call| {
        call.seq > after
            && method.is_none_or(|it| it.eq_ignore_ascii_case(&call.method))
            && asked.chat.is_none_or(|chat| chat == call.chat())
    });
    let last = world.calls.back().map_or(0, |call| call.seq);
    Json(json!({ "calls": page(calls.collect(), &asked), "last": last }))
}

pub(super) async fn updates(
    State(desk): State<Arc<Desk>>,
    Asked(asked): Asked<Which>,
) -> Json<Value> {
    let world = desk.world();
    let after = asked.after.and_then(|id| world.queue.by_id(id)).map_or(0, |update| update.seq);
    let updates = world
        .queue
        .all()
        .filter(|update| update.seq > after && asked.chat.is_none_or(|chat| chat == update.chat));
    let updates: Vec<Value> =
        page(updates.collect(), &asked).into_iter().map(|it| it.shown()).collect();
    Json(json!({ "updates": updates }))
}
