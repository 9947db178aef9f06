//! Carries committed effects out: each lane in order, by one holder at a time.
//!
//! The replica that committed works at once, from memory, in a task of its own; what a dead replica left, and what waited out a
//! delay, is picked up by the [sweeper](crate::server::sweeper). Leases are renewed while there is work and given back at the end.
//!
//! A lane belongs to its destination, so a slow or failing chat never holds up another: a message for another chat is handed over to
//! that chat's lane. Records stand in a lane of jobs that never waits for Telegram, and what is said about them behind them. A record
//! that nothing waits for, such as who somebody is, is handed on to a lane where only its like are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::outbox::telegram::Telegram;
use crate::records::Records;
use crate::replica::Peers;
use crate::store::{Head, Lane, Store, Token};
use crate::turn::{LeasedQueue, LeasedReceiver, Pipeline};

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
pub mod telegram;
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
    pipeline: Pipeline,
    /// The other replicas: while some of another version are alive, what this one does not know is left to them.
    peers: Peers,
    held: Mutex<HashMap<Lane, Held>>,
    tasks: TaskTracker,
    /// Nothing new is begun.
    stopping: CancellationToken,
    /// Nothing is in hand any more.
    closed: CancellationToken,
    meters: Meters,
}

impl Outbox {
    /// Creates an outbox that carries effects from `store` to Telegram and to the records.
    ///
    /// It starts with the queues that turns hand over through `leased`. Rejected records become events of `pipeline`.
    pub fn new(
        store: Arc<dyn Store>,
        telegram: Telegram,
        records: Arc<dyn Records>,
        pipeline: Pipeline,
        peers: Peers,
        leased: LeasedReceiver,
    ) -> Self {
        let failures = Arc::<Failures>::default();
        let inner = Inner {
            purse: Purse::new(Arc::clone(&store), Arc::clone(&failures)),
            store,
            sender: Sender::new(telegram),
            records,
            failures,
            courtesies: Courtesies::default(),
            pipeline,
            peers,
            held: Mutex::default(),
            tasks: leased.tasks().clone(),
            stopping: CancellationToken::new(),
            closed: CancellationToken::new(),
            meters: Meters::new(),
        };
        let outbox = Self { inner: Arc::new(inner) };
        tokio::spawn(outbox.clone().keep_leases());
        tokio::spawn(outbox.clone().receive(leased));
        outbox
    }

    /// Starts the queues that turns hand over. Also after [`close`](Self::close), when a started queue is given back at once.
    async fn receive(self, mut leased: LeasedReceiver) {
        while let Some((queue, _token)) = leased.recv().await {
            let LeasedQueue { lane, token, since, head } = queue;
            self.start(lane, Held { token, since }, head, Source::Commit);
        }
    }

    /// Whether another replica may know what this one does not.
    fn may_be_known(&self) -> bool {
        self.inner.peers.are_mixed()
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
