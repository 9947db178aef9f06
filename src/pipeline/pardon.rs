//! Takes back tries that were not the turn's own fault.
//!
//! A load notes a try, so that a turn which kills the process is counted. When the store or the records were what failed, the
//! try is taken back: in the background and for as long as it takes, since the store may be what is missing, and at the latest before
//! the same cause is loaded again. Other replicas that met the same outage take back theirs.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::store::{Cause, Key, Result, Store, Token};

/// How long to wait after each failure, in seconds; the last again and again.
const WAITS: [u64; 5] = [1, 2, 4, 8, 16];

/// Whose try is to be taken back, and the turn that noted it.
type Owed = HashMap<(Key, Cause), Token>;

/// Takes back tries.
#[derive(Clone)]
pub(super) struct Pardons {
    store: Arc<dyn Store>,
    owed: Arc<Mutex<Owed>>,
}

impl Pardons {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        let owed = Arc::default();
        Self { store, owed }
    }

    /// Takes back what is still owed to this cause. An error means that it cannot be loaded now either.
    pub(super) async fn settle(&self, key: Key, cause: Cause) -> Result<()> {
        let turn = self.owed().get(&(key, cause)).copied();
        match turn {
            Some(turn) => self.pardon(key, cause, turn).await,
            None => Ok(()),
        }
    }

    /// Takes back the try of this turn, soon.
    pub(super) fn owe(&self, key: Key, cause: Cause, turn: Token) {
        self.owed().insert((key, cause), turn);
        let pardons = self.clone();
        tokio::spawn(async move {
            let mut waits = WAITS.into_iter();
            let mut wait = 0;
            while pardons.is_owed(key, cause, turn)
                && pardons.pardon(key, cause, turn).await.is_err()
            {
                wait = waits.next().unwrap_or(wait);
                tokio::time::sleep(Duration::from_secs(wait)).await;
            }
        });
    }

    async fn pardon(&self, key: Key, cause: Cause, turn: Token) -> Result<()> {
        self.store.blame(&key, cause, turn, false).await?;
        self.forget(key, cause, turn);
        Ok(())
    }

    fn is_owed(&self, key: Key, cause: Cause, turn: Token) -> bool {
        self.owed().get(&(key, cause)) == Some(&turn)
    }

    fn forget(&self, key: Key, cause: Cause, turn: Token) {
        if self.is_owed(key, cause, turn) {
            self.owed().remove(&(key, cause));
        }
    }

    fn owed(&self) -> MutexGuard<'_, Owed> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pardons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pardons").field(&self.owed().len()).finish()
    }
}
