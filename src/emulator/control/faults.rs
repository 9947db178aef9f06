//! What goes wrong, and limits.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Shown, body};
use crate::emulator::acts::{Cannot, wrong};
use crate::emulator::desk::Desk;
use crate::emulator::faults::{Fault, Kind};
use crate::emulator::limits::{Limit, Meter, Scope};

pub(super) async fn list(State(desk): State<Arc<Desk>>) -> Json<Value> {
    Json(json!({ "faults": desk.world().faults.list() }))
}

pub(super) async fn add(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let fault: Fault = body(&bytes)?;
    // Only a test in the same process can let it go.
    if fault.kind == Kind::Hold {
        return Err(wrong(
            "nobody can let go of what is held here; `slow` waits for `after_s`, and `hang` for ever",
        ));
    }
    desk.change(|world| {
        let fault = world.faults.add(fault).map_err(wrong)?;
        world.tell("faults", json!({ "faults": world.faults.list() }));
        Ok(Json(json!(fault)))
    })
}

pub(super) async fn clear(State(desk): State<Arc<Desk>>) -> Json<Value> {
    take_back(&desk, None)
}

pub(super) async fn remove(State(desk): State<Arc<Desk>>, Path(id): Path<u64>) -> Json<Value> {
    take_back(&desk, Some(id))
}

fn take_back(desk: &Desk, id: Option<u64>) -> Json<Value> {
    desk.change(|world| {
        world.faults.remove(id);
        world.tell("faults", json!({ "faults": world.faults.list() }));
        Json(json!({ "faults": world.faults.list() }))
    })
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
    let own = [
        (Scope::Chat, &said.chat),
        (Scope::Group, &said.group),
        (Scope::Bot, &said.bot),
    ];
    let own = own
        .into_iter()
        .filter_map(|(scope, text)| Some((scope, text.as_ref()?)));
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
