//! Looks for what is due: timers of dialogues, and lanes that a dead replica left or that waited out a delay.
//!
//! Every replica sweeps. Two that meet at one timer are told apart by the version, at one lane by its lease.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use metrics::{Counter, Histogram, counter, histogram};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::dialogue::{Input, Person};
use crate::outbox::Outbox;
use crate::pipeline::{Outcome, Pipeline};
use crate::replica::Peers;
use crate::store::{Cause, Due, Key, Millis, Store, Token};
use crate::update::Incoming;

/// How often to look.
const INTERVAL: Duration = Duration::from_millis(500);
/// How much to take at once from each partition.
const LIMIT: usize = 16;
/// How long a timer is left alone that came to nothing: only a newer build can play it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sweeps until told to stop.
pub async fn sweep(
    store: Arc<dyn Store>,
    pipeline: Pipeline,
    outbox: Outbox,
    peers: Peers,
    stop: CancellationToken,
) {
    let mut sweeper = Sweeper::new(store, pipeline, outbox, peers);
    let mut tick = tokio::time::interval(INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tick.tick() => sweeper.round().await,
            () = stop.cancelled() => return,
        }
    }
}

struct Sweeper {
    store: Arc<dyn Store>,
    pipeline: Pipeline,
    outbox: Outbox,
    peers: Peers,
    /// Timers that came to nothing, and until when they are left alone.
    skipped: HashMap<Key, Instant>,
    /// The store's commit counter as last seen.
    sequence: u64,
    lag: Histogram,
    rollbacks: Counter,
}

impl Sweeper {
    fn new(store: Arc<dyn Store>, pipeline: Pipeline, outbox: Outbox, peers: Peers) -> Self {
        Self {
            store,
            pipeline,
            outbox,
            peers,
            skipped: HashMap::new(),
            sequence: 0,
            lag: histogram!("steadfast_dialogue_timeout_lag_seconds"),
            rollbacks: counter!("steadfast_store_rollbacks_total"),
        }
    }

    async fn round(&mut self) {
        // Before the first sign of life nobody knows whether there was an outage.
        if self.peers.count() == 0 {
            return;
        }
        let token = Token::fresh();
        let Ok(due) = self.store.due(token, LIMIT, self.peers.hold()).await else {
            return;
        };
        self.notice_rollback(due.sequence);
        let Due {
            timers, lanes, now, ..
        } = due;
        for (lane, head) in lanes {
            self.outbox.swept(lane, token, head);
        }
        self.skipped.retain(|_, until| *until > Instant::now());
        for (key, due) in self.fire(timers).await {
            match due {
                Some(due) => self.lag.record(late(due, now)),
                None => drop(self.skipped.insert(key, Instant::now() + PATIENCE)),
            }
        }
    }

    /// Plays timers side by side, so that their commits share trips to the store. Answers which were played, and which came to
    /// nothing; one that failed is still due and will be found again.
    async fn fire(&self, timers: Vec<(Key, Millis)>) -> Vec<(Key, Option<Millis>)> {
        let fresh = timers
            .into_iter()
            .filter(|(key, _)| !self.skipped.contains_key(key));
        let mut turns: JoinSet<_> = fresh
            .map(|(key, due)| {
                let turn = self.pipeline.clone().oneshot(timer(key, due));
                async move { (key, due, turn.await) }
            })
            .collect();
        let mut played = Vec::new();
        while let Some(turn) = turns.join_next().await {
            if let Ok((key, due, Ok(moved))) = turn {
                played.push((key, (moved.outcome != Outcome::Ignored).then_some(due)));
            }
        }
        played
    }

    /// The counter only grows, unless the store lost what it had.
    fn notice_rollback(&mut self, sequence: u64) {
        if sequence < self.sequence {
            self.rollbacks.increment(1);
            tracing::error!(
                before = self.sequence,
                now = sequence,
                "the store went back in time: commits that were acknowledged are gone"
            );
        }
        self.sequence = sequence;
    }
}

fn late(due: Millis, now: Millis) -> Duration {
    Duration::from_millis(now.saturating_sub(due))
}

/// What a timer that is due looks like to the pipeline.
fn timer(key: Key, due: Millis) -> Incoming {
    Incoming {
        cause: Cause::Timer(due),
        kind: "timer",
        key,
        person: Person::default(),
        sent: None,
        stamp: "timer".to_owned(),
        callback: None,
        input: Input::Timer,
        raw: Bytes::new(),
        received: Instant::now(),
    }
}
