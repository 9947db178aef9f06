//! Jobs: records to write, and messages that stand in line behind them or belong to another chat. They never wait for Telegram.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;
use tower::ServiceExt as _;

use super::carry::ELSEWHERE;
use super::judge::UNWANTED;
use super::retry::Failure;
use super::work::{Done, NOTE_DELAY};
use super::{Inner, Outbox};
use crate::dialogue::{Effect, Input, Person, Record, Refusal};
use crate::letter::{Letter, Why};
use crate::records::{Order, Verdict};
use crate::store::{Cause, DialogueKey, Item, Lane, LaneKind, Settle, Token};
use crate::trace::REFUSED;
use crate::turn::OutcomeKind;
use crate::turn::{Event, Settled};

/// How long a job waits when the database, or the store, is away.
const AWAY: Duration = Duration::from_secs(1);
/// How long a record that nothing waits for leaves the database alone.
const AWAY_ASIDE: Duration = Duration::from_secs(10);
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
            Effect::Record(record) if record.aside => self.move_aside(lane, item).await,
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
                Lane { kind: LaneKind::Messages, chat },
                &item.clone().counting(effect.sendings()),
            )
            .await
        {
            Ok(true) => Ok(Done::Carried(None)),
            Ok(false) => Ok(Done::Buried(self.letter(lane, item, Why::Blocked, UNWANTED))),
            Err(_) => Err(Failure::Wait(AWAY)),
        }
    }

    /// Puts a record into the lane where nothing waits for it.
    async fn move_aside(&self, lane: Lane, item: &Item) -> Result<Done, Failure> {
        let kind = LaneKind::Aside;
        self.move_into(Lane { kind, ..lane }, item).await
    }

    async fn move_into(&self, lane: Lane, item: &Item) -> Result<Done, Failure> {
        match self.push(lane, item).await {
            Ok(_) => Ok(Done::Carried(None)),
            Err(_) => Err(Failure::Wait(AWAY)),
        }
    }

    /// Writes a record that nothing waits for.
    pub(super) async fn write_aside(
        &self,
        lane: Lane,
        item: &Item,
        effect: Effect,
    ) -> Result<Done, Failure> {
        let Effect::Record(record) = effect else {
            return Err(Failure::Senseless("what is no record stands aside"));
        };
        match self.command(order_of(lane, item, &record)).await {
            Verdict::Applied => Ok(Done::Carried(None)),
            Verdict::Unavailable(reason) => {
                tracing::debug!(%lane, reason, "a record aside waits for the database");
                Err(Failure::Wait(AWAY_ASIDE))
            }
            Verdict::Unknown(_) if self.may_be_known() => Err(Failure::Wait(ELSEWHERE)),
            Verdict::Refused(reason) | Verdict::Unknown(reason) | Verdict::Broken(reason) => {
                Ok(Done::Buried(self.letter(lane, item, Why::Unrecorded, &reason)))
            }
        }
    }

    /// Writes a record. Refused, the rest of its step is skipped and the flow hears of it, in one commit. That is a turn of whoever
    /// gave it: one that stands in another's line goes home for it, where it is refused once more.
    async fn record(
        &self,
        lane: Lane,
        token: Token,
        item: &Item,
        record: Record,
    ) -> Result<Done, Failure> {
        let order = order_of(lane, item, &record);
        let (reason, letter) = match self.run(&order).await {
            Verdict::Applied => return Ok(Done::Carried(None)),
            Verdict::Unavailable(reason) => {
                tracing::warn!(%lane, reason, "a record waits for the database");
                return Err(Failure::Wait(AWAY));
            }
            Verdict::Unknown(reason) if self.may_be_known() => {
                tracing::debug!(%lane, reason, "a record is left to a replica of another version");
                return Err(Failure::Wait(ELSEWHERE));
            }
            _ if order.key.chat != lane.chat => {
                let chat = order.key.chat;
                return self.move_into(Lane { chat, ..lane }, item).await;
            }
            Verdict::Refused(reason) => (reason, None),
            Verdict::Unknown(reason) | Verdict::Broken(reason) => {
                let tries = self.inner.failures.settled(lane);
                let letter = Letter::of_effect(lane, item, &reason, tries);
                (String::new(), Some(letter.write()))
            }
        };
        let settled =
            Settled { jobs: Settle { token, ids: rest_of_step(&item.id, record.last) }, letter };
        let refusal = Refusal { flow: record.flow, reason, command: record.command };
        self.refused(refusal_of(order.key, item, refusal, settled)).await
    }

    /// Runs a command; a slow one shows that something happens. Its verdict never waits for that.
    async fn run(&self, order: &Order) -> Verdict {
        tokio::select! {
            verdict = self.command(order.clone()) => verdict,
            never = self.show_if_slow(order) => match never {},
        }
    }

    /// Shows once for each record that something happens, if it takes long. Only a courtesy: whether it is seen does not matter.
    async fn show_if_slow(&self, order: &Order) -> Infallible {
        tokio::time::sleep(SLOW).await;
        let DialogueKey { chat, topic, .. } = order.key;
        if self.inner.courtesies.is_new(&order.effect) && self.may_show(chat).await {
            let _ = self.inner.sender.typing(chat, topic).await;
        }
        pending().await
    }

    /// Whether a courtesy may be sent: it steps aside for replies, as broadcasts do, and tries nothing that may fail.
    async fn may_show(&self, chat: i64) -> bool {
        let Inner { failures, purse, .. } = &*self.inner;
        !failures.is_away()
            && !failures.is_told_to_wait(chat)
            && !self.is_blocked(chat).await
            && purse.take(LaneKind::Bulk, 1).await.is_ok()
    }

    /// Runs a command in a task of its own, so that a panic ends there.
    async fn command(&self, order: Order) -> Verdict {
        let records = Arc::clone(&self.inner.records);
        let ran = tokio::spawn(async move { records.run(&order).await }).await;
        ran.unwrap_or_else(|_| {
            Verdict::Broken("the command panicked; the log says where".to_owned())
        })
    }

    /// Plays the refusal as a turn of its own, whose commit takes the rest of the step out of the lane and keeps the letter.
    async fn refused(&self, incoming: Event) -> Result<Done, Failure> {
        match self.inner.pipeline.clone().oneshot(incoming).await {
            Ok(moved) if moved.outcome != OutcomeKind::Ignored => Ok(Done::Settled),
            _ => Err(Failure::Wait(AWAY)),
        }
    }

    /// Writes a record once a message is sent; it is told the message's id and chat. A message that was sent twice has two. It stands in
    /// the line of where the message went: who answers it there is understood only once it is written, and waits for that line alone.
    pub(super) async fn follow(
        &self,
        chat: i64,
        effect: &str,
        record: &Record,
        sent: Option<i64>,
    ) -> Result<(), Failure> {
        let mut record = record.clone();
        record.command["message_id"] = json!(sent);
        record.command["message_chat"] = json!(chat);
        let body = serde_json::to_vec(&Effect::Record(record)).expect("an effect is plain data");
        let item =
            Item { id: format!("{effect}.{}.0", sent.unwrap_or_default()), body: body.into() };
        let lane = Lane { kind: LaneKind::Jobs, chat };
        // The message is sent: to give up here would be to send it again.
        let Inner { stopping, .. } = &*self.inner;
        while self.push(lane, &item).await.is_err() {
            let pause = stopping.run_until_cancelled(tokio::time::sleep(NOTE_DELAY));
            pause.await.ok_or(Failure::Wait(AWAY))?;
        }
        Ok(())
    }
}

/// What the records are asked to do.
fn order_of(lane: Lane, item: &Item, record: &Record) -> Order {
    Order {
        effect: item.id.clone(),
        key: DialogueKey {
            chat: record.home.unwrap_or(lane.chat),
            user: record.user,
            topic: record.topic,
        },
        command: record.command.clone(),
    }
}

/// The ids of an effect and of all that follow it in its step: `…​.2` of five is `…​.2`, `…​.3`, `…​.4`.
fn rest_of_step(id: &str, last: usize) -> Vec<String> {
    let (step, index) = id.rsplit_once('.').unwrap_or((id, "0"));
    let first: usize = index.parse().unwrap_or(last);
    (first..=last.max(first)).map(|index| format!("{step}.{index}")).collect()
}

fn refusal_of(key: DialogueKey, item: &Item, refusal: Refusal, settles: Settled) -> Event {
    Event {
        cause: Cause::Order,
        kind: "refusal",
        key,
        person: Person::default(),
        sent: None,
        stamp: format!("{}{REFUSED}", item.id),
        callback: None,
        input: Input::Refused(refusal),
        reply_to: None,
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
        assert_eq!(rest_of_step("7.1760.1", 3), ["7.1760.1", "7.1760.2", "7.1760.3"]);
        assert_eq!(rest_of_step("7.1760.0", 0), ["7.1760.0"]);
    }
}
