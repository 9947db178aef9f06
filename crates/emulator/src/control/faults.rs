//! What goes wrong, and limits.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::words::Id;
use super::{Shown, body};
use crate::acts::{Cannot, missing, wrong};
use crate::desk::Desk;
use crate::faults::Fault;
use crate::limits::{Limit, Meter, Scope};
use crate::world::World;

pub(super) async fn list(State(desk): State<Arc<Desk>>) -> Json<Value> {
    Json(json!({ "faults": desk.world().faults.list() }))
}

pub(super) async fn add(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let fault: Fault = body(&bytes)?;
    desk.change(|world| {
        if let Some(chat) = fault.chat.filter(|id| world.people.chat(*id).is_none()) {
            return Err(wrong(format!("there is no chat {chat}")));
        }
        let fault = world.faults.add(fault).map_err(wrong)?;
        told(world);
        Ok(Json(json!(fault)))
    })
}

pub(super) async fn clear(State(desk): State<Arc<Desk>>) -> Json<Value> {
    desk.change(|world| {
        world.faults.remove(None);
        Json(told(world))
    })
}

pub(super) async fn remove(State(desk): State<Arc<Desk>>, Id(id): Id) -> Shown {
    desk.change(|world| {
        let mut list = world.faults.list().iter().map(|fault| fault.id);
        let known = list.find(|known| i64::try_from(*known) == Ok(id));
        let known = known.ok_or_else(|| missing(format!("there is no fault {id}")))?;
        world.faults.remove(Some(known));
        Ok(Json(told(world)))
    })
}

/// What goes wrong now, which everybody is told.
fn told(world: &World) -> Value {
    let now = json!({ "faults": world.faults.list() });
    world.tell("faults", now.clone());
    now
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    on: Option<bool>,
    chat: Option<String>,
    group: Option<String>,
    bot: Option<String>,
}

pub(super) async fn limits(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let said: Limits = body(&bytes)?;
    let own = [(Scope::Chat, &said.chat), (Scope::Group, &said.group), (Scope::Bot, &said.bot)];
    let own = own.into_iter().filter_map(|(scope, text)| Some((scope, text.as_ref()?)));
    let own: Result<Vec<Limit>, Cannot> = own.map(|(scope, text)| read(scope, text)).collect();
    let own = own?;
    let limits = match (said.on, own.is_empty()) {
        (Some(false), _) => Vec::new(),
        (_, false) => own,
        (Some(true), true) => Limit::usual().to_vec(),
        (None, true) => return Err(wrong("`on`, or limits such as {\"chat\":\"1/s\"}")),
    };
    let is_on = !limits.is_empty();
    desk.change(|world| {
        world.meter = Meter::new(limits);
        world.tell("limits", json!({ "on": is_on }));
    });
    Ok(Json(json!({ "on": is_on })))
}

fn read(scope: Scope, text: &str) -> Result<Limit, Cannot> {
    Limit::read(scope, text).ok_or_else(|| wrong(format!("`{text}` is no limit such as 20/m")))
}
