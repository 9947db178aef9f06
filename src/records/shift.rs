//! Shifts: opened by a worker at an object, worked, and closed with their pay.
//!
//! What was agreed is written down when a shift is opened, so that the worker is paid by what they saw. A shift is closed and its
//! adjustments written in one transaction, from what the records hold in that transaction.
//!
//! Only opening takes the role of a worker. What is open belongs to whoever opened it: they finish it and are paid, whatever became
//! of the role, and nobody else can.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;

use super::command::refused;
use super::task::{Of, collect};
use super::{Command, Fault, Order, Ruling, Tx};
use crate::money::Money;
use crate::pay::{Adjustment, Terms, pay, total};
use crate::role::Role;

mod place;
mod running;

pub use place::{Offer, Site, Sites};
pub use running::Running;

/// The reason of a refusal: the worker has another shift open.
pub const ALREADY_OPEN: &str = "already_open";
/// The reason of a refusal: what was agreed to, or shown, is not so any more.
pub const CHANGED: &str = "changed";
/// The reason of a refusal: the worker has no such shift, or it is closed.
pub const CLOSED: &str = "closed";
/// The reason of a refusal: a photo must show it.
pub const NEEDS_PHOTO: &str = "needs_photo";
/// The reason of a refusal: there are as many photos of it as there may be.
pub const ENOUGH_PHOTOS: &str = "enough_photos";
/// How many photos a task may have.
pub const MOST_PHOTOS: usize = 10;

/// Opens a shift. A worker has one at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "open_shift")]
pub struct OpenShift {
    /// Names it from now on.
    pub id: String,
    /// Where.
    pub object: String,
    /// What the worker saw and agreed to.
    pub terms: Terms,
    /// When they said so: UTC, in milliseconds.
    pub at: i64,
}

#[async_trait]
impl Command for OpenShift {
    const NAME: &'static str = "open_shift";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, &[Role::Worker]).await? {
            return Ok(refused);
        }
        let slot = self.terms.slot.as_ref().map(|slot| slot.id.as_str());
        let offer = place::offer(tx.connection, &self.object, slot, self.at).await?;
        if offer.is_none_or(|offer| offer.terms != self.terms) {
            return Ok(refused(CHANGED));
        }
        if !self.insert(tx, order.key.user).await? {
            return self.in_the_way(tx, order.key.user).await;
        }
        self.insert_tasks(tx).await?;
        Ok(Ruling::Applied)
    }
}

impl OpenShift {
    /// Writes it down with the next number; answers whether nothing was in the way.
    async fn insert(&self, tx: &mut Tx<'_>, worker: i64) -> Result<bool, Fault> {
        let slot = self.terms.slot.as_ref();
        let sql = "INSERT INTO shifts (id, no, worker, object, rate, slot, slot_start, slot_end, grace, penalty, status, \
                   opened_at, touched_at) \
                   VALUES ($1, (SELECT COALESCE(MAX(no), 0) + 1 FROM shifts), $2, $3, $4, $5, $6, $7, $8, $9, 'open', $10, $10) \
                   ON CONFLICT DO NOTHING";
        let insert = sqlx::query(sql)
            .bind(&self.id)
            .bind(worker)
            .bind(&self.object)
            .bind(self.terms.rate.0)
            .bind(slot.map(|slot| slot.id.clone()))
            .bind(slot.map(|slot| slot.start))
            .bind(slot.map(|slot| slot.end))
            .bind(slot.map(|slot| slot.grace))
            .bind(slot.map(|slot| slot.penalty.0))
            .bind(self.at);
        Ok(insert.execute(&mut *tx.connection).await?.rows_affected() == 1)
    }

    async fn insert_tasks(&self, tx: &mut Tx<'_>) -> Result<(), Fault> {
        for (place, task) in (0_i64..).zip(&self.terms.tasks) {
            let sql = "INSERT INTO shift_tasks (shift, task, place, title, price, kind, media) VALUES ($1, $2, $3, $4, $5, $6, $7)";
            let insert = sqlx::query(sql)
                .bind(&self.id)
                .bind(&task.id)
                .bind(place)
                .bind(&task.title)
                .bind(task.price.0)
                .bind(task.kind.name())
                .bind(i64::from(task.media));
            insert.execute(&mut *tx.connection).await?;
        }
        Ok(())
    }

    /// Why it could not be written down: another one is open, or somebody else took the number at the same time.
    async fn in_the_way(&self, tx: &mut Tx<'_>, worker: i64) -> Result<Ruling, Fault> {
        match running::of(tx.connection, worker).await? {
            Some(_) => Ok(refused(ALREADY_OPEN)),
            None => Err(Fault::Raced("two shifts took one number".to_owned())),
        }
    }
}

/// Notes that a task of an open shift is done, and a photo that shows it. What is done stays done; more photos may follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "complete_task")]
pub struct CompleteTask {
    /// The shift.
    pub shift: String,
    /// The task.
    pub task: String,
    /// A photo, by its file id.
    pub photo: Option<String>,
    /// When: UTC, in milliseconds.
    pub at: i64,
}

#[async_trait]
impl Command for CompleteTask {
    const NAME: &'static str = "complete_task";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if !hold(tx, &self.shift, order.key.user, self.at).await? {
            return Ok(refused(CLOSED));
        }
        let tasks = collect(tx.connection, Of::Shift(&self.shift)).await?;
        let Some(task) = tasks.into_iter().find(|task| task.id == self.task) else {
            return Ok(refused(CHANGED));
        };
        if self.photo.is_some() && task.photos >= MOST_PHOTOS {
            return Ok(refused(ENOUGH_PHOTOS));
        }
        if task.media && task.photos == 0 && self.photo.is_none() {
            return Ok(refused(NEEDS_PHOTO));
        }
        self.attach(tx, task.photos).await?;
        let sql = "UPDATE shift_tasks SET done_at = $1 WHERE shift = $2 AND task = $3 AND done_at IS NULL";
        let done = sqlx::query(sql)
            .bind(self.at)
            .bind(&self.shift)
            .bind(&self.task);
        done.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

impl CompleteTask {
    /// Keeps the photo, behind those that are there.
    async fn attach(&self, tx: &mut Tx<'_>, place: usize) -> Result<(), Fault> {
        let Some(photo) = &self.photo else {
            return Ok(());
        };
        let sql = "INSERT INTO shift_media (shift, task, place, file_id, added_at, due_at) VALUES ($1, $2, $3, $4, $5, $5)";
        let insert = sqlx::query(sql)
            .bind(&self.shift)
            .bind(&self.task)
            .bind(i64::try_from(place).unwrap_or(i64::MAX))
            .bind(photo)
            .bind(self.at);
        insert.execute(&mut *tx.connection).await?;
        Ok(())
    }
}

/// Closes a shift, and writes its adjustments. Refused where they do not come to what the worker was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "close_shift")]
pub struct CloseShift {
    /// Which.
    pub shift: String,
    /// When it ended: UTC, in milliseconds.
    pub at: i64,
    /// What the worker was shown that it comes to.
    pub total: Money,
}

#[async_trait]
impl Command for CloseShift {
    const NAME: &'static str = "close_shift";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if !hold(tx, &self.shift, order.key.user, self.at).await? {
            return Ok(refused(CLOSED));
        }
        let running = running::of(tx.connection, order.key.user).await?;
        let Some(running) = running.filter(|running| running.id == self.shift) else {
            return Ok(refused(CLOSED));
        };
        let adjustments = pay(&running.terms, running.opened_at, self.at);
        if total(&adjustments) != self.total {
            return Ok(refused(CHANGED));
        }
        let sql =
            "UPDATE shifts SET status = 'closed', closed_at = $1 WHERE id = $2 AND status = 'open'";
        let close = sqlx::query(sql).bind(self.at).bind(&self.shift);
        close.execute(&mut *tx.connection).await?;
        write(tx, &self.shift, &adjustments).await?;
        Ok(Ruling::Applied)
    }
}

async fn write(tx: &mut Tx<'_>, shift: &str, adjustments: &[Adjustment]) -> Result<(), Fault> {
    for (place, adjustment) in (0_i64..).zip(adjustments) {
        let sql = "INSERT INTO adjustments (shift, place, kind, amount, task) VALUES ($1, $2, $3, $4, $5)";
        let insert = sqlx::query(sql)
            .bind(shift)
            .bind(place)
            .bind(adjustment.why.name())
            .bind(adjustment.amount.0)
            .bind(adjustment.task.clone());
        insert.execute(&mut *tx.connection).await?;
    }
    Ok(())
}

/// Keeps everybody else from changing this open shift of this worker until the transaction ends; answers whether there is one.
async fn hold(tx: &mut Tx<'_>, shift: &str, worker: i64, at: i64) -> Result<bool, Fault> {
    let sql = "UPDATE shifts SET touched_at = $1 WHERE id = $2 AND worker = $3 AND status = 'open'";
    let hold = sqlx::query(sql).bind(at).bind(shift).bind(worker);
    Ok(hold.execute(&mut *tx.connection).await?.rows_affected() == 1)
}

/// Reads a column that may hold no number.
fn number(row: &sqlx::any::AnyRow, column: usize) -> Result<Option<i64>, sqlx::Error> {
    row.try_get(column)
}
