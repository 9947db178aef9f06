//! A dead letter for a body that is no update.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use serde_json::json;

use crate::update::Unreadable;

/// How much of the body is kept.
const KEPT: usize = 64 * 1024;

/// What is kept of a body nobody could read.
pub(super) fn unreadable(body: &Bytes, reason: &Unreadable) -> Bytes {
    let kept = &body[..body.len().min(KEPT)];
    let letter = json!({
        "time": now(),
        "reason": reason.to_string(),
        "body": String::from_utf8_lossy(kept),
    });
    letter.to_string().into()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
