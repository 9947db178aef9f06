//! Takes back tries that were not the turn's own fault.
//!
//! A load notes a try, so that a turn which kills the process is counted. When the store or the records were what failed, the
//! try is taken back: in the background and for as long as it takes, since the store may be what is missing, and at the latest before
//! the same cause is loaded again. Other replicas that met the same outage take back theirs. However many there are, a store that
//! is away is asked for one of them at a time.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::store::{Cause, Key, Result, Store, Token};

/// How long to wait after each failure in a row, in seconds; the last again and again.
const WAITS: [u64; 5] = [1, 2, 4, 8, 16];

/// Takes back tries.
#[derive(Clone)]
pub(super) struct Pardons {
    store: Arc<dyn Store>,
    debts: Arc<Mutex<Debts>>,
}

/// What is to be taken back.
#[derive(Default)]
struct Debts {
    /// Whose try, and the turn that noted it.
    owed: HashMap<(Key, Cause), Token>,
    /// Who is next. Those that are not owed any more are passed over.
    line: VecDeque<(Key, Cause)>,
    /// Whether somebody goes along the line.
    is_worked: bool,
}

impl Pardons {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        let debts = Arc::default();
        Self { store, debts }
    }

    /// Takes back what is still owed to this cause. An error means that it cannot be loaded now either.
    pub(super) async fn settle(&self, key: Key, cause: Cause) -> Result<()> {
        let turn = self.debts().owed.get(&(key, cause)).copied();
        match turn {
            Some(turn) => self.pardon(key, cause, turn).await,
            None => Ok(()),
        }
    }

    /// Takes back the try of this turn, soon.
    pub(super) fn owe(&self, key: Key, cause: Cause, turn: Token) {
        if self.debts().add(key, cause, turn) {
            tokio::spawn(self.clone().work());
        }
    }

    /// Goes along the line until nothing is owed. Whoever was asked for goes to its end, since they may be owed once more by then,
    /// and so that nobody stands behind one that always fails.
    async fn work(self) {
        let mut failures = 0;
        while let Some((key, cause, turn)) = self.next() {
            let pardoned = self.pardon(key, cause, turn).await;
            self.debts().line.push_back((key, cause));
            if pardoned.is_ok() {
                failures = 0;
                continue;
            }
            let wait = WAITS[failures.min(WAITS.len() - 1)];
            failures += 1;
            tokio::time::sleep(Duration::from_secs(wait)).await;
        }
    }

    fn next(&self) -> Option<(Key, Cause, Token)> {
        self.debts().next()
    }

    async fn pardon(&self, key: Key, cause: Cause, turn: Token) -> Result<()> {
        self.store.blame(&key, cause, turn, false).await?;
        let mut debts = self.debts();
        if debts.owed.get(&(key, cause)) == Some(&turn) {
            debts.owed.remove(&(key, cause));
        }
        Ok(())
    }

    fn debts(&self) -> MutexGuard<'_, Debts> {
        self.debts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debts {
    /// Adds one; answers whether somebody has to begin to work.
    fn add(&mut self, key: Key, cause: Cause, turn: Token) -> bool {
        if self.owed.insert((key, cause), turn).is_none() {
            self.line.push_back((key, cause));
        }
        !std::mem::replace(&mut self.is_worked, true)
    }

    /// The first in the line that is still owed. Where there is none, nobody works any longer.
    fn next(&mut self) -> Option<(Key, Cause, Token)> {
        while let Some((key, cause)) = self.line.pop_front() {
            if let Some(turn) = self.owed.get(&(key, cause)) {
                return Some((key, cause, *turn));
            }
        }
        self.is_worked = false;
        None
    }
}

impl fmt::Debug for Pardons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owed = self.debts().owed.len();
        f.debug_tuple("Pardons").field(&owed).finish()
    }
}
