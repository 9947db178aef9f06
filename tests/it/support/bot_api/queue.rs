//! How updates leave Telegram: a webhook, or a queue that is polled. Never both.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Call, Desk, Outcome, refused};

/// The same question within this time is answered with one update.
const HASTE: Duration = Duration::from_millis(500);
const TERMINATED: &str = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const ACTIVE: &str = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

/// A webhook as it is registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Registered {
    pub(crate) url: String,
    pub(crate) secret: String,
    pub(crate) max_connections: u64,
    pub(crate) allowed: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    updates: VecDeque<(i64, Value)>,
    pub(super) webhook: Option<Registered>,
    /// How many polls there were: one that waits ends when there is another.
    polls: u64,
    /// How many polls ended because there was another, or a webhook.
    pub(super) conflicts: usize,
    last: Option<(Option<i64>, Instant)>,
}

impl Queue {
    pub(super) fn push(&mut self, update: Value) {
        let id = update["update_id"].as_i64().unwrap_or_default();
        self.updates.push_back((id, update));
    }

    pub(super) fn len(&self) -> usize {
        self.updates.len()
    }

    /// Carries a call out; nothing if it is no method of this kind.
    pub(super) fn call(&mut self, call: &Call) -> Option<Outcome> {
        Some(match call.method.as_str() {
            "getupdates" if self.webhook.is_some() => self.conflict(ACTIVE),
            "getupdates" => Outcome::Done(Value::Null),
            "setwebhook" => self.register(&call.params),
            "deletewebhook" => {
                self.webhook = None;
                Outcome::Done(json!(true))
            }
            "getwebhookinfo" => Outcome::Done(self.info()),
            "getme" => Outcome::Done(
                json!({ "id": 7_000_001, "is_bot": true, "first_name": "Steadfast", "username": "steadfast_bot" }),
            ),
            _ => return None,
        })
    }

    fn register(&mut self, params: &Value) -> Outcome {
        let text = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
        let allowed = params["allowed_updates"].as_array().into_iter().flatten();
        let registered = Registered {
            url: text("url"),
            secret: text("secret_token"),
            max_connections: params["max_connections"].as_u64().unwrap_or(40),
            allowed: allowed
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        };
        // One that is refused leaves none.
        self.webhook = None;
        if !registered.url.starts_with("https://") {
            let words = "bad webhook: An HTTPS URL must be provided for webhook";
            return super::bad_request(words);
        }
        self.webhook = Some(registered);
        Outcome::Done(json!(true))
    }

    fn info(&self) -> Value {
        let mut info = json!({
            "url": "", "has_custom_certificate": false, "pending_update_count": self.updates.len(),
        });
        if let Some(webhook) = &self.webhook {
            info["url"] = json!(webhook.url);
            info["max_connections"] = json!(webhook.max_connections);
            info["allowed_updates"] = json!(webhook.allowed);
            info["ip_address"] = json!("127.0.0.1");
        }
        info
    }

    fn conflict(&mut self, words: &str) -> Outcome {
        self.conflicts += 1;
        refused(409, words)
    }

    /// Forgets what is confirmed, and answers how many updates this poll may get.
    fn begin(&mut self, offset: Option<i64>, limit: usize) -> (u64, usize) {
        self.polls += 1;
        match offset {
            Some(offset) if offset < 0 => {
                let keep = usize::try_from(-offset).unwrap_or(usize::MAX);
                let gone = self.updates.len().saturating_sub(keep);
                self.updates.drain(..gone);
            }
            Some(offset) => self.updates.retain(|(id, _)| *id >= offset),
            None => {}
        }
        let last = self.last.replace((offset, Instant::now()));
        let hasty = last.is_some_and(|(same, at)| same == offset && at.elapsed() < HASTE);
        (self.polls, if hasty { 1 } else { limit })
    }
}

/// Waits for updates, as long as it was asked to.
pub(super) async fn poll(desk: &Desk, params: &Value) -> Outcome {
    let limit = params["limit"].as_u64().unwrap_or(100).clamp(1, 100);
    let wait = Duration::from_secs(params["timeout"].as_u64().unwrap_or(0).min(50));
    let (poll, limit) = desk
        .book()
        .queue
        .begin(params["offset"].as_i64(), limit as usize);
    desk.stir.notify_waiters();
    let until = Instant::now() + wait;
    loop {
        let stirred = desk.stir.notified();
        tokio::pin!(stirred);
        stirred.as_mut().enable();
        {
            let queue = &mut desk.book().queue;
            if queue.polls != poll {
                return queue.conflict(TERMINATED);
            }
            if queue.webhook.is_some() {
                return queue.conflict(ACTIVE);
            }
            let updates = queue.updates.iter().take(limit);
            let updates: Vec<&Value> = updates.map(|(_, update)| update).collect();
            if !updates.is_empty() || Instant::now() >= until {
                return Outcome::Done(json!(updates));
            }
        }
        let _ = tokio::time::timeout_at(until, stirred).await;
    }
}
