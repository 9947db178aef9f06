//! Load, step, commit: the heart of a turn.
//!
//! No locks: the commit checks the version, and the pure step is run again on the fresh state when someone else was first. A turn
//! that fails is counted in the store, comes again, and after [`MAX_TRIES`] is put aside as a dead letter.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::MutexGuard;
use tower::{Layer, Service};

use super::engine::Unplayed;
use super::leased::LeasedQueues;
use super::pardon::Pardons;
use super::turnstile::Turnstile;
use super::{Outcome, OutcomeKind, TurnError};
use crate::dialogue::{Played, Scene};
use crate::records::Records;
use crate::replica::Peers;
use crate::store::{self, Commit, Committed, DialogueKey, Loaded, Receipt, Snapshot, Store, Token};
use crate::turn::Event;

mod commit;
mod counters;
mod failure;
mod moving;
mod reading;
mod sitting;
mod step;

use counters::Counters;
use sitting::Sitting;
use step::Ready;

/// How often a step is run again because someone else was first.
const MAX_ATTEMPTS: u32 = 8;
/// How often a turn may fail before it is put aside.
pub const MAX_TRIES: u32 = 3;
/// A turn older than this is not committed: Telegram may have given up on it and sent it elsewhere.
const MAX_AGE: Duration = Duration::from_secs(10);
/// How often to look, for as long as a turn may take, before believing that every try ended in death.
const DOUBT: Duration = Duration::from_secs(1);
/// How often the letter of a job is tried to be kept, and how long to wait in between.
const LETTER_TRIES: u32 = 40;
const LETTER_DELAY: Duration = Duration::from_millis(250);

/// What a session works with.
#[derive(Debug, Clone)]
pub struct Desk {
    /// Where dialogues are kept.
    pub store: Arc<dyn Store>,
    /// Records that fetch lookups.
    pub records: Arc<dyn Records>,
    /// Channel to the outbox for queues that a turn has leased.
    pub leased: LeasedQueues,
    /// What the other replicas can read.
    pub peers: Peers,
}

/// Puts load and commit around each step. See the [module docs](self).
#[derive(Debug, Clone)]
pub struct StateLayer {
    desk: Arc<Desk>,
}

impl StateLayer {
    /// Sessions at this desk.
    pub fn new(desk: Desk) -> Self {
        Self { desk: Arc::new(desk) }
    }
}

impl<S> Layer<S> for StateLayer {
    type Service = StateService<S>;

    fn layer(&self, inner: S) -> StateService<S> {
        StateService {
            inner,
            desk: Arc::clone(&self.desk),
            turnstile: Turnstile::new(),
            pardons: Pardons::new(Arc::clone(&self.desk.store)),
            counters: Counters::new(),
        }
    }
}

/// The service of [`StateLayer`].
#[derive(Debug, Clone)]
pub struct StateService<S> {
    inner: S,
    desk: Arc<Desk>,
    turnstile: Turnstile,
    pardons: Pardons,
    counters: Counters,
}

impl<S> Service<Event> for StateService<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    type Response = Outcome;
    type Error = TurnError;
    type Future = Pin<Box<dyn Future<Output = Result<Outcome, TurnError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TurnError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Event) -> Self::Future {
        let session = self.clone();
        Box::pin(async move { session.sit(incoming).await })
    }
}

impl<S> StateService<S>
where
    S: Service<Scene, Response = Played, Error = Unplayed> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    async fn sit(&self, incoming: Event) -> Result<Outcome, TurnError> {
        let mut gate = Some(self.enter(&incoming).await?);
        let Event { key, cause, .. } = incoming;
        self.pardons.settle(key, cause).await?;
        let mut sitting =
            Sitting { incoming, turn: Token::fresh(), snapshot: Snapshot::default(), attempts: 0 };
        let moved = self.load_and_turn(&mut sitting, &mut gate).await;
        if !is_guilty(&moved, sitting.snapshot.tries) {
            self.pardons.owe(sitting.incoming.key, cause, sitting.turn);
        }
        moved
    }

    /// Waits for its turn. Whoever waits too long was answered already, and must not stand behind a turn that never ends.
    async fn enter(&self, incoming: &Event) -> Result<MutexGuard<'_, ()>, TurnError> {
        let left = MAX_AGE.saturating_sub(incoming.received.elapsed());
        if left.is_zero() {
            return Err(TurnError::TooOld);
        }
        let gate = tokio::time::timeout(left, self.turnstile.enter(&incoming.key)).await;
        gate.map_err(|_| TurnError::TooOld)
    }

    /// Nobody stands behind one that doubts: it lets others pass and gets in line again.
    async fn load_and_turn<'a>(
        &'a self,
        sitting: &mut Sitting,
        gate: &mut Option<MutexGuard<'a, ()>>,
    ) -> Result<Outcome, TurnError> {
        if !self.load(sitting).await? {
            return Ok(Outcome::nothing(OutcomeKind::Duplicate, String::new()));
        }
        if let Some(over) = self.move_along(sitting).await? {
            return Ok(Outcome::nothing(over, String::new()));
        }
        if sitting.snapshot.tries > MAX_TRIES {
            drop(gate.take());
            self.doubt(sitting).await?;
            *gate = Some(self.enter(&sitting.incoming).await?);
            if !self.load(sitting).await? {
                return Ok(Outcome::nothing(OutcomeKind::Duplicate, String::new()));
            }
        }
        self.turns(sitting).await
    }

    /// Waits until the tries that were counted are over, or as good as certainly are: other replicas may be at it, all waiting for the
    /// same thing. Whoever brought it is not waited for any longer, so its time begins anew.
    async fn doubt(&self, sitting: &mut Sitting) -> Result<(), TurnError> {
        let mut waited = Duration::ZERO;
        while waited < MAX_AGE && sitting.snapshot.tries > MAX_TRIES {
            tokio::time::sleep(DOUBT).await;
            waited += DOUBT;
            if !self.load(sitting).await? {
                break;
            }
        }
        sitting.incoming.received = Instant::now();
        Ok(())
    }

    /// Takes in how the dialogue stands; `false` if this update is committed already.
    async fn load(&self, sitting: &mut Sitting) -> Result<bool, TurnError> {
        let Sitting { incoming, turn, .. } = sitting;
        let store = &self.desk.store;
        match store.load(&incoming.key, incoming.cause, *turn).await? {
            Loaded::Fresh(snapshot) => sitting.snapshot = snapshot,
            Loaded::Duplicate => return Ok(false),
        }
        Ok(true)
    }

    /// Runs the step until it is committed.
    async fn turns(&self, sitting: &mut Sitting) -> Result<Outcome, TurnError> {
        while sitting.attempts < MAX_ATTEMPTS {
            sitting.attempts += 1;
            let (mut played, dead, is_noted) = match self.step(sitting).await? {
                Ready::Step(played) => (played, None, false),
                Ready::Final(played, letter) => (played, Some(letter), false),
                Ready::Noted(played) => (played, None, true),
                Ready::Nothing(toast) => return Ok(Outcome::nothing(OutcomeKind::Ignored, toast)),
            };
            if sitting.incoming.received.elapsed() > MAX_AGE {
                return Err(TurnError::TooOld);
            }
            let mut commit = sitting.commit(&mut played, dead);
            if !is_noted {
                commit.jobs.extend(sitting.meeting(&played, &*self.desk.records));
            }
            match self.commit(&sitting.incoming.key, &commit).await? {
                Committed::Done(receipt) if is_noted => {
                    let crowded_out = receipt.crowded_out;
                    self.counters.crowded.increment(u64::from(crowded_out));
                    return Ok(Outcome::nothing(OutcomeKind::Ignored, played.toast));
                }
                Committed::Done(receipt) => {
                    let other = sitting.other_letter(&commit);
                    let moved = self.done(sitting, commit, &receipt, played);
                    if let Some(letter) = other {
                        self.keep(letter).await;
                    }
                    return Ok(moved);
                }
                Committed::Duplicate => {
                    return Ok(Outcome::nothing(OutcomeKind::Duplicate, played.toast));
                }
                Committed::TooOld => return Err(TurnError::TooOld),
                Committed::Stale => return Err(TurnError::Stale),
                Committed::Conflict(snapshot) => self.conflict(sitting, snapshot).await,
            }
        }
        Err(TurnError::Contended(sitting.attempts))
    }

    /// Keeps the letter of a job. Nothing else is left of that by then, so it is tried for as long as it may take a store to come back.
    async fn keep(&self, letter: Bytes) {
        for _ in 0..LETTER_TRIES {
            match self.desk.store.entomb(letter.clone()).await {
                Ok(()) => return,
                Err(error) => tracing::warn!(%error, "the dead letter of a record is not kept yet"),
            }
            tokio::time::sleep(LETTER_DELAY).await;
        }
        tracing::error!("the dead letter of a record could not be kept");
    }

    /// Goes on with what is there now; but for the tries, which may be under way elsewhere and were not waited for.
    async fn conflict(&self, sitting: &mut Sitting, snapshot: Snapshot) {
        self.counters.conflicts.increment(1);
        let tries = sitting.snapshot.tries;
        sitting.snapshot = Snapshot { tries, ..snapshot };
        let most = 1 << sitting.attempts.min(5);
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..most))).await;
    }

    /// Commits; once more if it is not known whether it was done, which the turn's token makes safe.
    async fn commit(&self, key: &DialogueKey, commit: &Commit) -> Result<Committed, TurnError> {
        match self.desk.store.commit(key, commit).await {
            Err(store::Error::Unavailable { .. }) => {
                self.counters.retries.increment(1);
                Ok(self.desk.store.commit(key, commit).await?)
            }
            answer => Ok(answer?),
        }
    }

    fn done(
        &self,
        sitting: &Sitting,
        commit: Commit,
        receipt: &Receipt,
        played: Played,
    ) -> Outcome {
        self.counters.crowded.increment(u64::from(receipt.crowded_out));
        let outcome = match &commit.dead {
            Some(letter) => self.tell_of_letter(sitting.incoming.trace(), letter),
            None => OutcomeKind::Applied,
        };
        let (chat, received) = (sitting.incoming.key.chat, sitting.incoming.received);
        let count = receipt.dropped;
        if count > 0 {
            self.counters.suppressed.increment(u64::from(count));
            tracing::info!(chat.id = chat, count, "nothing is said to who has blocked the bot");
        }
        self.desk.leased.send_leased(chat, commit, receipt, received);
        Outcome { outcome, edges: played.edges, attempts: sitting.attempts, toast: played.toast }
    }
}

/// Whether the try that the load noted shall stand. A commit has ended the count. What came to nothing may come again any number
/// of times, such as the timer of a state that only a newer build reads: its count must not grow. An error may be the store's: the
/// load may have noted the try although its answer was lost.
fn is_guilty(moved: &Result<Outcome, TurnError>, tries: u32) -> bool {
    match moved {
        Ok(moved) => moved.outcome != OutcomeKind::Ignored || tries <= 1,
        Err(error) => matches!(error, TurnError::Failed { .. }),
    }
}
