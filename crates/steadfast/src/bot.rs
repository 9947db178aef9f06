//! A bot as its author declares it: flows, texts, roles, records, and everything beside the bot.
//!
//! A bot is declared with [`bot!`](crate::bot!) and the methods of [`Bot`], and run by [`Bot::main`]. Builder methods collect and
//! never panic; [`Bot::check`] reports all faults at once, and `main` runs it first.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use tower::util::BoxCloneSyncServiceLayer;
use tower::{Layer, Service};

use crate::config::{Config, Declared, Settings};
use crate::dialogue::{Edges, Flow, Repertoire, Role, Texts};
use crate::records::Schema;
use crate::server::Worker;
use crate::store::Finding;
use crate::turn::Event;
use crate::turn::{Outcome, Pipeline, TurnError, TurnLayer};

mod check;
pub mod playground;
mod program;
mod routes;
mod running;
pub mod subcommand;

pub use check::Faults;
pub use playground::Playground;
pub(crate) use program::Program;
pub(crate) use routes::Listener;
pub use routes::Routes;
pub use running::Running;
pub use subcommand::{Subcommand, Subcommands};

/// Declares a bot with the name, the version and the description of the calling crate.
///
/// Replicas compare versions, so that an older build leaves to a newer one what it does not know. The version is therefore the
/// bot's and not the framework's.
#[macro_export]
macro_rules! bot {
    () => {
        $crate::Bot::new($crate::bot::Build {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            about: env!("CARGO_PKG_DESCRIPTION"),
        })
    };
}

/// Name, version and description of a bot: those of its crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// Name of the crate.
    pub name: &'static str,
    /// Version of the crate.
    pub version: &'static str,
    /// Description of the crate: the head of `--help`.
    pub about: &'static str,
}

/// A bot as its author declares it. Made by [`bot!`](crate::bot!).
pub struct Bot<S: Settings = ()> {
    pub(crate) build: Build,
    roles: &'static [Role],
    texts: Vec<(&'static str, &'static str)>,
    texts_of_settings: Vec<TextsOf<S>>,
    flows: Vec<DeclaredFlow>,
    transitions: Option<&'static str>,
    pub(crate) schema: Option<SchemaOf<S>>,
    pub(crate) workers: Vec<WorkerOf<S>>,
    pub(crate) layers: Vec<TurnLayer>,
    pub(crate) routes: Vec<Routes<S>>,
    pub(crate) findings: Vec<fn(&S) -> Option<Finding>>,
    subcommands: Subcommands,
    playground: Playground,
    pub(crate) sample: Option<running::Sample<S>>,
}

type TextsOf<S> = fn(&S) -> Vec<(&'static str, String)>;
type SchemaOf<S> = Arc<dyn Fn(&S) -> Schema + Send + Sync>;
type WorkerOf<S> = Arc<dyn Fn(&Running<S>) -> Option<Worker> + Send + Sync>;

/// A flow without its type.
#[derive(Debug, Clone, Copy)]
struct DeclaredFlow {
    name: &'static str,
    roles: &'static [Role],
    add: fn(Repertoire) -> Repertoire,
}

impl<S: Settings> fmt::Debug for Bot<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flows: Vec<_> = self.flows.iter().map(|flow| flow.name).collect();
        f.debug_struct("Bot")
            .field("build", &self.build)
            .field("flows", &flows)
            .finish_non_exhaustive()
    }
}

impl Bot {
    /// Declares a bot. [`bot!`](crate::bot!) fills `build` from the calling crate.
    pub fn new(build: Build) -> Self {
        Self::with_settings(build)
    }

    /// Sets the type of the bot's own settings. It comes first, because the functions of other methods take a reference to it.
    #[must_use]
    pub fn settings<S: Settings>(self) -> Bot<S> {
        Bot::with_settings(self.build)
    }
}

impl<S: Settings> Bot<S> {
    fn with_settings(build: Build) -> Self {
        Self {
            build,
            roles: &[],
            texts: Vec::new(),
            texts_of_settings: Vec::new(),
            flows: Vec::new(),
            transitions: None,
            schema: None,
            workers: Vec::new(),
            layers: Vec::new(),
            routes: Vec::new(),
            findings: Vec::new(),
            subcommands: Subcommands::default(),
            playground: Playground::new(),
            sample: None,
        }
    }

    /// Declares the roles. Each brings a variable, such as `OWNER_IDS`; `DEFAULT_ROLE` names the role of users without any.
    #[must_use]
    pub fn roles(mut self, roles: &'static [Role]) -> Self {
        self.roles = roles;
        self
    }

    /// Adds texts of a language in Fluent's syntax. The first language is for users whose language the bot does not speak.
    #[must_use]
    pub fn texts(mut self, language: &'static str, source: &'static str) -> Self {
        self.texts.push((language, source));
        self
    }

    /// Adds texts that depend on the settings, such as the name of a currency: pairs of language and source.
    #[must_use]
    pub fn texts_of_settings(mut self, texts: fn(&S) -> Vec<(&'static str, String)>) -> Self {
        self.texts_of_settings.push(texts);
        self
    }

    /// Adds a flow. Flows stand in the menu in the order in which they are added.
    #[must_use]
    pub fn flow<F: Flow>(mut self) -> Self {
        self.flows.push(DeclaredFlow {
            name: F::NAME,
            roles: F::ROLES,
            add: Repertoire::with::<F>,
        });
        self
    }

    /// Sets the schema of the records. A bot without a schema needs no database and no `DATABASE_URL`.
    #[cfg(feature = "sql")]
    #[must_use]
    pub fn records(mut self, schema: impl Fn(&S) -> Schema + Send + Sync + 'static) -> Self {
        self.schema = Some(Arc::new(schema));
        self
    }

    /// Sets the reviewed snapshot of transitions. Others are logged and counted as unexpected.
    #[must_use]
    pub fn transitions(mut self, snapshot: &'static str) -> Self {
        self.transitions = Some(snapshot);
        self
    }

    /// Adds a worker that runs beside the bot. `None` means that the settings do not ask for it.
    #[must_use]
    pub fn worker(
        mut self,
        worker: impl Fn(&Running<S>) -> Option<Worker> + Send + Sync + 'static,
    ) -> Self {
        self.workers.push(Arc::new(worker));
        self
    }

    /// Adds a tower layer around each turn. The first layer is the outermost.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<Pipeline> + Send + Sync + 'static,
        L::Service:
            Service<Event, Response = Outcome, Error = TurnError> + Clone + Send + Sync + 'static,
        <L::Service as Service<Event>>::Future: Send + 'static,
    {
        self.layers.push(BoxCloneSyncServiceLayer::new(layer));
        self
    }

    /// Adds HTTP routes, on the public or on the operations listener.
    #[must_use]
    pub fn routes(mut self, routes: Routes<S>) -> Self {
        self.routes.push(routes);
        self
    }

    /// Adds a subcommand to the command line.
    #[must_use]
    pub fn subcommand<C: Subcommand>(mut self) -> Self {
        self.subcommands = self.subcommands.with::<C>();
        self
    }

    /// Adds a check of the settings, which the subcommand `check` reports.
    #[must_use]
    pub fn finding(mut self, finding: fn(&S) -> Option<Finding>) -> Self {
        self.findings.push(finding);
        self
    }

    /// Sets the users, the group and the scripts of the playground and the load bench.
    #[must_use]
    pub fn playground(mut self, playground: Playground) -> Self {
        self.playground = playground;
        self
    }

    /// Fills the records of a playground with sample data, each time it starts.
    #[must_use]
    pub fn sample<F>(mut self, sample: fn(Running<S>) -> F) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        self.sample = Some(Arc::new(move |running| Box::pin(sample(running))));
        self
    }

    /// Reports all faults of the bot at once, each with its fix.
    pub fn check(&self) -> Result<(), Faults> {
        check::check(self)
    }

    /// Runs the command line of this process.
    ///
    /// The exit code is 2 if the bot or its configuration has faults.
    pub fn main(self) -> ExitCode {
        crate::cli::main(&self)
    }

    /// Serves the bot until `stop` is done: for tests in the same process.
    pub async fn serve(self, config: Config<S>, stop: impl Future<Output = ()>) -> io::Result<()> {
        let app = crate::server::start(&self, &config, None).await?;
        stop.await;
        app.stop().await;
        Ok(())
    }

    /// Returns the flows with the texts that depend on no settings: for tests with `TestChat`.
    pub fn repertoire(&self) -> Repertoire {
        let texts = self
            .texts
            .iter()
            .fold(Texts::default(), |texts, (language, source)| texts.with(language, source));
        self.flows.iter().fold(Repertoire::new(texts), |flows, flow| (flow.add)(flows))
    }

    /// Returns the flows with all texts, also those that depend on the settings: for tests with `TestChat`.
    pub fn repertoire_for(&self, settings: &S) -> Repertoire {
        let texts = self.texts_of_settings.iter().flat_map(|texts| texts(settings));
        texts.fold(self.repertoire(), |flows, (language, source)| flows.texts(language, &source))
    }

    /// Returns the reviewed transitions, for tests with `TestChat`. Without a snapshot every transition is expected.
    ///
    /// # Panics
    ///
    /// If the snapshot cannot be read, which [`Bot::check`] reports.
    pub fn edges(&self) -> Edges {
        match self.transitions {
            Some(snapshot) => Edges::read(snapshot).expect("`check` has read the snapshot"),
            None => Edges::open(),
        }
    }

    /// Returns every state of every flow, as `flow/state`.
    pub(crate) fn states(&self) -> BTreeSet<String> {
        self.repertoire().all_states()
    }

    /// Returns the parts of the bot that decide which variables there are.
    pub fn declared(&self) -> Declared {
        Declared { roles: self.roles, has_records: self.has_records() }
    }

    fn has_records(&self) -> bool {
        self.schema.is_some()
    }

    /// Returns the parts of the bot that the command line needs.
    pub(crate) fn program(&self) -> Program {
        Program {
            build: self.build,
            flows: self.repertoire(),
            transitions: self.edges(),
            declared: self.declared(),
            variables: self.declared().variables::<S>(),
            playground: self.playground.clone(),
            subcommands: self.subcommands.clone(),
        }
    }
}
