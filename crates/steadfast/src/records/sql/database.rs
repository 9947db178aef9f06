//! Connections to the database, and its dialect.

use std::io;
use std::str::FromStr as _;
use std::time::Duration;

use secrecy::ExposeSecret;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AnyConnection, AnyPool, ConnectOptions as _, Connection as _, Executor as _};
use tokio::time::timeout;

use super::{Database, Fault};
use crate::store::private;

/// How many connections there are at most.
const CONNECTIONS: u32 = 8;
/// How many of them are left to those who only read.
const READERS: u32 = 2;
/// How long to wait for one.
const WAIT: Duration = Duration::from_secs(2);

impl Database {
    /// How a transaction begins. SQLite takes the lock at once, since one that reads first cannot always get it later.
    pub(crate) fn begin(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
            Self::Postgres(_) => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }

    /// How many may write at once. In SQLite one can; to queue for it is faster and fairer than to knock at the file.
    pub(crate) fn writers(&self) -> usize {
        match self {
            Self::Sqlite(_) => 1,
            Self::Postgres(_) => (CONNECTIONS - READERS) as usize,
        }
    }

    /// What each connection is told first. A server that hears nothing more of us lets go of what we hold.
    fn settings(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => {
                "PRAGMA busy_timeout = 1000; PRAGMA journal_mode = wal; PRAGMA synchronous = full; PRAGMA foreign_keys = on; PRAGMA secure_delete = on"
            }
            Self::Postgres(_) => {
                "SET statement_timeout = 5000; SET lock_timeout = 2000; SET idle_in_transaction_session_timeout = 10000"
            }
        }
    }

    /// A connection without limits of time, for long work.
    pub(crate) async fn connect(&self) -> sqlx::Result<AnyConnection> {
        let (address, late) = (self.address()?, io::ErrorKind::TimedOut);
        let connected = timeout(WAIT, address.connect()).await;
        let mut connection = connected.map_err(|_| io::Error::from(late))??;
        let settings = match self {
            Self::Sqlite(_) => self.settings(),
            // It would tell of every table that is there already.
            Self::Postgres(_) => "SET client_min_messages = warning",
        };
        connection.execute(settings).await?;
        Ok(connection)
    }

    /// Connections that are made as they are needed.
    pub(crate) fn pool(&self) -> sqlx::Result<AnyPool> {
        let settings = self.settings();
        let options = AnyPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(WAIT)
            .after_connect(move |connection, _| {
                Box::pin(async move { connection.execute(settings).await.map(|_| ()) })
            });
        Ok(options.connect_lazy_with(self.address()?))
    }

    fn address(&self) -> sqlx::Result<AnyConnectOptions> {
        sqlx::any::install_default_drivers();
        match self {
            Self::Postgres(url) => AnyConnectOptions::from_str(url.expose_secret()),
            Self::Sqlite(path) => {
                let path = std::path::absolute(path)?.display().to_string();
                // It is decoded when it is read.
                let file = SqliteConnectOptions::new().filename(path.replace('%', "%25"));
                AnyConnectOptions::from_url(&file.create_if_missing(true).to_url_lossy())
            }
        }
    }

    /// Whether it is there and can be written to; writes nothing but an empty file where there is none.
    pub async fn probe(&self) -> Result<(), Fault> {
        let prepared = self.prepare();
        prepared.map_err(|error| Fault::Broken(error.to_string()))?;
        match self.begin_and_end().await.map_err(Fault::from) {
            // Whoever holds it has reached it.
            Err(Fault::Raced(_)) => Ok(()),
            other => other.map_err(|fault| self.named_in(fault)),
        }
    }

    async fn begin_and_end(&self) -> sqlx::Result<()> {
        let mut connection = self.connect().await?;
        connection.begin_with(self.begin()).await?.rollback().await?;
        connection.close().await
    }

    /// The same fault, with the file that somebody has to mend.
    pub(crate) fn named_in(&self, fault: Fault) -> Fault {
        match (self, fault) {
            (Self::Sqlite(path), Fault::Damaged(reason)) => Fault::Damaged(format!(
                "{}: {reason}; put a backup in its place, or move it away to begin with an empty one",
                path.display()
            )),
            (_, fault) => fault,
        }
    }

    /// Makes the file, for this user alone.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        match self {
            Self::Sqlite(path) => private::file(path),
            Self::Postgres(_) => Ok(()),
        }
    }
}
