//! What stands in the chats: messages, the reply keyboard, what the bot is doing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock::Millis;
use super::message::{Button, Message};

/// A chat has had a past: its first message here gets the next number.
const PAST: i64 = 1000;
/// How many numbers are left out after a restart.
const SKIPPED: i64 = 100;

/// How many messages of a chat are remembered.
const REMEMBERED: usize = 10_000;

/// All that was said in all chats.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Chats {
    rooms: BTreeMap<i64, Room>,
    /// Those that were touched since they were last written down.
    #[serde(skip)]
    touched: BTreeSet<i64>,
}

/// What stands in one chat.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Room {
    last: i64,
    messages: BTreeMap<i64, Entry>,
    /// The reply keyboard, as the bot sent it.
    pub(super) keyboard: Option<Value>,
    /// What the bot is doing, and until when that is shown.
    pub(super) action: Option<(String, Millis)>,
    /// Messages that were touched since they were last written down.
    #[serde(skip)]
    touched: BTreeSet<i64>,
}

/// A message and what became of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) message: Message,
    pub(super) by_bot: bool,
    pub(super) edited: bool,
    pub(super) deleted: bool,
    /// It came with a keyboard for everybody's answers, and stays as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_fixed: bool,
    /// The update that told the bot.
    pub(super) update_id: Option<i64>,
    /// What people think of it, and the bot.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) reactions: BTreeMap<i64, String>,
}

impl Chats {
    /// A chat to write into.
    pub(super) fn room(&mut self, chat: i64) -> &mut Room {
        self.touched.insert(chat);
        self.rooms.entry(chat).or_default()
    }

    /// A chat in which anything was ever said.
    pub(super) fn get(&self, chat: i64) -> Option<&Room> {
        self.rooms.get(&chat)
    }

    /// Leaves numbers out that may have been given before a crash, and not been written down.
    pub(super) fn skip(&mut self) {
        for room in self.rooms.values_mut() {
            room.last += SKIPPED;
        }
    }

    /// Forgets all that was said; numbers go on, so that nobody takes a new message for one that is gone.
    pub(super) fn clear(&mut self) {
        for room in self.rooms.values_mut() {
            *room = Room { last: room.last, ..Room::default() };
        }
        self.touched.clear();
    }

    /// What is new or other than when this was last asked.
    pub(super) fn news(&mut self) -> Self {
        let touched = std::mem::take(&mut self.touched).into_iter();
        let news = touched.filter_map(|chat| Some((chat, self.rooms.get_mut(&chat)?.news())));
        Self { rooms: news.collect(), touched: BTreeSet::new() }
    }

    /// Takes that in.
    pub(super) fn learn(&mut self, news: Self) {
        for (chat, news) in news.rooms {
            let room = self.rooms.entry(chat).or_default();
            room.messages.extend(news.messages);
            (room.last, room.keyboard, room.action) = (news.last, news.keyboard, news.action);
        }
    }
}

impl Entry {
    /// The message as a press under it shows it: of one that is gone there is nothing but where it was.
    pub(super) fn pressed(&self) -> Message {
        match self.deleted {
            false => self.message.clone(),
            true => Message {
                message_id: self.message.message_id,
                chat: self.message.chat.clone(),
                ..Message::default()
            },
        }
    }
}

impl Room {
    /// The room with those messages alone that were touched.
    fn news(&mut self) -> Self {
        let touched = std::mem::take(&mut self.touched).into_iter();
        let messages = touched.filter_map(|id| Some((id, self.messages.get(&id)?.clone())));
        Self {
            last: self.last,
            messages: messages.collect(),
            keyboard: self.keyboard.clone(),
            action: self.action.clone(),
            touched: BTreeSet::new(),
        }
    }

    /// Takes a message in under the next number.
    pub(super) fn add(&mut self, mut message: Message, by_bot: bool) -> Message {
        self.last = self.last.max(PAST) + 1;
        message.message_id = self.last;
        if by_bot {
            self.action = None;
        }
        let entry = Entry {
            message: message.clone(),
            by_bot,
            edited: false,
            deleted: false,
            is_fixed: false,
            update_id: None,
            reactions: BTreeMap::new(),
        };
        self.messages.insert(self.last, entry);
        self.touched.insert(self.last);
        message
    }

    /// Forgets the oldest messages, as if they never were.
    pub(super) fn prune(&mut self) {
        while self.messages.len() > REMEMBERED {
            self.messages.pop_first();
        }
    }

    /// All messages that are remembered, oldest first.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.messages.values()
    }

    /// A message that is there.
    pub(super) fn message(&self, id: i64) -> Option<&Entry> {
        self.messages.get(&id).filter(|entry| !entry.deleted)
    }

    /// A message that is there, to be changed.
    pub(super) fn message_mut(&mut self, id: i64) -> Option<&mut Entry> {
        self.touched.insert(id);
        self.messages.get_mut(&id).filter(|entry| !entry.deleted)
    }

    /// Takes a message out; answers whether it was there.
    pub(super) fn delete(&mut self, id: i64) -> bool {
        let there = self.message_mut(id);
        there.map(|entry| entry.deleted = true).is_some()
    }

    /// The newest message with such a button, or this message if it has one: it may be gone, and the app shows it still.
    pub(super) fn button(
        &self,
        message: Option<i64>,
        is_it: impl Fn(&Button) -> bool,
    ) -> Option<(&Entry, &Button)> {
        let asked = match message {
            Some(id) => self.messages.range(id..=id),
            None => self.messages.range(..),
        };
        let here = asked.map(|(_, entry)| entry).rev();
        here.filter(|entry| !entry.deleted || message.is_some())
            .filter_map(|entry| Some((entry, entry.message.reply_markup.as_ref()?)))
            .find_map(|(entry, keyboard)| {
                Some((entry, keyboard.buttons().find(|button| is_it(button))?))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_many_messages_are_forgotten_and_numbers_go_on() {
        let mut room = Room::default();
        for _ in 0..REMEMBERED + 2 {
            room.add(Message::default(), false);
            room.prune();
        }
        let first = room.all().next().map(|it| it.message.message_id);
        assert_eq!((room.all().count(), first), (REMEMBERED, Some(PAST + 3)));
    }
}
