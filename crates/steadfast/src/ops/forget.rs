//! Forgetting a person: nothing is left of them but what the books need.
//!
//! In an order in which nothing comes back: records that their steps have caused are waited for, then the dialogues end, wherever
//! they are, and idle ones forget what they know; then what is still to be said to them goes, then their records and their dead
//! letters. Each part may be repeated, and so the whole.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};
use tower::ServiceExt;
use tracing::info;

use super::dialogues::order;
use super::{Ops, Trouble, letters};
use crate::dialogue::Input;
use crate::letter::Letter;
use crate::store::{DialogueKey, Item, LaneKind};
use crate::turn::OutcomeKind;

/// How many dialogues are looked at in one go.
const PAGE: usize = 1000;
/// How many effects of a chat are looked at.
const WAITING: usize = 1000;
/// How often those under way are looked through afterwards: one may begin, or move to another chat, meanwhile.
const PASSES: usize = 2;
/// How long records may take to be written.
const PATIENCE: Duration = Duration::from_secs(6);
/// How often to look.
const PAUSE: Duration = Duration::from_millis(100);

/// Whom.
#[derive(Debug, Deserialize)]
pub(super) struct Whom {
    user: i64,
}

pub(super) async fn forget(
    State(ops): State<Ops>,
    Query(Whom { user }): Query<Whom>,
) -> Result<Json<Value>, Trouble> {
    let forgetting = Forgetting { ops, user };
    // In a task of its own: an operator who hangs up must not stop it half-way.
    let forgotten = tokio::spawn(async move { forgetting.run().await }).await;
    forgotten.map_err(|_| Trouble::Panicked)?.map(Json)
}

/// A person who is being forgotten.
struct Forgetting {
    ops: Ops,
    user: i64,
}

impl Forgetting {
    async fn run(&self) -> Result<Value, Trouble> {
        let private = DialogueKey { chat: self.user, user: self.user, topic: None };
        let mut kept = BTreeSet::from([private]);
        kept.extend(self.ops.store.dialogues_of(self.user).await?);
        let mut homes: BTreeSet<i64> = kept.iter().map(|key| key.chat).collect();
        self.until_written(&homes).await?;
        let mut dialogues = 0;
        for key in kept {
            dialogues += self.forget_dialogue(key).await?;
        }
        for _ in 0..PASSES {
            for key in self.active().await? {
                homes.insert(key.chat);
                dialogues += self.forget_dialogue(key).await?;
            }
        }
        // What ending them half-way has caused.
        self.until_written(&homes).await?;
        let messages = self.ops.store.drop_messages(self.user).await?;
        let records = self.forget_records().await?;
        let letters = self.drop_letters().await?;
        info!(
            user.id = self.user,
            dialogues, messages, letters, "an operator had a person forgotten"
        );
        Ok(json!({
            "user": self.user, "dialogues": dialogues, "messages": messages, "letters": letters, "records": records,
        }))
    }

    /// Every dialogue that they are in the middle of.
    async fn active(&self) -> Result<Vec<DialogueKey>, Trouble> {
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let page = self.ops.store.people(None, cursor, PAGE).await?;
            let keys = page.people.iter().map(|person| person.key);
            found.extend(keys.filter(|key| key.user == self.user));
            match page.next {
                None => return Ok(found),
                next => cursor = next,
            }
        }
    }

    /// Ends a dialogue by a turn like any other, so that it is counted as any other; answers how many there were.
    async fn forget_dialogue(&self, key: DialogueKey) -> Result<u64, Trouble> {
        let order = order(key, Input::Forget);
        let moved = self.ops.pipeline.clone().oneshot(order).await?;
        Ok(u64::from(moved.outcome == OutcomeKind::Applied))
    }

    /// Waits for records that are still to be written: they would bring back what is forgotten.
    async fn until_written(&self, homes: &BTreeSet<i64>) -> Result<(), Trouble> {
        let end = Instant::now() + PATIENCE;
        for home in homes {
            while self.is_pending(*home).await? {
                if Instant::now() > end {
                    return Err(Trouble::Pending(self.user));
                }
                sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    /// Whether something of theirs is still to be written in this chat; at home everything is theirs.
    async fn is_pending(&self, home: i64) -> Result<bool, Trouble> {
        let waiting = self.ops.store.waiting(home, WAITING).await?;
        let is_theirs = |item: &Item| {
            home == self.user || mentions(&String::from_utf8_lossy(&item.body), self.user)
        };
        let mut written = waiting.iter().filter(|(kind, _)| !kind.is_sent());
        Ok(written.any(|(_, items): &(LaneKind, _)| items.iter().any(is_theirs)))
    }

    /// Has the records forget them; answers how many rows of each table went or changed.
    async fn forget_records(&self) -> Result<Map<String, Value>, Trouble> {
        let Some(records) = &self.ops.records else {
            return Ok(Map::new());
        };
        let counts = records.forget(self.user).await?.into_iter();
        Ok(counts.map(|(table, rows)| (table.to_owned(), rows.into())).collect())
    }

    /// Drops their dead letters; answers how many there were.
    async fn drop_letters(&self) -> Result<u64, Trouble> {
        let (mut kept, user) = (letters::all(&self.ops).await?, self.user);
        let theirs = letters::aside(move || {
            kept.retain(|kept| concerns(&Letter::read(kept), user));
            kept
        });
        let mut dropped = 0;
        for kept in theirs.await? {
            dropped += u64::from(self.ops.store.remove_letter(&kept).await?);
        }
        Ok(dropped)
    }
}

/// Whether a dead letter is about this person. One that only might be is: it is kept for nothing but to be looked at.
fn concerns(letter: &Letter, user: i64) -> bool {
    let of_dialogue = |key: DialogueKey| key.user == user || key.chat == user;
    letter.dialogue.is_some_and(of_dialogue)
        || letter.lane.is_some_and(|lane| lane.chat == user)
        || mentions(&letter.body.to_string(), user)
}

/// Whether the number of this person stands in the text, whole.
fn mentions(text: &str, user: i64) -> bool {
    let number = user.to_string();
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut found = text.match_indices(&number);
    found.any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + number.len()..]);
        !is_digit(before.chars().next_back()) && !is_digit(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_only_when_it_is_whole() {
        assert!(mentions(r#"{"from":{"id":42}}"#, 42));
        assert!(mentions("142, 42", 42));
        assert!(!mentions("142 421 4 2", 42));
    }

    #[test]
    fn a_letter_is_somebodys_by_dialogue_lane_or_body() {
        let letter = |body: &str| Letter::of_body(body.as_bytes(), "no");
        let of = |user| Letter {
            dialogue: Some(DialogueKey { chat: -5, user, topic: None }),
            ..letter("")
        };
        assert!(concerns(&of(42), 42) && !concerns(&of(43), 42));
        assert!(concerns(&letter(r#"{"id":42"#), 42) && !concerns(&letter("{}"), 42));
    }
}
