//! What is measured of calls to the Bot API.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metrics::{Counter, Histogram, counter, histogram};

use super::CallError;

/// The methods that are called, as metrics name them.
pub const METHODS: [&str; 14] = [
    "sendMessage",
    "editMessageText",
    "sendPhoto",
    "sendMediaGroup",
    "deleteMessage",
    "sendChatAction",
    "answerCallbackQuery",
    "getUpdates",
    "setWebhook",
    "getWebhookInfo",
    "deleteWebhook",
    "getFile",
    "getMe",
    "setMyCommands",
];
/// What a call can come to.
pub const RESULTS: [&str; 7] =
    ["ok", "retry_after", "server_error", "network", "ambiguous", "permanent", "migrated"];

/// A handle for each series, made once: at the first call, when there is a recorder.
#[derive(Clone, Default)]
pub(super) struct Meter(Arc<OnceLock<Vec<Method>>>);

struct Method {
    name: &'static str,
    duration: Histogram,
    results: Vec<(&'static str, Counter)>,
}

impl std::fmt::Debug for Meter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Meter(…)")
    }
}

impl Meter {
    /// Counts a call of a method, by the name it was called by: Telegram takes it in any case.
    pub(super) fn called(&self, method: &str, error: Option<&CallError>, took: Duration) {
        let result = error.map_or("ok", |error| if error.is_fine() { "ok" } else { error.word() });
        let methods = || METHODS.iter().map(|name| Method::new(name)).collect();
        let mut methods = self.0.get_or_init(methods).iter();
        let Some(method) = methods.find(|known| known.name.eq_ignore_ascii_case(method)) else {
            return;
        };
        method.duration.record(took);
        if let Some((_, counter)) = method.results.iter().find(|(word, _)| *word == result) {
            counter.increment(1);
        }
    }
}

impl Method {
    fn new(name: &'static str) -> Self {
        let counter = |result: &'static str| counter!("steadfast_telegram_calls_total", "method" => name, "result" => result);
        Self {
            name,
            duration: histogram!("steadfast_telegram_call_duration_seconds", "method" => name),
            results: RESULTS.iter().map(|result| (*result, counter(result))).collect(),
        }
    }
}
