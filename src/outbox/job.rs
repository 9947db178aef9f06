//! Jobs: records to write, and messages that stand in line behind them or belong to another chat. They never wait for Telegram.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;
use tower::ServiceExt as _;

use super::retry::Failure;
use super::work::{Done, NOTE_DELAY};
use super::{Inner, Outbox};
use crate::dialogue::{Effect, Input, Person, Record, Refusal};
use crate::pipeline::Outcome;
use crate::records::{Order, Verdict};
use crate::store::{Cause, Item, Key, Lane, LaneKind, Settle, Token};
use crate::update::Incoming;

/// How long a job waits when the database, or the store, is away.
const AWAY: Duration = Duration::from_secs(1);
/// A record that takes longer than this lets the person see that something happens.
const SLOW: Duration = Duration::from_secs(1);

impl Outbox {
    pub(super) async fn job(
        &self,
        lane: Lane,
        token: Token,
        item: &Item,
        effect: Effect,
    ) -> Result<Done, Failure> {
        match effect {
            Effect::Record(record) => self.record(lane, token, item, record).await,
            other => self.hand_over(lane, item, &other).await,
        }
    }

    /// Puts a message into the lane of its destination, whose order and limits it obeys from then on.
    async fn hand_over(&self, lane: Lane, item: &Item, effect: &Effect) -> Result<Done, Failure> {
        let Some(chat) = effect.chat() else {
            return Ok(Done::Carried(None));
        };
        match self
            .push(
                Lane {
                    kind: LaneKind::Messages,
                    chat,
                },
                item,
            )
            .await
        {
            Ok(true) => Ok(Done::Carried(None)),
            Ok(false) => Ok(Done::Buried(self.letter(
                lane,
                item,
                "the person has blocked the bot",
            ))),
            Err(_) => Err(Failure::Wait(AWAY)),
        }
    }

    /// Writes a record. Refused, the rest of its step is skipped and the flow hears of it, in one commit.
    async fn record(
        &self,
        lane: Lane,
        token: Token,
        item: &Item,
        record: Record,
    ) -> Result<Done, Failure> {
        let key = Key {
            chat: lane.chat,
            user: record.user,
            topic: record.topic,
        };
        let order = Order {
            effect: item.id.clone(),
            key,
            command: record.command.clone(),
        };
        let reason = match self.run(&order).await {
            Verdict::Applied => return Ok(Done::Carried(None)),
            Verdict::Unavailable(reason) => {
                tracing::warn!(%lane, reason, "a record waits for the database");
                return Err(Failure::Wait(AWAY));
            }
            Verdict::Refused(reason) => reason,
            Verdict::Broken(reason) => {
                let buried = self
                    .inner
                    .store
                    .entomb(self.letter(lane, item, &reason))
                    .await;
                buried.map_err(|_| Failure::Wait(AWAY))?;
                String::new()
            }
        };
        self.refused(key, token, item, record, reason).await
    }

    /// Runs a command; a slow one shows that something happens.
    async fn run(&self, order: &Order) -> Verdict {
        let (records, own) = (Arc::clone(&self.inner.records), order.clone());
        // In a task of its own, so that a panic ends there.
        let task = tokio::spawn(async move { records.run(&own).await });
        let run = async {
            let panicked =
                || Verdict::Broken("the command panicked; the log says where".to_owned());
            task.await.unwrap_or_else(|_| panicked())
        };
        tokio::pin!(run);
        tokio::select! {
            verdict = &mut run => return verdict,
            () = tokio::time::sleep(SLOW) => {}
        }
        // Only a courtesy: whether it is seen does not matter.
        let _ = self
            .inner
            .sender
            .typing(order.key.chat, order.key.topic)
            .await;
        run.await
    }

    /// Plays the refusal as a turn of its own, whose commit takes the rest of the step out of the lane.
    async fn refused(
        &self,
        key: Key,
        token: Token,
        item: &Item,
        record: Record,
        reason: String,
    ) -> Result<Done, Failure> {
        let Some(pipeline) = self.inner.pipeline.get() else {
            return Err(Failure::Wait(AWAY));
        };
        let settles = Settle {
            token,
            ids: rest_of_step(&item.id, record.last),
        };
        let refusal = Refusal {
            flow: record.flow,
            reason,
            command: record.command,
        };
        let incoming = refusal_of(key, item, refusal, settles);
        match pipeline.clone().oneshot(incoming).await {
            Ok(moved) if moved.outcome != Outcome::Ignored => Ok(Done::Carried(None)),
            _ => Err(Failure::Wait(AWAY)),
        }
    }

    /// Writes a record once a message is sent; it is told the message's id. A message that was sent twice has two.
    pub(super) async fn follow(
        &self,
        chat: i64,
        effect: &str,
        record: &Record,
        sent: Option<i64>,
    ) -> Result<(), Failure> {
        let mut record = record.clone();
        record.command["message_id"] = json!(sent);
        let body = serde_json::to_vec(&Effect::Record(record)).expect("an effect is plain data");
        let item = Item {
            id: format!("{effect}.{}.0", sent.unwrap_or_default()),
            body: body.into(),
        };
        let lane = Lane {
            kind: LaneKind::Jobs,
            chat,
        };
        // The message is sent: to give up here would be to send it again.
        let Inner { stopping, .. } = &*self.inner;
        while self.push(lane, &item).await.is_err() {
            let pause = stopping.run_until_cancelled(tokio::time::sleep(NOTE_DELAY));
            pause.await.ok_or(Failure::Wait(AWAY))?;
        }
        Ok(())
    }
}

/// The ids of an effect and of all that follow it in its step: `…​.2` of five is `…​.2`, `…​.3`, `…​.4`.
fn rest_of_step(id: &str, last: usize) -> Vec<String> {
    let (step, index) = id.rsplit_once('.').unwrap_or((id, "0"));
    let first: usize = index.parse().unwrap_or(last);
    (first..=last.max(first))
        .map(|index| format!("{step}.{index}"))
        .collect()
}

fn refusal_of(key: Key, item: &Item, refusal: Refusal, settles: Settle) -> Incoming {
    Incoming {
        cause: Cause::Order,
        kind: "refusal",
        key,
        person: Person::default(),
        sent: None,
        stamp: format!("{}.refused", item.id),
        callback: None,
        input: Input::Refused(refusal),
        settles: Some(settles),
        raw: Bytes::new(),
        received: Instant::now(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_step_follows_from_its_last_index() {
        assert_eq!(
            rest_of_step("7.1760.1", 3),
            ["7.1760.1", "7.1760.2", "7.1760.3"]
        );
        assert_eq!(rest_of_step("7.1760.0", 0), ["7.1760.0"]);
    }
}
