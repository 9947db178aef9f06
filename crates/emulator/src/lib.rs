//! A Telegram Bot API server on the loopback, with people who write to the bot, a clock that can be moved, and faults on demand.
//!
//! One bot lives in an [`Emulator`]. Actions of people become updates in a queue; the queue is delivered to the bot's webhook or to its
//! polls, and the bot's calls change the chats. All of it is plain data under one lock. One task delivers, and everything waits by one
//! [`Clock`].
//!
//! # Map
//!
//! The world:
//!
//! - `world.rs`, `desk.rs`: all data, and what its users share: the lock, the clock and a bell.
//! - `people.rs`, `chats.rs`, `message.rs`, `keyboard.rs`, `files.rs`: people and groups, chats, and the objects of the Bot API.
//! - `bot.rs`, `webhook.rs`, `options.rs`: the bot as others see it, its webhook, and the set-up of an emulator.
//! - `keep.rs`, `journal.rs`, `noted.rs`: the world in a directory, so that it survives a restart.
//! - [`clock`], `span.rs`: the clock, and lengths of time as people write them.
//!
//! From people to the bot:
//!
//! - `acts.rs` and `acts/`, `playing.rs`, `presses.rs`: messages, presses, edits, joining and blocking; each becomes an update.
//! - `queue.rs` and `queue/`, `lines.rs`: numbered updates, and the order in which they are delivered.
//! - `delivery.rs` and `delivery/`: posts updates to the webhook, with Telegram's retries. `setting.rs` and `lookup.rs` set the webhook
//!   and look up its host. `polls.rs` is `getUpdates`.
//!
//! From the bot to people:
//!
//! - `api.rs` and `api/`: the methods of the Bot API, their results and errors.
//! - `params.rs`, `body.rs`, `json.rs`: parameters of calls, bodies in parts, and JSON as Telegram writes it.
//! - `text.rs` and `text/`: HTML, Markdown and found entities.
//! - `limits.rs`, `crowd.rs`: Telegram's rate limits, and the limit of calls at once.
//!
//! Beside both:
//!
//! - `control.rs` and `control/`, `watching.rs`, `steering.rs`, `faults.rs`, `calls.rs`: the HTTP API under `/emulator/` that tests and
//!   the page use to act, to look and to inject faults.
//! - [`page`] and `page/`: the web page of the emulator and of the playground.
//! - `serve.rs`: an HTTP server whose connections can be cut.
//!
//! # Not modelled
//!
//! - Actions enter the queue at once and in order. An edit waits for nothing, and quick edits are not merged into one.
//! - A bot gets no update about its own messages, not even about a message that it pins.
//! - `max_connections` is at most 100, as with the public server, even if webhooks at every address are allowed.
//! - A restart of the emulator skips a thousand update ids, so that none is used twice.
//! - A restart takes no time, so no call is told to retry after five seconds because the server closes.
//! - A request of HTTP/2 or of an unknown version gets 400 instead of 505.
//! - `setWebhook` does not test the connection; it only rejects addresses to which nothing could ever be sent.
//! - While the host of a new webhook is looked up, the previous webhook still gets updates.
//! - A file that is uploaded as a picture is accepted as one.

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
