//! Records in a SQLite file or in PostgreSQL, by the same statements.

use std::any::{Any, type_name};
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use metrics::{Counter, counter};
use serde_json::{Value, json};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AnyConnection, AnyPool, Connection as _};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{sleep, timeout};

use super::{Audience, Database, Fault, Order, Records, Unread, Verdict};
use crate::dialogue::{Person, Read};
use crate::staff::Staff;
use crate::store::{Clock, DialogueKey};
use lent::Lent;

mod audience;
mod command;
mod database;
mod fault;
mod forgetting;
mod ledger;
mod lent;
mod lookup;
pub mod member;
mod migration;
pub mod person;
mod role;
mod schema;

pub use command::{Command, Ruling, Tx, refused, refused_by};
pub use forgetting::Blanked;
pub use lookup::{Desk, Lookup};
pub use schema::{Migration, PerDatabase, Schema};

/// How long a call may take.
const WITHIN: Duration = Duration::from_secs(5);
/// How often a transaction is tried that meets others.
const TRIES: u32 = 5;
/// How much longer to wait before each next try, on average.
const PAUSE: Duration = Duration::from_millis(20);
/// How long the outcome of an effect is remembered: longer than anything is repeated.
const REMEMBERED: Duration = Duration::from_secs(30 * 86_400);
/// How often what is older is forgotten.
const PRUNED_EVERY: Duration = Duration::from_secs(6 * 3_600);

/// Records in a SQL database.
#[derive(Debug)]
pub struct Sql {
    database: Database,
    pool: AnyPool,
    /// Who may write now.
    writers: Semaphore,
    schema: Schema,
    staff: Staff,
    settings: Arc<dyn Any + Send + Sync>,
    clock: Clock,
    reads: Counter,
}

impl Sql {
    /// Reaches the database and brings its tables up to date. One that cannot be reached is tried again for a while.
    pub async fn open(
        database: &Database,
        schema: Schema,
        patience: Duration,
    ) -> Result<Self, Fault> {
        if !schema.faults().is_empty() {
            return Err(Fault::Broken(schema.faults().join("; ")));
        }
        let prepared = database.prepare();
        prepared.map_err(|error| Fault::Broken(error.to_string()))?;
        migration::run_patiently(database, &schema, patience).await?;
        Ok(Self {
            pool: database.pool()?,
            writers: Semaphore::new(database.writers()),
            database: database.clone(),
            schema,
            staff: Staff::default(),
            settings: Arc::new(()),
            clock: Clock::system(),
            reads: counter!("steadfast_records_reads_total"),
        })
    }

    /// With another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// With these roles by the configuration.
    #[must_use]
    pub fn with_staff(self, staff: Staff) -> Self {
        Self { staff, ..self }
    }

    /// With these settings of the bot.
    #[must_use]
    pub fn with_settings<S: Send + Sync + 'static>(self, settings: Arc<S>) -> Self {
        Self { settings, ..self }
    }

    /// Returns the settings of the bot.
    ///
    /// # Panics
    /// If the records were opened with settings of another type.
    pub fn settings<S: 'static>(&self) -> &S {
        settings(&*self.settings)
    }

    /// Returns the roles that the configuration gives.
    pub(crate) fn staff(&self) -> &Staff {
        &self.staff
    }

    /// The name of the kind of database.
    pub fn kind(&self) -> &'static str {
        self.database.kind()
    }

    /// Reads what has this name, of what `arg` says, for this dialogue.
    pub async fn fetch(&self, key: &DialogueKey, name: &str, arg: &str) -> Result<Value, Fault> {
        self.reads.increment(1);
        self.read(async |connection| {
            let Some(fetch) = self.schema.lookups.get(name) else {
                return Err(Fault::Broken(format!("no read is named `{name}`")));
            };
            let mut desk =
                Desk { connection, staff: &self.staff, now: self.now(), settings: &*self.settings };
            fetch(&mut desk, key, arg).await
        })
        .await
    }

    /// Runs queries that read, within the time that a call may take.
    pub async fn read<T>(
        &self,
        read: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let read = async {
            let mut lent = Lent::from(&self.pool).await?;
            let found = read(lent.connection()).await;
            lent.give_back();
            found
        };
        let found = timeout(WITHIN, read).await;
        found.unwrap_or_else(|_| Err(Fault::timeout()))
    }

    /// Runs statements that write without a command. They are not in one transaction, and each may be repeated.
    ///
    /// Writers of this process take turns. The call has the time that a command has.
    pub async fn write<T>(
        &self,
        write: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let written = timeout(WITHIN, self.written(write)).await;
        written.unwrap_or_else(|_| Err(Fault::timeout()))
    }

    /// Forgets outcomes, and personal data that is too old, now and then, for as long as it is polled.
    pub async fn keep_pruned(&self) {
        loop {
            let Blanked { rows, failures } = self.blank_overdue().await;
            if rows > 0 {
                tracing::info!(count = rows, "old personal data was forgotten");
            }
            for (table, error) in failures {
                tracing::warn!(table, %error, "old personal data was not forgotten");
            }
            match self.prune().await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "old outcomes of records were forgotten"),
                Err(error) => tracing::warn!(%error, "old outcomes of records were not forgotten"),
            }
            sleep(PRUNED_EVERY).await;
        }
    }

    /// Forgets the outcomes of effects that nothing repeats any more, and says how many.
    pub async fn prune(&self) -> Result<u64, Fault> {
        let mut total = 0;
        loop {
            let pruned = timeout(WITHIN, self.prune_some()).await;
            match pruned.unwrap_or_else(|_| Err(Fault::timeout()))? {
                0 => return Ok(total),
                some => total += some,
            }
        }
    }

    /// A part of it, so that nobody waits long.
    async fn prune_some(&self) -> Result<u64, Fault> {
        let before = self.now() - REMEMBERED.as_millis() as i64;
        self.written(async |connection| ledger::prune(connection, before).await).await
    }

    /// Writes something when it is our turn.
    async fn written<T>(
        &self,
        write: impl AsyncFnOnce(&mut AnyConnection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let _turn = self.turn().await?;
        let mut lent = Lent::from(&self.pool).await?;
        let written = write(lent.connection()).await;
        lent.give_back();
        written
    }

    /// Closes every connection.
    pub async fn close(&self) {
        // One that does not end in time ends with the process.
        let _ = timeout(WITHIN, self.pool.close()).await;
    }

    /// Returns the time that is `age` ago, in UTC milliseconds.
    pub fn before(&self, age: Duration) -> i64 {
        before(self.now(), age)
    }

    /// Returns the time in UTC milliseconds.
    pub fn now(&self) -> i64 {
        i64::try_from(self.clock.now()).unwrap_or(i64::MAX)
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, Fault> {
        let turn = self.writers.acquire().await;
        turn.map_err(|closed| Fault::Unavailable(closed.to_string()))
    }

    /// Runs a command until it comes to something, as far as others get in its way.
    async fn attempts(&self, order: &Order) -> Result<Verdict, Fault> {
        for tried in 1..TRIES {
            match self.attempt(order).await {
                Err(Fault::Raced(_)) => sleep(PAUSE.mul_f64(jitter() * f64::from(tried))).await,
                other => return other,
            }
        }
        self.attempt(order).await
    }

    async fn attempt(&self, order: &Order) -> Result<Verdict, Fault> {
        let _turn = self.turn().await?;
        let mut lent = Lent::from(&self.pool).await?;
        let verdict = self.transact(lent.connection(), order).await;
        lent.give_back();
        verdict
    }

    /// One transaction: the effect's outcome is written down with what the command does, or neither is.
    async fn transact(
        &self,
        connection: &mut AnyConnection,
        order: &Order,
    ) -> Result<Verdict, Fault> {
        let mut tx = connection.begin_with(self.database.begin()).await?;
        if !ledger::enter(&mut tx, &order.effect, self.now()).await? {
            let verdict = ledger::recall(&mut tx, &order.effect).await?;
            let verdict = ledger::told(&mut tx, verdict).await?;
            tx.rollback().await?;
            return Ok(verdict);
        }
        let ruling = self.rule(&mut tx, order).await?;
        if let Ruling::Refused(reason) = &ruling {
            ledger::refuse(&mut tx, &order.effect, reason).await?;
        }
        let verdict = ledger::told(&mut tx, ruling.into()).await?;
        tx.commit().await?;
        Ok(verdict)
    }

    /// Runs the command in a savepoint, so that a refused one has written nothing.
    async fn rule(&self, outer: &mut AnyConnection, order: &Order) -> Result<Ruling, Fault> {
        let mut inner = outer.begin().await?;
        let mut tx = Tx {
            connection: &mut inner,
            staff: &self.staff,
            now: self.now(),
            settings: &*self.settings,
        };
        let name = order.command.get("command").and_then(Value::as_str);
        let name = name.ok_or_else(|| Fault::Broken("the command has no name".to_owned()))?;
        let ruling = match self.schema.commands.get(name) {
            Some(handle) => handle(&mut tx, order).await?,
            None => return Err(Fault::Unknown(format!("no command is named `{name}`"))),
        };
        match ruling {
            Ruling::Applied => inner.commit().await?,
            Ruling::Refused(_) => inner.rollback().await?,
        }
        Ok(ruling)
    }
}

#[async_trait]
impl Records for Sql {
    async fn run(&self, order: &Order) -> Verdict {
        let verdict = timeout(WITHIN, self.attempts(order)).await;
        let verdict = verdict.unwrap_or_else(|_| Err(Fault::timeout()));
        verdict.unwrap_or_else(Verdict::from)
    }

    async fn fetch(&self, key: &DialogueKey, read: &Read) -> Result<Value, Unread> {
        let found = Self::fetch(self, key, read.name, &read.arg).await;
        found.map_err(|fault| {
            let said = format!("`{}` cannot be read: {fault}", read.name);
            match fault {
                Fault::Raced(_) | Fault::Unavailable(_) | Fault::Damaged(_) => {
                    Unread::Unavailable(said)
                }
                Fault::Unknown(_) | Fault::Broken(_) => Unread::Broken(said),
            }
        })
    }

    fn meeting(&self, Person { name, username, language, .. }: &Person) -> Option<Value> {
        Some(json!(person::Meet::new(name, username, language)))
    }
}

/// The time that is `age` before this one.
fn before(now: i64, age: Duration) -> i64 {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    now.saturating_sub(age)
}

/// The settings, of the type that the bot has declared.
fn settings<S: 'static>(settings: &(dyn Any + Send + Sync)) -> &S {
    let found = settings.downcast_ref();
    found.unwrap_or_else(|| panic!("the settings of this bot are not `{}`", type_name::<S>()))
}

/// Checks the address of a PostgreSQL database. The error says what is wrong with it.
pub(crate) fn check_postgres(url: &str) -> Result<(), String> {
    let options = PgConnectOptions::from_str(url);
    let options = options.map_err(|error| format!("is no address of PostgreSQL ({error})"))?;
    match options.get_database() {
        Some(_) => Ok(()),
        None => Err("names no database".to_owned()),
    }
}

/// From nothing to twice the usual.
fn jitter() -> f64 {
    rand::random::<f64>() * 2.0
}
