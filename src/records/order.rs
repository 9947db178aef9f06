//! Repair orders: created by dispatchers, taken by masters or given to them.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;

use super::colleague::Colleague;
use crate::phone::Phone;
use crate::role::{DISPATCHER, MASTER, OWNER};
use steadfast::dialogue::Role;
use steadfast::records::{Command, Fault, Order, Ruling, Tx, refused, refused_by};

mod card;

pub use card::{ByNumber, Card, NextNumber, OpenOrders, OwnOrders, Status};

/// The order is there already.
pub const KNOWN: &str = "known";
/// Another order has the number.
pub const NUMBER: &str = "number";
/// Whoever is to carry it out is no master, or not any more.
pub const NO_MASTER: &str = "no_master";
/// Somebody else was faster; their name follows after a space.
pub const TAKEN: &str = "taken";
/// It is theirs already.
pub const YOURS: &str = "yours";
/// It is closed, or was never there.
pub const GONE: &str = "gone";
/// Somebody else has given it to somebody meanwhile.
pub const CHANGED: &str = "changed";

/// Who takes orders from clients.
pub const DESK: &[Role] = &[OWNER, DISPATCHER];

/// What is to be repaired, where, and whom to call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// What kind of thing it is.
    pub equipment: String,
    /// What is wrong with it.
    pub problem: String,
    /// The client's name.
    pub client: String,
    /// Where it is.
    pub address: String,
    /// The client's number.
    pub phone: Phone,
}

/// Puts an order there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "create_order")]
pub struct CreateOrder {
    /// Names it for ever, from its first question on: confirmed twice, it is there once.
    pub id: String,
    /// The number that people call it by.
    pub no: i64,
    /// What it is about.
    pub details: Details,
    /// Who carries it out; nobody, if all masters are asked.
    pub master: Option<i64>,
    /// Who is told of it. Nothing to the records: whoever has to give this command anew, with another number, tells the same people.
    pub told: Vec<Colleague>,
}

#[async_trait]
impl Command for CreateOrder {
    const NAME: &'static str = "create_order";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, DESK).await? {
            return Ok(refused);
        }
        if let Some(master) = self.master
            && !is_master(tx, master).await?
        {
            return Ok(refused(NO_MASTER));
        }
        let created = self.insert(tx, order.key.user).await?;
        if created {
            return Ok(Ruling::Applied);
        }
        let known = sqlx::query("SELECT no FROM orders WHERE id = $1").bind(&self.id);
        match known.fetch_optional(&mut *tx.connection).await? {
            Some(_) => Ok(refused(KNOWN)),
            None => Ok(refused(NUMBER)),
        }
    }
}

impl CreateOrder {
    /// Whether it is there now; not, if its id or its number was there before.
    async fn insert(&self, tx: &mut Tx<'_>, author: i64) -> Result<bool, Fault> {
        let sql = "INSERT INTO orders (id, no, equipment, problem, client, address, phone, status, created_by, created_at, \
                   master, assigned_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING";
        let status = match self.master {
            Some(_) => Status::Assigned,
            None => Status::New,
        };
        let insert = sqlx::query(sql)
            .bind(&self.id)
            .bind(self.no)
            .bind(&self.details.equipment)
            .bind(&self.details.problem)
            .bind(&self.details.client)
            .bind(&self.details.address)
            .bind(self.details.phone.as_str())
            .bind(status.name())
            .bind(author)
            .bind(tx.now)
            .bind(self.master)
            .bind(self.master.map(|_| tx.now));
        let inserted = insert.execute(&mut *tx.connection).await?;
        Ok(inserted.rows_affected() == 1)
    }
}

/// Takes an order that all masters were asked about, for the one whose step it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "take_order")]
pub struct TakeOrder {
    /// Which.
    pub no: i64,
}

#[async_trait]
impl Command for TakeOrder {
    const NAME: &'static str = "take_order";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let user = order.key.user;
        if let Some(refused) = tx.guard(user, &[MASTER]).await? {
            return Ok(refused);
        }
        let sql = "UPDATE orders SET status = 'assigned', master = $1, assigned_at = $2 WHERE no = $3 AND status = 'new'";
        let take = sqlx::query(sql).bind(user).bind(tx.now).bind(self.no);
        match take.execute(&mut *tx.connection).await?.rows_affected() {
            1 => Ok(Ruling::Applied),
            _ => self.why_not(tx, user).await,
        }
    }
}

impl TakeOrder {
    async fn why_not(&self, tx: &mut Tx<'_>, user: i64) -> Result<Ruling, Fault> {
        let sql = "SELECT master FROM orders WHERE no = $1 AND status = 'assigned'";
        let found = sqlx::query(sql).bind(self.no);
        let Some(row) = found.fetch_optional(&mut *tx.connection).await? else {
            return Ok(refused(GONE));
        };
        let master: Option<i64> = row.try_get(0)?;
        Ok(match master == Some(user) {
            true => refused(YOURS),
            false => refused_by(TAKEN, master),
        })
    }
}

/// Gives an open order to a master, whoever had it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "assign_order")]
pub struct AssignOrder {
    /// Which.
    pub no: i64,
    /// To whom.
    pub master: i64,
    /// Who had it when that was decided.
    pub was: Option<i64>,
}

#[async_trait]
impl Command for AssignOrder {
    const NAME: &'static str = "assign_order";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, DESK).await? {
            return Ok(refused);
        }
        if !is_master(tx, self.master).await? {
            return Ok(refused(NO_MASTER));
        }
        let sql = "UPDATE orders SET status = 'assigned', master = $1, assigned_at = $2 \
                   WHERE no = $3 AND status <> 'closed' AND COALESCE(master, 0) = $4";
        let assign = sqlx::query(sql)
            .bind(self.master)
            .bind(tx.now)
            .bind(self.no)
            .bind(self.was.unwrap_or_default());
        match assign.execute(&mut *tx.connection).await?.rows_affected() {
            1 => Ok(Ruling::Applied),
            _ => Ok(refused(CHANGED)),
        }
    }
}

/// Whether orders may be given to this person.
async fn is_master(tx: &mut Tx<'_>, user: i64) -> Result<bool, Fault> {
    Ok(tx.guard(user, &[MASTER]).await?.is_none())
}
