//! The command line.
//!
//! Exit codes: 0 all is well, 1 something failed (for `check`: something is unsafe or out of reach; for `health`: not
//! healthy), 2 the configuration or the command line is wrong. A second stop signal ends `serve` at once, with 130 or
//! 143.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tokio::runtime::{Builder, Runtime};

use crate::bot::{Bot, Program, Subcommands};
use crate::config::{self, Mode, Problems, Settings};
use crate::telemetry;

mod backup;
#[cfg(feature = "playground")]
mod bench;
mod broadcast;
mod check;
mod client;
mod dead_letters;
mod dialogues;
#[cfg(feature = "playground")]
mod emulator;
mod forget;
#[cfg(feature = "playground")]
mod listen;
#[cfg(feature = "playground")]
mod playground;
mod roles;
mod say;
mod serve;
mod table;

pub use client::Client;

// The name, the version and the head of the help are those of the bot.
#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Try the bot in the browser, with nothing to set up: it brings a Telegram of its own.
    #[cfg(feature = "playground")]
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
    #[cfg(feature = "playground")]
    Emulator(emulator::Emulator),
    /// Find out how much a deployment bears: people who lead dialogues with it, how soon they are answered, and what that costs.
    ///
    /// `--spawn` starts a server for it, on a file or on the Redis of REDIS_URL. A deployment that runs already is named by --webhook: have its
    /// TELEGRAM_API_URL point to --listen and set TELEGRAM_LIMITS=off, else the limits are measured. It gets made-up people,
    /// so let it be one for tests.
    ///
    /// Exit code 0: every update was acknowledged and replied to. 1: not.
    #[cfg(feature = "playground")]
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
}

impl Command {
    /// Whether it is the bot itself.
    fn is_server(&self) -> bool {
        matches!(self, Self::Serve(_) | Self::Poll)
    }

    /// Whether it is of the bot that a `.env` file here is about.
    fn reads_dotenv(&self) -> bool {
        match self {
            #[cfg(feature = "playground")]
            Self::Playground(_) | Self::Emulator(_) | Self::Bench(_) => false,
            Self::Serve(serve) => serve.playground.is_none(),
            _ => true,
        }
    }
}

/// The reason why a command failed; the command line prints it and exits with a code that is not 0.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The configuration is wrong.
    #[error("{0}")]
    Config(#[from] Problems),
    /// Anything else, in one plain line.
    #[error("{0}")]
    Plain(Box<dyn std::error::Error + Send + Sync>),
}

impl Failure {
    /// Makes a failure of an error or a text.
    pub fn plain(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Plain(error.into())
    }

    fn code(&self) -> ExitCode {
        match self {
            Self::Config(_) => ExitCode::from(2),
            Self::Plain(_) => ExitCode::FAILURE,
        }
    }
}

/// Runs the command line of this process for a bot.
pub(crate) fn main<S: Settings>(bot: &Bot<S>) -> ExitCode {
    if let Err(faults) = bot.check() {
        return report(&faults.to_string(), ExitCode::from(2));
    }
    let ended = start(bot, &bot.program());
    telemetry::flush();
    ended.unwrap_or_else(|failure| report(&failure.to_string(), failure.code()))
}

/// Prints each line of `text` as an error.
fn report(text: &str, code: ExitCode) -> ExitCode {
    for line in text.lines() {
        eprintln!("error: {line}");
    }
    code
}

/// Returns the faults of the bot's subcommands.
pub(crate) fn faults(subcommands: &Subcommands) -> Vec<String> {
    let built_in = Cli::command();
    let mut taken: Vec<_> = built_in.get_subcommands().map(clap::Command::get_name).collect();
    taken.push("help");
    let mut faults = Vec::new();
    for name in subcommands.names() {
        if taken.contains(&name) {
            faults.push(format!("two subcommands are named `{name}`: rename the one of the bot"));
        }
        taken.push(name);
    }
    faults
}

/// Returns the command line of a bot.
fn command_line(program: &Program) -> clap::Command {
    let line = clap::Command::new(program.build.name);
    let line = Cli::augment_args(line).version(program.build.version).about(program.build.about);
    program.subcommands.augment(line)
}

fn start<S: Settings>(bot: &Bot<S>, program: &Program) -> Result<ExitCode, Failure> {
    let mut line = command_line(program);
    let matches = line.get_matches_mut();
    if let Some((name, arguments)) = matches.subcommand()
        && program.subcommands.has(name)
    {
        let server = Client::new(&config::environment(&program.variables)?)?;
        return block_on(None, program.subcommands.run(name, arguments, server));
    }
    let cli = Cli::from_arg_matches(&matches).map_err(Failure::plain)?;
    match cli.command {
        Some(command) if command.reads_dotenv() => {
            let source = config::environment(&program.variables)?;
            begin(bot, program, command, &source)
        }
        Some(command) => begin(bot, program, command, &|name| std::env::var(name).ok()),
        None => bare(bot, program, &mut line),
    }
}

/// Runs a command line that names no command.
#[cfg(feature = "playground")]
fn bare<S: Settings>(
    bot: &Bot<S>,
    program: &Program,
    _: &mut clap::Command,
) -> Result<ExitCode, Failure> {
    let command = Command::Playground(playground::Try::default());
    begin(bot, program, command, &|name| std::env::var(name).ok())
}

/// Shows the help to a command line that names no command.
#[cfg(not(feature = "playground"))]
fn bare<S: Settings>(
    _: &Bot<S>,
    _: &Program,
    line: &mut clap::Command,
) -> Result<ExitCode, Failure> {
    say::text(line.render_help())?;
    Ok(ExitCode::SUCCESS)
}

fn begin<S: Settings>(
    bot: &Bot<S>,
    program: &Program,
    command: Command,
    source: config::Source<'_>,
) -> Result<ExitCode, Failure> {
    let threads = command.is_server().then(|| config::threads(source));
    block_on(threads, run(bot, program, command, source))
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

async fn run<S: Settings>(
    bot: &Bot<S>,
    program: &Program,
    command: Command,
    source: config::Source<'_>,
) -> Result<ExitCode, Failure> {
    match command {
        #[cfg(feature = "playground")]
        Command::Playground(asked) => playground::run(asked, program).await,
        Command::Serve(serve) => serve::run(serve, source, Mode::Webhook, bot).await,
        Command::Poll => serve::run(serve::Serve::default(), source, Mode::Poll, bot).await,
        Command::Check(asked) => check::run(asked, source, bot).await,
        Command::Health => client::health(source).await,
        #[cfg(feature = "playground")]
        Command::Emulator(emulator) => emulator::run(emulator).await,
        #[cfg(feature = "playground")]
        Command::Bench(bench) => bench::run(bench, source, &program.playground).await,
        Command::Flows => flows(program),
        Command::Dialogues(command) => dialogues::run(command, source).await,
        Command::DeadLetters(command) => dead_letters::run(command, source).await,
        Command::Roles(command) => roles::run(command, source).await,
        Command::Forget(forget) => forget::run(forget, source).await,
        Command::Backup(asked) => backup::take(&asked, source, program),
        Command::Restore(asked) => backup::restore(asked, source, program).await,
        Command::Broadcast(broadcast) => broadcast::run(broadcast, source).await,
    }
}

/// Draws the flows.
fn flows(program: &Program) -> Result<ExitCode, Failure> {
    say::text(program.transitions.diagrams())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use tokio::runtime::RuntimeFlavor;
    use tokio::sync::oneshot;

    use super::*;
    use crate::bot::{self, Build};
    use crate::dialogue::Role;

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

    /// Count the people.
    #[derive(Debug, Args)]
    struct Count {}

    impl bot::Subcommand for Count {
        const NAME: &'static str = "count";

        async fn run(self, _: Client) -> Result<ExitCode, Failure> {
            Ok(ExitCode::SUCCESS)
        }
    }

    /// Serve something else.
    #[derive(Debug, Args)]
    struct Serve {}

    impl bot::Subcommand for Serve {
        const NAME: &'static str = "serve";

        async fn run(self, _: Client) -> Result<ExitCode, Failure> {
            Ok(ExitCode::SUCCESS)
        }
    }

    fn bot() -> Bot {
        const ROLES: &[Role] = &[Role::new("owner"), Role::new("guest")];
        Bot::new(Build { name: "signup", version: "1.2.3", about: "Signs people up" }).roles(ROLES)
    }

    #[test]
    fn command_line_has_the_words_of_the_bot() {
        let bot = bot().subcommand::<Count>();
        assert_eq!(bot.check(), Ok(()));
        let mut line = command_line(&bot.program());
        line.clone().debug_assert();
        assert_eq!(line.render_version(), "signup 1.2.3\n");
        let help = line.render_help().to_string();
        assert!(help.starts_with("Signs people up\n"), "{help}");
        assert!(help.contains("Count the people"), "{help}");
        let matches = line.try_get_matches_from(["signup", "count"]).unwrap();
        assert_eq!(matches.subcommand_name(), Some("count"));
    }

    #[test]
    fn subcommand_is_a_fault_if_its_name_is_taken() {
        let subcommands = Subcommands::default().with::<Count>().with::<Serve>().with::<Count>();
        let faults = faults(&subcommands);
        let names = ["serve", "count"];
        let expected = names
            .map(|name| format!("two subcommands are named `{name}`: rename the one of the bot"));
        assert_eq!(faults, expected);
    }
}
