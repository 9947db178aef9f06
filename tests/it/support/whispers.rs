//! What people say to the servers of all tests, and operators through them: none of it may be in a log.
//!
//! A word of a few letters, such as `now`, may well be in a log for another reason, also between quotation marks: short ones are not
//! looked for.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// From this length on nothing is in a log by accident.
const LONG: usize = 9;

/// Everything that was said so far, as it is looked for.
static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Somebody says this.
pub(crate) fn say(text: &str) {
    // The name of a command is no secret, what stands behind it is.
    let text = match text.strip_prefix('/') {
        Some(command) => command.split_once(' ').map_or("", |(_, rest)| rest),
        None => text,
    };
    if text.chars().count() >= LONG {
        lock().extend(written(text));
    }
}

/// Somebody sends this update.
pub(crate) fn send(update: &Value) {
    for part in ["/message/text", "/message/caption"] {
        if let Some(text) = update.pointer(part).and_then(Value::as_str) {
            say(text);
        }
    }
    let phone = update.pointer("/message/contact/phone_number");
    if let Some(phone) = phone.and_then(Value::as_str) {
        lock().insert(phone.trim_start_matches('+').to_owned());
    }
}

/// The first line of a log that has something of it.
pub(crate) fn overheard(log: &[String]) -> Option<(String, String)> {
    let said = lock().clone();
    let whole = log.join("\n");
    let heard = said.into_iter().find(|words| whole.contains(words))?;
    let line = log.iter().find(|line| line.contains(&heard));
    Some((heard, line.cloned().unwrap_or_default()))
}

/// As it is, and as it stands in JSON.
fn written(text: &str) -> [String; 2] {
    let json = Value::from(text).to_string();
    [text.to_owned(), json[1..json.len() - 1].to_owned()]
}

fn lock() -> MutexGuard<'static, BTreeSet<String>> {
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn what_was_said_is_found_however_it_is_written() {
    say("/take the-golden-coupon");
    say("psst, listen");
    for (line, is_told) in [
        ("{\"message\":\"took the-golden-coupon away\"}", true),
        ("{\"text\":\"psst, listen\"}", true),
        ("{\"message\":\"the psst-valve is open\"}", false),
        ("{\"message\":\"/take\"}", false),
    ] {
        let heard = overheard(&[line.to_owned()]);
        assert_eq!(heard.is_some(), is_told, "{line}");
    }
}
