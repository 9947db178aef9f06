//! Tasks: what people do at an object, and what that brings or costs.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::object::UNKNOWN;
use super::{object, slot};
use crate::money::Money;
use crate::pay::{self, Kind};
use crate::role::OWNER;
use steadfast::records::{Command, Desk, Fault, Lookup, Order, Ruling, Tx, refused};
use steadfast::store::DialogueKey;

/// The reason of a refusal: the object has as many tasks as a list should have.
pub const TOO_MANY: &str = "too_many";
/// How many tasks of an object may be in use: a shift carries them all along.
pub const MOST: i64 = 60;

/// Something to be done at an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Which.
    pub id: String,
    /// Of which object.
    pub object: String,
    /// Only in shifts of this time slot; in every shift where there is none.
    pub slot: Option<String>,
    /// What people call it.
    pub title: String,
    /// What doing it brings, or not doing it costs.
    pub price: Money,
    /// Which of the two.
    pub kind: Kind,
    /// Whether a photo must show that it is done.
    pub media: bool,
    /// Whether it is used.
    pub active: bool,
}

impl Task {
    fn of(row: &AnyRow) -> Result<Self, Fault> {
        Ok(Self {
            id: row.try_get(0)?,
            object: row.try_get(1)?,
            slot: row.try_get(2)?,
            title: row.try_get(3)?,
            price: Money(row.try_get(4)?),
            kind: kind(row.try_get(5)?)?,
            media: row.try_get::<i64, _>(6)? == 1,
            active: row.try_get::<i64, _>(7)? == 1,
        })
    }
}

fn kind(name: &str) -> Result<Kind, Fault> {
    name.parse().map_err(Fault::Broken)
}

/// Where tasks are collected from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of<'a> {
    /// An object at the time of this slot, or of none: what a shift opened there now would have to do.
    Place(&'a str, Option<&'a str>),
    /// A shift: what was agreed when it was opened, and what is done.
    Shift(&'a str),
}

/// The tasks of a shift, those of its object and those of its time slot: the only place where they are put together. The list
/// before opening, the list of an open shift, closing and the pay all ask here.
pub(super) async fn collect(
    connection: &mut AnyConnection,
    of: Of<'_>,
) -> Result<Vec<pay::Task>, Fault> {
    let found = match of {
        Of::Place(object, slot) => {
            let sql = "SELECT id, title, kind, price, media, CAST(0 AS BIGINT), CAST(0 AS BIGINT) FROM tasks \
                       WHERE object = $1 AND active = 1 AND (slot IS NULL OR slot = $2) ORDER BY kind DESC, title, id";
            let place = sqlx::query(sql).bind(object).bind(slot.unwrap_or_default());
            place.fetch_all(connection).await?
        }
        Of::Shift(shift) => {
            let sql = "SELECT task, title, kind, price, media, CAST(CASE WHEN done_at IS NULL THEN 0 ELSE 1 END AS BIGINT), \
                       (SELECT COUNT(*) FROM shift_media m WHERE m.shift = t.shift AND m.task = t.task) \
                       FROM shift_tasks t WHERE shift = $1 ORDER BY place";
            sqlx::query(sql).bind(shift).fetch_all(connection).await?
        }
    };
    found.iter().map(agreed).collect()
}

fn agreed(row: &AnyRow) -> Result<pay::Task, Fault> {
    Ok(pay::Task {
        id: row.try_get(0)?,
        title: row.try_get(1)?,
        kind: kind(row.try_get(2)?)?,
        price: Money(row.try_get(3)?),
        media: row.try_get::<i64, _>(4)? == 1,
        done: row.try_get::<i64, _>(5)? == 1,
        photos: usize::try_from(row.try_get::<i64, _>(6)?).unwrap_or(0),
    })
}

/// Adds a task, or changes the one of this id. Shifts that are open keep what was agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "save_task")]
pub struct SaveTask {
    /// Which.
    pub id: String,
    /// Of which object; never changes.
    pub object: String,
    /// Only in shifts of this time slot; in every shift where there is none.
    pub slot: Option<String>,
    /// What people call it.
    pub title: String,
    /// What doing it brings, or not doing it costs.
    pub price: Money,
    /// Which of the two.
    pub kind: Kind,
    /// Whether a photo must show that it is done.
    pub media: bool,
}

#[async_trait]
impl Command for SaveTask {
    const NAME: &'static str = "save_task";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, &[OWNER]).await? {
            return Ok(refused);
        }
        if !self.has_a_place(tx).await? {
            return Ok(refused(UNKNOWN));
        }
        if self.is_used(tx).await? && is_full(tx, &self.object, &self.id).await? {
            return Ok(refused(TOO_MANY));
        }
        let sql = "INSERT INTO tasks (id, object, slot, title, price, kind, media, active, made_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8) ON CONFLICT (id) DO UPDATE SET slot = excluded.slot, \
                   title = excluded.title, price = excluded.price, kind = excluded.kind, media = excluded.media";
        let save = sqlx::query(sql)
            .bind(self.id)
            .bind(self.object)
            .bind(self.slot)
            .bind(self.title)
            .bind(self.price.0)
            .bind(self.kind.name())
            .bind(i64::from(self.media))
            .bind(tx.now);
        save.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

impl SaveTask {
    /// Whether there is such an object, and the slot is one of its own.
    async fn has_a_place(&self, tx: &mut Tx<'_>) -> Result<bool, Fault> {
        if object::find(tx.connection, &self.object).await?.is_none() {
            return Ok(false);
        }
        let Some(own) = &self.slot else {
            return Ok(true);
        };
        let slots = slot::of_object(tx.connection, &self.object).await?;
        Ok(slots.iter().any(|slot| slot.id == *own))
    }

    /// Whether it is in use once it is saved: a new one is, and one that is there stays as it was.
    async fn is_used(&self, tx: &mut Tx<'_>) -> Result<bool, Fault> {
        let found = sqlx::query("SELECT active FROM tasks WHERE id = $1").bind(&self.id);
        let row = found.fetch_optional(&mut *tx.connection).await?;
        let active: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
        Ok(active != Some(0))
    }
}

/// Whether the object of this task has as many others in use as there may be.
pub(super) async fn is_full_beside(tx: &mut Tx<'_>, task: &str) -> Result<bool, Fault> {
    let found = sqlx::query("SELECT object FROM tasks WHERE id = $1").bind(task);
    match found.fetch_optional(&mut *tx.connection).await? {
        Some(row) => is_full(tx, row.try_get(0)?, task).await,
        None => Ok(false),
    }
}

/// Whether the object has as many tasks in use as there may be, beside this one. Whoever else asks at this time waits until this one
/// is written, and counts it: the row of the object is held.
async fn is_full(tx: &mut Tx<'_>, object: &str, but: &str) -> Result<bool, Fault> {
    let hold = sqlx::query("UPDATE objects SET active = active WHERE id = $1").bind(object);
    hold.execute(&mut *tx.connection).await?;
    let sql = "SELECT COUNT(*) FROM tasks WHERE object = $1 AND active = 1 AND id <> $2";
    let others = sqlx::query(sql).bind(object).bind(but);
    let others: i64 = others.fetch_one(&mut *tx.connection).await?.try_get(0)?;
    Ok(others >= MOST)
}

/// The tasks of an object, read by its id, those that are used first: a list of [`Task`].
#[derive(Debug, Clone, Copy)]
pub struct Tasks;

#[async_trait]
impl Lookup for Tasks {
    const NAME: &'static str = "tasks";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, object: &str) -> Result<Value, Fault> {
        let sql = "SELECT id, object, slot, title, price, kind, media, active FROM tasks \
                   WHERE object = $1 ORDER BY active DESC, kind DESC, title, id";
        let found = sqlx::query(sql).bind(object).fetch_all(&mut *desk.connection);
        let found = found.await?;
        let tasks: Result<Vec<Task>, Fault> = found.iter().map(Task::of).collect();
        Ok(json!(tasks?))
    }
}
