//! Closing a shift, with its pay.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{CHANGED, CLOSED, hold, running};
use crate::money::Money;
use crate::pay::{Adjustment, pay, total};
use steadfast::records::{Command, Fault, Order, Ruling, Tx, refused};

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
