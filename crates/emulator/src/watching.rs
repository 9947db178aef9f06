//! What can be seen of the emulator: chats, updates, calls and the webhook.

use super::message::Message;
use super::queue::{Attempt, Update};
use super::webhook::Webhook;
use super::{Call, Emulator};

impl Emulator {
    /// What stands in a chat now, oldest first.
    pub fn messages(&self, chat: i64) -> Vec<Message> {
        let world = self.desk.world();
        let entries = world.chats.get(chat).into_iter().flat_map(|room| room.all());
        let there = entries.filter(|entry| !entry.deleted);
        there.map(|entry| entry.message.clone()).collect()
    }

    /// An update, and what became of it.
    pub fn update(&self, id: i64) -> Option<Update> {
        self.desk.world().queue.by_id(id).cloned()
    }

    /// All updates that are remembered, oldest first.
    pub fn updates(&self) -> Vec<Update> {
        self.desk.world().queue.all().cloned().collect()
    }

    /// How many updates are in the queue.
    pub fn pending(&self) -> usize {
        self.desk.world().queue.pending()
    }

    /// Every call that is remembered, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.calls_as(|call| Some(call.clone()))
    }

    /// What is made of the calls that are remembered, oldest first; of some, nothing.
    pub fn calls_as<T>(&self, pick: impl FnMut(&Call) -> Option<T>) -> Vec<T> {
        self.desk.world().calls.iter().filter_map(pick).collect()
    }

    /// The calls after this one, oldest first.
    pub fn calls_after(&self, seq: u64) -> Vec<Call> {
        let world = self.desk.world();
        let first = world.calls.partition_point(|call| call.seq <= seq);
        world.calls.range(first..).cloned().collect()
    }

    /// The webhook as it is registered now.
    pub fn webhook(&self) -> Option<Webhook> {
        self.desk.world().webhook.clone()
    }

    /// What the bot wants to hear of; nothing: what is usual.
    pub fn allowed(&self) -> Vec<String> {
        self.desk.world().queue.allowed.clone()
    }

    /// How many polls were told that somebody else polls, or that there is a webhook.
    pub fn conflicts(&self) -> usize {
        self.desk.world().polls.conflicts
    }

    /// Is told how each delivery to the webhook ended, from now on.
    pub fn look_on(&self, onlooker: impl Fn(&Attempt) + Send + 'static) {
        let onlooker = Box::new(onlooker);
        self.desk.change(|world| world.onlooker = Some(onlooker));
    }
}
