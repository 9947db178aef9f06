//! The shift that a worker has open.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::money::Money;
use crate::pay::{Slot, Terms};
use crate::records::task::{Of, collect};
use steadfast::records::{Desk, Fault, Lookup};
use steadfast::store::DialogueKey;

/// An open shift; read for whoever asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Which.
    pub id: String,
    /// What the object is called.
    pub object: String,
    /// Where its clocks stand.
    pub zone: String,
    /// When it was opened: UTC, in milliseconds.
    pub opened_at: i64,
    /// What was agreed, and how far it is done.
    pub terms: Terms,
}

#[async_trait]
impl Lookup for Running {
    const NAME: &'static str = "shift";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        Ok(json!(of(desk.connection, key.user).await?))
    }
}

/// The open shift of this worker.
pub(super) async fn of(
    connection: &mut AnyConnection,
    worker: i64,
) -> Result<Option<Running>, Fault> {
    let sql = "SELECT s.id, o.name, o.zone, s.opened_at, s.rate, s.slot, s.slot_start, s.slot_end, s.grace, s.penalty \
               FROM shifts s JOIN objects o ON o.id = s.object WHERE s.worker = $1 AND s.status = 'open'";
    let found = sqlx::query(sql).bind(worker);
    let Some(row) = found.fetch_optional(&mut *connection).await? else {
        return Ok(None);
    };
    let id: String = row.try_get(0)?;
    let terms = Terms {
        rate: Money(row.try_get(4)?),
        slot: slot(&row)?,
        tasks: collect(connection, Of::Shift(&id)).await?,
    };
    Ok(Some(Running {
        id,
        object: row.try_get(1)?,
        zone: row.try_get(2)?,
        opened_at: row.try_get(3)?,
        terms,
    }))
}

fn slot(row: &AnyRow) -> Result<Option<Slot>, sqlx::Error> {
    let Some(id) = row.try_get(5)? else {
        return Ok(None);
    };
    let column = |at| row.try_get(at).map(Option::<i64>::unwrap_or_default);
    Ok(Some(Slot {
        id,
        start: column(6)?,
        end: column(7)?,
        grace: column(8)?,
        penalty: Money(column(9)?),
    }))
}
