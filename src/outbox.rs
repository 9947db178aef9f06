//! Carries committed effects out: each lane in order, by one holder at a time.
//!
//! The replica that committed works at once, from memory, in a task of its own; what a dead replica left is picked up by the
//! [sweeper](crate::sweeper). Leases are renewed while there is work and given back at the end.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use metrics::{Counter, Histogram, counter, histogram};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::dialogue::Effect;
use crate::store::{After, Commit, Item, LANE_LEASE, Lane, LaneKind, Receipt, Store, Token};
use crate::telegram::{CallError, Telegram};

mod send;

use send::Sender;

/// How long a lane waits after a failure that may pass.
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// Carries effects out.
#[derive(Debug, Clone)]
pub struct Outbox {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Arc<dyn Store>,
    sender: Sender,
    held: Mutex<HashMap<Lane, Token>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
    meters: Meters,
}

/// Where a lane came from: a label of the metric.
#[derive(Debug, Clone, Copy)]
enum Source {
    Commit,
    Sweep,
    Push,
}

#[derive(Debug)]
struct Meters {
    commit: Counter,
    sweep: Counter,
    push: Counter,
    stale: Counter,
    delay: Histogram,
}

impl Meters {
    fn new() -> Self {
        let claims =
            |source: &'static str| counter!("steadfast_outbox_claims_total", "source" => source);
        Self {
            commit: claims("commit"),
            sweep: claims("sweep"),
            push: claims("push"),
            stale: counter!("steadfast_outbox_stale_token_total"),
            delay: histogram!("steadfast_reply_delay_seconds"),
        }
    }

    fn claimed(&self, source: Source) {
        let counter = match source {
            Source::Commit => &self.commit,
            Source::Sweep => &self.sweep,
            Source::Push => &self.push,
        };
        counter.increment(1);
    }
}

impl Outbox {
    /// An outbox that carries what is in this store to Telegram.
    pub fn new(store: Arc<dyn Store>, telegram: Telegram) -> Self {
        let inner = Inner {
            store,
            sender: Sender::new(telegram),
            held: Mutex::default(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            meters: Meters::new(),
        };
        let outbox = Self {
            inner: Arc::new(inner),
        };
        outbox.inner.tasks.spawn(outbox.clone().keep_leases());
        outbox
    }

    /// Works on what a commit has put into the lanes of its home, where it was given them.
    pub fn committed(&self, home: i64, commit: Commit, receipt: &Receipt, received: Instant) {
        let Commit {
            turn,
            messages,
            jobs,
            ..
        } = commit;
        if receipt.jobs_leased {
            self.start(
                Lane {
                    kind: LaneKind::Jobs,
                    chat: home,
                },
                turn,
                jobs.into(),
                Source::Commit,
                None,
            );
        }
        if receipt.messages_leased {
            let lane = Lane {
                kind: LaneKind::Messages,
                chat: home,
            };
            self.start(lane, turn, messages.into(), Source::Commit, Some(received));
        }
    }

    /// Works on a lane that was left behind.
    pub fn swept(&self, lane: Lane, token: Token, head: Item) {
        self.start(lane, token, VecDeque::from([head]), Source::Sweep, None);
    }

    /// Finishes what is being sent, begins nothing new, and gives the leases back.
    pub async fn close(&self) {
        self.inner.stopping.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }

    fn start(
        &self,
        lane: Lane,
        token: Token,
        items: VecDeque<Item>,
        source: Source,
        received: Option<Instant>,
    ) {
        self.inner.meters.claimed(source);
        self.held().insert(lane, token);
        let outbox = self.clone();
        self.inner.tasks.spawn(async move {
            outbox.work(lane, token, items, received).await;
            let mut held = outbox.held();
            if held.get(&lane) == Some(&token) {
                held.remove(&lane);
            }
        });
    }

    /// Works a lane until it is empty, or must wait, or is someone else's.
    async fn work(
        &self,
        lane: Lane,
        token: Token,
        mut items: VecDeque<Item>,
        mut received: Option<Instant>,
    ) {
        while let Some(item) = items.pop_front() {
            if self.inner.stopping.is_cancelled() {
                return self.give_back(lane, token, Duration::ZERO).await;
            }
            let after = match self.carry_out(lane, &item).await {
                Ok(()) => {
                    if let Some(received) = received.take() {
                        self.inner.meters.delay.record(received.elapsed());
                    }
                    self.inner.store.done(lane, token, &item.id).await
                }
                Err(Failure::Wait(delay)) => return self.give_back(lane, token, delay).await,
                Err(Failure::Never(reason)) => {
                    let letter = letter(lane, &item, &reason);
                    self.inner.store.bury(lane, token, &item.id, letter).await
                }
            };
            match after {
                Ok(After::Next(next)) if items.is_empty() => items.push_back(next),
                Ok(After::Next(_)) => {}
                Ok(After::Empty) => return,
                Ok(After::Stale) => return self.inner.meters.stale.increment(1),
                // Whether it was done is not known; the sweeper will ask the store when the lease has run out.
                Err(error) => return tracing::warn!(%lane, %error, "a lane waits for the store"),
            }
        }
    }

    async fn carry_out(&self, lane: Lane, item: &Item) -> Result<(), Failure> {
        match serde_json::from_slice(&item.body) {
            Ok(Effect::Send(message)) if lane.kind == LaneKind::Jobs => {
                self.hand_over(message.chat, item).await
            }
            Ok(Effect::Send(message)) => self
                .inner
                .sender
                .send(&message)
                .await
                .map_err(Failure::from),
            Ok(Effect::Record { .. }) => Err(Failure::Never("no records are set up".to_owned())),
            Err(_) => Err(Failure::Never(
                "an effect that this build cannot read".to_owned(),
            )),
        }
    }

    /// Puts a message into the lane of its destination, whose order and limits it obeys from then on.
    async fn hand_over(&self, chat: i64, item: &Item) -> Result<(), Failure> {
        let (lane, token) = (
            Lane {
                kind: LaneKind::Messages,
                chat,
            },
            Token::fresh(),
        );
        match self.inner.store.push(lane, token, item).await {
            Ok(true) => self.start(
                lane,
                token,
                VecDeque::from([item.clone()]),
                Source::Push,
                None,
            ),
            Ok(false) => {}
            Err(_) => return Err(Failure::Wait(RETRY_DELAY)),
        }
        Ok(())
    }

    async fn give_back(&self, lane: Lane, token: Token, delay: Duration) {
        if let Err(error) = self.inner.store.retry(lane, token, delay).await {
            tracing::warn!(%lane, %error, "a lane could not be given back; its lease will run out");
        }
    }

    /// Renews the leases of all lanes at once.
    async fn keep_leases(self) {
        let mut tick = tokio::time::interval(LANE_LEASE / 3);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = self.inner.stopping.cancelled() => return,
            }
            let held: Vec<_> = self
                .held()
                .iter()
                .map(|(lane, token)| (*lane, *token))
                .collect();
            if held.is_empty() {
                continue;
            }
            if let Err(error) = self.inner.store.renew(&held).await {
                tracing::warn!(lanes = held.len(), %error, "leases could not be renewed");
            }
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<Lane, Token>> {
        self.inner
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why an effect was not carried out.
enum Failure {
    /// It may work later.
    Wait(Duration),
    /// It will never work.
    Never(String),
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::RetryAfter(delay) => Self::Wait(delay),
            CallError::Server(_) | CallError::Connect(_) | CallError::Ambiguous(_) => {
                Self::Wait(RETRY_DELAY)
            }
            CallError::Permanent { .. } | CallError::Migrated(_) => Self::Never(error.to_string()),
        }
    }
}

/// A dead letter: what could not be carried out, and why.
fn letter(lane: Lane, item: &Item, reason: &str) -> Bytes {
    tracing::warn!(%lane, effect.id = item.id, reason, "an effect was put aside as a dead letter");
    let body = String::from_utf8_lossy(&item.body);
    json!({ "lane": lane.to_string(), "effect": item.id, "reason": reason, "body": body })
        .to_string()
        .into()
}
