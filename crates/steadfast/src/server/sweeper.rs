//! Looks for what is due: timers of dialogues, and lanes that a dead replica left or that waited out a delay.
//!
//! Every replica sweeps. Two that meet at one timer are told apart by the version, at one lane by its lease.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use metrics::{Counter, Histogram, counter, histogram};
use tokio::task::{self, JoinSet};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::dialogue::{Input, Person};
use crate::outbox::Outbox;
use crate::replica::Peers;
use crate::store::{
    Cause, DialogueKey, Due, LANE_LEASE, Millis, PARTITIONS, Store, Token, partition,
};
use crate::turn::Event;
use crate::turn::{OutcomeKind, Pipeline, TurnError};

/// How often to look.
const INTERVAL: Duration = Duration::from_millis(500);
/// How much to take at once from each partition, beside what is left alone there.
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
    while !stop.is_cancelled() {
        sweeper.round().await;
        stop.run_until_cancelled(tokio::time::sleep(pause())).await;
    }
    sweeper.finish().await;
}

/// How long until the next look: not always as long, so that of two replicas who look at the same moment not the same one is always
/// first at what only the other can carry out.
fn pause() -> Duration {
    INTERVAL.mul_f64(rand::random_range(0.75..1.25))
}

/// How long nothing is claimed from a store that was away.
const FIRST_NOTED: Duration = Duration::from_millis(LANE_LEASE.as_millis() as u64 / 2);

/// A store that was away.
#[derive(Debug, Clone, Copy)]
enum Away {
    /// It is.
    Still,
    /// It is back, and left alone until then.
    Until(Instant),
}

/// Whose timer, and when it was due.
type Timer = (DialogueKey, Millis);

struct Sweeper {
    store: Arc<dyn Store>,
    pipeline: Pipeline,
    outbox: Outbox,
    peers: Peers,
    /// Timers that came to nothing, and until when they are left alone. With their due time: a later one of the same dialogue
    /// is another timer.
    skipped: HashMap<Timer, Instant>,
    /// Timers that are being played, each in a task of its own: one may wait for a database, and lanes are not to wait for it.
    turns: JoinSet<Result<OutcomeKind, TurnError>>,
    /// Which these are, and how late they were found.
    playing: HashMap<task::Id, (Timer, Duration)>,
    /// The store's commit counter as last seen.
    sequence: u64,
    /// The store did not answer, or did not until a moment ago.
    away: Option<Away>,
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
            turns: JoinSet::new(),
            playing: HashMap::new(),
            sequence: 0,
            away: None,
            lag: histogram!("steadfast_dialogue_timeout_lag_seconds"),
            rollbacks: counter!("steadfast_store_rollbacks_total"),
        }
    }

    async fn round(&mut self) {
        // Before the first sign of life nobody knows whether there was an outage.
        if self.peers.count() == 0 {
            return;
        }
        if self.is_away().await {
            return;
        }
        self.note_played();
        self.skipped.retain(|_, until| *until > Instant::now());
        let (token, since) = (Token::fresh(), Instant::now());
        let limit = LIMIT + self.most_skipped();
        let Ok(due) = self.store.due(token, limit, self.peers.hold()).await else {
            self.away = Some(Away::Still);
            return;
        };
        self.notice_rollback(due.sequence);
        let Due { timers, lanes, lapsed, now, .. } = due;
        for (lane, head) in lanes {
            let is_lapsed = lapsed.contains(&lane);
            self.outbox.swept(lane, token, since, head, is_lapsed);
        }
        if !self.peers.is_current(now) {
            return;
        }
        self.fire(timers, now);
    }

    /// Whether the store is away, or was until a moment ago. All leases may have run out meanwhile, and whoever holds a lane may know
    /// that what is at its head was sent: they note it first.
    async fn is_away(&mut self) -> bool {
        self.away = match self.away {
            Some(Away::Still) => match self.store.ping().await {
                Ok(()) => Some(Away::Until(Instant::now() + FIRST_NOTED)),
                Err(_) => Some(Away::Still),
            },
            Some(Away::Until(end)) if end > Instant::now() => self.away,
            _ => None,
        };
        self.away.is_some()
    }

    /// How many timers are left alone in the partition that has most of them. They are due first, and would otherwise take the
    /// places of those that can be played.
    fn most_skipped(&self) -> usize {
        let mut counts = [0; PARTITIONS as usize];
        for (key, _) in self.skipped.keys() {
            counts[usize::from(partition(key.chat))] += 1;
        }
        counts.into_iter().max().unwrap_or(0)
    }

    /// Plays timers side by side, so that their commits share trips to the store.
    fn fire(&mut self, timers: Vec<Timer>, now: Millis) {
        for (key, due) in timers {
            let is_played = |(timer, _): &(Timer, _)| *timer == (key, due);
            if self.skipped.contains_key(&(key, due)) || self.playing.values().any(is_played) {
                continue;
            }
            let turn = self.pipeline.clone().oneshot(timer(key, due));
            let turn = async { turn.await.map(|moved| moved.outcome) };
            let id = self.turns.spawn(turn).id();
            self.playing.insert(id, ((key, due), late(due, now)));
        }
    }

    /// Takes note of timers that were played.
    fn note_played(&mut self) {
        while let Some(turn) = self.turns.try_join_next_with_id() {
            self.note(turn);
        }
    }

    /// Waits for those that are being played.
    async fn finish(&mut self) {
        while let Some(turn) = self.turns.join_next_with_id().await {
            self.note(turn);
        }
    }

    /// One that came to nothing or failed is still due and will be found again: it is left alone for a while.
    fn note(&mut self, turn: Result<(task::Id, Result<OutcomeKind, TurnError>), task::JoinError>) {
        let (id, outcome) = match turn {
            Ok((id, outcome)) => (id, Some(outcome)),
            Err(panic) => (panic.id(), None),
        };
        let Some((timer, late)) = self.playing.remove(&id) else {
            return;
        };
        let left_alone = match outcome {
            Some(Ok(OutcomeKind::Ignored)) => PATIENCE,
            Some(Ok(_)) => return self.lag.record(late),
            // At different times on different replicas, so that they do not fail side by side.
            Some(Err(_)) | None => BACK_OFF.mul_f64(rand::random_range(0.2..1.0)),
        };
        self.skipped.insert(timer, Instant::now() + left_alone);
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
fn timer(key: DialogueKey, due: Millis) -> Event {
    Event {
        cause: Cause::Timer(due),
        kind: "timer",
        key,
        person: Person::default(),
        sent: None,
        // Two dialogues may be due in the same millisecond, and what they cause may meet in one lane.
        stamp: key.to_string(),
        callback: None,
        input: Input::Timer,
        reply_to: None,
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
    use crate::outbox::telegram::Telegram;
    use crate::records::NoRecords;
    use crate::replica::{self, Info};
    use crate::store::{Clock, Commit, Loaded, Memory, Next};
    use crate::turn::{LeasedQueues, Outcome};

    const KEY: DialogueKey = DialogueKey { chat: 7, user: 7, topic: None };

    /// A clock that is moved by hand, and a store that goes by it, with a timer that is due in a second.
    async fn waiting() -> (Arc<AtomicU64>, Arc<dyn Store>) {
        let time = Arc::new(AtomicU64::new(1_800_000_000_000));
        let clock = Arc::clone(&time);
        let clock = Clock::new(move || clock.load(Ordering::Relaxed));
        let store: Arc<dyn Store> = Arc::new(Memory::with_clock(clock));
        wait_a_second(&store).await;
        (time, store)
    }

    async fn sweeper(store: &Arc<dyn Store>, pipeline: Pipeline) -> Sweeper {
        let telegram = Telegram::new("http://127.0.0.1:9", &"1:abc".into());
        let peers = alive(store).await;
        let (_, leased) = LeasedQueues::channel();
        let outbox = Outbox::new(
            Arc::clone(store),
            telegram,
            Arc::new(NoRecords::default()),
            pipeline.clone(),
            peers.clone(),
            leased,
        );
        Sweeper::new(Arc::clone(store), pipeline, outbox, peers)
    }

    impl Sweeper {
        async fn round_to_its_end(&mut self) {
            self.round().await;
            self.finish().await;
        }
    }

    /// Someone answered between the look and the turn, and the dialogue has another timer now.
    #[tokio::test]
    async fn a_timer_that_moved_is_not_left_alone_when_it_is_due_again() {
        let (time, store) = waiting().await;
        let (fired, counter) = (Arc::new(AtomicU64::new(0)), Arc::clone(&store));
        let count = Arc::clone(&fired);
        let pipeline = BoxCloneSyncService::new(service_fn(move |_: Event| {
            let (store, count) = (Arc::clone(&counter), Arc::clone(&count));
            async move {
                count.fetch_add(1, Ordering::Relaxed);
                wait_a_second(&store).await;
                Ok::<_, TurnError>(nothing())
            }
        }));
        let mut sweeper = sweeper(&store, pipeline).await;
        for round in 1..4 {
            time.fetch_add(1000, Ordering::Relaxed);
            sweeper.round_to_its_end().await;
            assert_eq!(fired.load(Ordering::Relaxed), round);
        }
    }

    /// Its lease runs out, and the next look finds what it held.
    #[test]
    fn what_a_dead_replica_held_waits_for_its_lease_and_one_look() {
        assert_eq!(LANE_LEASE, Duration::from_secs(5));
        let pauses = || (0..1000).map(|_| pause());
        assert!(pauses().all(|pause| pause <= Duration::from_millis(625)));
    }

    /// What two dialogues cause may meet in one lane, where a number tells effects apart.
    #[test]
    fn dialogues_due_at_once_are_told_apart() {
        let other = DialogueKey { user: 8, ..KEY };
        assert_ne!(timer(KEY, 5).stamp, timer(other, 5).stamp);
    }

    /// A database hangs, and the timer waits for it. Lanes are looked for all the same, and the timer is not played twice.
    #[tokio::test]
    async fn a_timer_that_takes_its_time_holds_up_no_round() {
        let (time, store) = waiting().await;
        let fired = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&fired);
        let pipeline = BoxCloneSyncService::new(service_fn(move |_: Event| {
            count.fetch_add(1, Ordering::Relaxed);
            std::future::pending::<Result<Outcome, TurnError>>()
        }));
        let mut sweeper = sweeper(&store, pipeline).await;
        time.fetch_add(1000, Ordering::Relaxed);
        for _ in 0..3 {
            sweeper.round().await;
            tokio::task::yield_now().await;
        }
        assert_eq!(fired.load(Ordering::Relaxed), 1);
    }

    /// The store, or this process, was frozen while the wait ended. Nobody has noticed the outage yet.
    #[tokio::test]
    async fn a_timer_is_left_alone_until_it_is_known_whether_there_was_an_outage() {
        let (time, store) = waiting().await;
        let fired = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&fired);
        let pipeline = BoxCloneSyncService::new(service_fn(move |_: Event| {
            count.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok::<_, TurnError>(nothing()))
        }));
        let mut sweeper = sweeper(&store, pipeline).await;

        time.fetch_add(11_000, Ordering::Relaxed);
        sweeper.round_to_its_end().await;
        assert_eq!(fired.load(Ordering::Relaxed), 0, "nobody knows yet");
        sweeper.peers = alive(&store).await;
        sweeper.round_to_its_end().await;
        assert_eq!(fired.load(Ordering::Relaxed), 0, "it fell into an outage");
        for _ in 0..19 {
            time.fetch_add(10_000, Ordering::Relaxed);
            sweeper.peers = alive(&store).await;
        }
        sweeper.round_to_its_end().await;
        assert_eq!(fired.load(Ordering::Relaxed), 1);
    }

    /// After a rollback many timers may belong to states that only a newer build reads.
    #[tokio::test]
    async fn timers_that_come_to_nothing_do_not_stand_in_the_way_of_others() {
        let time = Arc::new(AtomicU64::new(1_800_000_000_000));
        let clock = Arc::clone(&time);
        let clock = Clock::new(move || clock.load(Ordering::Relaxed));
        let store: Arc<dyn Store> = Arc::new(Memory::with_clock(clock));
        for user in 0..=LIMIT as i64 {
            // One partition, one after the other.
            wait(&store, DialogueKey { user, ..KEY }).await;
            time.fetch_add(1, Ordering::Relaxed);
        }
        let last = Arc::new(AtomicU64::new(0));
        let heard = Arc::clone(&last);
        let pipeline = BoxCloneSyncService::new(service_fn(move |incoming: Event| {
            let is_last = incoming.key.user == LIMIT as i64;
            heard.fetch_add(u64::from(is_last), Ordering::Relaxed);
            std::future::ready(Ok::<_, TurnError>(nothing()))
        }));
        let mut sweeper = sweeper(&store, pipeline).await;
        time.fetch_add(2000, Ordering::Relaxed);
        sweeper.round_to_its_end().await;
        assert_eq!(last.load(Ordering::Relaxed), 0, "it was not its turn yet");
        sweeper.round_to_its_end().await;
        assert_eq!(last.load(Ordering::Relaxed), 1);
    }

    fn nothing() -> Outcome {
        Outcome {
            outcome: OutcomeKind::Ignored,
            edges: Vec::new(),
            attempts: 1,
            toast: String::new(),
        }
    }

    async fn wait_a_second(store: &Arc<dyn Store>) {
        wait(store, KEY).await;
    }

    /// Has the dialogue wait for a second from now.
    async fn wait(store: &Arc<dyn Store>, key: DialogueKey) {
        let turn = Token::fresh();
        let Ok(Loaded::Fresh(snapshot)) = store.load(&key, Cause::Order, turn).await else {
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
        store.commit(&key, &commit).await.expect("a commit");
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
