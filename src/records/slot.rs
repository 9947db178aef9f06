//! Time slots: when people work at an object.

use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::object::UNKNOWN;
use crate::hours::{Days, Hours};
use crate::money::Money;
use crate::pay;
use crate::role::OWNER;
use steadfast::records::{Command, Desk, Fault, Lookup, Order, Ruling, Tx, refused};
use steadfast::store::DialogueKey;

/// When people work at an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Which.
    pub id: String,
    /// Of which object.
    pub object: String,
    /// On which days.
    pub days: Days,
    /// From when until when.
    pub hours: Hours,
    /// How many minutes late is not late.
    pub grace: i64,
    /// What being late costs.
    pub penalty: Money,
    /// Whether it is used.
    pub active: bool,
}

impl Slot {
    fn of(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get(0)?,
            object: row.try_get(1)?,
            days: Days(row.try_get(2)?),
            hours: Hours { from: row.try_get(3)?, until: row.try_get(4)? },
            grace: row.try_get(5)?,
            penalty: Money(row.try_get(6)?),
            active: row.try_get::<i64, _>(7)? == 1,
        })
    }

    /// The slot on the day whose turn it is now, where there is one.
    pub(super) fn now(&self, now: i64, zone: &TimeZone) -> Option<pay::Slot> {
        let (start, end) = self.hours.around(self.days, now, zone)?;
        Some(pay::Slot {
            id: self.id.clone(),
            start,
            end,
            grace: self.grace,
            penalty: self.penalty,
        })
    }
}

/// The slots of an object, those that are used first.
pub(super) async fn of_object(
    connection: &mut AnyConnection,
    object: &str,
) -> Result<Vec<Slot>, Fault> {
    let sql = "SELECT id, object, days, starts, ends, grace, penalty, active FROM slots \
               WHERE object = $1 ORDER BY active DESC, starts, ends, id";
    let found = sqlx::query(sql).bind(object).fetch_all(connection).await?;
    let slots: Result<_, sqlx::Error> = found.iter().map(Slot::of).collect();
    Ok(slots?)
}

/// Every slot that is used, of whichever object.
pub(super) async fn active(connection: &mut AnyConnection) -> Result<Vec<Slot>, Fault> {
    let sql = "SELECT id, object, days, starts, ends, grace, penalty, active FROM slots \
               WHERE active = 1 ORDER BY starts, ends, id";
    let found = sqlx::query(sql).fetch_all(connection).await?;
    let slots: Result<_, sqlx::Error> = found.iter().map(Slot::of).collect();
    Ok(slots?)
}

/// The zone of this name. One that was kept was looked at before; a table that has lost it since is no reason to stop.
pub(super) fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

/// Adds a slot, or changes the one of this id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "save_slot")]
pub struct SaveSlot {
    /// Which.
    pub id: String,
    /// Of which object; never changes.
    pub object: String,
    /// On which days.
    pub days: Days,
    /// From when until when.
    pub hours: Hours,
    /// How many minutes late is not late.
    pub grace: i64,
    /// What being late costs.
    pub penalty: Money,
}

#[async_trait]
impl Command for SaveSlot {
    const NAME: &'static str = "save_slot";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, &[OWNER]).await? {
            return Ok(refused);
        }
        if super::object::find(tx.connection, &self.object).await?.is_none() {
            return Ok(refused(UNKNOWN));
        }
        let sql = "INSERT INTO slots (id, object, days, starts, ends, grace, penalty, active, made_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8) ON CONFLICT (id) DO UPDATE SET days = excluded.days, \
                   starts = excluded.starts, ends = excluded.ends, grace = excluded.grace, penalty = excluded.penalty";
        let save = sqlx::query(sql)
            .bind(self.id)
            .bind(self.object)
            .bind(self.days.0)
            .bind(self.hours.from)
            .bind(self.hours.until)
            .bind(self.grace)
            .bind(self.penalty.0)
            .bind(tx.now);
        save.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

/// The slots of an object, read by its id: a list of [`Slot`].
#[derive(Debug, Clone, Copy)]
pub struct Slots;

#[async_trait]
impl Lookup for Slots {
    const NAME: &'static str = "slots";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, object: &str) -> Result<Value, Fault> {
        Ok(json!(of_object(desk.connection, object).await?))
    }
}
