//! Carries committed effects out: each lane in order, by one holder at a time.
//!
//! The replica that committed works at once, from memory, in a task of its own; what a dead replica left, and what waited out a
//! delay, is picked up by the [sweeper](crate::sweeper). Leases are renewed while there is work and given back at the end.
//!
//! A lane belongs to its destination, so a slow or failing chat never holds up another: a message for another chat is handed over to
//! that chat's lane. Records stand in a lane of jobs that never waits for Telegram, and what is said about them behind them. A record
//! that nothing waits for, such as who somebody is, is handed on to a lane where only its like are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::pipeline::Pipeline;
use crate::records::Records;
use crate::replica::Peers;
use crate::store::{Commit, Head, Item, Lane, LaneKind, Receipt, Store, Token};
use crate::telegram::Telegram;

mod carry;
mod courtesy;
mod flood;
mod job;
mod judge;
mod lease;
mod letter;
mod limits;
mod line;
mod meters;
mod moving;
mod push;
mod ready;
mod retry;
mod send;
mod work;

use courtesy::Courtesies;
use lease::{Held, Hold};
use limits::Purse;
use meters::{Meters, Source};
use retry::Failures;
use send::Sender;

/// Carries effects out.
#[derive(Debug, Clone)]
pub struct Outbox {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Arc<dyn Store>,
    sender: Sender,
    records: Arc<dyn Records>,
    purse: Purse,
    failures: Arc<Failures>,
    courtesies: Courtesies,
    /// Where a refused record is told to its flow.
    pipeline: OnceLock<Pipeline>,
    /// The other replicas, which may know what this one does not.
    peers: OnceLock<Peers>,
    held: Mutex<HashMap<Lane, Held>>,
    tasks: TaskTracker,
    /// Nothing new is begun.
    stopping: CancellationToken,
    /// Nothing is in hand any more.
    closed: CancellationToken,
    meters: Meters,
}

impl Outbox {
    /// An outbox that carries what is in this store to Telegram and to the records.
    pub fn new(store: Arc<dyn Store>, telegram: Telegram, records: Arc<dyn Records>) -> Self {
        let failures = Arc::<Failures>::default();
        let inner = Inner {
            purse: Purse::new(Arc::clone(&store), Arc::clone(&failures)),
            store,
            sender: Sender::new(telegram),
            records,
            failures,
            courtesies: Courtesies::default(),
            pipeline: OnceLock::new(),
            peers: OnceLock::new(),
            held: Mutex::default(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            closed: CancellationToken::new(),
            meters: Meters::new(),
        };
        let outbox = Self { inner: Arc::new(inner) };
        tokio::spawn(outbox.clone().keep_leases());
        outbox
    }

    /// Names the pipeline in which a flow hears that its record was refused. Only the first call has an effect.
    pub fn attach(&self, pipeline: Pipeline) {
        let _ = self.inner.pipeline.set(pipeline);
    }

    /// Names the other replicas: while some of another version are alive, what this one does not know is left to them. Only the
    /// first call has an effect.
    pub fn meet(&self, peers: Peers) {
        let _ = self.inner.peers.set(peers);
    }

    /// Whether another replica may know what this one does not.
    fn may_be_known(&self) -> bool {
        self.inner.peers.get().is_some_and(Peers::are_mixed)
    }

    /// Works on what a commit has put into the lanes of its home, where it was given them.
    pub fn committed(&self, home: i64, commit: Commit, receipt: &Receipt, received: Instant) {
        let Commit { turn, messages, jobs, .. } = commit;
        if receipt.dropped > 0 {
            self.left_out(home, receipt.dropped);
        }
        let begin = |kind, is_leased: bool, items: Vec<Item>, wait| {
            let first = items.into_iter().next().filter(|_| is_leased);
            if let Some(item) = first {
                let (lane, head) = (Lane { kind, chat: home }, Head { item, wait });
                let held = Held { token: turn, since: received };
                self.start(lane, held, head, Source::Commit);
            }
        };
        let (now, later) = (Duration::ZERO, receipt.messages_wait);
        begin(LaneKind::Jobs, receipt.jobs_leased, jobs, now);
        begin(LaneKind::Messages, receipt.messages_leased, messages, later);
    }

    /// Works on a lane whose delay is over, or that was left behind (`is_lapsed`); `since` is when it was asked for.
    pub fn swept(&self, lane: Lane, token: Token, since: Instant, head: Head, is_lapsed: bool) {
        let source = match is_lapsed {
            true => Source::Takeover,
            false => Source::Sweep,
        };
        self.start(lane, Held { token, since }, head, source);
    }

    /// Finishes what is being sent, begins nothing new, and gives the leases back. Until then they are kept: a call may take
    /// longer than a lease, and nobody else shall make it again.
    pub async fn close(&self) {
        self.inner.stopping.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        self.inner.closed.cancel();
    }

    /// Tells that so many messages were not even put into their lane.
    fn left_out(&self, chat: i64, count: u32) {
        self.inner.meters.left_out.increment(u64::from(count));
        tracing::info!(chat.id = chat, count, "nothing is said to who has blocked the bot");
    }

    fn start(&self, lane: Lane, held: Held, head: Head, source: Source) {
        let token = held.token;
        self.inner.meters.claimed(source);
        self.held().insert(lane, held);
        let hold = Hold { outbox: self.clone(), lane, token };
        self.inner.tasks.spawn(async move {
            hold.outbox.work(lane, token, head, source).await;
            drop(hold);
        });
    }
}
