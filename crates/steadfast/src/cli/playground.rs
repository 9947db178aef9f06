//! `playground`: what a bare `cargo run` starts.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;

use super::Failure;
use super::listen::{elsewhere, reached};
use crate::bot::Program;
use crate::config::{Log, LogFormat};
use crate::playground::{Home, Open, Playground};
use crate::server::Signals;
use crate::telemetry;

/// Where it is, unless another address is asked for.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8765);
/// How many ports are tried from there on.
const PORTS: u16 = 100;

#[derive(Debug, Args)]
pub(super) struct Try {
    /// Where to listen [default: 127.0.0.1:8765, or the next free port]
    #[arg(long, value_name = "ADDRESS", value_parser = super::listen::read)]
    listen: Option<SocketAddr>,
    /// Where chats and dialogues are kept.
    #[arg(long, value_name = "DIRECTORY", default_value = DATA)]
    data: PathBuf,
}

const DATA: &str = "./data/playground";

impl Default for Try {
    fn default() -> Self {
        Self { listen: None, data: DATA.into() }
    }
}

pub(super) async fn run(asked: Try, program: &Program) -> Result<ExitCode, Failure> {
    telemetry::log(&quiet(), &[]).map_err(Failure::plain)?;
    let mut signals = Signals::new().map_err(Failure::plain)?;
    let home = Home::take(&asked.data).map_err(Failure::plain)?;
    let listener = listen(asked.listen).await.map_err(Failure::plain)?;
    let address = listener.local_addr().map_err(Failure::plain)?;
    let executable = std::env::current_exe().map_err(Failure::plain)?;
    let kept = home.path().display().to_string();
    let open = Playground::open(home, listener, executable, program).await;
    let open = open.map_err(|error| {
        Failure::plain(format!("{kept} cannot be read: {error}; choose another with --data"))
    })?;
    let announced = async {
        open.ready().await;
        announce(address);
    };
    tokio::select! {
        _ = signals.next() => {}
        _ = async { tokio::join!(announced, tell_of_trouble(&open)) } => {}
    }
    tokio::spawn(async move { std::process::exit(signals.next().await.code()) });
    let closed = open.close().await;
    closed.map_err(|error| Failure::plain(format!("the chats could not be kept: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

/// What is not for the page to show.
fn quiet() -> Log {
    Log { format: LogFormat::Text, filter: "warn".into(), texts: false }
}

/// Listens there, or nearby if nobody asked for a place.
async fn listen(asked: Option<SocketAddr>) -> Result<TcpListener, String> {
    if let Some(address) = asked {
        let bound = TcpListener::bind(address).await;
        return bound.map_err(|error| {
            format!("cannot listen on {address}: {error}; choose another address with --listen")
        });
    }
    for port in LISTEN.port()..LISTEN.port() + PORTS {
        match TcpListener::bind((LISTEN.ip(), port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            bound => {
                return bound.map_err(|error| {
                    format!(
                        "cannot listen on {LISTEN}: {error}; choose another address with --listen"
                    )
                });
            }
        }
    }
    Err(format!("no port from {} on is free; choose an address with --listen", LISTEN.port()))
}

/// The one line.
fn announce(address: SocketAddr) {
    let mut out = io::stdout();
    // Nobody may be reading, which is no reason to end.
    let _ = writeln!(
        out,
        "The playground is ready: open http://{}/{} (Ctrl-C ends it)",
        reached(address),
        elsewhere(address)
    );
    let _ = out.flush();
}

/// Says what is wrong with the bot, each time it is something else.
async fn tell_of_trouble(open: &Open) {
    let mut last = None;
    loop {
        let trouble = open.next_trouble(last.as_deref()).await;
        eprintln!("warning: {trouble}");
        last = Some(trouble);
    }
}
