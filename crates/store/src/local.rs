//! The rules of the store, written once over a sorted map of bytes.
//!
//! [`Memory`](super::Memory) and [`Embedded`](super::Embedded) each bring a [`Shelf`] and a way to [`Local::run`] work
//! on it alone; everything a [`Store`] answers is decided here, synchronously, by a [`Desk`]. Each file below holds one
//! thing: [`dialogue`] the turns, [`people`] who is in one, [`lane`] the effects, [`pace`] how fast they go, [`chat`] what
//! is known of their destination, [`kept`] small values by name, [`sweep`] what is due, [`backlog`] how much, [`dead`] the
//! letters, [`replica`] leases and beats. [`record`], [`seen`], [`tries`], [`queue`], [`index`], [`keys`] and [`codec`] say
//! how they are kept; [`clear_up`] mends what an unreadable record left.

use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

use super::{
    After, Backlog, Cause, Commit, Committed, Cursor, DialogueKey, Due, Finding, Grant, Item, Lane,
    LaneKind, Limits, Loaded, Millis, Note, Page, Person, Pulse, Pushed, Refused, Result, Store,
    Token, check_size, partition,
};

mod backlog;
mod chat;
mod clear_up;
mod codec;
mod dead;
mod dialogue;
mod index;
mod kept;
mod keys;
mod lane;
mod pace;
mod people;
mod queue;
mod record;
mod replica;
mod seen;
mod sweep;
mod tries;

/// A sorted map of bytes.
pub(super) trait Shelf {
    /// The value of `key`.
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>>;
    /// Sets the value of `key`.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Removes `key`; it need not be there.
    fn delete(&mut self, key: &[u8]) -> Result<()>;
    /// The first `limit` entries with keys in `range`, in their order.
    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<Entry>>;
}

/// A key and its value.
pub(super) type Entry = (Vec<u8>, Bytes);

/// What the outcome of a call must survive before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survives {
    /// The death of the process.
    Crash,
    /// That, and the loss of power.
    Outage,
}

/// Work at a shelf, at one moment. While it lasts nobody else works there, and what it did is kept whole or not at all.
pub(super) struct Desk<'a> {
    /// Where everything is kept.
    shelf: &'a mut dyn Shelf,
    /// The moment.
    now: Millis,
    /// The paces to keep to.
    limits: Limits,
    /// Whether somebody still waits for the answer.
    is_awaited: bool,
}

impl<'a> Desk<'a> {
    /// A desk at this shelf and moment.
    pub(super) fn new(shelf: &'a mut dyn Shelf, now: Millis) -> Self {
        Self { shelf, now, limits: Limits::default(), is_awaited: true }
    }

    /// Says whether whoever asked still waits.
    pub(super) fn set_awaited(&mut self, is_awaited: bool) {
        self.is_awaited = is_awaited;
    }

    /// From here on keeps to these paces.
    pub(super) fn obey(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Writes a bare entry.
    #[cfg(test)]
    pub(super) fn put(&mut self, key: &[u8]) -> Result<()> {
        self.shelf.put(key, &[])
    }

    /// The moment `wait` from now.
    fn after(&self, wait: Duration) -> Millis {
        self.now.saturating_add(millis(wait))
    }

    /// Writes something, and nothing of importance.
    fn ping(&mut self) -> Result<()> {
        self.shelf.put(&keys::ping(), &self.now.to_be_bytes())
    }
}

/// A duration in the unit of the store's clock.
fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

/// A store that has a shelf and works at it one call after the other.
pub(super) trait Local: fmt::Debug + Send + Sync + 'static {
    /// See [`Store::kind`].
    const KIND: &'static str;

    /// Does `work` at the shelf and answers when its outcome `survives`.
    fn run<T, F>(&self, survives: Survives, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Desk<'_>) -> Result<T> + Send + 'static;

    /// See [`Store::inspect`].
    fn findings(&self) -> Vec<Finding>;

    /// See [`Store::close`].
    fn shut(&self) -> impl Future<Output = ()> + Send;
}

#[async_trait]
impl<L: Local> Store for L {
    fn kind(&self) -> &'static str {
        L::KIND
    }

    async fn load(&self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded> {
        let key = *key;
        // A try lost with the power was not the fault of its update.
        self.run(Survives::Crash, move |desk| desk.load(&key, cause, turn)).await
    }

    async fn blame(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32> {
        let key = *key;
        self.run(Survives::Crash, move |desk| desk.blame(&key, cause, turn, guilty)).await
    }

    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed> {
        check_size(commit)?;
        let (key, commit) = (*key, commit.clone());
        self.run(Survives::Outage, move |desk| desk.commit(&key, &commit)).await
    }

    async fn peek(&self, key: &DialogueKey) -> Result<Option<Person>> {
        let key = *key;
        self.run(Survives::Crash, move |desk| desk.peek(&key)).await
    }

    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due> {
        self.run(Survives::Crash, move |desk| desk.due(token, limit, hold)).await
    }

    async fn done(&self, lane: Lane, token: Token, id: &str, note: Option<&Note>) -> Result<After> {
        let (id, note) = (id.to_owned(), note.cloned());
        self.run(Survives::Outage, move |desk| desk.done_with(lane, token, &id, note.as_ref()))
            .await
    }

    async fn bury(&self, lane: Lane, token: Token, id: &str, letter: Bytes) -> Result<After> {
        let id = id.to_owned();
        self.run(Survives::Outage, move |desk| {
            desk.done(lane, token, &id, |desk| desk.keep_letter(partition(lane.chat), &letter))
        })
        .await
    }

    async fn retry(&self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        self.run(Survives::Crash, move |desk| desk.retry(lane, token, delay)).await
    }

    async fn renew(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        let held = held.to_vec();
        self.run(Survives::Crash, move |desk| desk.renew(&held)).await
    }

    async fn push(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        let item = item.clone();
        self.run(Survives::Outage, move |desk| desk.push(lane, token, &item)).await
    }

    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant> {
        self.run(Survives::Crash, move |desk| desk.grant(kind, want)).await
    }

    async fn freeze(&self, time: Duration) -> Result<()> {
        self.run(Survives::Crash, move |desk| desk.freeze(time)).await
    }

    async fn hold(&self, chat: i64, time: Duration) -> Result<()> {
        self.run(Survives::Crash, move |desk| desk.hold(chat, time)).await
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        let name = name.to_owned();
        self.run(Survives::Crash, move |desk| desk.noted(chat, &name)).await
    }

    async fn block(&self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        self.run(Survives::Outage, move |desk| desk.block(chat, refused)).await
    }

    async fn blocked(&self, chat: i64) -> Result<bool> {
        self.run(Survives::Crash, move |desk| desk.is_blocked(chat)).await
    }

    async fn kept(&self, name: &str) -> Result<Option<Bytes>> {
        let name = name.to_owned();
        self.run(Survives::Crash, move |desk| desk.kept(&name)).await
    }

    async fn keep(&self, name: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        let (name, value) = (name.to_owned(), value.to_owned());
        let expected = expected.map(<[u8]>::to_owned);
        self.run(Survives::Outage, move |desk| desk.keep_value(&name, expected.as_deref(), &value))
            .await
    }

    async fn backlog(&self) -> Result<Backlog> {
        self.run(Survives::Crash, |desk| desk.backlog()).await
    }

    async fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        self.run(Survives::Crash, move |desk| desk.waiting(chat, limit)).await
    }

    async fn drop_messages(&self, chat: i64) -> Result<u64> {
        self.run(Survives::Outage, move |desk| desk.drop_messages(chat)).await
    }

    async fn active(&self) -> Result<Vec<(String, u64)>> {
        self.run(Survives::Crash, |desk| desk.active()).await
    }

    async fn people(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        let label = label.map(str::to_owned);
        self.run(Survives::Crash, move |desk| desk.people(label.as_deref(), cursor, limit)).await
    }

    async fn dialogues_of(&self, user: i64) -> Result<Vec<DialogueKey>> {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let look = move |desk: &mut Desk<'_>| desk.some_of(user, after);
            let (some, next) = self.run(Survives::Crash, look).await?;
            found.extend(some);
            match next {
                None => return Ok(found),
                next => after = next,
            }
        }
    }

    async fn entomb(&self, letter: Bytes) -> Result<()> {
        self.run(Survives::Outage, move |desk| desk.keep_letter(keys::STRAYS, &letter)).await
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<Bytes>> {
        self.run(Survives::Crash, move |desk| desk.dead_letters(limit)).await
    }

    async fn remove_letter(&self, letter: &[u8]) -> Result<bool> {
        let letter = letter.to_owned();
        self.run(Survives::Outage, move |desk| desk.remove_letter(&letter)).await
    }

    async fn lease(&self, name: &str, holder: Token, ttl: Duration) -> Result<Option<u64>> {
        let name = name.to_owned();
        self.run(Survives::Outage, move |desk| desk.lease(&name, holder, ttl)).await
    }

    async fn release(&self, name: &str, holder: Token) -> Result<()> {
        let name = name.to_owned();
        self.run(Survives::Crash, move |desk| desk.release(&name, holder)).await
    }

    async fn beat(&self, replica: &str, info: Option<Bytes>) -> Result<Pulse> {
        let replica = replica.to_owned();
        self.run(Survives::Crash, move |desk| desk.beat(&replica, info.as_ref())).await
    }

    async fn ping(&self) -> Result<()> {
        self.run(Survives::Outage, |desk| desk.ping()).await
    }

    async fn inspect(&self) -> Result<Vec<Finding>> {
        Ok(self.findings())
    }

    async fn close(&self) {
        self.shut().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{Item, Memory, Next};

    /// Notes what each call must survive.
    #[derive(Debug)]
    struct Noting(Memory, Mutex<Vec<Survives>>);

    impl Local for Noting {
        const KIND: &'static str = "noting";

        fn run<T, F>(&self, survives: Survives, work: F) -> impl Future<Output = Result<T>> + Send
        where
            T: Send + 'static,
            F: FnOnce(&mut Desk<'_>) -> Result<T> + Send + 'static,
        {
            self.1.lock().unwrap().push(survives);
            self.0.run(survives, work)
        }

        fn findings(&self) -> Vec<Finding> {
            Vec::new()
        }

        async fn shut(&self) {}
    }

    /// Telegram is told that an update is taken, and does not send it again.
    #[tokio::test]
    async fn a_commit_and_the_end_of_an_effect_survive_the_loss_of_power() {
        let store = Noting(Memory::new(), Mutex::default());
        let key = DialogueKey { chat: 5, user: 5, topic: None };
        let commit = Commit {
            turn: Token::fresh(),
            cause: Cause::Update(1),
            expected: 0,
            loaded_at: crate::Clock::system().now(),
            next: Next {
                labels: Vec::new(),
                body: Bytes::new(),
                due: None,
                idle: Duration::from_secs(60),
            },
            messages: Vec::new(),
            jobs: Vec::new(),
            dead: None,
            settles: None,
        };
        store.commit(&key, &commit).await.unwrap();
        let lane = Lane { kind: LaneKind::Messages, chat: 5 };
        let item = Item { id: "1".into(), body: Bytes::new() };
        let token = Token::fresh();
        store.push(lane, token, &item).await.unwrap();
        store.done(lane, token, "1", None).await.unwrap();
        assert_eq!(*store.1.lock().unwrap(), [Survives::Outage; 3]);
    }
}
