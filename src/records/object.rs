//! Objects: the places where people work.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::task::{self, TOO_MANY};
use crate::money::Money;
use crate::role::OWNER;
use steadfast::records::{Command, Desk, Fault, Lookup, Order, Ruling, Tx, refused};
use steadfast::store::DialogueKey;

/// The reason of a refusal: nobody knows this zone.
pub const NO_ZONE: &str = "no_zone";
/// The reason of a refusal: what it is about is not there, or belongs to something else.
pub const UNKNOWN: &str = "unknown";

/// A place where people work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Which.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What an hour earns there.
    pub rate: Money,
    /// Where its clocks stand, such as `Europe/Moscow`.
    pub zone: String,
    /// Whether shifts can be opened there.
    pub active: bool,
}

impl Object {
    fn of(row: &AnyRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get(0)?,
            name: row.try_get(1)?,
            rate: Money(row.try_get(2)?),
            zone: row.try_get(3)?,
            active: row.try_get::<i64, _>(4)? == 1,
        })
    }
}

/// The object of this id.
pub(super) async fn find(
    connection: &mut AnyConnection,
    id: &str,
) -> Result<Option<Object>, Fault> {
    let sql = "SELECT id, name, rate, zone, active FROM objects WHERE id = $1";
    let found = sqlx::query(sql).bind(id).fetch_optional(connection).await?;
    Ok(found.as_ref().map(Object::of).transpose()?)
}

/// All objects, those where people work first, by their names.
pub(super) async fn all(connection: &mut AnyConnection) -> Result<Vec<Object>, Fault> {
    let sql = "SELECT id, name, rate, zone, active FROM objects ORDER BY active DESC, name, id";
    let found = sqlx::query(sql).fetch_all(connection).await?;
    let objects: Result<_, sqlx::Error> = found.iter().map(Object::of).collect();
    Ok(objects?)
}

/// Adds an object, or changes the one of this id. Shifts that are open keep what was agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "save_object")]
pub struct SaveObject {
    /// Which.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What an hour earns there.
    pub rate: Money,
    /// Where its clocks stand.
    pub zone: String,
}

#[async_trait]
impl Command for SaveObject {
    const NAME: &'static str = "save_object";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, &[OWNER]).await? {
            return Ok(refused);
        }
        if jiff::tz::TimeZone::get(&self.zone).is_err() {
            return Ok(refused(NO_ZONE));
        }
        let sql = "INSERT INTO objects (id, name, rate, zone, active, made_at) VALUES ($1, $2, $3, $4, 1, $5) \
                   ON CONFLICT (id) DO UPDATE SET name = excluded.name, rate = excluded.rate, zone = excluded.zone";
        let save = sqlx::query(sql)
            .bind(self.id)
            .bind(self.name)
            .bind(self.rate.0)
            .bind(self.zone)
            .bind(tx.now);
        save.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

/// What can be put out of use, and into use again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thing {
    /// An object.
    Object,
    /// A time slot.
    Slot,
    /// A task.
    Task,
}

/// Puts something out of use, or into use again. Shifts that are open keep what was agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "set_active")]
pub struct SetActive {
    /// What it is.
    pub thing: Thing,
    /// Which.
    pub id: String,
    /// Whether it is used from now on.
    pub active: bool,
}

#[async_trait]
impl Command for SetActive {
    const NAME: &'static str = "set_active";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, &[OWNER]).await? {
            return Ok(refused);
        }
        if self.active && self.thing == Thing::Task && task::is_full_beside(tx, &self.id).await? {
            return Ok(refused(TOO_MANY));
        }
        let sql = match self.thing {
            Thing::Object => "UPDATE objects SET active = $1 WHERE id = $2",
            Thing::Slot => "UPDATE slots SET active = $1 WHERE id = $2",
            Thing::Task => "UPDATE tasks SET active = $1 WHERE id = $2",
        };
        let set = sqlx::query(sql).bind(i64::from(self.active)).bind(self.id);
        match set.execute(&mut *tx.connection).await?.rows_affected() {
            0 => Ok(refused(UNKNOWN)),
            _ => Ok(Ruling::Applied),
        }
    }
}

/// All objects, for those who run them: a list of [`Object`].
#[derive(Debug, Clone, Copy)]
pub struct Objects;

#[async_trait]
impl Lookup for Objects {
    const NAME: &'static str = "objects";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, _: &str) -> Result<Value, Fault> {
        Ok(json!(all(desk.connection).await?))
    }
}

#[async_trait]
impl Lookup for Object {
    const NAME: &'static str = "object";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, id: &str) -> Result<Value, Fault> {
        Ok(json!(find(desk.connection, id).await?))
    }
}
