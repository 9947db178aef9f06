//! The database of the records, by its address.

use std::path::PathBuf;

use secrecy::SecretString;

/// Which database.
#[derive(Debug, Clone)]
pub enum Database {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server, by its address; may hold a password.
    Postgres(SecretString),
}

impl Database {
    /// The name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}
