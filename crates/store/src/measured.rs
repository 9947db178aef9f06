//! A store that measures another.

use std::array;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use metrics::{Histogram, counter, histogram};

use super::*;

/// The operations that are measured, in the order of `Op`.
pub const OPS: [&str; 32] = [
    "load",
    "blame",
    "commit",
    "peek",
    "due",
    "done",
    "bury",
    "retry",
    "renew",
    "push",
    "grant",
    "freeze",
    "hold",
    "named",
    "block",
    "blocked",
    "kept",
    "keep",
    "backlog",
    "waiting",
    "drop_messages",
    "active",
    "people",
    "dialogues_of",
    "entomb",
    "dead_letters",
    "remove_letter",
    "lease",
    "release",
    "beat",
    "ping",
    "inspect",
];

/// The words a store may use for what went wrong.
pub const FAULTS: &[&str] = &[
    "timeout",
    "config",
    "io",
    "closed",
    "auth",
    "busy",
    "loading",
    "masterdown",
    "misconf",
    "noperm",
    "noreplicas",
    "noscript",
    "oom",
    "protocol",
    "readonly",
    "too_large",
    "corrupt",
    "other",
];

#[derive(Debug, Clone, Copy)]
enum Op {
    Load,
    Blame,
    Commit,
    Peek,
    Due,
    Done,
    Bury,
    Retry,
    Renew,
    Push,
    Grant,
    Freeze,
    Hold,
    Named,
    Block,
    Blocked,
    Kept,
    Keep,
    Backlog,
    Waiting,
    DropMessages,
    Active,
    People,
    DialoguesOf,
    Entomb,
    DeadLetters,
    RemoveLetter,
    Lease,
    Release,
    Beat,
    Ping,
    Inspect,
}

/// Measures how long every call takes, and counts what goes wrong.
#[derive(Debug)]
pub struct Measured {
    inner: Arc<dyn Store>,
    durations: [Histogram; OPS.len()],
}

impl Measured {
    /// Measures `inner`.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        let durations =
            array::from_fn(|i| histogram!("steadfast_store_op_duration_seconds", "op" => OPS[i]));
        Self { inner, durations }
    }

    async fn timed<T>(&self, op: Op, call: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let started = Instant::now();
        let answer = call.await;
        self.durations[op as usize].record(started.elapsed());
        if let Err(error) = &answer {
            let labels = [("op", OPS[op as usize]), ("kind", error.kind())];
            counter!("steadfast_store_errors_total", &labels).increment(1);
        }
        answer
    }
}

#[async_trait]
impl Store for Measured {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    async fn load(&self, key: &DialogueKey, cause: Cause, turn: Token) -> Result<Loaded> {
        self.timed(Op::Load, self.inner.load(key, cause, turn)).await
    }

    async fn blame(
        &self,
        key: &DialogueKey,
        cause: Cause,
        turn: Token,
        guilty: bool,
    ) -> Result<u32> {
        self.timed(Op::Blame, self.inner.blame(key, cause, turn, guilty)).await
    }

    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed> {
        self.timed(Op::Commit, self.inner.commit(key, commit)).await
    }

    async fn peek(&self, key: &DialogueKey) -> Result<Option<Person>> {
        self.timed(Op::Peek, self.inner.peek(key)).await
    }

    async fn due(&self, token: Token, limit: usize, hold: Option<Millis>) -> Result<Due> {
        self.timed(Op::Due, self.inner.due(token, limit, hold)).await
    }

    async fn done(&self, lane: Lane, token: Token, id: &str, note: Option<&Note>) -> Result<After> {
        self.timed(Op::Done, self.inner.done(lane, token, id, note)).await
    }

    async fn bury(&self, lane: Lane, token: Token, id: &str, letter: Bytes) -> Result<After> {
        self.timed(Op::Bury, self.inner.bury(lane, token, id, letter)).await
    }

    async fn retry(&self, lane: Lane, token: Token, delay: Duration) -> Result<bool> {
        self.timed(Op::Retry, self.inner.retry(lane, token, delay)).await
    }

    async fn renew(&self, held: &[(Lane, Token)]) -> Result<Vec<Lane>> {
        self.timed(Op::Renew, self.inner.renew(held)).await
    }

    async fn push(&self, lane: Lane, token: Token, item: &Item) -> Result<Pushed> {
        self.timed(Op::Push, self.inner.push(lane, token, item)).await
    }

    async fn grant(&self, kind: LaneKind, want: u32) -> Result<Grant> {
        self.timed(Op::Grant, self.inner.grant(kind, want)).await
    }

    async fn freeze(&self, time: Duration) -> Result<()> {
        self.timed(Op::Freeze, self.inner.freeze(time)).await
    }

    async fn hold(&self, chat: i64, time: Duration) -> Result<()> {
        self.timed(Op::Hold, self.inner.hold(chat, time)).await
    }

    async fn named(&self, chat: i64, name: &str) -> Result<Option<i64>> {
        self.timed(Op::Named, self.inner.named(chat, name)).await
    }

    async fn block(&self, chat: i64, refused: Option<Refused>) -> Result<bool> {
        self.timed(Op::Block, self.inner.block(chat, refused)).await
    }

    async fn blocked(&self, chat: i64) -> Result<bool> {
        self.timed(Op::Blocked, self.inner.blocked(chat)).await
    }

    async fn kept(&self, name: &str) -> Result<Option<Bytes>> {
        self.timed(Op::Kept, self.inner.kept(name)).await
    }

    async fn keep(&self, name: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        self.timed(Op::Keep, self.inner.keep(name, expected, value)).await
    }

    async fn backlog(&self) -> Result<Backlog> {
        self.timed(Op::Backlog, self.inner.backlog()).await
    }

    async fn waiting(&self, chat: i64, limit: usize) -> Result<Vec<(LaneKind, Vec<Item>)>> {
        self.timed(Op::Waiting, self.inner.waiting(chat, limit)).await
    }

    async fn drop_messages(&self, chat: i64) -> Result<u64> {
        self.timed(Op::DropMessages, self.inner.drop_messages(chat)).await
    }

    async fn active(&self) -> Result<Vec<(String, u64)>> {
        self.timed(Op::Active, self.inner.active()).await
    }

    async fn people(
        &self,
        label: Option<&str>,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        self.timed(Op::People, self.inner.people(label, cursor, limit)).await
    }

    async fn dialogues_of(&self, user: i64) -> Result<Vec<DialogueKey>> {
        self.timed(Op::DialoguesOf, self.inner.dialogues_of(user)).await
    }

    async fn entomb(&self, letter: Bytes) -> Result<()> {
        self.timed(Op::Entomb, self.inner.entomb(letter)).await
    }

    async fn dead_letters(&self, limit: usize) -> Result<Vec<Bytes>> {
        self.timed(Op::DeadLetters, self.inner.dead_letters(limit)).await
    }

    async fn remove_letter(&self, letter: &[u8]) -> Result<bool> {
        self.timed(Op::RemoveLetter, self.inner.remove_letter(letter)).await
    }

    async fn lease(&self, name: &str, holder: Token, ttl: Duration) -> Result<Option<u64>> {
        self.timed(Op::Lease, self.inner.lease(name, holder, ttl)).await
    }

    async fn release(&self, name: &str, holder: Token) -> Result<()> {
        self.timed(Op::Release, self.inner.release(name, holder)).await
    }

    async fn beat(&self, replica: &str, info: Option<Bytes>) -> Result<Pulse> {
        self.timed(Op::Beat, self.inner.beat(replica, info)).await
    }

    async fn ping(&self) -> Result<()> {
        self.timed(Op::Ping, self.inner.ping()).await
    }

    async fn inspect(&self) -> Result<Vec<Finding>> {
        self.timed(Op::Inspect, self.inner.inspect()).await
    }

    async fn vitals(&self) -> Result<Option<Vitals>> {
        self.timed(Op::Inspect, self.inner.vitals()).await
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_own_word() {
        assert_eq!(OPS[Op::Load as usize], "load");
        assert_eq!(OPS[Op::DeadLetters as usize], "dead_letters");
        assert_eq!(OPS.len(), Op::Inspect as usize + 1);
    }
}
