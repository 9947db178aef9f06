//! Bicycles and sales: the tables, the commands and the lookups.

use async_trait::async_trait;
use serde_json::{Value, json};
use sqlx::Row as _;
use steadfast::dialogue::DialogueKey;
use steadfast::prelude::*;
use steadfast::records::{
    Command, Desk, Fault, Lookup, Migration, Order, Ruling, Schema, Tx, refused,
};

use crate::SELLER;
use crate::settings::Shop;

/// Migrations of the tables, in order.
const MIGRATIONS: [Migration; 1] =
    [Migration::new(100, "bicycles", include_str!("migrations/0100_bicycles.sql"))];

/// Rejection: no bicycle of this model is left.
pub const SOLD_OUT: &str = "sold_out";

/// Rejection: the customer has bought as many as one customer may.
pub const TOO_MANY: &str = "too_many";

/// Returns the schema.
pub fn schema(_: &Shop) -> Schema {
    Schema::default()
        .migrations(&MIGRATIONS)
        .command::<AddBicycles>()
        .command::<BuyBicycle>()
        .lookup::<Bicycles>()
        .lookup::<Bought>()
        .forget("sales", "UPDATE sales SET buyer = NULL WHERE buyer = $1")
}

/// A model in stock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bicycle {
    /// Name of the model.
    pub model: String,
    /// Price in whole euros.
    pub price: i64,
    /// Number in stock.
    pub stock: i64,
}

/// Puts bicycles of a model into stock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "add_bicycles")]
pub struct AddBicycles {
    /// Name of the model.
    pub model: String,
    /// Price in whole euros.
    pub price: u32,
    /// Number of bicycles.
    pub count: u32,
}

#[async_trait]
impl Command for AddBicycles {
    const NAME: &'static str = "add_bicycles";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refusal) = tx.guard(order.key.user, &[SELLER]).await? {
            return Ok(refusal);
        }
        sqlx::query(
            "INSERT INTO bicycles (model, price, stock) VALUES ($1, $2, $3) \
             ON CONFLICT (model) DO UPDATE SET price = $2, stock = bicycles.stock + $3",
        )
        .bind(self.model)
        .bind(i64::from(self.price))
        .bind(i64::from(self.count))
        .execute(&mut *tx.connection)
        .await?;
        Ok(Ruling::Applied)
    }
}

/// Sells one bicycle to the user of the step. Rejected as [`SOLD_OUT`] or [`TOO_MANY`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "buy_bicycle")]
pub struct BuyBicycle {
    /// Name of the model.
    pub model: String,
}

#[async_trait]
impl Command for BuyBicycle {
    const NAME: &'static str = "buy_bicycle";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let max = tx.settings::<Shop>().max_per_customer;
        if bought(tx.connection, order.key.user).await? >= max {
            return Ok(refused(TOO_MANY));
        }
        let taken =
            sqlx::query("UPDATE bicycles SET stock = stock - 1 WHERE model = $1 AND stock > 0");
        let taken = taken.bind(&self.model).execute(&mut *tx.connection).await?;
        if taken.rows_affected() == 0 {
            return Ok(refused(SOLD_OUT));
        }
        sqlx::query(
            "INSERT INTO sales (id, model, buyer, price, sold_at) \
             SELECT $1, model, $2, price, $3 FROM bicycles WHERE model = $4",
        )
        .bind(&order.effect)
        .bind(order.key.user)
        .bind(tx.now)
        .bind(&self.model)
        .execute(&mut *tx.connection)
        .await?;
        Ok(Ruling::Applied)
    }
}

/// Looks up the bicycles that can be bought: a list of [`Bicycle`].
#[derive(Debug, Clone, Copy)]
pub struct Bicycles;

#[async_trait]
impl Lookup for Bicycles {
    const NAME: &'static str = "bicycles";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, _: &str) -> Result<Value, Fault> {
        Ok(json!(in_stock(desk.connection).await?))
    }
}

/// Looks up the number of bicycles that the user has bought.
#[derive(Debug, Clone, Copy)]
pub struct Bought;

#[async_trait]
impl Lookup for Bought {
    const NAME: &'static str = "bought";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        Ok(json!(bought(desk.connection, key.user).await?))
    }
}

/// Returns the number of bicycles that a user has bought.
async fn bought(connection: &mut sqlx::AnyConnection, user: i64) -> Result<i64, Fault> {
    let count = sqlx::query("SELECT COUNT(*) FROM sales WHERE buyer = $1").bind(user);
    Ok(count.fetch_one(connection).await?.try_get(0)?)
}

/// Returns the bicycles in stock, by their names.
pub async fn in_stock(connection: &mut sqlx::AnyConnection) -> Result<Vec<Bicycle>, Fault> {
    let rows =
        sqlx::query("SELECT model, price, stock FROM bicycles WHERE stock > 0 ORDER BY model");
    let rows = rows.fetch_all(connection).await?;
    let bicycle = |row: &sqlx::any::AnyRow| {
        Ok(Bicycle { model: row.try_get(0)?, price: row.try_get(1)?, stock: row.try_get(2)? })
    };
    rows.iter().map(bicycle).collect()
}

/// Returns the number of bicycles sold, and their sum, for each model.
pub async fn sold(connection: &mut sqlx::AnyConnection) -> Result<Vec<(String, i64, i64)>, Fault> {
    let rows = "SELECT model, COUNT(*), CAST(SUM(price) AS BIGINT) FROM sales GROUP BY model ORDER BY model";
    let rows = sqlx::query(rows).fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).collect()
}
