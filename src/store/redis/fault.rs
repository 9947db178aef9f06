//! What went wrong between us and Redis, in a word and a sentence.

use redis::{ErrorKind, ParsingError, RedisError};

use crate::store::Error;

/// A failed exchange with Redis.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    /// A word for metrics.
    pub(super) kind: &'static str,
    /// For the log. Never quotes what was sent.
    pub(super) detail: String,
}

impl Fault {
    pub(super) fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { kind, detail }
    }

    /// No answer in time.
    pub(super) fn timeout() -> Self {
        Self::new("timeout", "no answer in time")
    }

    /// What the library says, in our words.
    pub(super) fn of(error: &RedisError) -> Self {
        // An unknown command is quoted back with its arguments, which may be what people wrote.
        let detail = error.to_string();
        let (detail, _) = detail.split_once(", with args").unwrap_or((&detail, ""));
        Self::new(kind(error), detail)
    }
}

fn kind(error: &RedisError) -> &'static str {
    if error.is_timeout() {
        return "timeout";
    }
    match error.kind() {
        ErrorKind::Io => "io",
        ErrorKind::Parse => "protocol",
        ErrorKind::AuthenticationFailed => "auth",
        ErrorKind::InvalidClientConfig => "config",
        _ => of_code(&code(error)),
    }
}

/// What a Redis error begins with. In a pipeline the first counts.
fn code(error: &RedisError) -> String {
    let first = || error.clone().into_server_errors()?.first().cloned();
    let code = error.code().map(str::to_owned);
    code.or_else(|| Some(first()?.1.code().to_owned()))
        .unwrap_or_default()
}

fn of_code(code: &str) -> &'static str {
    match code {
        "READONLY" => "readonly",
        "NOREPLICAS" => "noreplicas",
        "OOM" => "oom",
        "MISCONF" => "misconf",
        "LOADING" => "loading",
        "MASTERDOWN" => "masterdown",
        "BUSY" => "busy",
        "NOSCRIPT" => "noscript",
        "NOAUTH" | "WRONGPASS" | "NOPERM" => "auth",
        "WRONGTYPE" => "wrongtype",
        _ => "other",
    }
}

impl From<Fault> for Error {
    fn from(Fault { kind, detail }: Fault) -> Self {
        match kind {
            "wrongtype" => Self::Corrupt(detail),
            _ => Self::Unavailable { kind, detail },
        }
    }
}

/// An answer that is not of the expected shape.
pub(super) fn corrupt(error: &ParsingError) -> Error {
    Error::Corrupt(error.to_string())
}
