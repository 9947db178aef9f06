//! The bot-wide limit, shared by all replicas: sendings are fetched from the store in small blocks, and replies to people go
//! before broadcasts.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use metrics::{Histogram, histogram};
use tokio::sync::Mutex;
use tokio::time;

use super::retry::Failures;
use crate::store::{Error, Grant, LaneKind, Store};

/// How many sendings are fetched at once at most.
const BLOCK: usize = 4;
/// How long after its time a sending may still be made that was granted behind another. Later ones are given up: a replica that stood
/// still would make several at once, too near to those of others. Half the time between two, at Telegram's own limit.
const LATE: Duration = Duration::from_millis(20);
/// The longest a lane is held while nothing may be sent; with a longer wait it is given back.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);
/// How long a broadcast steps aside for replies.
const ASIDE: Duration = Duration::from_millis(50);

/// Where there is no limit, how long that holds before the store is asked again whether there is a freeze.
const OPEN_FOR: Duration = Duration::from_millis(100);

/// Sendings that this replica may make.
#[derive(Debug)]
pub(super) struct Purse {
    store: Arc<dyn Store>,
    /// Who is told of a freeze that another replica began.
    failures: Arc<Failures>,
    block: Mutex<Block>,
    /// What is left of it was granted before a freeze, and is void.
    is_void: AtomicBool,
    /// Until when nothing has to be fetched.
    open: std::sync::Mutex<Option<Instant>>,
    /// Whose turn it is among the broadcasts.
    broadcast: Mutex<()>,
    /// Replies that wait for one.
    replies: AtomicUsize,
    waited: Histogram,
}

/// Sendings that were granted together.
#[derive(Debug)]
struct Block {
    left: u32,
    /// When the next of them may be made.
    at: time::Instant,
    /// How long after that the one behind it may be.
    apart: Duration,
    /// How late it may be.
    late: Duration,
    /// The first one is made however late it is, as if it had been granted alone.
    is_first: bool,
}

impl Block {
    /// What was granted just now, to whoever asked then: for as long as the answer took, all may be late already.
    fn new(grant: &Grant, asked: time::Instant) -> Self {
        Self {
            left: grant.granted,
            at: time::Instant::now() + grant.wait,
            apart: grant.apart,
            late: LATE.saturating_sub(asked.elapsed()),
            is_first: true,
        }
    }

    /// Takes the next one when its time has come; `false`: there is none whose time is not over.
    async fn next(&mut self) -> bool {
        while self.left > 0 {
            let is_first = mem::take(&mut self.is_first);
            // A timer rounds up to whole milliseconds, also for what need not wait.
            if self.at > time::Instant::now() {
                time::sleep_until(self.at).await;
            }
            let is_in_time = self.at.elapsed() <= self.late;
            self.left -= 1;
            self.at += self.apart;
            if is_first || is_in_time {
                return true;
            }
        }
        false
    }
}

/// There is none for so long that the lane should not wait for it here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotNow(pub(super) Duration);

impl Purse {
    pub(super) fn new(store: Arc<dyn Store>, failures: Arc<Failures>) -> Self {
        Self {
            store,
            failures,
            block: Mutex::new(Block::new(&Grant::default(), time::Instant::now())),
            is_void: AtomicBool::new(false),
            open: std::sync::Mutex::default(),
            broadcast: Mutex::default(),
            replies: AtomicUsize::new(0),
            waited: histogram!("steadfast_ratelimit_wait_seconds", "scope" => "global"),
        }
    }

    /// Takes so many sendings, in the order of coming, waiting for them if they come soon.
    pub(super) async fn take(&self, kind: LaneKind, count: u32) -> Result<(), NotNow> {
        let start = Instant::now();
        if !self.is_open(start) {
            match kind {
                LaneKind::Bulk => self.take_for_broadcast(count).await?,
                LaneKind::Messages | LaneKind::Jobs | LaneKind::Aside => {
                    self.take_for_reply(count).await?;
                }
            }
        }
        self.waited.record(start.elapsed());
        Ok(())
    }

    async fn take_for_reply(&self, count: u32) -> Result<(), NotNow> {
        let _waiting = Waiting::new(&self.replies);
        // The lock is fair: who holds it waits for the next block, the others stand in line behind.
        let mut block = self.block.lock().await;
        // Whoever was first in line may have found that there is no limit.
        if self.is_open(Instant::now()) {
            return Ok(());
        }
        for _ in 0..count {
            while !self.next(&mut block).await {
                *block = self.fetch(LaneKind::Messages, self.wanted()).await?;
            }
        }
        Ok(())
    }

    /// One broadcast at a time, and none while a reply wants a sending, here or, as the store knows, elsewhere. They do not stand
    /// in the line of the replies, which would hold up every reply that comes later.
    async fn take_for_broadcast(&self, count: u32) -> Result<(), NotNow> {
        let _turn = self.broadcast.lock().await;
        let mut taken = 0;
        while taken < count {
            while self.replies.load(Ordering::Relaxed) > 0 {
                time::sleep(ASIDE).await;
            }
            let mut block = self.fetch(LaneKind::Bulk, 1).await?;
            taken += u32::from(block.next().await);
        }
        Ok(())
    }

    /// Stops all sendings of the bot, those of this replica at once.
    pub(super) async fn freeze(&self, time: Duration) -> Result<(), Error> {
        let frozen = self.store.freeze(time).await;
        // The purse itself may be in the hands of someone who waits; they look at this before they take anything.
        self.is_void.store(true, Ordering::Relaxed);
        self.set_open(None);
        frozen
    }

    /// Takes the next sending of the block; `false`: there is none, or there was a freeze since it was granted.
    async fn next(&self, block: &mut Block) -> bool {
        let is_there = block.next().await;
        if self.is_void.swap(false, Ordering::Relaxed) {
            block.left = 0;
            return false;
        }
        is_there
    }

    fn is_open(&self, now: Instant) -> bool {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.is_some_and(|until| now < until)
    }

    fn set_open(&self, until: Option<Instant>) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// As many as there are lanes waiting: one that nobody waits for would be given up when its time is over.
    fn wanted(&self) -> u32 {
        let waiting = self.replies.load(Ordering::Relaxed);
        u32::try_from(waiting.clamp(1, BLOCK)).unwrap_or(1)
    }

    /// Fetches a block; an empty one, after a short wait, if there was none yet.
    async fn fetch(&self, kind: LaneKind, want: u32) -> Result<Block, NotNow> {
        let asked = time::Instant::now();
        let grant = self.store.grant(kind, want).await;
        let grant = grant.map_err(|error| away(&error))?;
        let Grant { granted, wait, .. } = grant;
        if grant.is_frozen {
            self.failures.paused(asked.into_std() + wait);
        }
        if granted == 0 && wait > PATIENCE {
            return Err(NotNow(wait));
        }
        let block = Block::new(&grant, asked);
        if granted == 0 {
            time::sleep_until(block.at).await;
        }
        // There may have been a freeze since the store answered.
        if grant.is_open && !self.is_void.load(Ordering::Relaxed) {
            self.set_open(Some(asked.into_std() + OPEN_FOR));
        }
        Ok(block)
    }
}

/// Without the store nobody knows whether there is one.
fn away(error: &Error) -> NotNow {
    tracing::debug!(%error, "no sendings could be fetched");
    NotNow(Duration::from_secs(1))
}

/// Counts someone who waits, for as long as it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Lane, Limits, Memory, Pace};

    fn block(left: u32, apart: Duration) -> Block {
        let grant = Grant { granted: left, apart, ..Grant::default() };
        Block::new(&grant, time::Instant::now())
    }

    /// Of a bot that may send so many at once, and then one an hour.
    fn purse_of(burst: u32) -> Purse {
        let every = Duration::from_secs(3600);
        let limits = Limits { bot: Some(Pace { every, burst }), ..Limits::default() };
        Purse::new(Arc::new(Memory::new().with_limits(limits)), Arc::default())
    }

    #[tokio::test]
    async fn as_many_are_fetched_as_lanes_wait_up_to_a_block() {
        let purse = purse_of(20);
        assert_eq!(purse.wanted(), 1, "whoever asks");
        let wait = |count| -> Vec<_> {
            let waiting = (0..count).map(|_| Waiting::new(&purse.replies));
            waiting.collect()
        };
        for (others, left) in [(0, 0), (1, 1), (3, 3), (9, 3)] {
            let _others = wait(others);
            assert_eq!(purse.take(LaneKind::Messages, 1).await, Ok(()));
            let mut block = purse.block.lock().await;
            assert_eq!(block.left, left, "beside {others} others");
            block.left = 0;
        }
        let _others = wait(9);
        assert_eq!(purse.wanted(), BLOCK as u32);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_granted_ahead_is_made_one_after_the_other() {
        let (purse, every) = (purse_of(1), Duration::from_millis(40));
        *purse.block.lock().await = block(4, every);
        let start = time::Instant::now();
        for place in 0..4 {
            assert_eq!(purse.take(LaneKind::Messages, 1).await, Ok(()));
            assert!(start.elapsed() >= every * place, "{:?}", start.elapsed());
        }
    }

    /// Four of them, ten milliseconds apart. The first is made, then everything stands still.
    #[tokio::test(start_paused = true)]
    async fn sendings_whose_time_is_over_are_given_up() {
        let apart = Duration::from_millis(10);
        for (missed, left) in [(0, 2), (1, 1), (2, 0)] {
            let mut block = block(4, apart);
            assert!(block.next().await);
            time::advance(LATE + apart * missed + apart / 2).await;
            assert_eq!((block.next().await, block.left), (true, left));
        }
        let mut block = block(4, apart);
        assert!(block.next().await);
        time::advance(LATE + apart * 4).await;
        assert_eq!((block.next().await, block.left), (false, 0));
    }

    /// The store took its time: only the first of them is as good as one that was granted alone.
    #[tokio::test(start_paused = true)]
    async fn an_answer_that_took_long_counts_as_late() {
        let (asked, moment) = (time::Instant::now(), Duration::from_millis(1));
        time::advance(LATE).await;
        let grant = Grant::default();
        let mut block = Block::new(&Grant { granted: 2, ..grant }, asked);
        assert!(block.next().await);
        time::advance(moment).await;
        assert!(!block.next().await);
    }

    #[tokio::test]
    async fn what_is_left_in_the_purse_is_not_spent_in_a_freeze() {
        let purse = Purse::new(Arc::new(Memory::new()), Arc::default());
        *purse.block.lock().await = block(3, Duration::ZERO);
        purse.freeze(Duration::from_secs(60)).await.unwrap();
        assert!(purse.take(LaneKind::Messages, 1).await.is_err());
        assert!(purse.take(LaneKind::Messages, 1).await.is_err());
    }

    /// Else all who came while the first one asked would ask one after the other, for nothing.
    #[tokio::test]
    async fn who_stood_in_line_goes_when_there_is_no_limit() {
        let purse = Arc::new(Purse::new(Arc::new(Memory::new()), Arc::default()));
        let mut held = purse.block.lock().await;
        let reply = Arc::clone(&purse);
        let reply = tokio::spawn(async move { reply.take(LaneKind::Messages, 1).await });
        while purse.replies.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        let hour = Duration::from_secs(3600);
        *held = block(1, hour);
        held.at += hour;
        purse.set_open(Some(Instant::now() + hour));
        drop(held);
        let taken = time::timeout(Duration::from_secs(30), reply).await;
        assert_eq!(taken.expect("it goes").expect("it is taken"), Ok(()));
    }

    #[tokio::test]
    async fn an_answer_from_before_a_freeze_opens_nothing() {
        let purse = Purse::new(Arc::new(Memory::new()), Arc::default());
        purse.is_void.store(true, Ordering::Relaxed);
        assert!(purse.fetch(LaneKind::Messages, 1).await.is_ok());
        assert!(!purse.is_open(Instant::now()));
        assert!(purse.take(LaneKind::Messages, 1).await.is_ok());
        assert!(purse.is_open(Instant::now()), "there is no limit");
    }

    #[tokio::test]
    async fn a_pause_that_another_replica_began_is_heard_of() {
        let (store, failures) = (Arc::new(Memory::new()), Arc::<Failures>::default());
        let moment = Duration::from_millis(100);
        store.freeze(moment).await.expect("a freeze");
        let purse = Purse::new(store, Arc::clone(&failures));
        assert_eq!(purse.take(LaneKind::Messages, 1).await, Ok(()));
        let (kind, delay) = (LaneKind::Messages, Duration::from_secs(9));
        let told = failures.flooded(Lane { kind, chat: 1 }, delay, Instant::now());
        assert_eq!(told, Some(delay), "it need not be told twice");
    }

    #[tokio::test]
    async fn an_album_takes_as_many_sendings_as_it_has_photos() {
        let purse = purse_of(7);
        assert_eq!(purse.take(LaneKind::Messages, 3).await, Ok(()));
        assert_eq!(purse.take(LaneKind::Bulk, 2).await, Ok(()));
        assert_eq!(purse.take(LaneKind::Messages, 2).await, Ok(()));
        assert!(purse.take(LaneKind::Messages, 1).await.is_err());
    }

    /// A thousand broadcasts take a hundred seconds.
    #[tokio::test]
    async fn a_reply_does_not_stand_in_line_behind_broadcasts() {
        let pace = Pace { every: Duration::from_millis(100), burst: 1 };
        let limits = Limits { bot: Some(pace), ..Limits::default() };
        let store = Arc::new(Memory::new().with_limits(limits));
        let purse = Arc::new(Purse::new(store, Arc::default()));
        for _ in 0..1000 {
            let purse = Arc::clone(&purse);
            tokio::spawn(async move { purse.take(LaneKind::Bulk, 1).await });
        }
        time::sleep(Duration::from_millis(300)).await;
        let reply = purse.take(LaneKind::Messages, 1);
        let taken = time::timeout(Duration::from_secs(30), reply).await;
        assert_eq!(taken, Ok(Ok(())));
    }
}
