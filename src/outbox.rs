//! Carries committed effects out: each lane in order, by one holder at a time.
//!
//! The replica that committed works at once, from memory, in a task of its own; what a dead replica left, and what waited out a
//! delay, is picked up by the [sweeper](crate::sweeper). Leases are renewed while there is work and given back at the end.
//!
//! A lane belongs to its destination, so a slow or failing chat never holds up another: a message for another chat is handed over to
//! that chat's lane. Records stand in a lane of jobs that never waits for Telegram, and what is said about them behind them. A record
//! that nothing waits for, such as who somebody is, is handed on to a lane where only its like are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use metrics::{Counter, Histogram, counter, histogram};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::dialogue::Message;
use crate::letter::Tally;
use crate::pipeline::Pipeline;
use crate::records::Records;
use crate::replica::Peers;
use crate::store::{
    self, Clock, Commit, Head, Item, LANE_LEASE, Lane, LaneKind, Receipt, Store, Token,
};
use crate::telegram::Telegram;

mod courtesy;
mod flood;
mod job;
mod letter;
mod limits;
mod line;
mod retry;
mod send;
mod work;

use courtesy::Courtesies;
use limits::Purse;
use retry::Failures;
use send::Sender;

/// How old a lease may be and still be taken for granted.
const SURE: Duration = LANE_LEASE.saturating_sub(Duration::from_secs(1));

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

/// A lane that is being worked.
#[derive(Debug, Clone, Copy)]
struct Held {
    token: Token,
    /// When the lease was asked for that it is held by.
    since: Instant,
}

/// Keeps a lane among those whose leases are renewed, for as long as it lives: also a worker that panics lets go of it.
struct Hold {
    outbox: Outbox,
    lane: Lane,
    token: Token,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.outbox.held();
        if held
            .get(&self.lane)
            .is_some_and(|held| held.token == self.token)
        {
            held.remove(&self.lane);
        }
    }
}

/// Where a lane came from: a label of the metric.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// It was committed here.
    Commit,
    /// Its delay was over.
    Sweep,
    /// Its holder was gone.
    Takeover,
    /// It was handed over here.
    Push,
}

#[derive(Debug)]
struct Meters {
    commit: Counter,
    sweep: Counter,
    takeover: Counter,
    push: Counter,
    stale: Counter,
    ambiguous: Counter,
    blocked: Counter,
    left_out: Counter,
    delay: Histogram,
    /// Told to one chat, and to the bot.
    retry_after: [Histogram; 2],
    chat_wait: Histogram,
    group_wait: Histogram,
    letters: Tally,
}

impl Meters {
    fn new() -> Self {
        let claims =
            |source: &'static str| counter!("steadfast_outbox_claims_total", "source" => source);
        Self {
            commit: claims(Source::Commit.word()),
            sweep: claims(Source::Sweep.word()),
            takeover: claims(Source::Takeover.word()),
            push: claims(Source::Push.word()),
            stale: counter!("steadfast_outbox_stale_token_total"),
            ambiguous: counter!("steadfast_outbox_ambiguous_total"),
            blocked: counter!("steadfast_outbox_blocked_total"),
            left_out: counter!("steadfast_outbox_left_out_total"),
            delay: histogram!("steadfast_reply_delay_seconds"),
            retry_after: ["chat", "global"].map(
                |scope| histogram!("steadfast_telegram_retry_after_seconds", "scope" => scope),
            ),
            chat_wait: histogram!("steadfast_ratelimit_wait_seconds", "scope" => "chat"),
            group_wait: histogram!("steadfast_ratelimit_wait_seconds", "scope" => "group"),
            letters: Tally::new(),
        }
    }

    /// Somebody has the first answer to what they did, whoever sent it and however long it waited.
    fn answered(&self, message: &Message) {
        if let Some(received) = message.received {
            let waited = Clock::system().now().saturating_sub(received);
            self.delay.record(Duration::from_millis(waited));
        }
    }

    /// Telegram told a chat to wait so long, or the whole bot.
    fn told_to_wait(&self, delay: Duration, is_global: bool) {
        self.retry_after[usize::from(is_global)].record(delay);
    }

    /// A message waits so long for the pace of its chat, or for what the chat was told.
    fn waits(&self, chat: i64, wait: Duration) {
        let waits = if chat < 0 {
            &self.group_wait
        } else {
            &self.chat_wait
        };
        waits.record(wait);
    }

    fn claimed(&self, source: Source) {
        let counter = match source {
            Source::Commit => &self.commit,
            Source::Sweep => &self.sweep,
            Source::Takeover => &self.takeover,
            Source::Push => &self.push,
        };
        counter.increment(1);
    }
}

impl Source {
    /// The word in logs.
    fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Sweep => "sweep",
            Self::Takeover => "takeover",
            Self::Push => "push",
        }
    }
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
        let outbox = Self {
            inner: Arc::new(inner),
        };
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

    /// Whether there is a place for the people themselves.
    pub fn keeps_people(&self) -> bool {
        self.inner.records.keeps_people()
    }

    /// Works on what a commit has put into the lanes of its home, where it was given them.
    pub fn committed(&self, home: i64, commit: Commit, receipt: &Receipt, received: Instant) {
        let Commit {
            turn,
            messages,
            jobs,
            ..
        } = commit;
        if receipt.dropped > 0 {
            self.left_out(home, receipt.dropped);
        }
        let first =
            |items: Vec<Item>, wait| items.into_iter().next().map(|item| Head { item, wait });
        if receipt.jobs_leased
            && let Some(head) = first(jobs, Duration::ZERO)
        {
            let lane = Lane {
                kind: LaneKind::Jobs,
                chat: home,
            };
            let held = Held {
                token: turn,
                since: received,
            };
            self.start(lane, held, head, Source::Commit);
        }
        if receipt.messages_leased
            && let Some(head) = first(messages, receipt.messages_wait)
        {
            let lane = Lane {
                kind: LaneKind::Messages,
                chat: home,
            };
            let held = Held {
                token: turn,
                since: received,
            };
            self.start(lane, held, head, Source::Commit);
        }
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
        tracing::info!(
            chat.id = chat,
            count,
            "nothing is said to who has blocked the bot"
        );
    }

    fn start(&self, lane: Lane, held: Held, head: Head, source: Source) {
        let token = held.token;
        self.inner.meters.claimed(source);
        self.held().insert(lane, held);
        let hold = Hold {
            outbox: self.clone(),
            lane,
            token,
        };
        self.inner.tasks.spawn(async move {
            hold.outbox.work(lane, token, head, source).await;
            drop(hold);
        });
    }

    /// Renews the leases of all lanes at once.
    async fn keep_leases(self) {
        let mut tick = tokio::time::interval(LANE_LEASE / 3);
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = self.inner.closed.cancelled() => return,
            }
            let held: Vec<_> = self
                .held()
                .iter()
                .map(|(lane, held)| (*lane, held.token))
                .collect();
            if held.is_empty() {
                continue;
            }
            if let Err(error) = self.renew(&held).await {
                tracing::warn!(lanes = held.len(), %error, "leases could not be renewed");
            }
        }
    }

    /// Whether this lane is still ours. A process that was paused wakes up with lanes that others have worked since, and must
    /// not send what they have sent.
    async fn holds(&self, lane: Lane, token: Token) -> bool {
        let is_sure = |held: &Held| held.token == token && held.since.elapsed() < SURE;
        if self.held().get(&lane).is_some_and(is_sure) {
            return true;
        }
        let renewed = self.renew(&[(lane, token)]).await;
        let is_ours = renewed.as_ref().is_ok_and(Vec::is_empty);
        // A store that is away says nothing about whose it is.
        if renewed.is_ok_and(|lost| !lost.is_empty()) {
            self.inner.meters.stale.increment(1);
        }
        is_ours
    }

    /// Renews these leases, and answers those that are lost.
    async fn renew(&self, lanes: &[(Lane, Token)]) -> store::Result<Vec<Lane>> {
        let since = Instant::now();
        let lost = self.inner.store.renew(lanes).await?;
        let mut held = self.held();
        for (lane, token) in lanes.iter().filter(|(lane, _)| !lost.contains(lane)) {
            if let Some(held) = held.get_mut(lane).filter(|held| held.token == *token) {
                held.since = since;
            }
        }
        Ok(lost)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<Lane, Held>> {
        self.inner
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
