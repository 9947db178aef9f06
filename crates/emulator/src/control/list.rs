//! What there is to ask for.

use axum::Json;
use serde_json::{Value, json};

use super::fields;

/// Each request, what it does, and an example of its body; one that takes several things stands there once for each.
const LIST: &[(&str, &str, &str)] = &[
    (
        "GET /emulator/state",
        "the time, the bot, everybody there is, the webhook, limits and faults",
        "",
    ),
    (
        "PATCH /emulator/bot",
        "the bot is called otherwise",
        r#"{"name":"Shop","username":"shop_bot"}"#,
    ),
    ("POST /emulator/people", "makes a person", r#"{"name":"Anna","language":"en"}"#),
    ("PATCH /emulator/people/{id}", "changes a person", r#"{"language":"ru"}"#),
    (
        "POST /emulator/people/{id}/block",
        "they block the bot, or no longer do",
        r#"{"blocked":true}"#,
    ),
    (
        "POST /emulator/people/{id}/deactivate",
        "their account is deleted, or was not after all",
        r#"{"deactivated":true}"#,
    ),
    (
        "POST /emulator/groups",
        "makes a group with the bot in it, or a channel",
        r#"{"title":"Team","members":[5001],"kind":"supergroup","forum":true,"username":"team"}"#,
    ),
    (
        "POST /emulator/groups/{id}/bot",
        "the bot is a member of the group, runs it, has left or is kicked",
        r#"{"status":"kicked"}"#,
    ),
    ("POST /emulator/groups/{id}/topics", "opens a topic", r#"{"name":"News"}"#),
    ("POST /emulator/groups/{id}/migrate", "the group goes on as a supergroup", "{}"),
    (
        "POST /emulator/groups/{id}/members",
        "a person is a member of the group, or has left or is kicked",
        r#"{"person":5002,"status":"member"}"#,
    ),
    ("POST /emulator/groups/{id}/requests", "a person asks to be let in", r#"{"from":5002}"#),
    (
        "POST /emulator/messages",
        "a person sends text, photo, album, contact, location, sticker, voice or document",
        r#"{"from":5001,"text":"/start"}"#,
    ),
    (
        "POST /emulator/messages",
        "words in a topic of a group, as an answer to a message there",
        r#"{"from":5001,"chat":-1001234500001,"thread":1001,"reply_to":1002,"text":"Yes"}"#,
    ),
    (
        "POST /emulator/messages",
        "a photo that is made up, and words to it",
        r#"{"from":5001,"photo":true,"caption":"Look"}"#,
    ),
    (
        "POST /emulator/messages",
        "a photo of one's own, by its bytes",
        r#"{"from":5001,"photo":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="}"#,
    ),
    ("POST /emulator/messages", "an album", r#"{"from":5001,"album":[true,true]}"#),
    (
        "POST /emulator/messages",
        "a document, by its bytes",
        r#"{"from":5001,"document":{"name":"hi.txt","base64":"aGk="}}"#,
    ),
    (
        "POST /emulator/messages",
        "their own phone number, as a button asks for it",
        r#"{"from":5001,"contact":true}"#,
    ),
    (
        "POST /emulator/messages",
        "somebody else's",
        r#"{"from":5001,"contact":{"phone_number":"+15550100","first_name":"Boris"}}"#,
    ),
    (
        "POST /emulator/messages",
        "a place",
        r#"{"from":5001,"location":{"latitude":52.52,"longitude":13.405}}"#,
    ),
    ("POST /emulator/messages", "a sticker", r#"{"from":5001,"sticker":true}"#),
    ("POST /emulator/messages", "a spoken message", r#"{"from":5001,"voice":true}"#),
    (
        "POST /emulator/messages",
        "words whose delivery goes wrong in a certain way",
        r#"{"from":5001,"text":"hi","fault":{"kind":"delay","after_s":5}}"#,
    ),
    (
        "POST /emulator/messages/edit",
        "a person changes what they wrote",
        r#"{"from":5001,"message_id":1001,"text":"Hello again"}"#,
    ),
    (
        "POST /emulator/press",
        "a person presses a button, by its label or its data",
        r#"{"from":5001,"label":"Yes"}"#,
    ),
    (
        "POST /emulator/press",
        "the one under a certain message in a group",
        r#"{"from":5001,"chat":-4001,"message_id":1001,"data":"yes"}"#,
    ),
    ("POST /emulator/presses", "the same", r#"{"from":5001,"label":"Yes"}"#),
    (
        "POST /emulator/reactions",
        "a person says by an emoji what they think of a message, or no longer does",
        r#"{"from":5001,"message_id":1001,"emoji":"👍"}"#,
    ),
    (
        "POST /emulator/race",
        "a person writes and presses at the same instant",
        r#"{"from":5001,"text":"wait","label":"Yes"}"#,
    ),
    (
        "GET /emulator/chats/{id}",
        "what stands in a chat: messages, reply keyboard, what the bot is doing, the commands each person is offered",
        "",
    ),
    ("GET /emulator/callbacks/{id}", "what the bot answered to a press", ""),
    ("GET /emulator/files/{file_id}", "the bytes of a file", ""),
    (
        "GET /emulator/calls?after=SEQ&method=&chat=&limit=",
        "the calls of the bot and their answers",
        "",
    ),
    (
        "GET /emulator/updates?after=ID&chat=&limit=",
        "the updates, and each time they were sent",
        "",
    ),
    (
        "POST /emulator/updates",
        "an update of any kind, as it is written, under the next number",
        r#"{"inline_query":{"id":"1","from":{"id":5001,"is_bot":false,"first_name":"Anna"},"query":"a","offset":""}}"#,
    ),
    (
        "POST /emulator/updates/{id}/again",
        "sends an update once more, also one that was taken",
        r#"{"times":2}"#,
    ),
    (
        "POST /emulator/clock",
        "moves the clock: retries, expiries and timeouts happen",
        r#"{"advance":"15m"}"#,
    ),
    ("GET /emulator/faults", "what goes wrong now", ""),
    (
        "POST /emulator/faults",
        "something goes wrong from now on",
        r#"{"on":"call","kind":"too_many","retry_after":5,"method":"sendMessage","times":1}"#,
    ),
    (
        "POST /emulator/faults",
        "delivery: close_before, close_after, truncate, delay, twice, drop_ack, resend_press",
        r#"{"on":"delivery","kind":"twice","chat":5001,"times":1}"#,
    ),
    (
        "POST /emulator/faults",
        "call: too_many, error, hang, reset, garbage, truncate, slow",
        r#"{"on":"call","kind":"error","status":502,"description":"Bad Gateway"}"#,
    ),
    ("DELETE /emulator/faults", "nothing goes wrong any more", ""),
    ("DELETE /emulator/faults/{id}", "this one does not any more", ""),
    (
        "POST /emulator/restart",
        "the Bot API server restarts, refuses calls that wait, and sends again what was not acknowledged",
        r#"{"ids":"lower"}"#,
    ),
    (
        "POST /emulator/limits",
        "limits with 429, off at first",
        r#"{"on":true,"chat":"1/s","group":"20/m","bot":"30/s"}"#,
    ),
    (
        "POST /emulator/reset",
        "all chats, updates, calls and faults are gone; people stay unless asked",
        r#"{"people":false}"#,
    ),
    ("GET /emulator/events", "what happens, as Server-Sent Events", ""),
    ("/bot<token>/<method>, /file/bot<token>/<path>", "the Bot API itself", ""),
];

pub(super) async fn list() -> Json<Value> {
    let mut last = "";
    let entries = LIST.iter().map(|(request, what, example)| {
        let mut entry = json!({ "request": request, "what": what });
        if let Ok(example) = serde_json::from_str::<Value>(example) {
            entry["example"] = example;
        }
        // Said once, where the request stands first.
        let is_first = std::mem::replace(&mut last, request) != *request;
        if let Some(fields) = fields::of(request).filter(|_| is_first) {
            entry["fields"] = fields.into();
        }
        entry
    });
    Json(json!({ "endpoints": entries.collect::<Vec<_>>() }))
}

/// What can be done with a path.
pub(super) fn verbs(path: &str) -> Vec<&'static str> {
    let known = LIST.iter().filter_map(|(request, ..)| request.split_once(' '));
    let own = known.filter(|(_, pattern)| is_of(path, pattern));
    let mut verbs: Vec<&str> = own.map(|(verb, _)| verb).collect();
    verbs.dedup();
    if verbs.is_empty() {
        // This list itself.
        verbs.push("GET");
    }
    verbs
}

/// Whether a path is one of these, where what stands in braces is anything.
fn is_of(path: &str, pattern: &str) -> bool {
    let pattern = pattern.split('?').next().unwrap_or(pattern);
    let (said, known) = (path.split('/'), pattern.split('/'));
    let is_same = |(said, known): (&str, &str)| said == known || known.starts_with('{');
    said.clone().count() == known.clone().count() && said.zip(known).all(is_same)
}
