//! `answerCallbackQuery` and `answerInlineQuery`.

use serde_json::json;

use super::{Answer, Refusal};
use crate::clock::Millis;
use crate::params::Params;
use crate::presses;
use crate::queue::Update;
use crate::text;
use crate::world::World;

/// The longest toast.
const MOST: usize = 200;

pub(super) fn press(world: &mut World, params: &Params, within: Millis) -> Answer {
    let id = params.text("callback_query_id").unwrap_or_default();
    let answer = presses::Answer {
        text: params.word("text"),
        show_alert: params.flag("show_alert"),
        url: params.word("url"),
    };
    if answer.text.as_deref().is_some_and(|words| text::length(words) > MOST) {
        return Err(Refusal::bad("MESSAGE_TOO_LONG"));
    }
    let now = world.now();
    let event = json!({
        "callback_query_id": id, "text": answer.text, "show_alert": answer.show_alert, "url": answer.url,
    });
    let is_known = world.presses.get(&id).is_some() || !world.trusting || id.is_empty();
    let user = match is_known {
        true => world.presses.answer(&id, answer, now, within).map(|press| press.user),
        false => Some(0),
    };
    let user = user.ok_or_else(too_old)?;
    let mut event = event;
    event["user"] = json!(user);
    world.tell("answered", event);
    Ok(json!(true))
}

/// The results go nowhere but into the log of calls: nobody here asks inline but by an update that is written out.
pub(super) fn inline(world: &World, params: &Params) -> Answer {
    let id = params.text("inline_query_id").unwrap_or_default();
    let is_open = |it: &Update| it.asks_inline(&id) && world.now() <= it.expires;
    let is_known = world.queue.all().any(is_open) || world.trusting && !id.is_empty();
    match is_known {
        true => Ok(json!(true)),
        false => Err(too_old()),
    }
}

fn too_old() -> Refusal {
    Refusal::bad("query is too old and response timeout expired or query ID is invalid")
}
