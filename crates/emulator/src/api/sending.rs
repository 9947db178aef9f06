//! What a bot can send.

use serde_json::{Value, json};

use super::{Answer, Refusal, admitted, file, place_of, recipient};
use crate::keyboard::{self, Markup};
use crate::message::{Chat, Contact, Content, Location, Message};
use crate::params::Params;
use crate::text::{self, Formatted};
use crate::world::World;

/// What Telegram takes as a text, before and after its tags are read, and as a caption.
const MOST_BYTES: usize = 32_768;
const MOST_TEXT: usize = 4096;
const MOST_CAPTION: usize = 1024;
/// How long it is shown what the bot is doing.
const ACTION: u64 = 5_000;

/// How many messages a call would bring into a chat, if it counts for the limits.
pub(super) fn messages(method: &str, params: &Params) -> Option<usize> {
    match method {
        "sendchataction" => None,
        "sendmediagroup" => Some(params.json("media")?.as_array()?.len()),
        "copymessage" | "forwardmessage" | "editmessagetext" | "editmessagecaption"
        | "editmessagemedia" => Some(1),
        "sendanimation" | "sendaudio" | "sendcontact" | "senddocument" | "sendlocation"
        | "sendmessage" | "sendphoto" | "sendsticker" | "sendvideo" | "sendvoice" => Some(1),
        _ => None,
    }
}

pub(super) fn message(world: &mut World, params: &Params) -> Answer {
    let content = Content::of_text(words(params)?);
    put(world, params, content)
}

/// The text of a call.
pub(super) fn words(params: &Params) -> Result<Formatted, Refusal> {
    let said = params.text("text").unwrap_or_default();
    if said.is_empty() {
        return Err(Refusal::bad("message text is empty"));
    }
    if said.len() > MOST_BYTES {
        return Err(Refusal::bad("text is too long"));
    }
    let entities = params.json("entities");
    let read = text::read(&said, params.word("parse_mode").as_deref(), entities.as_ref())?;
    if read.0.trim().is_empty() {
        return Err(Refusal::bad("text must be non-empty"));
    }
    match text::length(&read.0) > MOST_TEXT {
        true => Err(Refusal::bad("message is too long")),
        false => Ok(read),
    }
}

/// The caption of a call, or of a part of an album.
pub(super) fn caption(
    said: Option<String>,
    mode: Option<&str>,
    entities: Option<&Value>,
) -> Result<Formatted, Refusal> {
    let said = said.unwrap_or_default();
    let read = text::read(&said, mode, entities)?;
    match text::length(&read.0) > MOST_CAPTION {
        true => Err(Refusal::bad("message caption is too long")),
        false => Ok(read),
    }
}

/// The caption that came with a call.
pub(super) fn caption_of(params: &Params) -> Result<Formatted, Refusal> {
    let entities = params.json("caption_entities");
    caption(params.text("caption"), params.word("parse_mode").as_deref(), entities.as_ref())
}

pub(super) fn file(world: &mut World, params: &Params, kind: &str) -> Answer {
    let caption = caption_of(params)?;
    let chat = recipient(world, params)?;
    let content = file::content(world, params, kind, kind, params.word(kind).as_deref())?;
    let content = match kind {
        "sticker" => content,
        _ => content.captioned(caption),
    };
    put_into(world, params, chat, content)
}

pub(super) fn location(world: &mut World, params: &Params) -> Answer {
    let place = (params.float("latitude"), params.float("longitude"));
    let (Some(latitude), Some(longitude)) = place else {
        return Err(Refusal::bad("wrong latitude or longitude specified"));
    };
    let location = Some(Location { latitude, longitude });
    put(world, params, Content { location, ..Content::default() })
}

pub(super) fn contact(world: &mut World, params: &Params) -> Answer {
    let (Some(phone_number), Some(first_name)) =
        (params.word("phone_number"), params.word("first_name"))
    else {
        return Err(Refusal::bad("contact phone number and first name must be non-empty"));
    };
    let last_name = params.word("last_name");
    let contact = Some(Contact { phone_number, first_name, last_name, user_id: None });
    put(world, params, Content { contact, ..Content::default() })
}

pub(super) fn album(world: &mut World, params: &Params) -> Answer {
    let Some(Value::Array(parts)) = params.json("media") else {
        return Err(Refusal::bad("can't parse media JSON object"));
    };
    if !(2..=10).contains(&parts.len()) {
        return Err(Refusal::bad("group send failed: wrong number of media in an album"));
    }
    let chat = recipient(world, params)?;
    let mut contents = Vec::new();
    for part in &parts {
        contents.push(part_of(world, params, part)?);
    }
    let album = rand::random_range(10_u64.pow(16)..10_u64.pow(17)).to_string();
    let mut sent = Vec::new();
    for content in contents {
        let message = draft(world, params, chat.clone(), content)?;
        let media_group_id = Some(album.clone());
        let message = Message { media_group_id, ..message };
        sent.push(world.add_message(message, true));
    }
    Ok(json!(sent))
}

/// One part of an album, or what another is replaced by.
pub(super) fn part_of(
    world: &mut World,
    params: &Params,
    part: &Value,
) -> Result<Content, Refusal> {
    let kind = part["type"].as_str().unwrap_or_default();
    if !["photo", "video", "document", "audio", "animation"].contains(&kind) {
        return Err(Refusal::bad("can't parse InputMedia: type must be one of the supported ones"));
    }
    let text = |name: &str| part[name].as_str().map(str::to_owned);
    let caption =
        caption(text("caption"), text("parse_mode").as_deref(), part.get("caption_entities"))?;
    let media = file::content(world, params, kind, "", part["media"].as_str())?;
    Ok(media.captioned(caption))
}

pub(super) fn copy(world: &mut World, params: &Params) -> Answer {
    let source = original(world, params, "message to copy not found")?;
    let mut content = source.content;
    if params.values.contains_key("caption") && content.has_media() {
        content = content.captioned(caption_of(params)?);
    }
    let sent = put(world, params, content)?;
    Ok(json!({ "message_id": sent["message_id"] }))
}

pub(super) fn forward(world: &mut World, params: &Params) -> Answer {
    let source = original(world, params, "message to forward not found")?;
    let chat = recipient(world, params)?;
    let origin = origin(&source);
    let message = draft(world, params, chat, source.content)?;
    let message = Message { forward_origin: Some(origin), ..message };
    Ok(json!(world.add_message(message, true)))
}

/// Where a message comes from: whoever wrote it, or the channel it was posted in. One that was forwarded itself comes from where
/// it came from.
fn origin(source: &Message) -> Value {
    let Message { date, chat, message_id, .. } = source;
    match (&source.forward_origin, &source.from) {
        (Some(first), _) => first.clone(),
        (None, Some(user)) => json!({ "type": "user", "sender_user": user, "date": date }),
        (None, None) if chat.is_channel() => {
            json!({ "type": "channel", "chat": chat, "message_id": message_id, "date": date })
        }
        (None, None) => json!({ "type": "chat", "sender_chat": chat, "date": date }),
    }
}

fn original(world: &mut World, params: &Params, missing: &str) -> Result<Message, Refusal> {
    let from = place_of(world, params, "from_chat_id")?;
    let id = params.int("message_id").unwrap_or_default();
    let entry = world.chats.room(from.id).message(id);
    entry.map(|entry| entry.message.clone()).ok_or_else(|| Refusal::bad(missing))
}

pub(super) fn action(world: &mut World, params: &Params) -> Answer {
    const KNOWN: [&str; 11] = [
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    ];
    let chat = recipient(world, params)?;
    let action = params.text("action").unwrap_or_default();
    if !KNOWN.contains(&action.as_str()) {
        return Err(Refusal::bad("wrong parameter action in request"));
    }
    let until = world.now() + ACTION;
    world.chats.room(chat.id).action = Some((action.clone(), until));
    world.tell("action", json!({ "chat": chat.id, "action": action }));
    Ok(json!(true))
}

fn put(world: &mut World, params: &Params, content: Content) -> Answer {
    let markup = keyboard::of(params)?;
    let chat = recipient(world, params)?;
    put_marked(world, params, chat, content, markup)
}

fn put_into(world: &mut World, params: &Params, chat: Chat, content: Content) -> Answer {
    let markup = keyboard::of(params)?;
    put_marked(world, params, chat, content, markup)
}

fn put_marked(
    world: &mut World,
    params: &Params,
    chat: Chat,
    content: Content,
    markup: Markup,
) -> Answer {
    let mut message = draft(world, params, chat, content)?;
    let chat = message.chat.id;
    let is_fixed = matches!(markup, Markup::Reply(_) | Markup::Remove);
    let keyboard = match markup {
        Markup::Inline(keyboard) => {
            message.reply_markup = (!keyboard.inline_keyboard.is_empty()).then_some(keyboard);
            None
        }
        Markup::Reply(keyboard) => Some(Some(keyboard)),
        Markup::Remove => Some(None),
        Markup::None => None,
    };
    let message = world.add_message(message, true);
    if let Some(entry) = world.chats.room(chat).message_mut(message.message_id) {
        entry.is_fixed = is_fixed;
    }
    if let Some(keyboard) = keyboard {
        world.tell("keyboard", json!({ "chat": chat, "keyboard": keyboard }));
        world.chats.room(chat).keyboard = keyboard;
    }
    Ok(json!(message))
}

/// A message of the bot that is not in the chat yet.
fn draft(
    world: &mut World,
    params: &Params,
    chat: Chat,
    content: Content,
) -> Result<Message, Refusal> {
    let thread = params.int("message_thread_id").filter(|thread| *thread != 0);
    if let Some(thread) = thread {
        let group = world.people.groups.get(&chat.id);
        let is_there =
            group.is_some_and(|group| group.topics.iter().any(|topic| topic.id == thread));
        if !is_there && !world.trusting {
            return Err(Refusal::bad("message thread not found"));
        }
    }
    let reply_to_message = answered(world, params, chat.id)?;
    admitted(world, chat.id)?;
    let is_channel = chat.is_channel();
    Ok(Message {
        from: (!is_channel).then(|| world.me()),
        sender_chat: is_channel.then(|| chat.clone()),
        date: world.date(),
        message_thread_id: thread,
        is_topic_message: thread.is_some(),
        reply_to_message,
        content,
        chat,
        ..Message::default()
    })
}

/// The message that this one replies to.
fn answered(world: &World, params: &Params, chat: i64) -> Result<Option<Box<Message>>, Refusal> {
    let reply = params.json("reply_parameters").unwrap_or_default();
    let id = reply["message_id"].as_i64().or_else(|| params.int("reply_to_message_id"));
    let Some(id) = id else {
        return Ok(None);
    };
    let found = world.chats.get(chat).and_then(|room| room.message(id));
    let may_lack =
        reply["allow_sending_without_reply"] == true || params.flag("allow_sending_without_reply");
    match found {
        Some(entry) => {
            let reply_to_message = None;
            Ok(Some(Box::new(Message { reply_to_message, ..entry.message.clone() })))
        }
        None if may_lack || world.trusting => Ok(None),
        None => Err(Refusal::bad("message to be replied not found")),
    }
}
