//! The configuration: read once, from the environment, into types that cannot be half-set.
//!
//! [`VARIABLES`] is the one list of variables; `.env.example` is written from it. Every problem names its variable and
//! the fix, and all of them are reported together.

use std::net::SocketAddr;
use std::time::Duration;

use secrecy::SecretString;

use crate::update::Scope;

mod env;
mod store;
mod value;
mod variable;

pub use env::{Env, Noted, Problems};
pub use store::{Fallback, RedisSettings, StoreConfig};
pub use variable::{VARIABLES, Variable, example};

/// Where a variable's value comes from: the process environment, or a map in a test.
pub type Source<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Everything `serve` needs to know.
#[derive(Debug, Clone)]
pub struct Config {
    /// How to speak to Telegram.
    pub telegram: Telegram,
    /// How Telegram speaks to us.
    pub webhook: Webhook,
    /// The operations listener.
    pub ops: Ops,
    /// Where dialogues are kept.
    pub store: StoreConfig,
    /// What all dialogues have in common.
    pub dialogue: Dialogue,
    /// How to stop.
    pub stop: Stop,
    /// What to log, and how.
    pub log: Log,
}

/// How to speak to Telegram.
#[derive(Debug, Clone)]
pub struct Telegram {
    /// The bot's token.
    pub token: SecretString,
    /// Base address of the Bot API, without a slash at the end.
    pub api_url: String,
}

/// How Telegram speaks to us.
#[derive(Debug, Clone)]
pub struct Webhook {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The path updates are posted to.
    pub path: String,
    /// Every secret that is accepted, at least one; the first is the one to register.
    pub secrets: Vec<SecretString>,
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

/// The shape of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Config {
    /// Reads everything and reports all problems at once.
    pub fn read(source: Source<'_>) -> Result<Self, Problems> {
        let mut env = Env::new(source);
        let config = Self::gather(&mut env);
        env.finish(config)
    }

    fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let (telegram, webhook) = (Telegram::gather(env), Webhook::gather(env));
        let (ops, store) = (Ops::gather(env), StoreConfig::gather(env));
        let (dialogue, stop, log) = (Dialogue::gather(env), Stop::gather(env), Log::gather(env));
        Ok(Self {
            telegram: telegram?,
            webhook: webhook?,
            ops: ops?,
            store: store?,
            dialogue: dialogue?,
            stop: stop?,
            log: log?,
        })
    }

    /// Everything that must never be seen in a log.
    pub fn secrets(&self) -> Vec<SecretString> {
        let mut all = vec![self.telegram.token.clone()];
        all.extend(self.webhook.secrets.iter().cloned());
        all.extend(self.ops.token.clone());
        all.extend(self.store.password());
        all
    }
}

impl Telegram {
    fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let token = env.required_secret("BOT_TOKEN", "give the token that @BotFather gave you");
        let api_url = env.parse("TELEGRAM_API_URL", value::base_url);
        let token = token.and_then(|token| env.shaped("BOT_TOKEN", &token, value::token));
        Ok(Self {
            token: token?,
            api_url: api_url?,
        })
    }
}

impl Webhook {
    fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let fix = "make one up, for example with `openssl rand -hex 32`";
        let secrets = env
            .required_secret("WEBHOOK_SECRET", fix)
            .and_then(|list| env.shaped("WEBHOOK_SECRET", &list, value::secrets));
        let listen = env.parse("LISTEN_ADDR", value::address);
        let path = env.parse("WEBHOOK_PATH", value::path);
        let max_in_flight = env.parse("MAX_IN_FLIGHT", value::count);
        Ok(Self {
            listen: listen?,
            path: path?,
            secrets: secrets?,
            max_in_flight: max_in_flight?,
        })
    }
}

impl Ops {
    /// Reads only what it takes to find a running server.
    pub fn read(source: Source<'_>) -> Result<Self, Problems> {
        let mut env = Env::new(source);
        let ops = Self::gather(&mut env);
        env.finish(ops)
    }

    fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let (listen, token) = (
            env.parse("OPS_ADDR", value::address),
            env.secret("OPS_TOKEN"),
        );
        Ok(Self {
            listen: listen?,
            token: token?,
        })
    }
}

impl Dialogue {
    fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let scope = env.parse("DIALOGUE_SCOPE", value::scope);
        let state_ttl = env.either("STATE_TTL", "REDIS_FSM_STATE_TTL", value::ttl);
        let data_ttl = env.either("DATA_TTL", "REDIS_FSM_DATA_TTL", value::ttl);
        Ok(Self {
            scope: scope?,
            state_ttl: state_ttl?,
            data_ttl: data_ttl?.ok_or(Noted)?,
        })
    }
}

impl Stop {
    fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let drain = env.parse("DRAIN_DELAY", value::duration);
        let deadline = env.parse("SHUTDOWN_DEADLINE", value::duration);
        let (drain_delay, deadline) = (drain?, deadline?);
        if drain_delay >= deadline {
            return env.complain(
                "DRAIN_DELAY is not shorter than SHUTDOWN_DEADLINE: nothing could be finished after the drain; \
                 lower the first or raise the second",
            );
        }
        Ok(Self {
            drain_delay,
            deadline,
        })
    }
}

impl Log {
    /// Reads only how to log.
    pub fn read(source: Source<'_>) -> Result<Self, Problems> {
        let mut env = Env::new(source);
        let log = Self::gather(&mut env);
        env.finish(log)
    }

    fn gather(env: &mut Env<'_>) -> Result<Self, Noted> {
        let format = env.parse("LOG_FORMAT", value::log_format);
        let filter = env.parse("RUST_LOG", value::log_filter);
        let texts = env.parse("LOG_TEXTS", value::boolean);
        Ok(Self {
            format: format?,
            filter: filter?,
            texts: texts?,
        })
    }
}

/// The process environment, filled up from a `.env` file where there is one.
pub fn environment() -> impl Fn(&str) -> Option<String> {
    if let Err(error) = dotenvy::dotenv()
        && !error.not_found()
    {
        eprintln!("warning: .env was not read to its end: {}", place(&error));
    }
    |name: &str| std::env::var(name).ok()
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
