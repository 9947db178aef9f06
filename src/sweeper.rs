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
/// The longest time that a timer is left alone which could not be played now.
const BACK_OFF: Duration = Duration::from_secs(5);

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
    /// Timers that came to nothing, and until when they are left alone. With their due time: a later one of the same dialogue
    /// is another timer.
    skipped: HashMap<(Key, Millis), Instant>,
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
        let (token, since) = (Token::fresh(), Instant::now());
        let Ok(due) = self.store.due(token, LIMIT, self.peers.hold()).await else {
            return;
        };
        self.notice_rollback(due.sequence);
        let Due {
            timers, lanes, now, ..
        } = due;
        for (lane, head) in lanes {
            self.outbox.swept(lane, token, since, head);
        }
        self.skipped.retain(|_, until| *until > Instant::now());
        for (timer, left_alone) in self.fire(timers).await {
            match left_alone {
                None => self.lag.record(late(timer.1, now)),
                Some(time) => drop(self.skipped.insert(timer, Instant::now() + time)),
            }
        }
    }

    /// Plays timers side by side, so that their commits share trips to the store. Answers for each how long to leave it alone:
    /// one that came to nothing or failed is still due and will be found again.
    async fn fire(&self, timers: Vec<(Key, Millis)>) -> Vec<((Key, Millis), Option<Duration>)> {
        let fresh = timers
            .into_iter()
            .filter(|timer| !self.skipped.contains_key(timer));
        let mut turns: JoinSet<_> = fresh
            .map(|(key, due)| {
                let turn = self.pipeline.clone().oneshot(timer(key, due));
                async move { (key, due, turn.await) }
            })
            .collect();
        let mut played = Vec::new();
        while let Some(turn) = turns.join_next().await {
            let Ok((key, due, moved)) = turn else {
                continue;
            };
            let left_alone = match moved {
                Ok(moved) if moved.outcome == Outcome::Ignored => Some(PATIENCE),
                Ok(_) => None,
                // At different times on different replicas, so that they do not fail side by side.
                Err(_) => Some(BACK_OFF.mul_f64(rand::random_range(0.2..1.0))),
            };
            played.push(((key, due), left_alone));
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
        // Two dialogues may be due in the same millisecond, and what they cause may meet in one lane.
        stamp: key.to_string(),
        callback: None,
        input: Input::Timer,
        settles: None,
        raw: Bytes::new(),
        received: Instant::now(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use tower::service_fn;
    use tower::util::BoxCloneSyncService;

    use super::*;
    use crate::pipeline::{Error, Moved};
    use crate::records::NoRecords;
    use crate::replica::{self, Info};
    use crate::store::{Clock, Commit, Loaded, Memory, Next};
    use crate::telegram::Telegram;

    const KEY: Key = Key {
        chat: 7,
        user: 7,
        topic: None,
    };

    /// Someone answered between the look and the turn, and the dialogue has another timer now.
    #[tokio::test]
    async fn a_timer_that_moved_is_not_left_alone_when_it_is_due_again() {
        let time = Arc::new(AtomicU64::new(1_800_000_000_000));
        let clock = Arc::clone(&time);
        let clock = Clock::new(move || clock.load(Ordering::Relaxed));
        let store: Arc<dyn Store> = Arc::new(Memory::with_clock(clock));
        wait_a_second(&store).await;
        let (fired, counter) = (Arc::new(AtomicU64::new(0)), Arc::clone(&store));
        let count = Arc::clone(&fired);
        let pipeline = BoxCloneSyncService::new(service_fn(move |_: Incoming| {
            let (store, count) = (Arc::clone(&counter), Arc::clone(&count));
            async move {
                count.fetch_add(1, Ordering::Relaxed);
                wait_a_second(&store).await;
                Ok::<_, Error>(nothing())
            }
        }));
        let telegram = Telegram::new("http://127.0.0.1:9", &"1:abc".into());
        let outbox = Outbox::new(Arc::clone(&store), telegram, Arc::new(NoRecords));
        let mut sweeper = Sweeper::new(Arc::clone(&store), pipeline, outbox, alive(&store).await);
        for round in 1..4 {
            time.fetch_add(1000, Ordering::Relaxed);
            sweeper.round().await;
            assert_eq!(fired.load(Ordering::Relaxed), round);
        }
    }

    fn nothing() -> Moved {
        Moved {
            outcome: Outcome::Ignored,
            edges: Vec::new(),
            attempts: 1,
            toast: String::new(),
        }
    }

    /// Has the dialogue wait for a second from now.
    async fn wait_a_second(store: &Arc<dyn Store>) {
        let turn = Token::fresh();
        let Ok(Loaded::Fresh(snapshot)) = store.load(&KEY, Cause::Order, turn).await else {
            panic!("a dialogue");
        };
        let commit = Commit {
            turn,
            cause: Cause::Order,
            expected: snapshot.version,
            loaded_at: snapshot.now,
            next: Next {
                labels: vec!["photo/caption".into()],
                body: "{}".into(),
                due: Some(snapshot.now + 1000),
                idle: Duration::ZERO,
            },
            messages: Vec::new(),
            jobs: Vec::new(),
            dead: None,
            settles: None,
        };
        store.commit(&KEY, &commit).await.expect("a commit");
    }

    /// This replica, after its first sign of life.
    async fn alive(store: &Arc<dyn Store>) -> Peers {
        let (peers, stop) = (Peers::default(), CancellationToken::new());
        let info = Info {
            version: String::new(),
            schemas: std::collections::BTreeMap::new(),
            secrets: std::collections::BTreeSet::new(),
        };
        let beats = replica::beat(Arc::clone(store), info, peers.clone(), None, stop.clone());
        let beats = tokio::spawn(beats);
        while peers.count() == 0 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        beats.await.expect("a sign-off");
        peers
    }
}
