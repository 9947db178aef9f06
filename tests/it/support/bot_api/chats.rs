//! Chats and the messages in them: what can be sent, changed and taken back, and in which words it is refused.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::{Call, Outcome, bad_request, html, refused};

/// What Telegram takes as a text, and as a caption.
const MAX_TEXT: usize = 4096;
const MAX_CAPTION: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Chats {
    known: HashMap<i64, Chat>,
    blocked: HashSet<i64>,
    migrated: HashMap<i64, i64>,
}

#[derive(Debug, Default)]
struct Chat {
    last: i64,
    messages: BTreeMap<i64, Message>,
}

#[derive(Debug, Clone, PartialEq)]
struct Message {
    text: String,
    markup: Value,
    is_photo: bool,
}

impl Chats {
    pub(super) fn block(&mut self, chat: i64, blocked: bool) {
        match blocked {
            true => self.blocked.insert(chat),
            false => self.blocked.remove(&chat),
        };
    }

    pub(super) fn migrate(&mut self, group: i64, to: i64) {
        self.migrated.insert(group, to);
    }

    pub(super) fn forget(&mut self, chat: i64, message: i64) {
        let known = self.known.get_mut(&chat);
        known.and_then(|chat| chat.messages.remove(&message));
    }

    pub(super) fn shown(&self, chat: i64) -> Vec<String> {
        let messages = self.known.get(&chat).into_iter();
        let messages = messages.flat_map(|chat| chat.messages.values());
        messages.map(|message| message.text.clone()).collect()
    }

    /// Carries a call out; nothing if it is no method of this kind.
    pub(super) fn call(&mut self, call: &Call) -> Option<Outcome> {
        let (method, chat) = (call.method.as_str(), call.chat());
        if method == "getme" {
            return Some(me());
        }
        if method == "answercallbackquery" {
            return Some(answered(&call.params));
        }
        let concerns_a_chat = method.starts_with("send")
            || matches!(
                method,
                "editmessagetext" | "editmessagereplymarkup" | "deletemessage"
            );
        if !concerns_a_chat {
            return None;
        }
        if let Some(refusal) = self.refusal(call) {
            return Some(refusal);
        }
        let known = self.known.entry(chat).or_default();
        let done = match method {
            "sendmessage" => known.send(&call.params),
            "sendphoto" => known.send_photo(&call.params),
            "sendmediagroup" => known.send_album(&call.params),
            "editmessagetext" => known.edit(&call.params),
            "deletemessage" => known.delete(&call.params),
            "sendchataction" => Ok(json!(true)),
            _ => return None,
        };
        Some(done.map_or_else(|words| bad_request(&words), Outcome::Done))
    }

    fn refusal(&self, call: &Call) -> Option<Outcome> {
        if call.params["chat_id"].is_null() {
            return Some(bad_request("chat_id is empty"));
        }
        if let Some(to) = self.migrated.get(&call.chat()) {
            return Some(migrated(*to));
        }
        let is_blocked = self.blocked.contains(&call.chat());
        is_blocked.then(|| refused(403, "Forbidden: bot was blocked by the user"))
    }
}

impl Chat {
    fn send(&mut self, params: &Value) -> Result<Value, String> {
        let text = params["text"].as_str().unwrap_or_default();
        if text.trim().is_empty() {
            return Err("message text is empty".to_owned());
        }
        if measured(text, params)? > MAX_TEXT {
            return Err("message is too long".to_owned());
        }
        self.keep(params, text, false)
    }

    fn send_photo(&mut self, params: &Value) -> Result<Value, String> {
        if !params["photo"].is_string() {
            return Err("there is no photo in the request".to_owned());
        }
        let caption = params["caption"].as_str().unwrap_or_default();
        if measured(caption, params)? > MAX_CAPTION {
            return Err("message caption is too long".to_owned());
        }
        self.keep(params, caption, true)
    }

    fn send_album(&mut self, params: &Value) -> Result<Value, String> {
        let media = params["media"].as_array().cloned().unwrap_or_default();
        if !(2..=10).contains(&media.len()) {
            return Err("wrong number of media in an album: 2-10 are taken".to_owned());
        }
        let mut sent = Vec::new();
        for part in media {
            if part["type"] != "photo" || !part["media"].is_string() {
                return Err("can't parse InputMedia".to_owned());
            }
            let caption = part["caption"].as_str().unwrap_or_default();
            if measured(caption, &part)? > MAX_CAPTION {
                return Err("message caption is too long".to_owned());
            }
            let chat = json!({ "chat_id": params["chat_id"] });
            sent.push(self.keep(&chat, caption, true)?);
        }
        Ok(Value::Array(sent))
    }

    fn edit(&mut self, params: &Value) -> Result<Value, String> {
        let id = params["message_id"].as_i64().unwrap_or_default();
        let old = self
            .messages
            .get(&id)
            .ok_or("message to edit not found")?
            .clone();
        if old.is_photo {
            return Err("there is no text in the message to edit".to_owned());
        }
        let text = params["text"].as_str().unwrap_or_default();
        if measured(text, params)? > MAX_TEXT {
            return Err("message is too long".to_owned());
        }
        check_markup(params)?;
        let new = Message {
            text: text.to_owned(),
            markup: markup(params),
            is_photo: false,
        };
        if new == old {
            return Err(
                "message is not modified: specified new message content and reply markup are exactly the same as \
                 a current content and reply markup of the message"
                    .to_owned(),
            );
        }
        self.messages.insert(id, new);
        Ok(shown(id, params))
    }

    fn delete(&mut self, params: &Value) -> Result<Value, String> {
        let id = params["message_id"].as_i64().unwrap_or_default();
        let gone = self.messages.remove(&id);
        gone.map(|_| json!(true))
            .ok_or_else(|| "message to delete not found".to_owned())
    }

    fn keep(&mut self, params: &Value, text: &str, is_photo: bool) -> Result<Value, String> {
        check_markup(params)?;
        self.last = self.last.max(1000) + 1;
        let message = Message {
            text: text.to_owned(),
            markup: markup(params),
            is_photo,
        };
        self.messages.insert(self.last, message);
        Ok(shown(self.last, params))
    }
}

fn migrated(to: i64) -> Outcome {
    Outcome::Refused(
        400,
        "Bad Request: group chat was upgraded to a supergroup chat".to_owned(),
        json!({ "migrate_to_chat_id": to }),
    )
}

fn me() -> Outcome {
    let me = json!({ "id": 7_000_001, "is_bot": true, "first_name": "Steadfast", "username": "steadfast_bot" });
    Outcome::Done(me)
}

fn answered(params: &Value) -> Outcome {
    match params["callback_query_id"].as_str() {
        Some(_) => Outcome::Done(json!(true)),
        None => bad_request("query is too old and response timeout expired or query ID is invalid"),
    }
}

/// How long a text is, by its parse mode.
fn measured(text: &str, params: &Value) -> Result<usize, String> {
    match params["parse_mode"].as_str() {
        Some("HTML") => html::length(text),
        Some(_) => Err("unsupported parse_mode".to_owned()),
        None => Ok(text.encode_utf16().count()),
    }
}

/// What buttons stand under a message; none and no rows are the same.
fn markup(params: &Value) -> Value {
    let rows = &params["reply_markup"]["inline_keyboard"];
    match rows.as_array() {
        Some(rows) if !rows.is_empty() => json!(rows),
        _ => Value::Null,
    }
}

fn check_markup(params: &Value) -> Result<(), String> {
    let Some(markup) = params.get("reply_markup") else {
        return Ok(());
    };
    if !markup.is_object() {
        return Err("object expected as reply markup".to_owned());
    }
    let rows = markup["inline_keyboard"].as_array().into_iter().flatten();
    for button in rows.flat_map(|row| row.as_array().into_iter().flatten()) {
        let data = button["callback_data"].as_str().unwrap_or_default();
        if !(1..=64).contains(&data.len()) {
            return Err("BUTTON_DATA_INVALID".to_owned());
        }
    }
    Ok(())
}

/// A message as Telegram shows it.
fn shown(id: i64, params: &Value) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    json!({
        "message_id": id,
        "date": now.map_or(0, |now| now.as_secs()),
        "from": { "id": 7_000_001, "is_bot": true, "first_name": "Steadfast" },
        "chat": { "id": params["chat_id"], "type": "private" },
        "text": params["text"],
    })
}
