//! What went wrong between us and Redis, in a word and a sentence.

use redis::{ErrorKind, ParsingError, RedisError};

use crate::Error;

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
        // What is no Redis at all is told of in several lines.
        let words: Vec<&str> = detail.split_whitespace().collect();
        Self::new(kind(error), words.join(" "))
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
    code.or_else(|| Some(first()?.1.code().to_owned())).unwrap_or_default()
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
        "NOAUTH" | "WRONGPASS" => "auth",
        "NOPERM" => "noperm",
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

#[cfg(test)]
mod tests {
    use redis::{ErrorKind, RedisError};

    use super::*;

    /// What the catalogue does not know is not on `/metrics` from the start, and no alert can watch it.
    #[test]
    fn every_kind_of_fault_is_in_the_catalogue() {
        let codes = "READONLY NOREPLICAS OOM MISCONF LOADING MASTERDOWN BUSY NOSCRIPT NOAUTH WRONGPASS NOPERM ERR";
        let library = ["timeout", "io", "protocol", "auth", "config", "closed"];
        let kinds = codes.split(' ').map(super::of_code).chain(library);
        for kind in kinds.chain(["corrupt", "too_large"]) {
            assert!(crate::FAULTS.contains(&kind), "{kind}");
        }
    }

    #[test]
    fn what_was_sent_is_never_quoted() {
        let answer = b"-ERR unknown command 'EVALSHA', with args beginning with: 'hello Ann' \r\n";
        let error = redis::parse_redis_value(answer).and_then(redis::Value::extract_error);
        let fault = Fault::of(&error.expect_err("an error"));
        assert!(!fault.detail.contains("Ann"), "{}", fault.detail);
        assert_eq!(fault.kind, "other");
    }

    #[test]
    fn faults_are_told_apart() {
        for (answer, kind) in [
            ("-READONLY You can't write against a read only replica.", "readonly"),
            ("-OOM command not allowed", "oom"),
            ("-NOREPLICAS Not enough good replicas to write.", "noreplicas"),
            ("-MISCONF Redis is configured to save RDB snapshots", "misconf"),
            ("-LOADING Redis is loading the dataset in memory", "loading"),
            ("-NOPERM this user has no permissions", "noperm"),
            ("-NOSCRIPT No matching script.", "noscript"),
        ] {
            let answer = redis::parse_redis_value(format!("{answer}\r\n").as_bytes());
            let error = answer.and_then(redis::Value::extract_error);
            assert_eq!(Fault::of(&error.expect_err("an error")).kind, kind);
        }
        let dropped = RedisError::from((ErrorKind::Io, "gone"));
        assert_eq!(Fault::of(&dropped).kind, "io");
    }
}
