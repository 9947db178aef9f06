//! People say by an emoji what they think of a message.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Cannot, missing, present};
use crate::emulator::message::{Chat, User};
use crate::emulator::queue::kind;
use crate::emulator::world::World;

/// What somebody thinks of a message.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reacting {
    /// Who.
    pub from: i64,
    /// Where; nothing: in the chat with the bot.
    pub chat: Option<i64>,
    /// Of which message.
    pub message_id: i64,
    /// The emoji; nothing: none any more.
    pub emoji: Option<String>,
}

/// The update of it.
#[derive(Serialize)]
struct MessageReaction {
    chat: Chat,
    message_id: i64,
    user: User,
    date: u64,
    old_reaction: Value,
    new_reaction: Value,
}

/// Somebody reacts. Where nothing changes, nobody hears of it.
pub(in crate::emulator) fn react(
    world: &mut World,
    reacting: &Reacting,
) -> Result<Option<i64>, Cannot> {
    let (person, chat) = present(world, reacting.from, reacting.chat)?;
    let id = reacting.message_id;
    let Some(entry) = world.chats.room(chat.id).message_mut(id) else {
        return Err(missing(format!("there is no message {id} in that chat")));
    };
    let new = reacting.emoji.clone().filter(|emoji| !emoji.is_empty());
    let old = match &new {
        Some(emoji) => entry.reactions.insert(person.id, emoji.clone()),
        None => entry.reactions.remove(&person.id),
    };
    if old == new {
        return Ok(None);
    }
    let shown = |emoji: &Option<String>| {
        let shown = emoji.iter();
        let shown = shown.map(|emoji| json!({ "type": "emoji", "emoji": emoji }));
        shown.collect::<Value>()
    };
    let payload = MessageReaction {
        user: person.user(),
        message_id: id,
        date: world.date(),
        old_reaction: shown(&old),
        new_reaction: shown(&new),
        chat,
    };
    let chat = payload.chat.id;
    world.tell_message("edited", chat, id);
    Ok(world.enqueue(kind::MESSAGE_REACTION.of(chat), chat, &payload))
}
