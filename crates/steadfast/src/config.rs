//! The configuration: read once, from the environment, into types that cannot be half-set.
//!
//! The variables follow from what a bot [declares](Declared) and from its [`Settings`]; `.env.example` is written from them.
//! Every problem names its variable and the fix, and all of them are reported together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};

use crate::dialogue::Role;
use crate::intake::update::Scope;
use crate::records::Database;
use crate::staff::Staff;
use crate::store::Limits;

mod advice;
mod env;
mod gather;
mod limits;
mod records;
mod settings;
mod staff;
mod store;
mod value;
mod variable;

pub use env::{Env, Invalid, Problems};
pub use settings::{Declared, Settings, faults};
pub(crate) use staff::variable;
pub use store::{Fallback, RedisSettings, StoreConfig};
pub use value::{boolean, duration};
pub use variable::{Variable, env_example};

/// Where a variable's value comes from: the process environment, or a map in a test.
pub type Source<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The configuration of a bot with these settings.
#[derive(Debug)]
pub struct Config<S> {
    /// The configuration that every bot has.
    pub server: ServerConfig,
    /// The settings of this bot.
    pub settings: Arc<S>,
    /// Everything that is removed from the log.
    pub secrets: Vec<SecretString>,
}

/// The configuration that every bot has.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// How updates are got.
    pub mode: Mode,
    /// How to speak to Telegram.
    pub telegram: Telegram,
    /// How Telegram speaks to us.
    pub webhook: Webhook,
    /// The operations listener.
    pub ops: Ops,
    /// Where dialogues are kept.
    pub store: StoreConfig,
    /// The database of the records, if the bot has any.
    pub records: Option<Database>,
    /// The roles that the bot declares.
    pub roles: &'static [Role],
    /// The roles that people have by the configuration.
    pub staff: Staff,
    /// What all dialogues have in common.
    pub dialogue: Dialogue,
    /// How to stop.
    pub stop: Stop,
    /// What to log, and how.
    pub log: Log,
    /// Variables that name a Redis which is not used.
    pub ignored: Vec<&'static str>,
    /// Whether it is the bot of a playground. No variable says so.
    pub is_tried: bool,
}

/// How to speak to Telegram.
#[derive(Debug, Clone)]
pub struct Telegram {
    /// The bot's token.
    pub token: SecretString,
    /// Base address of the Bot API, without a slash at the end.
    pub api_url: String,
    /// How fast may be sent; all replicas together keep to it.
    pub limits: Limits,
}

/// How Telegram speaks to us.
#[derive(Debug, Clone)]
pub struct Webhook {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The path updates are posted to.
    pub path: String,
    /// Every secret that is accepted; the first is the one to register. None: updates are polled for.
    pub secrets: Vec<SecretString>,
    /// The public address, to be registered with Telegram.
    pub url: Option<String>,
    /// How many connections Telegram may open at once.
    pub max_connections: u8,
    /// How many updates may be worked on at once.
    pub max_in_flight: usize,
}

/// The operations listener.
#[derive(Debug, Clone)]
pub struct Ops {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// What protects the dialogues there when the address is not loopback.
    pub token: Option<SecretString>,
}

/// What all dialogues have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialogue {
    /// Whose dialogue an update concerns.
    pub scope: Scope,
    /// How long a state waits for an answer; none: as each flow says.
    pub state_ttl: Option<Duration>,
    /// How long what was gathered outlives its state.
    pub data_ttl: Duration,
}

/// How to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// How long to go on serving after readiness is off.
    pub drain_delay: Duration,
    /// The longest time from the signal to the exit.
    pub deadline: Duration,
}

/// What to log, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// As people or as programs read it.
    pub format: LogFormat,
    /// Which targets and levels, in the syntax of `RUST_LOG`.
    pub filter: String,
    /// Whether message texts may appear.
    pub texts: bool,
}

/// How updates are got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Telegram posts them.
    Webhook,
    /// One replica asks for them.
    Poll,
}

/// The shape of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl<S: Settings> Config<S> {
    /// Reads everything for this way of getting updates, and reports all problems at once.
    pub fn read(source: Source<'_>, mode: Mode, declared: &Declared) -> Result<Self, Problems> {
        let mut env = Env::new(source, declared.variables::<S>());
        let server = ServerConfig::gather(&mut env, mode, declared);
        let settings = S::read(&mut env);
        let read = server.and_then(|server| Ok((server, settings?)));
        let ((server, settings), secrets) = env.finish(read)?;
        Ok(Self { server, settings: Arc::new(settings), secrets })
    }
}

impl ServerConfig {
    /// The beginning of every key in Redis: bots that share one never meet.
    pub fn key_prefix(&self, own: &str) -> String {
        let bot = self.telegram.token.expose_secret().split(':').next();
        format!("{own}:{}", bot.unwrap_or_default())
    }
}

/// Reads only how many threads to work with. What is wrong with that, [`Config::read`] tells, together with all the rest.
pub fn threads(source: Source<'_>) -> usize {
    gather::threads(&mut Env::of_server(source)).unwrap_or(1)
}

/// Reads only where everything is kept.
pub fn places(
    source: Source<'_>,
    declared: &Declared,
) -> Result<(StoreConfig, Option<Database>), Problems> {
    let mut env = Env::new(source, declared.variables::<()>());
    let (store, records) = (StoreConfig::gather(&mut env), records::gather(&mut env, declared));
    let places = store.and_then(|store| Ok((store, records?)));
    env.finish(places).map(|(places, _)| places)
}

/// The process environment, filled up from a `.env` file where there is one. A broken file is a problem: half of it may mean another
/// store.
pub fn environment(
    variables: &[Variable],
) -> Result<impl Fn(&str) -> Option<String> + use<>, Problems> {
    match dotenvy::dotenv() {
        Err(error) if !error.not_found() => Err(Problems(vec![format!(
            ".env cannot be read: {}; put a value with spaces in quotes",
            place(&error)
        )])),
        _ => {
            let garbled = variables.iter().filter(|it| is_garbled(&it.name));
            let garbled: Vec<String> = garbled.map(|it| not_text(&it.name)).collect();
            match garbled.is_empty() {
                true => Ok(|name: &str| std::env::var(name).ok()),
                false => Err(Problems(garbled)),
            }
        }
    }
}

/// Whether a variable is set to what is no text, which would count as not set at all.
fn is_garbled(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| value.to_str().is_none())
}

fn not_text(name: &str) -> String {
    format!(
        "{name} is not UTF-8: write it anew, or percent-encode it where it is part of an address"
    )
}

/// Where a `.env` file is broken, without the line itself: it may hold a secret.
fn place(error: &dotenvy::Error) -> String {
    match error {
        dotenvy::Error::LineParse(_, index) => format!("a line is malformed at character {index}"),
        dotenvy::Error::Io(error) => error.to_string(),
        _ => "it is malformed".to_owned(),
    }
}

#[cfg(test)]
mod tests;
