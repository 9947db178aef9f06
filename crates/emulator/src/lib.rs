//! A Telegram on the loopback: the Bot API as its server is known to behave, people to speak to the bot, a clock that can be
//! moved, and faults on command.
//!
//! One bot lives here. What is said to it becomes updates in a queue, which go to its webhook or wait for its polls; what it calls
//! changes the chats. Everything is plain data under one lock; one task delivers, and everybody waits
//! by one [`Clock`]. The same is to be had over HTTP, under `/emulator/`.
//!
//! # What is not modelled
//!
//! What people do is in the queue at once, in the order in which they did it: an edit waits for no message to be fetched again, and
//! quick ones do not become one. A bot hears nothing of its own messages, not even of what it pins. Connections are at most 100, as
//! in public, also where every address is taken as by a server of one's own. After a restart of the emulator itself a thousand
//! numbers of updates are left out, lest one be given twice. A restart takes no time, so that nobody is asked to come again after
//! five seconds because the server closes; and a request of HTTP/2 or of no known version is answered 400 instead of 505. Whether
//! the network leads to a webhook's address is not asked when it is set, only whether anything could ever be sent there; and while
//! the host of another webhook is looked up, the one before still gets updates. What is uploaded as a picture is taken for one.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use desk::Desk;
use world::World;

mod acts;
mod api;
mod body;
mod bot;
mod calls;
mod chats;
pub mod clock;
mod control;
mod crowd;
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
mod lookup;
mod message;
mod noted;
mod options;
pub mod page;
mod params;
mod people;
mod playing;
mod polls;
mod presses;
mod queue;
mod serve;
mod setting;
mod span;
mod steering;
mod text;
mod watching;
mod webhook;
mod world;

pub use acts::{Cannot, Pressed, Pressing, Reacting, Sending, Sent};
pub use calls::Call;
pub use clock::{Clock, Millis};
pub use faults::{Fault, Kind, On};
pub use limits::{Limit, Scope};
pub use message::{
    Button, Chat, Contact, Content, Entity, Keyboard, Location, Media, Message, User,
};
pub use options::Options;
pub use people::{Group, Membership, Person, Topic};
pub use queue::{Attempt, State, Update};
pub use webhook::Webhook;

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
        world.roles = options.roles;
        world.bot.name_again(options.name, options.username);
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
        Ok(Self { desk, life: Arc::new(life) })
    }

    /// The Bot API (`/bot…`, `/file/bot…`) and the control API (`/emulator/…`), with a fallback that answers 404 as the Bot API
    /// does. Other routes can be merged in.
    pub fn router(&self) -> Router {
        api::http::routes().merge(control::routes()).with_state(Arc::clone(&self.desk))
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
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
