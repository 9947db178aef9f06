//! A store to try, its clock, and short ways to speak to it.

use std::fmt::Display;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use steadfast::store::{
    After, Cause, Clock, Commit, Committed, DialogueKey, Embedded, Head, Item, Lane, LaneKind,
    Limits, Loaded, Memory, Millis, Next, Pushed, Receipt, Redis, RedisConfig, Result, SEEN_FOR,
    Snapshot, Store, Token,
};
use tempfile::TempDir;

use super::faulty::Faulty;
use super::patience::{LONG, until};
use super::redis_server::{RedisServer, prefix};
use super::retrying::Retrying;

/// When the movable clocks begin: a day in 2027, with milliseconds.
const DAWN: Millis = 1_800_000_000_123;

/// A fresh store and a way to move its clock.
pub(crate) struct Bed {
    /// The store; the bed derefs to it.
    pub(crate) store: Arc<dyn Store>,
    /// Whether every call is answered the first time.
    pub(crate) is_calm: bool,
    /// Moves the store's clock by so many milliseconds.
    turn: Box<dyn Fn(i64) + Send + Sync>,
    /// What must live as long as the store, such as its directory.
    _ground: Box<dyn Send + Sync>,
}

impl Bed {
    /// A bed for a store whose clock `turn` moves by milliseconds. `ground` is dropped after the store.
    pub(crate) fn new(
        store: impl Store,
        turn: impl Fn(i64) + Send + Sync + 'static,
        ground: impl Send + Sync + 'static,
    ) -> Self {
        Self {
            store: Arc::new(store),
            is_calm: true,
            turn: Box::new(turn),
            _ground: Box::new(ground),
        }
    }

    /// In memory.
    pub(crate) async fn memory() -> Self {
        Self::memory_with(Limits::default()).await
    }

    /// In memory, at this pace.
    pub(crate) async fn memory_with(limits: Limits) -> Self {
        let (clock, turn) = movable_clock();
        let store = Memory::with_clock(clock).with_limits(limits);
        Self::new(store, turn, ())
    }

    /// In a file.
    pub(crate) async fn embedded_with(limits: Limits) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let bed = Self::embedded_at(&directory.path().join("store.db"), limits);
        Self { _ground: Box::new(directory), ..bed }
    }

    /// In this file.
    pub(crate) fn embedded_at(path: &Path, limits: Limits) -> Self {
        let (clock, turn) = movable_clock();
        let store = Embedded::open_with_clock(path, clock).expect("an embedded store");
        Self::new(store.with_limits(limits), turn, ())
    }

    /// In the Redis that tests share, under a prefix of its own. Its clock does not stand still, but can be moved.
    pub(crate) async fn redis_with(limits: Limits) -> Self {
        Self::redis_at(RedisServer::shared(), limits).await
    }

    /// As [`Self::redis_with`], in one that minds the slots of keys as a cluster does.
    pub(crate) async fn slots_with(limits: Limits) -> Self {
        Self::redis_at(RedisServer::by_slots(), limits).await
    }

    async fn redis_at(server: &RedisServer, limits: Limits) -> Self {
        let config = RedisConfig::new(server.url(), prefix());
        Self::redis_as(RedisConfig { limits, ..config }).await
    }

    /// In Redis, as this says.
    pub(crate) async fn redis_as(config: RedisConfig) -> Self {
        let offset = Arc::clone(&config.clock_offset);
        // No case is about time-outs, and the machine may stand still for seconds.
        let config = RedisConfig { call_timeout: LONG, ..config };
        let store =
            until("Redis is there", async || Redis::connect(config.clone()).await.ok()).await;
        let turn = move |by: i64| {
            offset.fetch_add(by, Ordering::Relaxed);
        };
        Self::new(store, turn, ())
    }

    /// The same store behind faults, and a caller who repeats every call until it is answered.
    pub(crate) fn faulty(mut self, seed: u64) -> Self {
        self.store = Arc::new(Retrying::new(Faulty::new(self.store, seed)));
        self.is_calm = false;
        self
    }

    /// Moves the store's clock ahead.
    pub(crate) fn advance(&self, by: Duration) {
        (self.turn)(by.as_millis() as i64);
    }

    /// Sets the store's clock back.
    pub(crate) fn retreat(&self, by: Duration) {
        (self.turn)(-(by.as_millis() as i64));
    }

    /// Loads a dialogue that has not seen the update.
    pub(crate) async fn fresh(&self, key: &DialogueKey, cause: Cause) -> Snapshot {
        match self.load(key, cause, Token::fresh()).await {
            Ok(Loaded::Fresh(snapshot)) => snapshot,
            other => panic!("{key} was to be loaded for {cause:?}, got {other:?}"),
        }
    }

    /// Commits what has to pass.
    pub(crate) async fn pass(&self, key: &DialogueKey, commit: &Commit) -> Receipt {
        match self.commit(key, commit).await {
            Ok(Committed::Done(receipt)) => receipt,
            other => panic!("{commit:?} was to pass, got {other:?}"),
        }
    }

    /// Loads, and commits what `change` makes of a plain commit.
    pub(crate) async fn turn(
        &self,
        key: &DialogueKey,
        cause: Cause,
        change: impl FnOnce(&mut Commit),
    ) -> Receipt {
        let mut commit = plain(&self.fresh(key, cause).await, cause);
        change(&mut commit);
        self.pass(key, &commit).await
    }

    /// Whether the dialogue has seen the update.
    pub(crate) async fn has_seen(&self, key: &DialogueKey, update: u32) -> bool {
        let loaded = self.load(key, Cause::Update(update), Token::fresh()).await;
        loaded.expect("a load") == Loaded::Duplicate
    }

    /// What `due` leases to a fresh token.
    pub(crate) async fn claim(&self) -> (Token, Vec<(Lane, Item)>) {
        let token = Token::fresh();
        let due = self.due(token, 100, None).await.expect("what is due");
        let lanes = due.lanes.into_iter();
        (token, lanes.map(|(lane, head)| (lane, head.item)).collect())
    }

    /// Takes an effect off, without a note.
    pub(crate) async fn done(&self, lane: Lane, token: Token, id: &str) -> Result<After> {
        self.store.done(lane, token, id, None).await
    }

    /// Notes that messages do not reach a chat, whatever was written.
    pub(crate) async fn block(&self, chat: i64) -> Result<()> {
        self.store.block(chat, None).await.map(drop)
    }

    /// The timers that are due.
    pub(crate) async fn timers(&self, hold: Option<Millis>) -> Vec<(DialogueKey, Millis)> {
        let due = self.due(Token::fresh(), 100, hold).await;
        due.expect("what is due").timers
    }

    /// The counts, in the order of their labels.
    pub(crate) async fn counts(&self) -> Vec<(String, u64)> {
        let mut counts = self.active().await.expect("counts");
        counts.sort();
        counts
    }
}

impl Deref for Bed {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        &*self.store
    }
}

/// A dialogue of a person in a chat.
pub(crate) fn key(chat: i64, user: i64) -> DialogueKey {
    DialogueKey { chat, user, topic: None }
}

/// A commit of a fresh turn that asks a question for an hour and sends nothing.
pub(crate) fn plain(snapshot: &Snapshot, cause: Cause) -> Commit {
    Commit {
        turn: Token::fresh(),
        cause,
        expected: snapshot.version,
        loaded_at: snapshot.now,
        next: Next {
            labels: vec!["order/phone".into()],
            body: "body".into(),
            due: Some(snapshot.now + 3_600_000),
            idle: SEEN_FOR,
        },
        messages: Vec::new(),
        jobs: Vec::new(),
        dead: None,
        settles: None,
    }
}

/// Effects with these ids.
pub(crate) fn items<const N: usize>(ids: [&str; N]) -> Vec<Item> {
    ids.into_iter().map(item).collect()
}

/// An effect with this id.
pub(crate) fn item(id: impl Display) -> Item {
    Item { id: id.to_string(), body: format!("do {id}").into() }
}

/// The answer that this effect is the next, and need not wait.
pub(crate) fn next(id: impl Display) -> After {
    let wait = Duration::ZERO;
    let item = item(id);
    After::Next(Head { item, wait })
}

/// The answer that a pushed effect leased its lane, and need not wait.
pub(crate) const LEASED: Pushed = Pushed::Leased { wait: Duration::ZERO };

/// The message lane of a chat.
pub(crate) fn messages(chat: i64) -> Lane {
    Lane { kind: LaneKind::Messages, chat }
}

/// The jobs lane of a chat.
pub(crate) fn jobs(chat: i64) -> Lane {
    Lane { kind: LaneKind::Jobs, chat }
}

/// The lane of broadcasts to a chat.
pub(crate) fn bulk(chat: i64) -> Lane {
    Lane { kind: LaneKind::Bulk, chat }
}

/// The lane of a chat's records that nothing waits for.
pub(crate) fn aside(chat: i64) -> Lane {
    Lane { kind: LaneKind::Aside, chat }
}

/// A duration.
pub(crate) const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// A clock that stands still until it is advanced.
fn movable_clock() -> (Clock, impl Fn(i64) + Send + Sync + 'static) {
    let time = Arc::new(AtomicU64::new(DAWN));
    let hand = Arc::clone(&time);
    let clock = Clock::new(move || time.load(Ordering::Relaxed));
    let turn = move |by: i64| {
        let moved = |time: Millis| time.checked_add_signed(by);
        let _ = hand.fetch_update(Ordering::Relaxed, Ordering::Relaxed, moved);
    };
    (clock, turn)
}
