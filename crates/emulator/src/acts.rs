//! What people do: write, press, change what they wrote, block the bot. Each becomes an update.

use serde_json::{Value, json};

use super::faults::{Fault, On};
use super::message::{Chat, Message};
use super::people::Person;
use super::queue::{State, kind};
use super::world::World;

mod company;
mod membership;
mod pressing;
mod reacting;
mod sending;
mod telling;

pub(super) use company::{block, bot_becomes, deactivate, found, migrate, open_topic};
pub(super) use membership::{ask_to_join, become_member, shown};
pub use pressing::{Pressed, Pressing};
pub(super) use pressing::{press, press_again};
pub use reacting::Reacting;
pub(super) use reacting::react;
pub use sending::{Sending, Sent};
pub(super) use sending::{edit, send};
pub(super) use telling::tell;

/// The most times that something goes wrong with one update.
const MOST_TIMES: u32 = 20;

/// Why somebody cannot do something, in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cannot {
    /// What is not there, or is wrong: 404 or 400.
    pub status: u16,
    /// Why.
    pub words: String,
}

impl std::fmt::Display for Cannot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for Cannot {}

pub(super) fn missing(words: impl Into<String>) -> Cannot {
    Cannot { status: 404, words: words.into() }
}

pub(super) fn wrong(words: impl Into<String>) -> Cannot {
    Cannot { status: 400, words: words.into() }
}

/// Puts a person's message into the chat and its update into the queue.
fn say(world: &mut World, message: Message, fault: &Option<Fault>) -> (i64, Option<i64>) {
    let chat = message.chat.id;
    let kind = match message.chat.is_channel() {
        true => kind::CHANNEL_POST.of(chat),
        false => kind::MESSAGE.of(chat),
    };
    let message = world.add_message(message, false);
    let id = message.message_id;
    let update = world.enqueue(kind, chat, &message);
    spoil(world, update, fault);
    if let Some(entry) = world.chats.room(chat).message_mut(id) {
        entry.update_id = update;
    }
    world.tell_message("message", chat, id);
    (id, update)
}

/// What goes wrong with this update alone.
fn spoil(world: &mut World, update: Option<i64>, fault: &Option<Fault>) {
    let seq = update.and_then(|id| world.queue.by_id(id)).map(|it| it.seq);
    let update = seq.and_then(|seq| world.queue.get_mut(seq));
    if let (Some(update), Some(fault)) = (update, fault) {
        let times = fault.times.unwrap_or(1).min(MOST_TIMES) as usize;
        update.faults = vec![fault.clone(); times];
    }
}

/// A fault by its name, or in full.
fn fault(said: Option<&Value>) -> Result<Option<Fault>, Cannot> {
    let Some(said) = said.filter(|said| !said.is_null()) else {
        return Ok(None);
    };
    let whole = match said {
        Value::String(kind) => json!({ "kind": kind, "on": "delivery" }),
        other => other.clone(),
    };
    let fault: Fault =
        serde_json::from_value(whole).map_err(|error| wrong(format!("no such fault: {error}")))?;
    if fault.on == Some(On::Call) {
        return Err(wrong("what goes wrong with a message is on its delivery"));
    }
    let fault = fault.on_delivery();
    fault.check().map_err(wrong)?;
    Ok(Some(fault))
}

/// Who would act where; or why they cannot.
fn present(world: &World, from: i64, chat: Option<i64>) -> Result<(Person, Chat), Cannot> {
    if from == 0 {
        return Err(wrong("`from` is missing: the id of whoever does it"));
    }
    let Some(person) = world.people.people.get(&from).cloned() else {
        return Err(missing(format!("there is no person {from}")));
    };
    if person.deactivated {
        return Err(wrong(format!("the account of {} is deleted", person.first_name)));
    }
    let id = chat.unwrap_or(from);
    let Some(chat) = world.people.chat(id) else {
        return Err(missing(format!("there is no chat {id}")));
    };
    let is_member = |id| {
        let group = world.people.groups.get(&id);
        group.is_some_and(|group| group.members.contains(&from))
    };
    if id != from && !is_member(id) {
        return Err(wrong(format!("{} is not in that chat", person.first_name)));
    }
    if let Some(to) = world.people.groups.get(&id).and_then(|group| group.migrated_to) {
        return Err(wrong(format!("the group goes on as {to}")));
    }
    Ok((person, chat))
}

/// Whoever acts has started the bot, and no longer blocks it. To be called when nothing can be refused any more.
fn appear(world: &mut World, person: &Person, chat: &Chat) -> Result<(), Cannot> {
    if chat.id != person.id {
        return Ok(());
    }
    block(world, person.id, false)?;
    if !person.started {
        let person = world.people.people.entry(person.id);
        person.and_modify(|it| it.started = true);
    }
    Ok(())
}

/// Somebody writes and presses at the same instant; or does neither. Both are sent at once, as far as there may be connections: to a
/// webhook that has taken nothing for a while, one would go alone.
pub(super) fn race(
    world: &mut World,
    sending: &Sending,
    pressing: &Pressing,
) -> Result<(Sent, Pressed), Cannot> {
    let (_, chat) = present(world, sending.from, sending.chat)?;
    fault(sending.fault.as_ref())?;
    sending::open(world, &chat, sending.thread)?;
    sending::sayable(sending.text.as_deref().unwrap_or_default())?;
    let pressed = press(world, pressing)?;
    let sent = send(world, sending)?;
    let both = [pressed.update(), sent.updates.first().copied().flatten()];
    for update in both.into_iter().flatten() {
        hurry(world, update);
    }
    Ok((sent, pressed))
}

/// This update goes at once.
fn hurry(world: &mut World, id: i64) {
    let seq = world.queue.by_id(id).map(|update| update.seq);
    if let Some(update) = seq.and_then(|seq| world.queue.get_mut(seq)) {
        update.at_once = true;
    }
}

/// Sends an update once more, whatever became of it.
pub(super) fn again(world: &mut World, id: i64, times: usize) -> Result<(), Cannot> {
    let update = world.queue.by_id(id).map(|update| update.seq);
    let seq = update.ok_or_else(|| missing(format!("there is no update {id}")))?;
    if world.webhook.is_some() {
        world.copies.extend(std::iter::repeat_n(seq, times));
    } else {
        world.settle(seq, State::Waiting);
        if let Some(update) = world.queue.get_mut(seq) {
            update.unseen = true;
        }
    }
    Ok(())
}
