//! The command line.
//!
//! Exit codes: 0 all is well, 1 something failed (for `check`: something is unsafe or out of reach; for `health`: not
//! healthy), 2 the configuration or the command line is wrong. A second stop signal ends `serve` at once, with 130 or
//! 143.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tokio::runtime::{Builder, Runtime};

use crate::company::{Company, DECLARED};
use crate::config::{self, Mode, Problems};
use crate::telemetry;

mod backup;
mod bench;
mod broadcast;
mod check;
mod client;
mod dead_letters;
mod dialogues;
mod emulator;
mod export;
mod forget;
mod listen;
mod playground;
mod roles;
mod say;
mod serve;
mod table;

/// A webhook Telegram bot server whose dialogues survive restarts, redeliveries, races and failovers.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// Without one: `playground`.
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Try the bot in the browser, with nothing to set up: it brings a Telegram of its own.
    Playground(playground::Try),
    /// Serve the webhook, until a stop signal.
    Serve(serve::Serve),
    /// Ask Telegram for updates instead, where there is no public address. Of several replicas one does.
    Poll,
    /// Read the configuration, open the store, and say what is unsafe and how to mend it.
    ///
    /// Exit code 0: all is well. 1: something is unsafe or out of reach. 2: the configuration is wrong.
    Check(check::Check),
    /// Ask the running server for its health, as container health checks do.
    ///
    /// Exit code 0: healthy, or degraded. 1: not, or no server runs.
    Health,
    /// Be a Telegram on this machine, for bots in any language: the Bot API, and people to speak to them.
    ///
    /// Needs no configuration. GET /emulator/ tells what can be done with it.
    Emulator(emulator::Emulator),
    /// Find out how much a deployment bears: people who lead dialogues with it, how soon they are answered, and what that costs.
    ///
    /// `--spawn` starts a server for it, on a file or on the Redis of REDIS_URL. A deployment that runs already is named by --webhook: have its
    /// TELEGRAM_API_URL point to --listen and set TELEGRAM_LIMITS=off, else the limits are measured. It gets made-up people,
    /// so let it be one for tests.
    ///
    /// Exit code 0: every update was acknowledged and replied to. 1: not.
    Bench(bench::Bench),
    /// Draw each flow as a Mermaid diagram, from the transitions its tests have walked.
    Flows,
    /// See and free dialogues, through the running server.
    #[command(subcommand)]
    Dialogues(dialogues::Command),
    /// See what could not be done, try it again, or drop it, through the running server.
    #[command(subcommand)]
    DeadLetters(dead_letters::Command),
    /// See who has which role, give one and take it away, through the running server.
    #[command(subcommand)]
    Roles(roles::Command),
    /// Leave nothing of a person but what the books need, through the running server.
    ///
    /// Their dialogues end, what waits to be said to them is dropped, their records and dead letters go; what is left has no name, no
    /// text and no phone number. Nobody is told. It may be repeated.
    Forget(forget::Forget),
    /// Copy the files that everything is kept in, while the server runs or not.
    ///
    /// For the embedded store and records in SQLite; run it where the files are. Redis and PostgreSQL have tools of their own.
    Backup(backup::Backup),
    /// Put the files of a backup back, for a server that does not run.
    Restore(backup::Restore),
    /// Tell something to many people, through the running server.
    ///
    /// Each of them gets it once, however often this is run with the same --id: when it was stopped, run it again with the id that
    /// it printed, the same text and the same audience, within 40 hours. Those who have blocked the bot are left out.
    Broadcast(broadcast::Broadcast),
    /// Write orders, shifts or their pay as a table, through the running server.
    Export(export::Export),
}

impl Command {
    /// Whether it is the bot itself.
    fn is_server(&self) -> bool {
        matches!(self, Self::Serve(_) | Self::Poll)
    }

    /// Whether it is of the bot that a `.env` file here is about.
    fn reads_dotenv(&self) -> bool {
        match self {
            Self::Playground(_) | Self::Emulator(_) | Self::Bench(_) => false,
            Self::Serve(serve) => serve.playground.is_none(),
            _ => true,
        }
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// The configuration is wrong.
    #[error("{0}")]
    Config(#[from] Problems),
    /// Anything else, in one plain line.
    #[error("{0}")]
    Plain(Box<dyn std::error::Error + Send + Sync>),
}

impl Failure {
    fn plain(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Plain(error.into())
    }

    fn code(&self) -> ExitCode {
        match self {
            Self::Config(_) => ExitCode::from(2),
            Self::Plain(_) => ExitCode::FAILURE,
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let command = cli.command;
    let ended = start(command.unwrap_or_else(|| Command::Playground(playground::Try::default())));
    telemetry::flush();
    ended.unwrap_or_else(|failure| {
        for line in failure.to_string().lines() {
            eprintln!("error: {line}");
        }
        failure.code()
    })
}

fn start(command: Command) -> Result<ExitCode, Failure> {
    if !command.reads_dotenv() {
        return begin(command, &|name| std::env::var(name).ok());
    }
    let source = config::environment(&DECLARED.variables::<Company>())?;
    begin(command, &source)
}

fn begin(command: Command, source: config::Source<'_>) -> Result<ExitCode, Failure> {
    let threads = command.is_server().then(|| config::threads(source));
    block_on(threads, run(command, source))
}

fn block_on(
    threads: Option<usize>,
    run: impl Future<Output = Result<ExitCode, Failure>>,
) -> Result<ExitCode, Failure> {
    let runtime = runtime(threads).map_err(Failure::plain)?;
    let code = runtime.block_on(run);
    // Whoever is still at it, such as a look-up of a name that gets no answer, was waited for long enough.
    runtime.shutdown_background();
    code
}

/// With so many threads, or one for each core. One alone takes what is to be done in turn, so that more of it shares a trip to
/// Redis, and nothing wanders between cores.
fn runtime(threads: Option<usize>) -> std::io::Result<Runtime> {
    let mut builder = match threads {
        Some(1) => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    if let Some(threads) = threads {
        builder.worker_threads(threads);
    }
    builder.enable_all().build()
}

async fn run(command: Command, source: config::Source<'_>) -> Result<ExitCode, Failure> {
    match command {
        Command::Playground(asked) => playground::run(asked).await,
        Command::Serve(serve) => serve::run(serve, source, Mode::Webhook).await,
        Command::Poll => serve::run(serve::Serve::default(), source, Mode::Poll).await,
        Command::Check(asked) => check::run(asked, source).await,
        Command::Health => client::health(source).await,
        Command::Emulator(emulator) => emulator::run(emulator).await,
        Command::Bench(bench) => bench::run(bench, source).await,
        Command::Flows => flows(),
        Command::Dialogues(command) => dialogues::run(command, source).await,
        Command::DeadLetters(command) => dead_letters::run(command, source).await,
        Command::Roles(command) => roles::run(command, source).await,
        Command::Forget(forget) => forget::run(forget, source).await,
        Command::Backup(asked) => backup::take(&asked, source),
        Command::Restore(asked) => backup::restore(asked, source).await,
        Command::Broadcast(broadcast) => broadcast::run(broadcast, source).await,
        Command::Export(export) => export::run(export, source).await,
    }
}

/// Draws the flows.
fn flows() -> Result<ExitCode, Failure> {
    say::text(crate::company::flows::edges().diagrams())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use clap::CommandFactory;
    use tokio::runtime::RuntimeFlavor;
    use tokio::sync::oneshot;

    use super::*;

    /// Such as the look-up of a name when nobody answers. It would outlast the deadline of a stop.
    #[test]
    fn what_does_not_come_to_an_end_holds_up_no_exit() {
        let (end, ended) = channel::<()>();
        let code = block_on(Some(1), async move {
            let (begins, begun) = oneshot::channel();
            tokio::task::spawn_blocking(move || {
                let _ = begins.send(());
                ended.recv_timeout(Duration::from_secs(20))
            });
            begun.await.expect("it begins");
            Ok(ExitCode::SUCCESS)
        });
        assert!(code.is_ok());
        assert!(end.send(()).is_ok(), "it was waited for");
    }

    #[test]
    fn a_server_has_as_many_threads_as_it_is_to_have() {
        let workers = |threads| {
            let runtime = runtime(threads).expect("a runtime");
            let flavor = runtime.handle().runtime_flavor();
            (flavor, runtime.metrics().num_workers())
        };
        assert_eq!(workers(Some(1)), (RuntimeFlavor::CurrentThread, 1));
        assert_eq!(workers(Some(3)), (RuntimeFlavor::MultiThread, 3));
    }

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
