//! A store that fails by a seed: before a call, after it (carried out, but the answer is lost), or by being slow.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use steadfast::store::{
    After, Backlog, Cause, Commit, Committed, Cursor, DialogueKey, Due, Error, Grant, Item, Lane,
    LaneKind, Loaded, Millis, Note, Page, Person, Pulse, Pushed, Refused, Result, Store, Token,
};

/// Wraps a store.
#[derive(Debug)]
pub(crate) struct Faulty {
    inner: Arc<dyn Store>,
    dice: Mutex<StdRng>,
}

/// What is about to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    FailsBefore,
    FailsAfter,
    IsSlow,
    Passes,
}

impl Faulty {
    /// The same seed and calls meet the same faults.
    pub(crate) fn new(inner: Arc<dyn Store>, seed: u64) -> Self {
        let dice = Mutex::new(StdRng::seed_from_u64(seed));
        Self { inner, dice }
    }

    async fn suffer<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        match self.fate() {
            Fate::FailsBefore => Err(Error::timeout("lost on the way there")),
            Fate::FailsAfter => {
                call.await.and_then(|_| Err(Error::timeout("lost on the way back")))
            }
            Fate::IsSlow => {
                tokio::time::sleep(Duration::from_millis(1)).await;
                call.await
            }
            Fate::Passes => call.await,
        }
    }

    /// For the calls whose answer cannot be had again: `due` leases lanes that a repeat does not find, they come back when
    /// the lease is over; sendings that were granted and never heard of are lost; a letter entombed again is there twice. All others are as if they had happened once.
    async fn suffer_before<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        match self.fate() {
            Fate::FailsBefore | Fate::FailsAfter => Err(Error::timeout("lost on the way there")),
            Fate::IsSlow | Fate::Passes => call.await,
        }
    }

    fn fate(&self) -> Fate {
        let mut dice = self.dice.lock().expect("nobody panics here");
        match dice.random_range(0..10) {
            0 | 1 => Fate::FailsBefore,
            2 | 3 => Fate::FailsAfter,
            4 => Fate::IsSlow,
            _ => Fate::Passes,
        }
    }
}

#[async_trait]
impl Store for Faulty {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    async fn load(&self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded> {
        self.suffer(self.inner.load(key, cause, turn)).await
    }

    async fn blame(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32> {
        self.suffer(self.inner.blame(key, cause, turn, guilty)).await
    }

    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed> {
        self.suffer(self.inner.commit(key, commit)).await
    }

    async fn peek(&self, key: &DialogueKey) -> Result<Option<Person>> {
        self.suffer(self.inner.peek(key)).await
    }

    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due> {
        self.suffer_before(self.inner.due(token, limit, hold)).await
    }

    async fn done(&self, lane: Lane, token: Token, id: &str, note: Option<&Note>) -> Result<After> {
        self.suffer(self.inner.done(lane, token, id, note)).await
    }

    async fn bury(&self, lane: Lane, token: Token, id: &str, letter: Bytes) -> Result<After> {
        self.suffer(self.inner.bury(lane, token, id, letter)).await
    }

    async fn retry(&self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        self.suffer(self.inner.retry(lane, token, delay)).await
    }

    async fn renew(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        self.suffer(self.inner.renew(held)).await
    }

    async fn push(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        self.suffer(self.inner.push(lane, token, item)).await
    }

    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant> {
        self.suffer_before(self.inner.grant(kind, want)).await
    }

    async fn freeze(&self, time: Duration) -> Result<()> {
        self.suffer(self.inner.freeze(time)).await
    }

    async fn hold(&self, chat: i64, time: Duration) -> Result<()> {
        self.suffer(self.inner.hold(chat, time)).await
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        self.suffer(self.inner.named(chat, name)).await
    }

    async fn block(&self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        self.suffer(self.inner.block(chat, refused)).await
    }

    async fn blocked(&self, chat: i64) -> Result<bool> {
        self.suffer(self.inner.blocked(chat)).await
    }

    async fn kept(&self, name: &str) -> Result<Option<Bytes>> {
        self.suffer(self.inner.kept(name)).await
    }

    async fn keep(&self, name: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        self.suffer(self.inner.keep(name, expected, value)).await
    }

    async fn backlog(&self) -> Result<Backlog> {
        self.suffer(self.inner.backlog()).await
    }

    async fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        self.suffer(self.inner.waiting(chat, limit)).await
    }

    async fn drop_messages(&self, chat: i64) -> Result<u64> {
        self.suffer(self.inner.drop_messages(chat)).await
    }

    async fn active(&self) -> Result<Vec<(String, u64)>> {
        self.suffer(self.inner.active()).await
    }

    async fn people(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        self.suffer(self.inner.people(label, cursor, limit)).await
    }

    async fn dialogues_of(&self, user: i64) -> Result<Vec<DialogueKey>> {
        self.suffer(self.inner.dialogues_of(user)).await
    }

    async fn entomb(&self, letter: Bytes) -> Result<()> {
        self.suffer_before(self.inner.entomb(letter)).await
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<Bytes>> {
        self.suffer(self.inner.dead_letters(limit)).await
    }

    async fn remove_letter(&self, letter: &[u8]) -> Result<bool> {
        self.suffer(self.inner.remove_letter(letter)).await
    }

    async fn lease(&self, name: &str, holder: Token, ttl: Duration) -> Result<Option<u64>> {
        self.suffer(self.inner.lease(name, holder, ttl)).await
    }

    async fn release(&self, name: &str, holder: Token) -> Result<()> {
        self.suffer(self.inner.release(name, holder)).await
    }

    async fn beat(&self, replica: &str, info: Option<Bytes>) -> Result<Pulse> {
        self.suffer(self.inner.beat(replica, info)).await
    }

    async fn ping(&self) -> Result<()> {
        self.suffer(self.inner.ping()).await
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
