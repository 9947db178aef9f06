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

use crate::store::{Cause, DialogueKey, Result, Store, Token};

/// How long to wait after a failure. Much less than tries under way elsewhere are waited for: they are pardoned as soon as they can be.
const WAIT: Duration = Duration::from_secs(1);

/// Takes back tries.
#[derive(Clone)]
pub(super) struct Pardons {
    store: Arc<dyn Store>,
    debts: Arc<Mutex<Debts>>,
}

/// What is to be taken back.
#[derive(Default)]
struct Debts {
    /// Whose tries, and the turns that noted them.
    owed: HashMap<(DialogueKey, Cause), Vec<Token>>,
    /// Who is next. Everybody who is owed something stands here, or is being asked for.
    line: VecDeque<(DialogueKey, Cause)>,
    /// Whether somebody goes along the line.
    is_worked: bool,
}

impl Pardons {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        let debts = Arc::default();
        Self { store, debts }
    }

    /// Takes back what is still owed to this cause. An error means that it cannot be loaded now either.
    pub(super) async fn settle(&self, key: DialogueKey, cause: Cause) -> Result<()> {
        while let Some(turn) = self.owed(key, cause) {
            self.store.blame(&key, cause, turn, false).await?;
            self.debts().strike(key, cause, turn);
        }
        Ok(())
    }

    /// Takes back the try of this turn, soon.
    pub(super) fn owe(&self, key: DialogueKey, cause: Cause, turn: Token) {
        if self.debts().add(key, cause, turn) {
            tokio::spawn(self.clone().work());
        }
    }

    /// Goes along the line until nothing is owed. Whoever could not be settled goes to its end, so that nobody stands behind one
    /// that never can be.
    async fn work(self) {
        while let Some((key, cause)) = self.next() {
            if self.settle(key, cause).await.is_err() {
                self.debts().line.push_back((key, cause));
                tokio::time::sleep(WAIT).await;
            }
        }
    }

    fn owed(&self, key: DialogueKey, cause: Cause) -> Option<Token> {
        self.debts().owed.get(&(key, cause))?.last().copied()
    }

    fn next(&self) -> Option<(DialogueKey, Cause)> {
        self.debts().next()
    }

    fn debts(&self) -> MutexGuard<'_, Debts> {
        self.debts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debts {
    /// Adds one; answers whether somebody has to begin to work.
    fn add(&mut self, key: DialogueKey, cause: Cause, turn: Token) -> bool {
        let turns = self.owed.entry((key, cause)).or_default();
        if turns.is_empty() {
            self.line.push_back((key, cause));
        }
        turns.push(turn);
        !std::mem::replace(&mut self.is_worked, true)
    }

    /// This one is taken back.
    fn strike(&mut self, key: DialogueKey, cause: Cause, turn: Token) {
        let Some(turns) = self.owed.get_mut(&(key, cause)) else {
            return;
        };
        turns.retain(|owed| *owed != turn);
        if turns.is_empty() {
            self.owed.remove(&(key, cause));
        }
    }

    /// The first in the line. Where there is none, nobody works any longer.
    fn next(&mut self) -> Option<(DialogueKey, Cause)> {
        let next = self.line.pop_front();
        self.is_worked = next.is_some();
        next
    }
}

impl fmt::Debug for Pardons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owed = self.debts().owed.len();
        f.debug_tuple("Pardons").field(&owed).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_turn_of_a_cause_is_owed_a_try_of_its_own() {
        let (chat, user, topic) = (1, 1, None);
        let (key, cause) = (DialogueKey { chat, user, topic }, Cause::Update(7));
        let (one, two) = (Token::fresh(), Token::fresh());
        let mut debts = Debts::default();
        assert!(debts.add(key, cause, one), "somebody has to begin");
        assert!(!debts.add(key, cause, two));
        assert_eq!(debts.next(), Some((key, cause)));
        debts.strike(key, cause, two);
        assert_eq!(debts.owed[&(key, cause)], [one]);
        debts.strike(key, cause, one);
        assert!(debts.owed.is_empty());
        assert_eq!(debts.next(), None);
        assert!(debts.add(key, cause, two), "nobody works any longer");
    }
}
