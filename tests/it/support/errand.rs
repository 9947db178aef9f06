//! Commands and reads that only tests have.

use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};
use steadfast::records::{Command, Desk, Fault, Lookup, Order, Ruling, Tx};
use steadfast::store::DialogueKey;

use super::coupon::TakeCoupon;

/// How long a slow command takes: long enough to be interrupted.
const SLOWLY: Duration = Duration::from_secs(3);

/// Puts a coupon there.
#[derive(Debug, Deserialize)]
pub(crate) struct Issue {
    code: String,
}

#[async_trait]
impl Command for Issue {
    const NAME: &'static str = "issue";

    async fn run(self, tx: &mut Tx<'_>, _: &Order) -> Result<Ruling, Fault> {
        let issue = sqlx::query("INSERT INTO coupons (code) VALUES ($1)").bind(self.code);
        issue.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

/// Takes a coupon, and then takes its time before the transaction ends.
#[derive(Debug, Deserialize)]
pub(crate) struct TakeSlowly {
    code: String,
}

#[async_trait]
impl Command for TakeSlowly {
    const NAME: &'static str = "take_slowly";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let ruling = TakeCoupon { code: self.code }.run(tx, order).await;
        tokio::time::sleep(SLOWLY).await;
        ruling
    }
}

/// Takes a coupon, and then thinks better of it.
#[derive(Debug, Deserialize)]
pub(crate) struct TakeAndRefuse {
    code: String,
}

#[async_trait]
impl Command for TakeAndRefuse {
    const NAME: &'static str = "take_and_refuse";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        TakeCoupon { code: self.code }.run(tx, order).await?;
        Ok(Ruling::Refused("regret".to_owned()))
    }
}

/// What a connection is set to: a number or a word, by the statement that asks for it.
#[derive(Debug)]
pub(crate) struct Setting;

#[async_trait]
impl Lookup for Setting {
    const NAME: &'static str = "setting";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, sql: &str) -> Result<Value, Fault> {
        let asked = sqlx::query(AssertSqlSafe(sql.to_owned()));
        let row = asked.fetch_one(&mut *desk.connection).await?;
        let number = row.try_get::<i64, _>(0).map(|number| json!(number));
        Ok(number.or_else(|_| row.try_get::<String, _>(0).map(|word| json!(word)))?)
    }
}
