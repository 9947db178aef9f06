//! `emulator`: a Telegram on this machine, for bots in any language.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;

use super::Failure;
use super::listen::{elsewhere, reached};
use super::say::say;
use crate::emulator::{self, Options};
use crate::ops::Guard;
use crate::page;
use crate::server::Signals;
use crate::store::lock::Lock;

/// What the emulator is told.
#[derive(Debug, Args)]
pub(super) struct Emulator {
    /// Where to listen. Whoever can reach it can do anything with it: keep it on this machine.
    #[arg(long, default_value = "127.0.0.1:8081", value_parser = super::listen::read)]
    listen: SocketAddr,
    /// The token of the bot; without it, the first well-formed one that calls.
    #[arg(long)]
    token: Option<String>,
    /// What the bot is called, until it says otherwise [default: Bot]
    #[arg(long)]
    name: Option<String>,
    /// Its name with an `@` [default: emulated_bot]
    #[arg(long)]
    username: Option<String>,
    /// How many seconds a press of a button can be answered.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    answer_within: u32,
    /// Refuse webhooks as Telegram does in public: only https, on four ports, at no private address.
    #[arg(long)]
    public: bool,
    /// A directory to keep the chats in; without it they are gone when this ends.
    #[arg(long)]
    data: Option<PathBuf>,
}

pub(super) async fn run(told: Emulator) -> Result<ExitCode, Failure> {
    let mut signals = Signals::new().map_err(Failure::plain)?;
    let listener = TcpListener::bind(told.listen).await;
    let listener = listener
        .map_err(|error| Failure::plain(format!("cannot listen on {}: {error}", told.listen)))?;
    let place = told.data.clone().unwrap_or_default();
    let unusable = |error: io::Error| {
        let why = match place.is_file() {
            true => "it is a file, not a directory".to_owned(),
            false => error.to_string(),
        };
        let place = place.display();
        Failure::plain(format!("cannot use {place}: {why}; choose another with --data"))
    };
    let lock = told.data.as_deref().map(Lock::directory).transpose();
    let _lock = lock.map_err(unusable)?;
    let options = Options {
        token: told.token,
        name: told.name,
        username: told.username,
        public: told.public,
        answer_within: Duration::from_secs(told.answer_within.into()),
        data: told.data,
        ..Options::default()
    };
    let emulator = emulator::Emulator::open(options).map_err(unusable)?;
    let address = listener.local_addr().map_err(Failure::plain)?;
    let (here, there) = (reached(address), elsewhere(address));
    say!(
        "A Telegram runs at http://{here}{there} (the Bot API): open http://{here}/ to speak to the bot, or see http://{here}/emulator/"
    )?;
    // A link to the page may stand anywhere.
    let routes = Guard::around(address, emulator.router()).merge(page::alone());
    let served = emulator.serve(listener, routes);
    tokio::select! {
        served = served => served.map_err(Failure::plain)?,
        _ = signals.next() => {}
    }
    emulator.save().map_err(Failure::plain)?;
    Ok(ExitCode::SUCCESS)
}
