//! How single values are written. Each reader answers the value, or what to write instead.

use std::net::SocketAddr;
use std::time::Duration;

use axum::http::Uri;
use secrecy::SecretString;
use tracing_subscriber::filter::{LevelFilter, Targets};

use super::LogFormat;
use crate::intake::update::Scope;

/// Longer than anybody waits, and short enough to be counted from any time.
const LONGEST: Duration = Duration::from_secs(10 * 366 * 86_400);

/// Parses a duration: `250ms`, `15m`, `1h`, `2d`, or plain seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let fix =
        || "expected a time such as `250ms`, `30s`, `15m`, `1h`, `2d`, or plain seconds".to_owned();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| fix())?;
    let scale = match unit.trim() {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(fix()),
    };
    let time = number.checked_mul(scale).map(Duration::from_millis);
    time.filter(|time| *time <= LONGEST).ok_or_else(|| "expected at most ten years".to_owned())
}

/// How long something lives: not nothing, and at most a year.
pub(super) fn ttl(text: &str) -> Result<Duration, String> {
    let year = Duration::from_secs(366 * 86_400);
    duration(text).and_then(|ttl| match ttl {
        Duration::ZERO => Err("expected more than nothing, such as `15m`".into()),
        ttl if ttl > year => Err("expected at most a year".into()),
        ttl => Ok(ttl),
    })
}

/// Parses `true` or `false`.
pub fn boolean(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("expected `true` or `false`".into()),
    }
}

/// An address to listen on.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "expected an address and a port, such as `127.0.0.1:8080`".into())
}

/// A number of things, at least one.
pub(super) fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1_000_000) => Ok(count),
        _ => Err("expected a number from 1 to 1000000".into()),
    }
}

/// A number of threads.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("expected a number from 1 to 1024".into()),
    }
}

/// A port to connect to.
pub(super) fn port(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(port @ 1..) => Ok(port),
        _ => Err("expected a port from 1 to 65535, such as `6379`".into()),
    }
}

/// The number of a Redis database.
pub(super) fn database(text: &str) -> Result<u16, String> {
    let fix = "expected the number of a database, such as `0`";
    text.parse().map_err(|_| fix.into())
}

/// The path of the webhook: plain, so that it means the same to every proxy.
pub(super) fn path(text: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/_-.~".contains(&b);
    match text {
        "/health" => {
            Err("that path answers health checks; choose another, such as `/webhook`".into())
        }
        "/" => Ok(text.into()),
        _ if text.starts_with('/') && !text.ends_with('/') && text.bytes().all(plain) => {
            Ok(text.into())
        }
        _ => Err("expected a path of letters, digits and `/_-.~`, such as `/webhook`".into()),
    }
}

/// A base address, kept without a slash at the end.
pub(super) fn base_url(text: &str) -> Result<String, String> {
    let fix = || "expected an http or https address, such as `https://api.telegram.org`".to_owned();
    let uri: Uri = text.parse().map_err(|_| fix())?;
    match (uri.scheme_str(), uri.host(), uri.query()) {
        (Some("http" | "https"), Some(_), None) => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err(fix()),
    }
}

/// A bot token, by its shape.
pub(super) fn token(text: &str) -> Result<SecretString, String> {
    let shaped = text.split_once(':').is_some_and(|(id, rest)| {
        !id.is_empty()
            && id.bytes().all(|b| b.is_ascii_digit())
            && rest.len() >= 3
            && rest.bytes().all(url_safe)
    });
    match shaped {
        true => Ok(text.to_owned().into()),
        false => {
            Err("is no bot token: expected digits, a colon, and letters, as @BotFather gave it"
                .into())
        }
    }
}

/// One secret or several, separated by commas, each as Telegram allows it.
pub(super) fn secrets(text: &str) -> Result<Vec<SecretString>, String> {
    let all: Vec<&str> = text.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let fits = |one: &&str| one.len() <= 256 && one.bytes().all(url_safe);
    match !all.is_empty() && all.iter().all(fits) {
        true => Ok(all.into_iter().map(|one| one.to_owned().into()).collect()),
        false => Err(
            "holds a secret Telegram refuses: expected 1 to 256 of A-Z a-z 0-9 _ -, several separated by commas".into(),
        ),
    }
}

/// How dialogues are told apart.
pub(super) fn scope(text: &str) -> Result<Scope, String> {
    match text {
        "chat" => Ok(Scope::Chat),
        "topic" => Ok(Scope::Topic),
        _ => Err("expected `chat` or `topic`".into()),
    }
}

/// The shape of a log line.
pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("expected `text` or `json`".into()),
    }
}

/// A log filter. A word alone has to be a level: as a target, which it could also be, a mistyped one would silence everything.
pub(super) fn log_filter(text: &str) -> Result<String, String> {
    let is_known = |part: &str| part.contains('=') || part.trim().parse::<LevelFilter>().is_ok();
    match text.parse::<Targets>() {
        Ok(_) if text.split(',').all(is_known) => Ok(text.to_owned()),
        _ => Err("expected levels such as `info` or `warn,steadfast=debug`".into()),
    }
}

/// The address at which Telegram reaches the webhook. Telegram takes only https; one that plays it on this machine needs none.
pub(super) fn public_url(text: &str) -> Result<String, String> {
    let named = |rest: &str| !rest.is_empty() && !rest.contains(char::is_whitespace);
    match text.split_once("://") {
        Some(("https", rest)) if named(rest) => Ok(text.to_owned()),
        Some(("http", rest)) if named(rest) && is_loopback(rest) => Ok(text.to_owned()),
        Some(("http", rest)) if named(rest) => {
            Err("Telegram delivers only to `https://`; `http://` is for this machine alone".into())
        }
        _ => Err(
            "expected the public address of the webhook, such as `https://bot.example.org/webhook`"
                .into(),
        ),
    }
}

/// Whether what follows `http://` is an address of this machine.
fn is_loopback(rest: &str) -> bool {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let address = authority.parse().ok().map(|it: SocketAddr| it.ip());
    let bare = authority.trim_start_matches('[').trim_end_matches(']');
    let ip = address.or_else(|| bare.parse().ok());
    let name = authority.rsplit_once(':').map_or(authority, |(name, _)| name);
    name == "localhost" || ip.is_some_and(|ip| ip.is_loopback())
}

/// How many connections Telegram may open.
pub(super) fn connections(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(count @ 1..=100) => Ok(count),
        _ => Err("expected a number from 1 to 100".into()),
    }
}

/// The beginning of every key in Redis.
pub(super) fn prefix(text: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-:.".contains(&b);
    match text.len() <= 64 && text.bytes().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("expected at most 64 letters, digits and `_-:.`".into()),
    }
}

fn url_safe(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

/// Percent-encoded, so that any password fits into an address.
pub(super) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |done, b| {
        if b.is_ascii_alphanumeric() || b"-._~".contains(&b) {
            done + char::from(b).encode_utf8(&mut [0; 4])
        } else {
            format!("{done}%{b:02X}")
        }
    })
}

/// The reverse of [`encoded`].
pub(super) fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.extend(byte);
        bytes.extend(part.get(2..).unwrap_or_default().as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
