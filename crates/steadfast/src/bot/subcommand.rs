//! Subcommands that a bot adds to its command line.

use std::pin::Pin;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::cli::{Client, Failure};

/// A subcommand of a bot. Its doc comment is its help text.
///
/// ```
/// use std::process::ExitCode;
/// use steadfast::bot::{Subcommand, Subcommands};
/// use steadfast::cli::{Client, Failure};
///
/// /// Show the operator how many dialogues wait in a state.
/// #[derive(clap::Args)]
/// struct Waiting {
///     /// Flow and state, such as `order/phone`.
///     label: String,
/// }
///
/// impl Subcommand for Waiting {
///     const NAME: &'static str = "waiting";
///
///     async fn run(self, server: Client) -> Result<ExitCode, Failure> {
///         println!("{}", server.get(&format!("/dialogues?label={}", self.label)).await?);
///         Ok(ExitCode::SUCCESS)
///     }
/// }
///
/// let subcommands = Subcommands::default().with::<Waiting>();
/// ```
pub trait Subcommand: clap::Args + Send + 'static {
    /// Name on the command line.
    const NAME: &'static str;

    /// Runs the subcommand. `server` is the running server of the configuration.
    fn run(self, server: Client) -> impl Future<Output = Result<ExitCode, Failure>> + Send;
}

/// The subcommands of a bot.
#[derive(Debug, Clone, Default)]
pub struct Subcommands(Vec<Entry>);

type Running = Pin<Box<dyn Future<Output = Result<ExitCode, Failure>> + Send>>;

/// A subcommand without its type.
#[derive(Debug, Clone, Copy)]
struct Entry {
    name: &'static str,
    command: fn() -> Command,
    run: fn(&ArgMatches, Client) -> Result<Running, clap::Error>,
}

impl Subcommands {
    /// Adds a subcommand.
    #[must_use]
    pub fn with<C: Subcommand>(mut self) -> Self {
        self.0.push(Entry {
            name: C::NAME,
            command: || C::augment_args(Command::new(C::NAME)),
            run: |matches, server| Ok(Box::pin(C::from_arg_matches(matches)?.run(server))),
        });
        self
    }

    /// Returns the names, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|entry| entry.name)
    }

    /// Adds the subcommands to a command line.
    pub(crate) fn augment(&self, command: Command) -> Command {
        command.subcommands(self.0.iter().map(|entry| (entry.command)()))
    }

    /// Returns whether `name` is one of the subcommands.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// Runs the subcommand `name` with its arguments.
    pub(crate) async fn run(
        &self,
        name: &str,
        matches: &ArgMatches,
        server: Client,
    ) -> Result<ExitCode, Failure> {
        let entry = self.0.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| Failure::plain(format!("no subcommand `{name}`")))?;
        (entry.run)(matches, server).map_err(Failure::plain)?.await
    }
}
