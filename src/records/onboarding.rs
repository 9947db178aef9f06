//! What newcomers say of themselves, kept answer by answer.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::Row as _;

use crate::Company;
use steadfast::records::{Command, Desk, Fault, Lookup, Order, Ruling, Tx};
use steadfast::store::DialogueKey;

/// How long the dialogue waits for each answer: a newcomer may need a week.
pub const WAITS: Duration = Duration::from_secs(7 * 86_400);

/// Keeps what somebody has said of themselves so far. Never refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "keep_profile")]
pub struct KeepProfile {
    /// Their answers, as the flow writes them.
    pub profile: Value,
    /// Nothing is left to be asked.
    pub is_finished: bool,
}

#[async_trait]
impl Command for KeepProfile {
    const NAME: &'static str = "keep_profile";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        // What was finished once stays as it is until it is finished anew.
        let sql = match self.is_finished {
            true => {
                "INSERT INTO onboarding (user_id, profile, changed_at, finished_at, topic) VALUES ($1, $2, $3, $3, $4) \
                 ON CONFLICT (user_id) DO UPDATE SET profile = excluded.profile, draft = NULL, \
                 changed_at = excluded.changed_at, finished_at = excluded.finished_at, topic = excluded.topic"
            }
            false => {
                "INSERT INTO onboarding (user_id, draft, changed_at, topic) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (user_id) DO UPDATE SET draft = excluded.draft, changed_at = excluded.changed_at, \
                 topic = excluded.topic"
            }
        };
        let keep = sqlx::query(sql)
            .bind(order.key.user)
            .bind(self.profile.to_string())
            .bind(tx.now)
            .bind(order.key.topic.map(i64::from));
        keep.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

/// Drops what somebody was saying of themselves, but not what they have finished before. Never refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "drop_profile")]
pub struct DropProfile {}

#[async_trait]
impl Command for DropProfile {
    const NAME: &'static str = "drop_profile";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        for sql in [
            "DELETE FROM onboarding WHERE user_id = $1 AND profile IS NULL",
            "UPDATE onboarding SET draft = NULL WHERE user_id = $1",
        ] {
            let dropping = sqlx::query(sql).bind(order.key.user);
            dropping.execute(&mut *tx.connection).await?;
        }
        Ok(Ruling::Applied)
    }
}

/// What somebody has said of themselves, where it is not finished: for who comes back after the dialogue was lost, for as long as it
/// would have waited, and where it did: what is said in another topic is no answer.
#[derive(Debug, Clone, Copy)]
pub struct Unfinished;

#[async_trait]
impl Lookup for Unfinished {
    const NAME: &'static str = "unfinished_profile";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let sql = "SELECT draft FROM onboarding WHERE user_id = $1 AND draft IS NOT NULL AND changed_at > $2 \
                   AND COALESCE(topic, 0) = $3";
        let age = desk.settings::<Company>().retention.drafts;
        let since = age.map_or(i64::MIN, |age| desk.before(age));
        let topic = key.topic.map_or(0, i64::from);
        let found = sqlx::query(sql).bind(key.user).bind(since).bind(topic);
        let found = found.fetch_optional(&mut *desk.connection).await?;
        let profile: Option<String> = found.map(|row| row.try_get(0)).transpose()?;
        Ok(profile
            .map_or(Value::Null, |profile| serde_json::from_str(&profile).unwrap_or_default()))
    }
}
