//! What a bot can change and take back.

use serde_json::{Value, json};

use super::{Answer, Refusal, admitted, may_all, place, sending};
use crate::chats::Entry;
use crate::keyboard::{self, Markup};
use crate::message::{Content, Keyboard, Message};
use crate::params::Params;
use crate::world::World;

/// How long messages can be taken back, in seconds.
const DELETABLE: u64 = 48 * 3600;
const SAME: &str = "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

pub(super) fn text(world: &mut World, params: &Params) -> Answer {
    let words = sending::words(params)?;
    let old = editable(world, params)?;
    if old.content.text.is_none() {
        return Err(Refusal::bad("there is no text in the message to edit"));
    }
    change(world, params, &old, Content::of_text(words))
}

pub(super) fn caption(world: &mut World, params: &Params) -> Answer {
    let caption = sending::caption_of(params)?;
    let old = editable(world, params)?;
    if !old.content.has_media() {
        return Err(Refusal::bad("there is no caption in the message to edit"));
    }
    let content = old.content.clone().captioned(caption);
    change(world, params, &old, content)
}

pub(super) fn markup(world: &mut World, params: &Params) -> Answer {
    let old = editable(world, params)?;
    let content = old.content.clone();
    let new = changed(world, params, &old, content)?;
    Ok(put(world, &new))
}

pub(super) fn media(world: &mut World, params: &Params) -> Answer {
    let old = editable(world, params)?;
    let Some(media) = params.json("media").filter(Value::is_object) else {
        return Err(Refusal::bad("can't parse InputMedia: Can't parse JSON object"));
    };
    let content = sending::part_of(world, params, &media)?;
    change(world, params, &old, content)
}

/// The message that is to be changed: it is there, the bot's own, and not passed on from elsewhere.
fn editable(world: &mut World, params: &Params) -> Result<Message, Refusal> {
    let chat = place(world, params)?;
    let id = params.int("message_id").filter(|id| *id > 0);
    let id = id.ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
    match world.chats.room(chat.id).message(id) {
        None => Err(Refusal::bad("message to edit not found")),
        Some(entry) if is_editable(entry) => Ok(entry.message.clone()),
        Some(_) => Err(Refusal::bad("message can't be edited")),
    }
}

fn is_editable(entry: &Entry) -> bool {
    entry.by_bot && !entry.is_fixed && entry.message.forward_origin.is_none()
}

/// The same as sending for the limits, which new buttons alone do not count for.
fn change(world: &mut World, params: &Params, old: &Message, content: Content) -> Answer {
    let new = changed(world, params, old, content)?;
    admitted(world, new.chat.id)?;
    Ok(put(world, &new))
}

/// What a message becomes.
fn changed(
    world: &World,
    params: &Params,
    old: &Message,
    content: Content,
) -> Result<Message, Refusal> {
    let reply_markup = buttons(params)?;
    let date = world.date();
    if content == old.content && reply_markup == old.reply_markup {
        return Err(Refusal::bad(SAME));
    }
    Ok(Message { content, reply_markup, edit_date: Some(date), ..old.clone() })
}

/// It stands there from now on.
fn put(world: &mut World, new: &Message) -> Value {
    let (chat, id) = (new.chat.id, new.message_id);
    if let Some(entry) = world.chats.room(chat).message_mut(id) {
        entry.message = new.clone();
        entry.edited = true;
    }
    world.tell_message("edited", chat, id);
    json!(new)
}

/// Buttons are only left under a message that is said so.
fn buttons(params: &Params) -> Result<Option<Keyboard>, Refusal> {
    match keyboard::of(params)? {
        Markup::Inline(keyboard) => Ok((!keyboard.inline_keyboard.is_empty()).then_some(keyboard)),
        Markup::None => Ok(None),
        Markup::Reply(_) | Markup::Remove => Err(Refusal::bad("inline keyboard expected")),
    }
}

pub(super) fn delete(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let id = params.int("message_id").filter(|id| *id > 0);
    let id = id.ok_or_else(|| Refusal::bad("message identifier is not specified"))?;
    let (now, may_all) = (world.date(), may_all(world, &chat));
    let room = world.chats.room(chat.id);
    let Some(entry) = room.message(id) else {
        return Err(Refusal::bad("message to delete not found"));
    };
    if !is_deletable(entry, now, may_all) {
        return Err(Refusal::bad("message can't be deleted"));
    }
    room.delete(id);
    world.tell("deleted", json!({ "chat": chat.id, "message_id": id }));
    Ok(json!(true))
}

/// What is not too old; of others only by who may do all.
fn is_deletable(entry: &Entry, now: u64, may_all: bool) -> bool {
    now <= entry.message.date + DELETABLE && (entry.by_bot || may_all)
}

/// Those that are not there are passed over; with one that cannot be deleted none is.
pub(super) fn delete_many(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let Some(Value::Array(ids)) = params.json("message_ids") else {
        return Err(Refusal::bad("message identifiers are not specified"));
    };
    let (now, may_all) = (world.date(), may_all(world, &chat));
    let room = world.chats.room(chat.id);
    let mut entries = ids.iter().filter_map(|id| room.message(id.as_i64()?));
    if !entries.all(|entry| is_deletable(entry, now, may_all)) {
        return Err(Refusal::bad("message can't be deleted"));
    }
    for id in ids.iter().filter_map(Value::as_i64) {
        if world.chats.room(chat.id).delete(id) {
            world.tell("deleted", json!({ "chat": chat.id, "message_id": id }));
        }
    }
    Ok(json!(true))
}

/// Nothing shows what is pinned; it only has to be there.
pub(super) fn pin(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    if !may_all(world, &chat) {
        let words = "not enough rights to manage pinned messages in the chat";
        return Err(Refusal::bad(words));
    }
    match params.int("message_id") {
        Some(id) if world.chats.room(chat.id).message(id).is_none() => {
            Err(Refusal::bad("message to pin not found"))
        }
        _ => Ok(json!(true)),
    }
}

/// The bot says by an emoji what it thinks of a message, or no longer does.
pub(super) fn react(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let (me, id) = (world.me().id, params.int("message_id").unwrap_or_default());
    let reaction = params.json("reaction").unwrap_or_default();
    let emoji = reaction[0]["emoji"].as_str().map(str::to_owned);
    let Some(entry) = world.chats.room(chat.id).message_mut(id) else {
        return Err(Refusal::bad("message to react not found"));
    };
    match emoji {
        Some(emoji) => entry.reactions.insert(me, emoji),
        None => entry.reactions.remove(&me),
    };
    world.tell_message("edited", chat.id, id);
    Ok(json!(true))
}
