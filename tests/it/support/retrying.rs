//! A caller that repeats every call, blindly and unchanged, until it is answered.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use steadfast::store::{
    After, Backlog, Cause, Commit, Committed, Cursor, DialogueKey, Due, Error, Grant, Item, Lane,
    LaneKind, Loaded, Millis, Note, Page, Person, Pulse, Pushed, Refused, Result, Store, Token,
};

/// Wraps a store.
#[derive(Debug)]
pub(crate) struct Retrying<S> {
    inner: S,
}

/// Repeats a call while the store is unavailable.
macro_rules! until_answered {
    ($call:expr) => {
        loop {
            match $call.await {
                Err(Error::Unavailable { .. }) => tokio::task::yield_now().await,
                answer => break answer,
            }
        }
    };
}

impl<S: Store> Retrying<S> {
    /// Repeats the calls to `inner`.
    pub(crate) fn new(inner: S) -> Self {
        Self { inner }
    }
}

#[async_trait]
impl<S: Store> Store for Retrying<S> {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    async fn load(&self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded> {
        until_answered!(self.inner.load(key, cause, turn))
    }

    async fn blame(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32> {
        until_answered!(self.inner.blame(key, cause, turn, guilty))
    }

    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed> {
        until_answered!(self.inner.commit(key, commit))
    }

    async fn peek(&self, key: &DialogueKey) -> Result<Option<Person>> {
        until_answered!(self.inner.peek(key))
    }

    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due> {
        until_answered!(self.inner.due(token, limit, hold))
    }

    async fn done(&self, lane: Lane, token: Token, id: &str, note: Option<&Note>) -> Result<After> {
        until_answered!(self.inner.done(lane, token, id, note))
    }

    async fn bury(&self, lane: Lane, token: Token, id: &str, letter: Bytes) -> Result<After> {
        until_answered!(self.inner.bury(lane, token, id, letter.clone()))
    }

    /// After a lost answer, "no longer yours" is what a lane that was given up says.
    async fn retry(&self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        let first = self.inner.retry(lane, token, delay).await;
        if let Ok(answer) = first {
            return Ok(answer);
        }
        until_answered!(self.inner.retry(lane, token, delay)).map(|_| true)
    }

    async fn renew(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        until_answered!(self.inner.renew(held))
    }

    async fn push(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        until_answered!(self.inner.push(lane, token, item))
    }

    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant> {
        until_answered!(self.inner.grant(kind, want))
    }

    async fn freeze(&self, time: Duration) -> Result<()> {
        until_answered!(self.inner.freeze(time))
    }

    async fn hold(&self, chat: i64, time: Duration) -> Result<()> {
        until_answered!(self.inner.hold(chat, time))
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        until_answered!(self.inner.named(chat, name))
    }

    async fn block(&self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        until_answered!(self.inner.block(chat, refused))
    }

    async fn blocked(&self, chat: i64) -> Result<bool> {
        until_answered!(self.inner.blocked(chat))
    }

    async fn kept(&self, name: &str) -> Result<Option<Bytes>> {
        until_answered!(self.inner.kept(name))
    }

    async fn keep(&self, name: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        until_answered!(self.inner.keep(name, expected, value))
    }

    async fn backlog(&self) -> Result<Backlog> {
        until_answered!(self.inner.backlog())
    }

    async fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        until_answered!(self.inner.waiting(chat, limit))
    }

    async fn drop_messages(&self, chat: i64) -> Result<u64> {
        until_answered!(self.inner.drop_messages(chat))
    }

    async fn active(&self) -> Result<Vec<(String, u64)>> {
        until_answered!(self.inner.active())
    }

    async fn people(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        until_answered!(self.inner.people(label, cursor, limit))
    }

    async fn dialogues_of(&self, user: i64) -> Result<Vec<DialogueKey>> {
        until_answered!(self.inner.dialogues_of(user))
    }

    async fn entomb(&self, letter: Bytes) -> Result<()> {
        until_answered!(self.inner.entomb(letter.clone()))
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<Bytes>> {
        until_answered!(self.inner.dead_letters(limit))
    }

    async fn remove_letter(&self, letter: &[u8]) -> Result<bool> {
        until_answered!(self.inner.remove_letter(letter))
    }

    async fn lease(&self, name: &str, holder: Token, ttl: Duration) -> Result<Option<u64>> {
        until_answered!(self.inner.lease(name, holder, ttl))
    }

    async fn release(&self, name: &str, holder: Token) -> Result<()> {
        until_answered!(self.inner.release(name, holder))
    }

    async fn beat(&self, replica: &str, info: Option<Bytes>) -> Result<Pulse> {
        until_answered!(self.inner.beat(replica, info.clone()))
    }

    async fn ping(&self) -> Result<()> {
        until_answered!(self.inner.ping())
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
