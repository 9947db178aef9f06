//! What people do: write, change what they wrote, press.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::words::Id;
use super::{Shown, body};
use crate::acts::{self, Pressed, Pressing, Reacting, Sending, Sent, wrong};
use crate::desk::Desk;

pub(super) async fn send(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let sending: Sending = body(&bytes)?;
    desk.change(|world| acts::send(world, &sending).map(|sent| Json(shown(&sent))))
}

/// One message by its ids; an album by lists of them.
fn shown(sent: &Sent) -> Value {
    match (&sent.messages[..], &sent.updates[..]) {
        ([message_id], [update_id]) => json!({ "message_id": message_id, "update_id": update_id }),
        (messages, updates) => json!({ "message_id": messages, "update_id": updates }),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edited {
    from: i64,
    chat: Option<i64>,
    message_id: i64,
    text: String,
}

pub(super) async fn edit(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let Edited { from, chat, message_id, text } = body(&bytes)?;
    desk.change(|world| {
        let update_id = acts::edit(world, from, chat, message_id, &text)?;
        Ok(Json(json!({ "update_id": update_id })))
    })
}

pub(super) async fn press(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let pressing: Pressing = body(&bytes)?;
    desk.change(|world| acts::press(world, &pressing).map(|pressed| Json(came_of(&pressed))))
}

fn came_of(pressed: &Pressed) -> Value {
    match pressed {
        Pressed::Inline { update_id, callback_query_id } => {
            json!({ "update_id": update_id, "callback_query_id": callback_query_id })
        }
        Pressed::Reply(sent) => shown(sent),
    }
}

pub(super) async fn react(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let reacting: Reacting = body(&bytes)?;
    desk.change(|world| {
        let update_id = acts::react(world, &reacting)?;
        Ok(Json(json!({ "update_id": update_id })))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Race {
    from: i64,
    chat: Option<i64>,
    thread: Option<i64>,
    text: String,
    message_id: Option<i64>,
    label: Option<String>,
    data: Option<String>,
}

/// Both are sent before either is answered. Where the button is not there, nothing is sent.
pub(super) async fn race(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let Race { from, chat, thread, text, message_id, label, data } = body(&bytes)?;
    let pressing = Pressing { from, chat, message_id, label, data, ..Pressing::default() };
    let sending = Sending { chat, thread, ..Sending::text(from, &text) };
    desk.change(|world| {
        let (sent, pressed) = acts::race(world, &sending, &pressing)?;
        Ok(Json(json!({ "message": shown(&sent), "press": came_of(&pressed) })))
    })
}

/// An update as somebody wrote it.
pub(super) async fn tell(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let update: Value = body(&bytes)?;
    desk.change(|world| {
        let update_id = acts::tell(world, &update)?;
        Ok(Json(json!({ "update_id": update_id })))
    })
}

/// The most copies of an update at once.
const MOST_TIMES: usize = 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Again {
    #[serde(default = "once")]
    times: usize,
}

fn once() -> usize {
    1
}

pub(super) async fn again(State(desk): State<Arc<Desk>>, Id(id): Id, bytes: Bytes) -> Shown {
    let said: Again = body(&bytes)?;
    if !(1..=MOST_TIMES).contains(&said.times) {
        return Err(wrong(format!("`times` is 1 to {MOST_TIMES}")));
    }
    desk.change(|world| {
        acts::again(world, id, said.times)?;
        Ok(Json(json!({ "update_id": id })))
    })
}
