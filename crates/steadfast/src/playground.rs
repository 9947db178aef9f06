//! A place to try the bot in, with nothing to set up: a Telegram of its own, a page to be people on, and the bot.
//!
//! One listener serves the page, the [emulator](crate::emulator) with its control API, and the API below. The bot is a process
//! of its own, so that it can be killed like one; it is told of updates by a real webhook and answers by the Bot API.
//!
//! - [`Home`]: the directory where everything is kept. `cast`: the people there are at first. `roles`: what the bot knows them as.
//! - `bot`: the process, and whoever starts it again. `status`: how it is. `said`: what its log tells.
//! - `timekeeper`: keeps its clock with the emulator's. `passing`: lets time pass. `timeline`: the transitions so far.
//! - `api`: `/playground/…`. `events`: what is told as it happens.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::bot::Program;
use crate::emulator::{Clock, Emulator, Options};
use crate::ops::Guard;
use crate::page;

mod api;
mod bot;
mod cast;
mod events;
mod home;
mod passing;
mod roles;
mod said;
mod status;
mod timekeeper;
mod timeline;

pub use home::Home;
pub use status::Status;

use bot::{Keeper, Plan};
use events::Events;
use roles::Agreed;
use timeline::Timeline;

/// What a playground is made of. Clones are the same one.
#[derive(Clone)]
pub struct Playground(Arc<Inner>);

struct Inner {
    home: Home,
    /// The made-up token of the bot.
    token: String,
    /// Names of the bot's roles.
    roles: Vec<&'static str>,
    /// The flows as the page draws them.
    flows: Value,
    emulator: Emulator,
    clock: Clock,
    timeline: Timeline,
    events: Events,
    status: watch::Sender<Status>,
    kills: mpsc::Sender<oneshot::Sender<()>>,
    /// The roles that the page and the bot both had last. Whoever tells either of roles has this.
    agreed: tokio::sync::Mutex<Agreed>,
    /// Whoever tells the bot the time has this, and whoever kills it: what one that is killed was told is known.
    timing: Arc<tokio::sync::Mutex<()>>,
    /// Whoever lets time pass has this, so that all of it passes.
    passing: tokio::sync::Mutex<()>,
}

/// A playground that is open.
#[derive(Debug)]
pub struct Open {
    playground: Playground,
    stop: CancellationToken,
    keeper: JoinHandle<()>,
    others: Vec<JoinHandle<()>>,
}

impl fmt::Debug for Playground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Playground").field(&self.0.home).finish()
    }
}

impl Playground {
    /// Opens it for a bot: from now on everything is served at the listener, and the `executable` of the bot is kept running.
    pub(crate) async fn open(
        home: Home,
        listener: TcpListener,
        executable: PathBuf,
        program: &Program,
    ) -> io::Result<Open> {
        let (clock, token) = (Clock::running(), home.token()?);
        let roles: Vec<_> = program.declared.roles.iter().map(|role| role.name()).collect();
        let emulator = Emulator::open(Options {
            token: Some(token.clone()),
            name: Some(display_name(program.build.name)),
            username: Some(username(program.build.name)),
            roles: roles.iter().map(|&role| role.to_owned()).collect(),
            data: Some(home.telegram()),
            clock: clock.clone(),
            ..Options::default()
        })?;
        cast::gather(&emulator, &program.playground).map_err(io::Error::other)?;
        // What earlier bots said is of no use any more.
        std::fs::write(home.log(), "")?;
        let address = listener.local_addr()?;
        let (kills, killed) = mpsc::channel(1);
        let playground = Self(Arc::new(Inner {
            timeline: Timeline::open(&home.timeline())?,
            events: Events::default(),
            agreed: tokio::sync::Mutex::new(Agreed::read(home.roles())),
            status: watch::Sender::new(Status::new(program.build.version, clock.offset())),
            home,
            token,
            roles,
            flows: api::drawn(&program.transitions, &program.flows),
            emulator,
            clock,
            kills,
            timing: Arc::default(),
            passing: tokio::sync::Mutex::default(),
        }));
        let (stop, plan) = (
            CancellationToken::new(),
            Plan::new(executable, address, program.playground.variables().to_vec()),
        );
        let keeper = Keeper::new(playground.clone(), plan, killed);
        let serving = playground.clone().serve(listener, address);
        Ok(Open {
            others: vec![
                tokio::spawn(serving),
                tokio::spawn(timekeeper::keep(playground.clone())),
                tokio::spawn(roles::introduce(playground.clone())),
                tokio::spawn(roles::look(playground.clone())),
                tokio::spawn(events::tell_of_the_bot(playground.clone())),
            ],
            keeper: tokio::spawn(keeper.keep(stop.clone())),
            playground,
            stop,
        })
    }

    async fn serve(self, listener: TcpListener, address: SocketAddr) {
        let tell = axum::middleware::from_fn_with_state(self.clone(), roles::tell);
        let telegram = self.0.emulator.router().layer(tell);
        let routes = telegram.merge(api::router(&self));
        // A link to the page may stand anywhere.
        let routes = Guard::around(address, routes).merge(page::router());
        if let Err(error) = self.0.emulator.serve(listener, routes).await {
            tracing::error!(%error, "nothing is served any more");
        }
    }
}

/// Returns the display name of a bot whose crate has this name.
fn display_name(name: &str) -> String {
    let mut words = name.replace(['-', '_'], " ");
    words[..1].make_ascii_uppercase();
    words
}

/// Returns the username of a bot whose crate has this name.
fn username(name: &str) -> String {
    format!("{}_bot", name.replace('-', "_"))
}

impl Open {
    /// Waits until the bot is ready, and knows who has which role.
    pub async fn ready(&self) {
        let mut status = self.playground.0.status.subscribe();
        if status.wait_for(|bot| bot.introduced).await.is_err() {
            // Never: the sender lives as long as this.
            std::future::pending().await
        }
    }

    /// Waits until there is something new to say about the bot, as long as it takes.
    pub async fn next_trouble(&self, last: Option<&str>) -> String {
        let mut status = self.playground.0.status.subscribe();
        let new = status.wait_for(|bot| bot.trouble.is_some() && bot.trouble.as_deref() != last);
        match new.await {
            Ok(bot) => bot.trouble.clone().unwrap_or_default(),
            Err(_) => std::future::pending().await,
        }
    }

    /// Stops the bot, and writes down what is kept.
    pub async fn close(self) -> io::Result<()> {
        self.stop.cancel();
        // One that panicked has let go of the bot, which then stops by itself.
        let _ = self.keeper.await;
        for other in self.others {
            other.abort();
        }
        self.playground.0.emulator.save()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bot_is_named_after_its_crate() {
        assert_eq!(display_name("field-service"), "Field service");
        assert_eq!(username("field-service"), "field_service_bot");
    }
}
