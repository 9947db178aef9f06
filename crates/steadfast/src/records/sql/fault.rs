//! The meaning of the errors of both databases.

use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteError;

use super::Fault;

impl Fault {
    /// There was no answer in time.
    pub(crate) fn timeout() -> Self {
        Self::Unavailable("no answer in time".to_owned())
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(said) => of_database(&**said),
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed => Self::Unavailable(error.to_string()),
            _ => Self::Broken(error.to_string()),
        }
    }
}

fn of_database(error: &dyn DatabaseError) -> Fault {
    let code = error.code().unwrap_or_default();
    let fault = match error.try_downcast_ref::<SqliteError>() {
        Some(_) => of_sqlite(&code),
        None => of_postgres(&code),
    };
    fault(said(error, &code))
}

/// What the database says, without the values that PostgreSQL quotes when it cannot read one.
fn said(error: &dyn DatabaseError, code: &str) -> String {
    match code.len() == 5 && code.starts_with("22") {
        true => format!("a value is refused (code {code})"),
        false => format!("{} (code {code})", error.message()),
    }
}

/// The meaning of a SQLite result code, extended or not.
fn of_sqlite(code: &str) -> fn(String) -> Fault {
    match code.parse::<i32>().unwrap_or_default() & 0xff {
        // Busy, locked.
        5 | 6 => Fault::Raced,
        // Permission, memory, read-only, interrupted, input and output, a full disk, cannot open, locking protocol, no
        // authorisation: the file's, never the command's.
        3 | 7..=10 | 13..=15 | 23 => Fault::Unavailable,
        // A damaged file, not a database.
        11 | 26 => Fault::Damaged,
        _ => Fault::Broken,
    }
}

/// The meaning of an SQLSTATE.
fn of_postgres(code: &str) -> fn(String) -> Fault {
    match (code.get(..2).unwrap_or_default(), code) {
        // Serialization, deadlock, a lock that is not to be had.
        ("40", _) | (_, "55P03") => Fault::Raced,
        // Connection, authorisation, no such database, resources, operator's intervention, the system, the server itself.
        ("08" | "28" | "3D" | "53" | "57" | "58" | "XX", _) => Fault::Unavailable,
        // A process that stood still in the middle of a transaction, which the server has ended.
        (_, "25P03" | "25P04") => Fault::Unavailable,
        // A standby, which only reads; a role that lacks a right.
        (_, "25006" | "42501") => Fault::Unavailable,
        _ => Fault::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_told_from_what_never_will() {
        let name = |fault: fn(String) -> Fault| match fault(String::new()) {
            Fault::Raced(_) => "raced",
            Fault::Unavailable(_) => "unavailable",
            Fault::Damaged(_) => "damaged",
            Fault::Unknown(_) => "unknown",
            Fault::Broken(_) => "broken",
        };
        for (code, meaning) in [
            ("40001", "raced"),
            ("40P01", "raced"),
            ("55P03", "raced"),
            ("57P01", "unavailable"),
            ("57P03", "unavailable"),
            ("53300", "unavailable"),
            ("08006", "unavailable"),
            ("25006", "unavailable"),
            ("25P03", "unavailable"),
            ("XX000", "unavailable"),
            ("23505", "broken"),
            ("42P01", "broken"),
        ] {
            assert_eq!(name(of_postgres(code)), meaning, "{code}");
        }
        for (code, meaning) in [
            ("5", "raced"),
            ("517", "raced"),
            ("10", "unavailable"),
            ("13", "unavailable"),
            ("267", "damaged"),
            ("26", "damaged"),
            ("2067", "broken"),
            ("1", "broken"),
        ] {
            assert_eq!(name(of_sqlite(code)), meaning, "{code}");
        }
    }

    #[test]
    fn a_lost_connection_is_waited_for() {
        let lost = sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into());
        assert!(matches!(lost.into(), Fault::Unavailable(_)));
        assert!(matches!(sqlx::Error::RowNotFound.into(), Fault::Broken(_)));
    }
}
