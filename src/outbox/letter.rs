//! Dead letters of the outbox: what could not be carried out, and why.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use serde_json::{Value, json};

use crate::store::{Item, Lane};

/// Writes a dead letter, and a line in the log.
pub(super) fn letter(lane: Lane, item: &Item, reason: &str) -> Bytes {
    tracing::warn!(%lane, effect.id = item.id, reason, "an effect was put aside as a dead letter");
    let at = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis();
    let body: Value = serde_json::from_slice(&item.body).unwrap_or_default();
    let letter = json!({
        "at": u64::try_from(at).unwrap_or_default(), "lane": lane.to_string(), "effect": item.id,
        "reason": reason, "body": body,
    });
    letter.to_string().into()
}
