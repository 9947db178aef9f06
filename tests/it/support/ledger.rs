//! Records to try, on either database, and short ways to speak to them.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use field_service::records::schema;
use field_service::{Company, Retention};
use rusqlite::Connection;
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _, PgConnection};
use steadfast::records::{Database, Fault, Order, Records as _, Sql, Verdict};
use steadfast::staff::Staff;
use steadfast::store::{Clock, DialogueKey, Millis};
use tempfile::TempDir;

use super::coupon::{Coupon, TakeCoupon, with_coupons};
use super::errand::{Issue, Setting, TakeAndRefuse, TakeSlowly};
use super::patience::LONG;
use super::postgres_server::PostgresServer;

/// A fresh database with records in it.
pub(crate) struct Ledger {
    /// The records; this derefs to them.
    pub(crate) sql: Sql,
    /// Where they are.
    pub(crate) database: Database,
    ground: Ground,
}

/// What the database stands on.
enum Ground {
    File(PathBuf, Option<Connection>, #[expect(dead_code, reason = "removed at the end")] TempDir),
    Shared(String),
    Own(PostgresServer),
}

impl Ledger {
    /// In a SQLite file.
    pub(crate) async fn sqlite() -> Self {
        let dir = TempDir::new().expect("a directory");
        let file = dir.path().join("a directory/50%41 records.db");
        let ground = Ground::File(file.clone(), None, dir);
        Self::new(Database::Sqlite(file), ground).await
    }

    /// In the PostgreSQL that tests share.
    pub(crate) async fn postgres() -> Self {
        let url = PostgresServer::shared().await.database().await;
        let database = Database::Postgres(url.clone().into());
        Self::new(database, Ground::Shared(url)).await
    }

    /// The same, with a database that can be taken away.
    pub(crate) async fn removable(self) -> Self {
        if let Ground::File(..) = self.ground {
            return self;
        }
        let server = tokio::task::spawn_blocking(PostgresServer::start).await;
        let server = server.expect("a server");
        let database = Database::Postgres(server.database().await.into());
        Self::new(database, Ground::Own(server)).await
    }

    async fn new(database: Database, ground: Ground) -> Self {
        let sql = open(&database).await.expect("opened");
        Self { sql, database, ground }
    }

    /// Takes the database away: the server is stopped, or the file is locked by somebody else.
    pub(crate) async fn take_away(&mut self) {
        match &mut self.ground {
            Ground::File(path, holder, _) => {
                let connection = Connection::open(path).expect("opened");
                connection.execute_batch("BEGIN EXCLUSIVE").expect("locked");
                *holder = Some(connection);
            }
            Ground::Own(server) => tokio::task::block_in_place(|| server.stop()),
            Ground::Shared(_) => panic!("others use it"),
        }
    }

    /// Gives it back.
    pub(crate) async fn give_back(&mut self) {
        match &mut self.ground {
            Ground::File(_, holder, _) => *holder = None,
            Ground::Own(server) => tokio::task::block_in_place(|| server.restart()),
            Ground::Shared(_) => {}
        }
    }

    /// Ends every connection to it, as an administrator does. A file has none that could be ended.
    pub(crate) async fn end_connections(&self) {
        if let Ground::Shared(url) = &self.ground {
            PostgresServer::shared().await.end_connections(url).await;
        }
    }

    /// Executes this on a connection of its own.
    pub(crate) async fn execute(&self, sql: &'static str) {
        match &self.ground {
            Ground::File(path, ..) => {
                let connection = Connection::open(path).expect("opened");
                connection.execute_batch(sql).expect("executed");
            }
            Ground::Shared(url) => {
                let mut connection = PgConnection::connect(url).await.expect("connected");
                connection.execute(sql).await.expect("executed");
            }
            Ground::Own(_) => panic!("not on a server of one's own"),
        }
    }

    /// The same, at this time.
    pub(crate) fn at(self, time: Millis) -> Self {
        let sql = self.sql.with_clock(Clock::new(move || time));
        Self { sql, ..self }
    }

    /// The same, where the configuration gives these roles.
    pub(crate) fn employing(self, staff: Staff) -> Self {
        let sql = self.sql.with_staff(staff);
        Self { sql, ..self }
    }

    /// The same, of this company.
    pub(crate) async fn of(self, company: Company) -> Self {
        let now = self.sql.now().unsigned_abs();
        let sql = open_for(&self.database, company).await.expect("opened");
        Self { sql, ..self }.at(now)
    }

    /// The same, keeping personal data for so long.
    pub(crate) async fn keeping(self, retention: Retention) -> Self {
        self.of(Company { retention, ..Company::default() }).await
    }

    /// Puts a coupon there.
    pub(crate) async fn coupon(&self, code: &str) {
        assert_eq!(self.issue(&format!("issue {code}"), code).await, Verdict::Applied);
    }

    /// Tries to put a coupon there.
    pub(crate) async fn issue(&self, effect: &str, code: &str) -> Verdict {
        let issue = json!({"command": "issue", "code": code});
        self.order(effect, 1, issue).await
    }

    /// This person tries to take it.
    pub(crate) async fn take(&self, effect: &str, user: i64, code: &str) -> Verdict {
        let take = TakeCoupon { code: code.to_owned() };
        self.order(effect, user, json!(take)).await
    }

    /// Runs a command for this person.
    pub(crate) async fn order(&self, effect: &str, user: i64, command: Value) -> Verdict {
        self.sql.run(&order(effect, user, command)).await
    }

    /// Who has the coupon.
    pub(crate) async fn holder(&self, code: &str) -> Option<i64> {
        let found = self.sql.fetch(&person(1), "coupon", code).await.expect("read");
        let found: Coupon = serde_json::from_value(found).expect("a coupon");
        found.taken_by
    }
}

impl Deref for Ledger {
    type Target = Sql;

    fn deref(&self) -> &Sql {
        &self.sql
    }
}

/// Opens the records of this database, with what only tests do.
pub(crate) async fn open(database: &Database) -> Result<Sql, Fault> {
    open_for(database, Company::default()).await
}

async fn open_for(database: &Database, company: Company) -> Result<Sql, Fault> {
    let schema = with_coupons(schema(&company)).command::<Issue>().command::<TakeSlowly>();
    let schema = schema.command::<TakeAndRefuse>().lookup::<Setting>();
    let sql = Sql::open(database, schema, LONG).await?;
    Ok(sql.with_settings(Arc::new(company)))
}

/// An order of this person.
pub(crate) fn order(effect: &str, user: i64, command: Value) -> Order {
    let (effect, key) = (effect.to_owned(), person(user));
    Order { effect, key, command }
}

/// Somebody in a private chat.
pub(crate) fn person(user: i64) -> DialogueKey {
    DialogueKey { chat: user, user, topic: None }
}
