//! Where a shift can be opened, and on which terms.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::AnyConnection;

use crate::pay::{self, Terms};
use crate::records::object::Object;
use crate::records::task::{Of, collect};
use crate::records::{object, slot};
use steadfast::records::{Desk, Fault, Lookup};
use steadfast::store::DialogueKey;

/// An object where shifts can be opened, and the time slots whose time it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The object.
    pub object: Object,
    /// Its slots, on the day whose turn it is.
    pub slots: Vec<pay::Slot>,
}

/// Every object where shifts can be opened now: a list of [`Site`].
#[derive(Debug, Clone, Copy)]
pub struct Sites;

#[async_trait]
impl Lookup for Sites {
    const NAME: &'static str = "sites";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let objects = object::all(desk.connection).await?;
        let slots = slot::active(desk.connection).await?;
        let open = objects.into_iter().filter(|object| object.active);
        let sites = open.map(|object| {
            let zone = slot::zone(&object.zone);
            let own = slots.iter().filter(|slot| slot.object == object.id);
            let slots = own.filter_map(|slot| slot.now(desk.now, &zone)).collect();
            Site { object, slots }
        });
        Ok(json!(sites.collect::<Vec<_>>()))
    }
}

/// What a shift would be opened on; read by the object and, after a space, the time slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Where.
    pub object: Object,
    /// On which terms.
    pub terms: Terms,
}

#[async_trait]
impl Lookup for Offer {
    const NAME: &'static str = "offer";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        let (object, slot) = arg.split_once(' ').unwrap_or((arg, ""));
        let slot = Some(slot).filter(|slot| !slot.is_empty());
        Ok(json!(offer(desk.connection, object, slot, desk.now).await?))
    }
}

/// The terms at this object and slot at this time; none where no shift can be opened. At the time of a slot it is opened for one.
pub(super) async fn offer(
    connection: &mut AnyConnection,
    object: &str,
    slot: Option<&str>,
    at: i64,
) -> Result<Option<Offer>, Fault> {
    let found = object::find(connection, object).await?;
    let Some(object) = found.filter(|object| object.active) else {
        return Ok(None);
    };
    let zone = slot::zone(&object.zone);
    let own = slot::of_object(connection, &object.id).await?;
    let used = own.iter().filter(|own| own.active);
    let mut now = used.filter_map(|own| own.now(at, &zone));
    let now = now.find(|now| slot.is_none_or(|slot| now.id == slot));
    if slot.is_some() != now.is_some() {
        return Ok(None);
    }
    let tasks = collect(connection, Of::Place(&object.id, slot)).await?;
    let terms = Terms { rate: object.rate, slot: now, tasks };
    Ok(Some(Offer { object, terms }))
}
