//! Coupons, each of which one person can take.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row as _;

use steadfast::records::{
    Command, Desk, Fault, Lookup, Migration, Order, Ruling, Schema, Tx, refused,
};
use steadfast::store::DialogueKey;

const MIGRATION: Migration = Migration::new(
    900,
    "coupons",
    "CREATE TABLE coupons (code TEXT NOT NULL PRIMARY KEY, taken_by BIGINT, taken_at BIGINT)",
);

/// Adds coupons to a schema.
pub(crate) fn with_coupons(schema: Schema) -> Schema {
    schema.migrations(&[MIGRATION]).command::<TakeCoupon>().lookup::<Coupon>()
}

/// The coupon does not exist.
pub(crate) const UNKNOWN: &str = "unknown";
/// Somebody has it.
pub(crate) const TAKEN: &str = "taken";

/// Takes a coupon for the person whose step it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "take_coupon")]
pub(crate) struct TakeCoupon {
    /// Which.
    pub(crate) code: String,
}

#[async_trait]
impl Command for TakeCoupon {
    const NAME: &'static str = "take_coupon";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let sql =
            "UPDATE coupons SET taken_by = $1, taken_at = $2 WHERE code = $3 AND taken_by IS NULL";
        let take = sqlx::query(sql).bind(order.key.user).bind(tx.now).bind(&self.code);
        if take.execute(&mut *tx.connection).await?.rows_affected() == 1 {
            return Ok(Ruling::Applied);
        }
        let known = sqlx::query("SELECT code FROM coupons WHERE code = $1").bind(&self.code);
        match known.fetch_optional(&mut *tx.connection).await? {
            Some(_) => Ok(refused(TAKEN)),
            None => Ok(refused(UNKNOWN)),
        }
    }
}

/// A coupon, read by its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Coupon {
    /// Its code.
    pub(crate) code: String,
    /// Who has it.
    pub(crate) taken_by: Option<i64>,
}

#[async_trait]
impl Lookup for Coupon {
    const NAME: &'static str = "coupon";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, code: &str) -> Result<Value, Fault> {
        let sql = "SELECT code, taken_by FROM coupons WHERE code = $1";
        let found = sqlx::query(sql).bind(code).fetch_optional(&mut *desk.connection);
        let Some(row) = found.await? else {
            return Ok(Value::Null);
        };
        let (code, taken_by) = (row.try_get(0)?, row.try_get(1)?);
        Ok(json!(Self { code, taken_by }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_written_with_its_name() {
        let take = TakeCoupon { code: "spring".to_owned() };
        let written = json!({"command": TakeCoupon::NAME, "code": "spring"});
        assert_eq!(json!(take), written);
        assert_eq!(TakeCoupon::deserialize(written).unwrap(), take);
    }
}
