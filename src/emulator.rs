//! A Telegram on the loopback: the Bot API as its server is known to behave, people to speak to the bot, a clock that can be
//! moved, and faults on command.
//!
//! One bot lives here. What is said to it becomes updates in a queue, which go to its webhook or wait for its polls; what it calls
//! changes the chats. Everything is plain data under one lock; one task delivers, and everybody waits
//! by one [`Clock`]. The same is to be had over HTTP, under `/emulator/`.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use desk::Desk;
use world::World;

mod acts;
mod api;
mod body;
mod chats;
pub mod clock;
mod control;
mod delivery;
mod desk;
mod faults;
mod files;
mod journal;
mod json;
mod keep;
mod keyboard;
mod limits;
mod lines;
mod lock;
mod lookup;
mod message;
mod noted;
mod params;
mod people;
mod polls;
mod presses;
mod queue;
mod serve;
mod setting;
mod span;
mod text;
mod webhook;
mod world;

pub use acts::{Cannot, Pressed, Pressing, Reacting, Sending, Sent};
pub use clock::{Clock, Millis};
pub use faults::{Fault, Kind, On};
pub use limits::{Limit, Scope};
pub use lock::Lock;
pub use message::{
    Button, Chat, Contact, Content, Entity, Keyboard, Location, Media, Message, User,
};
pub use people::{Group, Membership, Person, Topic};
pub use queue::{Attempt, State, Update};
pub use webhook::Webhook;
pub use world::Call;

/// How an emulator is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// The token of the bot; nothing: the first well-formed one that calls.
    pub token: Option<String>,
    /// What the bot is called; nothing: as it was, or `Bot`.
    pub name: Option<String>,
    /// Its name with an `@`; nothing: as it was, or `emulated_bot`.
    pub username: Option<String>,
    /// Where chats are kept across restarts; nothing: nowhere.
    pub data: Option<PathBuf>,
    /// The time; by default that of the machine.
    pub clock: Clock,
    /// How long after a press the bot may answer it. Telegram does not say.
    pub answer_within: Duration,
    /// Whether updates are sent to the webhook; otherwise somebody else does.
    pub delivers: bool,
    /// Whether webhooks are refused as in public: only https, on four ports, and at no reserved address. Otherwise every address
    /// is taken, as by a Bot API server of one's own.
    pub public: bool,
    /// Whether chats, topics, files and presses that nobody has seen are taken as known, for tests that make updates themselves.
    pub trusting: bool,
    /// Whether every update, call and message is remembered, for tests that look back at the end; otherwise only the latest are.
    pub remembers_all: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            token: None,
            name: None,
            username: None,
            data: None,
            clock: Clock::running(),
            answer_within: Duration::from_secs(30),
            delivers: true,
            public: false,
            trusting: false,
            remembers_all: false,
        }
    }
}

/// A Telegram with one bot. Clones are the same one; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Emulator {
    desk: Arc<Desk>,
    life: Arc<Life>,
}

/// What ends with the emulator.
#[derive(Debug)]
struct Life {
    /// Whether it can be reached.
    door: watch::Sender<bool>,
    /// How many of the next connections are cut.
    cuts: Arc<AtomicUsize>,
    data: Option<PathBuf>,
    _stop: DropGuard,
}

impl Emulator {
    /// Opens it, and begins to deliver updates. To be called within a runtime of tokio.
    pub fn open(options: Options) -> io::Result<Self> {
        let mut world = match &options.data {
            Some(data) => keep::read(data, &options.clock)?,
            None => World::default(),
        };
        world.trusting = options.trusting;
        world.is_public = options.public;
        world.bot.rename(options.name, options.username);
        world.queue.remembers_all = options.remembers_all;
        if options.token.is_some() {
            world.bot.token = options.token;
        }
        let answer_within = clock::millis(options.answer_within);
        let desk = Desk::new(world, options.clock, answer_within, options.delivers);
        let stop = CancellationToken::new();
        if options.delivers {
            tokio::spawn(delivery::deliver(Arc::clone(&desk), stop.clone()));
        }
        if let Some(data) = options.data.clone() {
            // The numbers that are left out, lest the next one leaves out the same.
            keep::write(&data, &desk)?;
            tokio::spawn(keep::keep(data, Arc::clone(&desk), stop.clone()));
        }
        let life = Life {
            door: watch::Sender::new(true),
            cuts: Arc::default(),
            data: options.data,
            _stop: stop.drop_guard(),
        };
        Ok(Self {
            desk,
            life: Arc::new(life),
        })
    }

    /// The Bot API (`/bot…`, `/file/bot…`) and the control API (`/emulator/…`), with a fallback that answers 404 as the Bot API
    /// does. Other routes can be merged in.
    pub fn router(&self) -> Router {
        api::http::routes()
            .merge(control::routes())
            .with_state(Arc::clone(&self.desk))
    }

    /// Serves these routes as long as this emulator lives. Not `axum::serve`, because some faults cut connections.
    pub fn serve(
        &self,
        listener: TcpListener,
        routes: Router,
    ) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let cuts = Arc::clone(&self.life.cuts);
        serve::serve(listener, routes, self.life.door.subscribe(), cuts)
    }

    /// Cuts every connection, and refuses new ones until it is [opened](Self::open_door).
    pub fn shut_door(&self) {
        self.life.door.send_replace(false);
    }

    /// Can be reached again, at the same address.
    pub fn open_door(&self) {
        self.life.door.send_replace(true);
    }

    /// Cuts so many of the next connections as soon as they are made, before anything is read.
    pub fn cut_next(&self, connections: usize) {
        self.life.cuts.store(connections, Ordering::Relaxed);
    }

    /// How many of those are still to be cut.
    pub fn still_to_cut(&self) -> usize {
        self.life.cuts.load(Ordering::Relaxed)
    }

    /// Answers what is [held](Kind::Hold) of this chat, and whatever would be.
    pub fn let_go(&self, chat: i64) {
        self.desk.change(|world| world.let_go.insert(chat));
    }

    /// Writes down what is kept, where there is a directory for it.
    pub fn save(&self) -> io::Result<()> {
        match &self.life.data {
            Some(data) => keep::write(data, &self.desk),
            None => Ok(()),
        }
    }

    /// What time it is here.
    pub fn now(&self) -> Millis {
        self.desk.clock.now()
    }

    /// Moves the clock; whatever is due by then happens.
    pub fn advance(&self, by: Duration) {
        self.desk.advance(by);
    }

    /// Adds somebody, under a free id if theirs is 0.
    pub fn add_person(&self, person: Person) -> Person {
        self.desk.change(|world| world.people.add(person))
    }

    /// Everybody there is, by their ids.
    pub fn people(&self) -> Vec<Person> {
        let world = self.desk.world();
        world.people.people.values().cloned().collect()
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
        self.desk
            .change(|world| acts::open_topic(world, group, name))
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
        self.desk
            .change(|world| acts::deactivate(world, person, deactivated))
    }

    /// The bot is taken into a group, leaves it or is thrown out; answers the update.
    pub fn bot_becomes(&self, group: i64, bot: Membership) -> Result<Option<i64>, Cannot> {
        self.desk
            .change(|world| acts::bot_becomes(world, group, bot))
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
        self.desk
            .change(|world| acts::edit(world, from, Some(chat), message, text))
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
        self.desk
            .change(|world| acts::become_member(world, group, person, status))
    }

    /// Somebody asks to be let into a group; answers the update.
    pub fn ask_to_join(&self, group: i64, person: i64) -> Result<Option<i64>, Cannot> {
        self.desk
            .change(|world| acts::ask_to_join(world, group, person, None))
    }

    /// Somebody writes and presses at the same instant: both are in the queue before either is sent.
    pub fn race(&self, sending: &Sending, pressing: &Pressing) -> Result<(Sent, Pressed), Cannot> {
        self.desk
            .change(|world| acts::race(world, sending, pressing))
    }

    /// Takes a message out of a chat, as people can.
    pub fn forget(&self, chat: i64, message: i64) {
        self.desk
            .change(|world| world.chats.room(chat).delete(message));
    }

    /// What stands in a chat now, oldest first.
    pub fn messages(&self, chat: i64) -> Vec<Message> {
        let world = self.desk.world();
        let entries = world
            .chats
            .get(chat)
            .into_iter()
            .flat_map(|room| room.all());
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

    /// Puts an update into the queue that was made elsewhere, under its own number.
    pub fn queue(&self, update: &Value) {
        self.desk.change(|world| {
            let now = world.now();
            world.queue.push_made(update, now);
        });
    }

    /// Puts an update of any kind into the queue, under the next number; answers that, if the bot wants to hear of it.
    pub fn tell(&self, update: &Value) -> Result<Option<i64>, Cannot> {
        self.desk.change(|world| acts::tell(world, update))
    }

    /// How many updates are in the queue.
    pub fn pending(&self) -> usize {
        self.desk.world().queue.pending()
    }

    /// Sends an update once more, so many times at once, whatever became of it.
    pub fn again(&self, update: i64, times: usize) -> Result<(), Cannot> {
        self.desk.change(|world| acts::again(world, update, times))
    }

    /// The server restarts: what was not acknowledged is sent again.
    pub fn restart(&self) {
        self.desk.restart(false);
    }

    /// The same, and numbers of updates go on from a lower one.
    pub fn restart_with_lower_ids(&self) {
        self.desk.restart(true);
    }

    /// All that was said and done is gone; people too if that is wanted.
    pub fn reset(&self, people: bool) {
        self.desk.reset(people);
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

    /// From now on something goes wrong; answers what it is taken back by, or nothing if it cannot.
    pub fn fault(&self, fault: Fault) -> Option<u64> {
        let fault = self.desk.change(|world| world.faults.add(fault));
        fault.ok().map(|fault| fault.id)
    }

    /// Nothing goes wrong any more.
    pub fn clear_faults(&self) {
        self.desk.change(|world| world.faults.remove(None));
    }

    /// Decides what goes wrong with each call, before any fault.
    pub fn rule(&self, rule: impl Fn(&Call) -> Option<Fault> + Send + 'static) {
        self.desk.change(|world| world.rule = Some(Box::new(rule)));
    }

    /// Is told how each delivery to the webhook ended, from now on.
    pub fn look_on(&self, onlooker: impl Fn(&Attempt) + Send + 'static) {
        let onlooker = Box::new(onlooker);
        self.desk.change(|world| world.onlooker = Some(onlooker));
    }

    /// Answers what is over these limits with 429, and forgets what came before.
    pub fn limit(&self, limits: impl IntoIterator<Item = Limit>) {
        let meter = limits::Meter::new(limits);
        self.desk.change(|world| world.meter = meter);
    }

    /// The webhook as it is registered now.
    pub fn webhook(&self) -> Option<Webhook> {
        self.desk.world().webhook.clone()
    }

    /// What the bot wants to hear of; nothing: what is usual.
    pub fn allowed(&self) -> Vec<String> {
        self.desk.world().queue.allowed.clone()
    }

    /// Registers another webhook behind the bot's back, or none.
    pub fn set_webhook(&self, webhook: Option<Webhook>, allowed: &[String]) {
        self.desk.change(|world| {
            world.begin_anew();
            world.webhook_from = 0;
            world.webhook = webhook;
            world.queue.allowed = allowed.to_vec();
        });
    }

    /// Sends updates there from now on, whatever the bot says: a bench must load nothing but what it is told to.
    pub fn pin_webhook(&self, webhook: Webhook) {
        self.set_webhook(Some(webhook), &[]);
        self.desk.change(|world| world.is_pinned = true);
    }

    /// How many polls were told that somebody else polls, or that there is a webhook.
    pub fn conflicts(&self) -> usize {
        self.desk.world().polls.conflicts
    }
}
