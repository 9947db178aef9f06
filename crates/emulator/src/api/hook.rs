//! `setWebhook`, `deleteWebhook`, `getWebhookInfo`.

use serde_json::{Value, json};

use super::{Answer, kinds, said};
use crate::params::Params;
use crate::queue::State;
use crate::webhook::Webhook;
use crate::world::World;

/// Sets another webhook, or none. One that is refused leaves none.
pub(super) fn set(world: &mut World, params: &Params) -> Answer {
    if world.is_pinned {
        return said("Webhook is already set");
    }
    if params.word("url").is_none() {
        return delete(world, params);
    }
    if is_set(world, params) {
        return said("Webhook is already set");
    }
    let allowed = allowed(world, params);
    clear(world, params);
    world.queue.allowed = allowed;
    let asked = Webhook::read(params)?;
    world.webhook = Some(asked.admitted(&world.hosts, world.is_public)?);
    said("Webhook was set")
}

/// Whether all is as the call wants it.
pub(crate) fn is_set(world: &World, params: &Params) -> bool {
    let is_same = match (&world.webhook, Webhook::read(params)) {
        (Some(old), Ok(new)) => {
            let has_certificate = old.certificate.is_some() || new.certificate.is_some();
            old.is_same(&new) && !has_certificate
        }
        _ => false,
    };
    is_same && allowed(world, params) == world.queue.allowed && !params.flag("drop_pending_updates")
}

/// What cannot be read, or is not said, leaves it as it was.
fn allowed(world: &World, params: &Params) -> Vec<String> {
    match params.json("allowed_updates") {
        Some(Value::Array(list)) => kinds(&list),
        _ => world.queue.allowed.clone(),
    }
}

pub(super) fn delete(world: &mut World, params: &Params) -> Answer {
    if world.is_pinned {
        return said("Webhook is already deleted");
    }
    let had = world.webhook.is_some();
    clear(world, params);
    said(if had { "Webhook was deleted" } else { "Webhook is already deleted" })
}

/// What is in flight is given up, and what waits is dropped if that is wanted.
fn clear(world: &mut World, params: &Params) {
    world.webhook = None;
    world.begin_anew();
    if params.flag("drop_pending_updates") {
        for (_, seq) in world.queue.waiting() {
            world.settle(seq, State::Dropped);
        }
    }
}

pub(super) fn info(world: &World) -> Value {
    let pending = world.queue.pending();
    let mut info = match &world.webhook {
        Some(webhook) => webhook.info(pending, &world.hosts),
        None => {
            json!({ "url": "", "has_custom_certificate": false, "pending_update_count": pending })
        }
    };
    if !world.queue.allowed.is_empty() {
        info["allowed_updates"] = json!(world.queue.allowed);
    }
    info
}
