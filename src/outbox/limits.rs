//! The bot-wide limit, shared by all replicas: sendings are fetched from the store in small blocks, and replies to people go
//! before broadcasts.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use metrics::{Histogram, histogram};
use tokio::sync::Mutex;

use super::retry::Failures;
use crate::store::{Error, Grant, LaneKind, Store};

/// How many sendings are fetched at once at most.
const BLOCK: usize = 4;
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
    left: Mutex<u32>,
    /// What is left was granted before a freeze, and is void.
    is_void: AtomicBool,
    /// Until when nothing has to be fetched.
    open: std::sync::Mutex<Option<Instant>>,
    /// Whose turn it is among the broadcasts.
    broadcast: Mutex<()>,
    /// Replies that wait for one.
    replies: AtomicUsize,
    waited: Histogram,
}

/// There is none for so long that the lane should not wait for it here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotNow(pub(super) Duration);

impl Purse {
    pub(super) fn new(store: Arc<dyn Store>, failures: Arc<Failures>) -> Self {
        Self {
            store,
            failures,
            left: Mutex::default(),
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
        let mut left = self.left.lock().await;
        for _ in 0..count {
            while self.still(&mut left) == 0 {
                *left = self.fetch(LaneKind::Messages, self.wanted()).await?;
            }
            *left -= 1;
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
                tokio::time::sleep(ASIDE).await;
            }
            taken += self.fetch(LaneKind::Bulk, 1).await?;
        }
        Ok(())
    }

    /// Stops all sendings of the bot, those of this replica at once.
    pub(super) async fn freeze(&self, time: Duration) -> Result<(), Error> {
        let frozen = self.store.freeze(time).await;
        self.set_open(None);
        // The purse itself may be in the hands of someone who waits; they look at this before they take anything.
        self.is_void.store(true, Ordering::Relaxed);
        frozen
    }

    /// What is left, after the last freeze.
    fn still(&self, left: &mut u32) -> u32 {
        if self.is_void.swap(false, Ordering::Relaxed) {
            *left = 0;
        }
        *left
    }

    fn is_open(&self, now: Instant) -> bool {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.is_some_and(|until| now < until)
    }

    fn set_open(&self, until: Option<Instant>) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// As many as there are lanes waiting: one that is kept for later would be sent later than it was granted, on top of what
    /// is granted then.
    fn wanted(&self) -> u32 {
        let waiting = self.replies.load(Ordering::Relaxed);
        u32::try_from(waiting.clamp(1, BLOCK)).unwrap_or(1)
    }

    /// Fetches a block, and waits until it may be used; none, after a short wait, if there was none yet.
    async fn fetch(&self, kind: LaneKind, want: u32) -> Result<u32, NotNow> {
        let asked = Instant::now();
        let grant = self.store.grant(kind, want).await;
        let grant = grant.map_err(|error| away(&error))?;
        let Grant { granted, wait, .. } = grant;
        if grant.is_frozen {
            self.failures.paused(asked + wait);
        }
        if granted == 0 && wait > PATIENCE {
            return Err(NotNow(wait));
        }
        tokio::time::sleep(wait).await;
        if grant.is_open {
            self.set_open(Some(asked + OPEN_FOR));
        }
        Ok(granted)
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

    #[tokio::test]
    async fn what_is_left_in_the_purse_is_not_spent_in_a_freeze() {
        let purse = Purse::new(Arc::new(Memory::new()), Arc::default());
        *purse.left.lock().await = 3;
        purse.freeze(Duration::from_secs(60)).await.unwrap();
        assert!(purse.take(LaneKind::Messages, 1).await.is_err());
        assert!(purse.take(LaneKind::Messages, 1).await.is_err());
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
        let pace = Pace {
            every: Duration::from_secs(3600),
            burst: 7,
        };
        let limits = Limits {
            bot: Some(pace),
            ..Limits::default()
        };
        let store = Arc::new(Memory::new().with_limits(limits));
        let purse = Purse::new(store, Arc::default());
        assert_eq!(purse.take(LaneKind::Messages, 3).await, Ok(()));
        assert_eq!(purse.take(LaneKind::Bulk, 2).await, Ok(()));
        assert_eq!(purse.take(LaneKind::Messages, 2).await, Ok(()));
        assert!(purse.take(LaneKind::Messages, 1).await.is_err());
    }

    /// A thousand broadcasts take a hundred seconds.
    #[tokio::test]
    async fn a_reply_does_not_stand_in_line_behind_broadcasts() {
        let pace = Pace {
            every: Duration::from_millis(100),
            burst: 1,
        };
        let limits = Limits {
            bot: Some(pace),
            ..Limits::default()
        };
        let store = Arc::new(Memory::new().with_limits(limits));
        let purse = Arc::new(Purse::new(store, Arc::default()));
        for _ in 0..1000 {
            let purse = Arc::clone(&purse);
            tokio::spawn(async move { purse.take(LaneKind::Bulk, 1).await });
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        let reply = purse.take(LaneKind::Messages, 1);
        let taken = tokio::time::timeout(Duration::from_secs(30), reply).await;
        assert_eq!(taken, Ok(Ok(())));
    }
}
