//! People press buttons.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Cannot, Sending, Sent, appear, fault, missing, present, send, spoil, wrong};
use crate::faults::Fault;
use crate::message::{Button, Chat, Location, Message, User};
use crate::people::Person;
use crate::queue::kind;
use crate::world::World;

/// A press of a button: under a message, by its label or its data; or of the reply keyboard, by its label.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pressing {
    /// Who.
    pub from: i64,
    /// Where; nothing: in the chat with the bot.
    pub chat: Option<i64>,
    /// Under which message; nothing: the newest that has it.
    pub message_id: Option<i64>,
    /// What is written on it.
    pub label: Option<String>,
    /// What it carries.
    pub data: Option<String>,
    /// What goes wrong with the delivery of this one.
    pub fault: Option<Value>,
}

/// What came of a press.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pressed {
    /// A button under a message.
    Inline {
        /// The update.
        update_id: Option<i64>,
        /// What the bot answers it by.
        callback_query_id: String,
    },
    /// One of the reply keyboard, which sends a message.
    Reply(Sent),
}

impl Pressed {
    /// The update of it, if the bot wants to hear of it.
    pub(super) fn update(&self) -> Option<i64> {
        match self {
            Self::Inline { update_id, .. } => *update_id,
            Self::Reply(sent) => sent.updates.first().copied().flatten(),
        }
    }
}

/// Somebody presses a button.
pub(crate) fn press(world: &mut World, pressing: &Pressing) -> Result<Pressed, Cannot> {
    let (person, chat) = present(world, pressing.from, pressing.chat)?;
    if pressing.label.is_none() && pressing.data.is_none() {
        return Err(wrong("say which button, by its `label` or its `data`"));
    }
    let fault = fault(pressing.fault.as_ref())?;
    let found =
        world.chats.room(chat.id).button(pressing.message_id, |button| is_meant(button, pressing));
    let found = found.map(|(entry, button)| (entry.pressed(), button.data().map(str::to_owned)));
    match found {
        Some((message, Some(data))) => {
            appear(world, &person, &chat)?;
            let (update_id, callback_query_id) = query(world, &person, &message, &data, &fault);
            Ok(Pressed::Inline { update_id, callback_query_id })
        }
        Some((_, None)) => Err(wrong("that button tells the bot nothing: it opens something")),
        None => reply_button(world, pressing, &chat),
    }
}

fn is_meant(button: &Button, pressing: &Pressing) -> bool {
    let is = |asked: &Option<String>, has: Option<&str>| asked.is_none() || asked.as_deref() == has;
    is(&pressing.label, Some(&button.text)) && is(&pressing.data, button.data())
}

/// The update of a press.
#[derive(Serialize)]
struct CallbackQuery<'a> {
    id: &'a str,
    from: User,
    message: &'a Message,
    chat_instance: String,
    data: &'a str,
}

fn query(
    world: &mut World,
    person: &Person,
    message: &Message,
    data: &str,
    fault: &Option<Fault>,
) -> (Option<i64>, String) {
    let now = world.now();
    let id = world.presses.add(person.id, now);
    let chat = message.chat.id;
    let payload = CallbackQuery {
        id: &id,
        from: person.user(),
        message,
        chat_instance: format!(
            "-{}",
            3_350_123_456_789_012_345_i64.wrapping_add(chat).unsigned_abs()
        ),
        data,
    };
    let update = world.enqueue(kind::CALLBACK_QUERY.of(person.id), chat, &payload);
    spoil(world, update, fault);
    (update, id)
}

/// The app got no answer to a press, and sends it again: new ids, the same button.
pub(crate) fn press_again(world: &mut World, seq: u64) {
    let body = world.queue.get(seq).map(|update| update.body.clone());
    let body: Value = body.and_then(|body| serde_json::from_str(&body).ok()).unwrap_or_default();
    let query_body = &body["callback_query"];
    let person =
        query_body["from"]["id"].as_i64().and_then(|id| world.people.people.get(&id)).cloned();
    let message: Option<Message> = serde_json::from_value(query_body["message"].clone()).ok();
    if let (Some(person), Some(message), Some(data)) =
        (person, message, query_body["data"].as_str())
    {
        query(world, &person, &message, data, &None);
    }
}

/// A button of the reply keyboard sends its text, or the phone number, or the place.
fn reply_button(world: &mut World, pressing: &Pressing, chat: &Chat) -> Result<Pressed, Cannot> {
    let keyboard = world.chats.room(chat.id).keyboard.clone().unwrap_or_default();
    let rows = keyboard["keyboard"].as_array().cloned().unwrap_or_default();
    let mut buttons = rows.iter().filter_map(Value::as_array).flatten();
    let found = buttons.find(|button| {
        pressing.label.is_some() && button["text"].as_str() == pressing.label.as_deref()
    });
    let Some(button) = found.filter(|_| pressing.message_id.is_none()) else {
        return Err(missing(format!(
            "there is no such button; there are: {}",
            labels(world, chat.id)
        )));
    };
    let contact = (button["request_contact"] == true).then_some(Value::Bool(true));
    let location = (button["request_location"] == true)
        .then_some(Location { latitude: 52.52, longitude: 13.405 });
    let is_plain = contact.is_none() && location.is_none();
    let sending = Sending {
        from: pressing.from,
        chat: pressing.chat,
        text: pressing.label.clone().filter(|_| is_plain),
        contact,
        location,
        fault: pressing.fault.clone(),
        ..Sending::default()
    };
    if keyboard["one_time_keyboard"] == true {
        world.chats.room(chat.id).keyboard = None;
        world.tell("keyboard", json!({ "chat": chat.id, "keyboard": null }));
    }
    send(world, &sending).map(Pressed::Reply)
}

/// What is written on the buttons of a chat.
fn labels(world: &World, chat: i64) -> String {
    let Some(room) = world.chats.get(chat) else {
        return "none".to_owned();
    };
    let entries = room.all().rev().filter(|entry| !entry.deleted);
    let keyboards = entries.filter_map(|entry| entry.message.reply_markup.as_ref());
    let inline = keyboards.flat_map(|it| it.buttons()).map(|button| format!("`{}`", button.text));
    let rows =
        room.keyboard.iter().filter_map(|keyboard| keyboard["keyboard"].as_array()).flatten();
    let reply = rows
        .filter_map(Value::as_array)
        .flatten()
        .map(|button| format!("`{}`", button["text"].as_str().unwrap_or_default()));
    let all: Vec<String> = inline.chain(reply).take(20).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}
