//! People say by an emoji what they think of a message.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Cannot, missing, present, wrong};
use crate::message::{Chat, User};
use crate::queue::kind;
use crate::world::World;

/// How many characters make up the longest emoji.
const LONGEST: usize = 10;

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
pub(crate) fn react(world: &mut World, reacting: &Reacting) -> Result<Option<i64>, Cannot> {
    let (person, chat) = present(world, reacting.from, reacting.chat)?;
    let new = reacting.emoji.clone().filter(|emoji| !emoji.is_empty());
    if let Some(words) = new.as_ref().filter(|emoji| !is_emoji(emoji)) {
        return Err(wrong(format!("`{words}` is no emoji such as 👍")));
    }
    let id = reacting.message_id;
    let Some(entry) = world.chats.room(chat.id).message_mut(id) else {
        return Err(missing(format!("there is no message {id} in that chat")));
    };
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

/// Whether this may be one, for all that is known here: a few signs, and no words.
fn is_emoji(text: &str) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || it.is_ascii() || it.is_whitespace();
    text.chars().count() <= LONGEST && !text.chars().any(is_word)
}
