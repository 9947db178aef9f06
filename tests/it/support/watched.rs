//! A store that tells what was committed, fails on demand, and lets others in just before a call.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use steadfast::store::{
    After, Backlog, Cause, Commit, Committed, Cursor, DialogueKey, Due, Error, Grant, Item, Lane,
    LaneKind, Loaded, Millis, Note, Page, Person, Pulse, Pushed, Refused, Result, Store, Token,
};

/// How a call goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not carried out.
    Before,
    /// It is carried out, but the answer is lost.
    After,
}

type Visit = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Wraps a store.
pub(crate) struct Watched {
    inner: Arc<dyn Store>,
    commits: Mutex<Vec<(DialogueKey, Commit)>>,
    put_off: Mutex<Vec<(&'static str, i64, Duration)>>,
    faults: Mutex<VecDeque<(&'static str, Fault)>>,
    visits: Mutex<VecDeque<(&'static str, Visit)>>,
}

impl Watched {
    pub(crate) fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            commits: Mutex::default(),
            put_off: Mutex::default(),
            faults: Mutex::default(),
            visits: Mutex::default(),
        }
    }

    /// Everything that was committed, in order.
    pub(crate) fn commits(&self) -> Vec<(DialogueKey, Commit)> {
        self.commits.lock().expect("nobody panics here").clone()
    }

    /// Which chats were put off by calls of this name, and for how long, in order.
    pub(crate) fn put_off(&self, call: &str) -> Vec<(i64, Duration)> {
        let put_off = self.put_off.lock().expect("nobody panics here");
        let calls = put_off.iter().filter(|(name, ..)| *name == call);
        calls.map(|(_, chat, time)| (*chat, *time)).collect()
    }

    fn puts_off(&self, call: &'static str, chat: i64, time: Duration) {
        let mut put_off = self.put_off.lock().expect("nobody panics here");
        put_off.push((call, chat, time));
    }

    /// The next calls of this name go wrong.
    pub(crate) fn fail(&self, call: &'static str, fault: Fault, times: usize) {
        let faults = std::iter::repeat_n((call, fault), times);
        self.faults.lock().expect("nobody panics here").extend(faults);
    }

    /// How many calls of this name are still to go wrong.
    pub(crate) fn still_to_fail(&self, call: &str) -> usize {
        let faults = self.faults.lock().expect("nobody panics here");
        faults.iter().filter(|(name, _)| *name == call).count()
    }

    /// Something happens between the next load and its commit.
    pub(crate) fn meanwhile(&self, visit: impl Future<Output = ()> + Send + 'static) {
        self.before("commit", visit);
    }

    /// Something happens before the next call of this name.
    pub(crate) fn before(
        &self,
        call: &'static str,
        visit: impl Future<Output = ()> + Send + 'static,
    ) {
        let mut visits = self.visits.lock().expect("nobody panics here");
        visits.push_back((call, Box::pin(visit)));
    }

    fn visit(&self, name: &str) -> Option<Visit> {
        let mut visits = self.visits.lock().expect("nobody panics here");
        let at = visits.iter().position(|(call, _)| *call == name)?;
        visits.remove(at).map(|(_, visit)| visit)
    }

    async fn pass<T>(&self, name: &str, call: impl Future<Output = Result<T>>) -> Result<T> {
        if let Some(visit) = self.visit(name) {
            visit.await;
        }
        let fault = {
            let mut faults = self.faults.lock().expect("nobody panics here");
            let at = faults.iter().position(|(call, _)| *call == name);
            at.and_then(|at| faults.remove(at)).map(|(_, fault)| fault)
        };
        match fault {
            Some(Fault::Before) => Err(Error::timeout("lost on the way there")),
            Some(Fault::After) => call.await.and(Err(Error::timeout("lost on the way back"))),
            None => call.await,
        }
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watched").field(&self.inner).finish()
    }
}

#[async_trait]
impl Store for Watched {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    async fn load(&self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded> {
        self.pass("load", self.inner.load(key, cause, turn)).await
    }

    async fn blame(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32> {
        let blame = self.inner.blame(key, cause, turn, guilty);
        self.pass("blame", blame).await
    }

    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed> {
        let committed = self.inner.commit(key, commit);
        self.pass("commit", async {
            let committed = committed.await?;
            if matches!(committed, Committed::Done(_)) {
                let mut commits = self.commits.lock().expect("nobody panics here");
                commits.push((*key, commit.clone()));
            }
            Ok(committed)
        })
        .await
    }

    async fn peek(&self, key: &DialogueKey) -> Result<Option<Person>> {
        self.inner.peek(key).await
    }

    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due> {
        self.pass("due", self.inner.due(token, limit, hold)).await
    }

    async fn done(&self, lane: Lane, token: Token, id: &str, note: Option<&Note>) -> Result<After> {
        self.pass("done", self.inner.done(lane, token, id, note)).await
    }

    async fn bury(&self, lane: Lane, token: Token, id: &str, letter: Bytes) -> Result<After> {
        self.inner.bury(lane, token, id, letter).await
    }

    async fn retry(&self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        self.puts_off("retry", lane.chat, delay);
        self.inner.retry(lane, token, delay).await
    }

    async fn renew(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        self.pass("renew", self.inner.renew(held)).await
    }

    async fn push(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        self.inner.push(lane, token, item).await
    }

    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant> {
        self.pass("grant", self.inner.grant(kind, want)).await
    }

    async fn freeze(&self, time: Duration) -> Result<()> {
        self.pass("freeze", self.inner.freeze(time)).await
    }

    async fn hold(&self, chat: i64, time: Duration) -> Result<()> {
        self.puts_off("hold", chat, time);
        self.pass("hold", self.inner.hold(chat, time)).await
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        self.pass("named", self.inner.named(chat, name)).await
    }

    async fn block(&self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        self.pass("block", self.inner.block(chat, refused)).await
    }

    async fn blocked(&self, chat: i64) -> Result<bool> {
        self.pass("blocked", self.inner.blocked(chat)).await
    }

    async fn kept(&self, name: &str) -> Result<Option<Bytes>> {
        self.pass("kept", self.inner.kept(name)).await
    }

    async fn keep(&self, name: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        self.pass("keep", self.inner.keep(name, expected, value)).await
    }

    async fn backlog(&self) -> Result<Backlog> {
        self.pass("backlog", self.inner.backlog()).await
    }

    async fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        self.pass("waiting", self.inner.waiting(chat, limit)).await
    }

    async fn drop_messages(&self, chat: i64) -> Result<u64> {
        self.pass("drop_messages", self.inner.drop_messages(chat)).await
    }

    async fn active(&self) -> Result<Vec<(String, u64)>> {
        self.inner.active().await
    }

    async fn people(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        self.inner.people(label, cursor, limit).await
    }

    async fn dialogues_of(&self, user: i64) -> Result<Vec<DialogueKey>> {
        self.pass("dialogues_of", self.inner.dialogues_of(user)).await
    }

    async fn entomb(&self, letter: Bytes) -> Result<()> {
        self.pass("entomb", self.inner.entomb(letter)).await
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<Bytes>> {
        self.inner.dead_letters(limit).await
    }

    async fn remove_letter(&self, letter: &[u8]) -> Result<bool> {
        self.pass("remove_letter", self.inner.remove_letter(letter)).await
    }

    async fn lease(&self, name: &str, holder: Token, ttl: Duration) -> Result<Option<u64>> {
        self.pass("lease", self.inner.lease(name, holder, ttl)).await
    }

    async fn release(&self, name: &str, holder: Token) -> Result<()> {
        self.inner.release(name, holder).await
    }

    async fn beat(&self, replica: &str, info: Option<Bytes>) -> Result<Pulse> {
        self.inner.beat(replica, info).await
    }

    async fn ping(&self) -> Result<()> {
        self.inner.ping().await
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
