//! What people do, as whoever plays them says.

use serde_json::json;

use super::Emulator;
use super::acts::{self, Cannot, Pressed, Pressing, Reacting, Sending, Sent};
use super::people::{Group, Membership, Person, Topic};

impl Emulator {
    /// Adds somebody, under a free id if theirs is 0.
    pub fn add_person(&self, person: Person) -> Person {
        self.desk.change(|world| world.people.add(person))
    }

    /// Everybody there is, by their ids.
    pub fn people(&self) -> Vec<Person> {
        let world = self.desk.world();
        world.people.people.values().cloned().collect()
    }

    /// Somebody who plays `was` plays `now` instead; whoever plays something else by then goes on with that.
    pub fn recast(&self, person: i64, was: Option<&str>, now: Option<&str>) {
        self.desk.change(|world| {
            let person = world.people.people.get_mut(&person);
            if let Some(person) = person.filter(|person| person.role.as_deref() == was) {
                person.role = now.map(str::to_owned);
                world.tell("people", json!({}));
            }
        });
    }

    /// Adds somebody of this name.
    pub fn person(&self, name: &str) -> Person {
        self.add_person(Person::named(name))
    }

    /// People make a group with the bot in it; an id of 0 is replaced by a free one.
    pub fn add_group(&self, group: Group) -> Result<Group, Cannot> {
        self.desk.change(|world| acts::found(world, group))
    }

    /// A topic is opened in a group.
    pub fn open_topic(&self, group: i64, name: &str) -> Result<Topic, Cannot> {
        self.desk.change(|world| acts::open_topic(world, group, name))
    }

    /// A group goes on as another chat: this one, or a free one.
    pub fn migrate(&self, group: i64, to: Option<i64>) -> Result<Group, Cannot> {
        self.desk.change(|world| {
            world.chat(group);
            acts::migrate(world, group, to)
        })
    }

    /// Somebody blocks the bot, or no longer does.
    pub fn block(&self, person: i64, blocked: bool) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| {
            world.chat(person);
            acts::block(world, person, blocked)
        })
    }

    /// Somebody's account is deleted, or was not after all.
    pub fn deactivate(&self, person: i64, deactivated: bool) -> Result<(), Cannot> {
        self.desk.change(|world| acts::deactivate(world, person, deactivated))
    }

    /// The bot is taken into a group, leaves it or is thrown out; answers the update.
    pub fn bot_becomes(&self, group: i64, bot: Membership) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| acts::bot_becomes(world, group, bot))
    }

    /// Somebody sends something.
    pub fn send(&self, sending: &Sending) -> Result<Sent, Cannot> {
        self.desk.change(|world| acts::send(world, sending))
    }

    /// Somebody writes something to the bot; answers the update.
    pub fn say(&self, from: i64, text: &str) -> Result<i64, Cannot> {
        let sent = self.send(&Sending::text(from, text))?;
        let update = sent.updates.first().copied().flatten();
        update.ok_or_else(|| acts::wrong("the bot does not want to hear of messages"))
    }

    /// Somebody changes what they wrote.
    pub fn edit(
        &self,
        from: i64,
        chat: i64,
        message: i64,
        text: &str,
    ) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| acts::edit(world, from, Some(chat), message, text))
    }

    /// Somebody presses a button.
    pub fn press(&self, pressing: &Pressing) -> Result<Pressed, Cannot> {
        self.desk.change(|world| acts::press(world, pressing))
    }

    /// Somebody says by an emoji what they think of a message; answers the update, if the bot wants to hear of it.
    pub fn react(&self, reacting: &Reacting) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| acts::react(world, reacting))
    }

    /// Somebody becomes a `member` of a group, or has `left` it, or is `kicked`; answers the update, if the bot wants to hear of it.
    pub fn become_member(
        &self,
        group: i64,
        person: i64,
        status: &str,
    ) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| acts::become_member(world, group, person, status))
    }

    /// Somebody asks to be let into a group; answers the update.
    pub fn ask_to_join(&self, group: i64, person: i64) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| acts::ask_to_join(world, group, person, None))
    }

    /// Somebody writes and presses at the same instant: both are sent before either is answered, if there may be two connections.
    pub fn race(&self, sending: &Sending, pressing: &Pressing) -> Result<(Sent, Pressed), Cannot> {
        self.desk.change(|world| acts::race(world, sending, pressing))
    }

    /// Takes a message out of a chat, as people can.
    pub fn forget(&self, chat: i64, message: i64) {
        self.desk.change(|world| world.chats.room(chat).delete(message));
    }
}
