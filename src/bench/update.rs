//! Updates as Telegram sends them.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::script::Act;
use super::telegram::Heard;

/// A file id as long as Telegram's.
const FILE_ID: &str =
    "AgACAgIAAxkBAAIBQ2Zx5l0h7oQn0zq1v8nJkq2t6H5XAAKF4TEbY0eRSxq3mY0mJX5fAQADAgADeQADNQQ";

/// The body of the update that an act makes. None: the button that is to be pressed was not shown.
pub(super) fn body(id: u32, person: i64, act: Act, last: &Heard) -> Option<String> {
    let update = match act {
        Act::Types(text) => {
            json!({ "update_id": id, "message": message(id, person, "text", &text.into()) })
        }
        Act::Photo => json!({ "update_id": id, "message": message(id, person, "photo", &photo()) }),
        Act::Presses(label) => {
            let data = last.button(label)?;
            let shown = json!({
                "message_id": last.message, "date": now(), "chat": chat(person), "text": last.text,
                "from": { "id": 1, "is_bot": true, "first_name": "Bench", "username": "bench_bot" },
            });
            json!({ "update_id": id, "callback_query": {
                "id": format!("{person}{id}"), "from": from(person), "message": shown,
                "chat_instance": person.to_string(), "data": data,
            } })
        }
    };
    Some(update.to_string())
}

fn message(id: u32, person: i64, kind: &str, content: &Value) -> Value {
    json!({ "message_id": id, "from": from(person), "chat": chat(person), "date": now(), kind: content })
}

fn from(person: i64) -> Value {
    json!({ "id": person, "is_bot": false, "first_name": "Anna", "last_name": "Lind", "username": "anna_lind",
        "language_code": "en" })
}

fn chat(person: i64) -> Value {
    json!({ "id": person, "first_name": "Anna", "last_name": "Lind", "username": "anna_lind", "type": "private" })
}

fn photo() -> Value {
    let size = |(width, height, bytes): (u32, u32, u32)| json!({ "file_id": FILE_ID, "file_unique_id": "AQADheExG2NHkUt-", "file_size": bytes, "width": width, "height": height });
    [(90, 51, 1318), (320, 180, 19_455), (800, 450, 91_215)]
        .map(size)
        .into_iter()
        .collect()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
