//! What masters report of the orders they have carried out.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::money::Money;
use crate::role::MASTER;
use steadfast::records::{Command, Fault, Order, Ruling, Tx, refused};

/// The order is closed already, or is not theirs.
pub const NOT_OPEN: &str = "not_open";

/// Closes an order of the master whose step it was, with their report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "close_order")]
pub struct CloseOrder {
    /// Which.
    pub no: i64,
    /// What the client paid.
    pub amount: Money,
    /// What was used for it; empty for nothing.
    pub materials: String,
    /// Whether the client has written a review.
    pub review: bool,
}

#[async_trait]
impl Command for CloseOrder {
    const NAME: &'static str = "close_order";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let user = order.key.user;
        if let Some(refused) = tx.guard(user, &[MASTER]).await? {
            return Ok(refused);
        }
        let close = "UPDATE orders SET status = 'closed', closed_at = $1 WHERE no = $2 AND master = $3 AND status = 'assigned'";
        let close = sqlx::query(close).bind(tx.now).bind(self.no).bind(user);
        if close.execute(&mut *tx.connection).await?.rows_affected() != 1 {
            return Ok(refused(NOT_OPEN));
        }
        let report = "INSERT INTO reports (order_no, amount, materials, review, created_by, created_at) \
                      VALUES ($1, $2, $3, $4, $5, $6)";
        let report = sqlx::query(report)
            .bind(self.no)
            .bind(self.amount.0)
            .bind(self.materials)
            .bind(i64::from(self.review))
            .bind(user)
            .bind(tx.now);
        report.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}
