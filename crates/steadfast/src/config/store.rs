//! Which store, and how to reach it.

use std::path::PathBuf;

use secrecy::{ExposeSecret, SecretString};

use super::env::{Env, Invalid};
use super::value;
use crate::store::RedisConfig;

/// Where dialogues are kept.
#[derive(Debug, Clone)]
pub enum StoreConfig {
    /// In memory: lost on exit.
    Memory,
    /// In a file: survives restarts, serves one process.
    Embedded {
        /// The directory the file is in.
        dir: PathBuf,
    },
    /// In Redis: survives restarts, serves many replicas.
    Redis(RedisSettings),
}

/// How to reach Redis, and what to do when it is not there at the start.
#[derive(Debug, Clone)]
pub struct RedisSettings {
    /// `redis://…` or `rediss://…`; may hold a password.
    pub url: SecretString,
    /// The variables that say so.
    pub named_by: &'static str,
    /// The beginning of every key.
    pub prefix: String,
    /// What to do when Redis cannot be reached at the start.
    pub fallback: Fallback,
    /// A file that says that other replicas were seen: none may then do without Redis.
    pub company: PathBuf,
}

/// What to do when Redis cannot be reached at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Do not start.
    Fail,
    /// Start with a store in memory, degraded, and say so everywhere.
    Memory,
}

/// The file in the data directory that says that other replicas were seen.
const COMPANY: &str = "other-replicas-seen";

/// The variables a Redis address is put together from.
const PARTS: [&str; 5] =
    ["REDIS_HOST", "REDIS_PORT", "REDIS_PASSWORD", "REDIS_PASSWORD_FILE", "REDIS_FSM_DB"];

impl StoreConfig {
    pub(super) fn gather(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let enabled = env.optional("REDIS_ENABLED", value::boolean)?;
        // Nothing is cached; it is only checked.
        let _ = env.optional("REDIS_CACHE_DB", value::database);
        let chosen = env.set("STORE");
        match (chosen.as_deref(), enabled) {
            (Some("memory" | "embedded"), Some(true)) => env.report(
                "STORE and REDIS_ENABLED contradict each other: set REDIS_ENABLED=false, or STORE=redis",
            ),
            (Some("redis"), Some(false)) => env.report(
                "STORE=redis and REDIS_ENABLED=false contradict each other: set REDIS_ENABLED=true, or another STORE",
            ),
            (Some("memory"), _) => Ok(Self::Memory),
            (Some("embedded"), _) => Self::embedded(env),
            (Some("redis"), _) | (None, Some(true)) => Self::redis(env),
            (Some(other), _) => env.report(format!(
                "STORE is `{other}`: expected `memory`, `embedded` or `redis`"
            )),
            (None, _) => Self::implied(env, enabled),
        }
    }

    /// No word about the store itself: what is said about Redis decides.
    fn implied(env: &mut Env<'_>, enabled: Option<bool>) -> Result<Self, Invalid> {
        match (enabled, env.set("REDIS_URL"), env.set("REDIS_HOST")) {
            (Some(false), Some(_), _) => env.report(
                "REDIS_URL is set and REDIS_ENABLED is false: remove one of them, or choose with STORE",
            ),
            (_, Some(_), _) => Self::redis(env),
            (None, None, Some(_)) => env.report(
                "REDIS_HOST is set and REDIS_ENABLED is not: set REDIS_ENABLED=true to use Redis, or remove REDIS_HOST",
            ),
            _ => Self::embedded(env),
        }
    }

    fn embedded(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let dir = env.parse("DATA_DIR", |text| Ok(PathBuf::from(text)))?;
        Ok(Self::Embedded { dir })
    }

    fn redis(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let (url, named_by) = match env.set("REDIS_URL") {
            Some(url) => (whole(env, &url), "REDIS_URL"),
            None => (assembled(env), "REDIS_HOST and REDIS_PORT"),
        };
        if let Ok(url) = &url {
            passwords(url).into_iter().for_each(|password| env.hide(password));
        }
        let prefix = env.parse("REDIS_PREFIX", value::prefix);
        let fallback = env.parse("STORE_FALLBACK", fallback);
        let dir = env.parse("DATA_DIR", |text| Ok(PathBuf::from(text)));
        Ok(Self::Redis(RedisSettings {
            url: url?,
            named_by,
            prefix: prefix?,
            fallback: fallback?,
            company: dir?.join(COMPANY),
        }))
    }

    /// What is said about a Redis that is not used, unless it is switched off by name.
    pub(super) fn ignores(&self, env: &mut Env<'_>) -> Vec<&'static str> {
        let switched_off = env.optional("REDIS_ENABLED", value::boolean) == Ok(Some(false));
        if matches!(self, Self::Redis(_)) || switched_off {
            return Vec::new();
        }
        let places = ["REDIS_URL", "REDIS_HOST"].into_iter();
        places.filter(|place| env.set(place).is_some()).collect()
    }

    /// The name of the backend.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Embedded { .. } => "embedded",
            Self::Redis(_) => "redis",
        }
    }
}

/// The password, as it stands in the address and in the clear.
fn passwords(url: &SecretString) -> Vec<SecretString> {
    let url = url.expose_secret();
    let login = url.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@'));
    let password = login.and_then(|(login, _)| login.split_once(':'));
    password.map_or_else(Vec::new, |(_, it)| vec![it.to_owned().into(), value::decoded(it).into()])
}

/// A whole address; the parts must then be absent.
fn whole(env: &mut Env<'_>, url: &str) -> Result<SecretString, Invalid> {
    if let Some(part) = PARTS.into_iter().find(|part| env.set(part).is_some()) {
        return env.report(format!(
            "REDIS_URL and {part} are both set: keep REDIS_URL alone, or remove it and keep the parts"
        ));
    }
    match url.split_once("://") {
        Some(("redis" | "rediss", _)) if RedisConfig::is_address(url) => Ok(url.to_owned().into()),
        Some((scheme @ ("redis+sentinel" | "redis+cluster"), _)) => env.report(format!(
            "REDIS_URL begins with `{scheme}://`, which is not supported yet: expected `redis://` or `rediss://`"
        )),
        _ => env.report("REDIS_URL is no Redis address: expected `redis://[user:password@]host[:port][/database]`, or `rediss://…`"),
    }
}

/// An address from its parts.
fn assembled(env: &mut Env<'_>) -> Result<SecretString, Invalid> {
    if env.set("REDIS_HOST").is_none() && env.set("REDIS_ENABLED").is_none() {
        return env.report(
            "STORE is `redis` and REDIS_URL is not set: set it, such as `redis://127.0.0.1:6379/0`",
        );
    }
    let host = env.parse("REDIS_HOST", host);
    let port = env.parse("REDIS_PORT", value::port);
    let db = env.parse("REDIS_FSM_DB", value::database);
    let password = env.secret("REDIS_PASSWORD");
    let (host, port, db) = (host?, port?, db?);
    let login = password?
        .map_or_else(String::new, |it| format!(":{}@", value::encoded(it.expose_secret())));
    Ok(format!("redis://{login}{host}:{port}/{db}").into())
}

fn host(text: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    match text {
        _ if text.bytes().all(plain) => Ok(text.to_owned()),
        _ if text.parse::<std::net::Ipv6Addr>().is_ok() => Ok(format!("[{text}]")),
        _ => Err("expected a host name alone; a whole address belongs in REDIS_URL".into()),
    }
}

fn fallback(text: &str) -> Result<Fallback, String> {
    match text {
        "fail" => Ok(Fallback::Fail),
        "memory" => Ok(Fallback::Memory),
        _ => Err("expected `fail` or `memory`".into()),
    }
}
