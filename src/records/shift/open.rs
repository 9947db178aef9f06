//! Opening a shift, on what was seen.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::place::offer;
use super::{ALREADY_OPEN, CHANGED, running};
use crate::pay::Terms;
use crate::role::WORKER;
use steadfast::records::{Command, Fault, Order, Ruling, Tx, refused};

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
        if let Some(refused) = tx.guard(order.key.user, &[WORKER]).await? {
            return Ok(refused);
        }
        let slot = self.terms.slot.as_ref().map(|slot| slot.id.as_str());
        let offer = offer(tx.connection, &self.object, slot, self.at).await?;
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
