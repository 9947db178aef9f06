//! Lets time pass, from one thing that is due to the next: whoever leaps over several would see the last of them alone.

use std::time::Duration;

use axum::http::Method;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::Playground;
use super::api::{PATIENCE, Trouble};
use crate::emulator::Millis;
use crate::store::DialogueKey;

/// The most that is waited for on the way; what is due after that happens at the end.
const MOST_STOPS: usize = 50;
/// How long the bot may take to do what is due, and to say so.
const DONE_WITHIN: Duration = Duration::from_secs(2);
/// How often it is looked whether it has.
const INTERVAL: Duration = Duration::from_millis(20);

impl Playground {
    /// Moves both clocks, and answers what time it is when the bot's has followed. What is due on the way happens at its time.
    pub(super) async fn let_pass(&self, by: Duration) -> Result<Millis, Trouble> {
        let _passing = self.0.passing.lock().await;
        let clock = &self.0.clock;
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        let end = clock.now().saturating_add(by);
        for _ in 0..MOST_STOPS {
            let Some((key, due)) = self.next_due(end).await? else {
                break;
            };
            self.leap(due).await?;
            // One that hangs holds nobody up for long.
            let _ = timeout(DONE_WITHIN, self.is_done(&key, due)).await;
        }
        self.leap(end).await?;
        Ok(clock.now())
    }

    /// Moves both clocks there, and waits until the bot's has followed.
    async fn leap(&self, to: Millis) -> Result<(), Trouble> {
        let by = to.saturating_sub(self.0.clock.now());
        self.0.emulator.advance(Duration::from_millis(by));
        let ahead = self.0.clock.offset();
        let mut status = self.0.status.subscribe();
        let followed = timeout(PATIENCE, status.wait_for(|bot| bot.ahead >= ahead)).await;
        match followed {
            Ok(Ok(_)) => Ok(()),
            _ => Err(Trouble::NoBot),
        }
    }

    /// What is due first in any dialogue, from now until then.
    async fn next_due(&self, end: Millis) -> Result<Option<(DialogueKey, Millis)>, Trouble> {
        let now = self.0.clock.now();
        let (mut first, mut cursor) = (None, String::new());
        loop {
            let path = format!("/dialogues?{cursor}");
            let page = match self.ask(Method::GET, &path).await? {
                (StatusCode::OK, page) => page,
                (_, answer) => return Err(Trouble::Bot(answer["error"].to_string())),
            };
            let all = page["dialogues"].as_array().into_iter().flatten();
            let dues = all.filter_map(due).filter(|(due, _)| (now..=end).contains(due));
            first = dues.chain(first).min();
            match page["next"].as_str() {
                Some(next) => cursor = format!("cursor={next}"),
                None => return Ok(first.and_then(|(due, key)| Some((key.parse().ok()?, due)))),
            }
        }
    }

    /// Waits until what was due then in a dialogue has happened, and whoever it concerns was told.
    async fn is_done(&self, key: &DialogueKey, due: Millis) -> Result<(), Trouble> {
        loop {
            let seen = self.view(key).await?;
            if seen["due"]["at"] != due && seen["waiting"] == json!([]) {
                return Ok(());
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }
}

/// When something is due next in a dialogue, and in which.
fn due(line: &Value) -> Option<(Millis, String)> {
    Some((line["due"].as_u64()?, line["dialogue"].as_str()?.to_owned()))
}
