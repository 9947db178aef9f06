//! Records in a SQLite file or in PostgreSQL, by the same statements.

use std::time::Duration;

use async_trait::async_trait;
use metrics::{Counter, counter};
use serde_json::Value;
use sqlx::{AnyConnection, AnyPool, Connection as _};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{sleep, timeout};

use super::command::{Commands, Ruling, Tx};
use super::{
    Blanked, Database, Desk, Fault, Lookups, Order, Records, Retention, Verdict, migration,
};
use crate::company::Company;
use crate::staff::Staff;
use crate::store::{Clock, DialogueKey};
use lent::Lent;

mod ledger;
mod lent;

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
    commands: Commands,
    lookups: Lookups,
    company: Company,
    staff: Staff,
    retention: Retention,
    clock: Clock,
    reads: Counter,
}

impl Sql {
    /// Reaches the database and brings its tables up to date. One that cannot be reached is tried again for a while.
    pub async fn open(
        database: &Database,
        commands: Commands,
        lookups: Lookups,
        patience: Duration,
    ) -> Result<Self, Fault> {
        let prepared = database.prepare();
        prepared.map_err(|error| Fault::Broken(error.to_string()))?;
        migration::run_patiently(database, patience).await?;
        Ok(Self {
            pool: database.pool()?,
            writers: Semaphore::new(database.writers()),
            database: database.clone(),
            commands,
            lookups,
            company: Company::default(),
            staff: Staff::default(),
            retention: Retention::default(),
            clock: Clock::system(),
            reads: counter!("steadfast_records_reads_total"),
        })
    }

    /// With another clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// For this company.
    #[must_use]
    pub fn with_company(self, company: Company) -> Self {
        Self { company, ..self }
    }

    /// Uses these roles of the configuration.
    #[must_use]
    pub fn with_staff(self, staff: Staff) -> Self {
        Self { staff, ..self }
    }

    /// Keeping personal data for so long.
    #[must_use]
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// How long personal data is kept.
    pub(crate) fn retention(&self) -> Retention {
        self.retention
    }

    /// Which database it is.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// What the configuration says.
    pub(crate) fn company(&self) -> &Company {
        &self.company
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
            let mut desk = Desk {
                connection,
                company: &self.company,
                staff: &self.staff,
                now: self.now(),
                drafts_since: self.retention.drafts.map(|age| self.before(age)),
            };
            self.lookups.fetch(name, &mut desk, key, arg).await
        })
        .await
    }

    /// Reads something, within the time that a call may take.
    pub(crate) async fn read<T>(
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

    /// Writes something that is no command, in its turn and within the time that a call may take.
    pub(crate) async fn write<T>(
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

    /// The time that is so long ago.
    pub(crate) fn before(&self, age: Duration) -> i64 {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        self.now().saturating_sub(age)
    }

    pub(crate) fn now(&self) -> i64 {
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
            company: &self.company,
            staff: &self.staff,
            now: self.now(),
        };
        let ruling = self.commands.run(&mut tx, order).await?;
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

    fn keeps_people(&self) -> bool {
        true
    }
}

/// From nothing to twice the usual.
fn jitter() -> f64 {
    rand::random::<f64>() * 2.0
}
