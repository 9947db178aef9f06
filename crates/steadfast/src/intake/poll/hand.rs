//! Updates in hand: which of them may be confirmed, and which comes next.

use std::collections::{BTreeSet, HashMap, VecDeque};

use bytes::Bytes;
use tokio::task::JoinSet;

/// Updates in hand.
#[derive(Debug, Default)]
pub(super) struct Hand {
    /// One more than the last id that Telegram has shown.
    next: Option<i64>,
    unfinished: BTreeSet<i64>,
    /// What is finished and cannot be confirmed yet, because something before it is not.
    finished: BTreeSet<i64>,
    /// What waits behind the update of its queue that is being dealt with.
    queues: HashMap<String, VecDeque<Waiting>>,
    pub(super) tasks: JoinSet<Finished>,
}

/// An update that is to be dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Waiting {
    /// Its id.
    pub(super) id: i64,
    /// As it came.
    pub(super) body: Bytes,
}

/// What becomes of an update that came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Accepted {
    /// It is in hand already.
    Known,
    /// It waits behind another of its queue.
    Waits,
    /// It is to be dealt with.
    Next(Waiting),
}

/// What became of an update.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) queue: String,
    pub(super) id: i64,
    pub(super) is_done: bool,
}

impl Hand {
    /// What may be confirmed: everything below this.
    pub(super) fn offset(&self) -> Option<i64> {
        self.unfinished.first().copied().or(self.next)
    }

    /// Whether nothing is.
    pub(super) fn is_empty(&self) -> bool {
        self.unfinished.is_empty()
    }

    /// Takes an update in hand, behind those of its queue.
    pub(super) fn accept(&mut self, update: Waiting, queue: &str) -> Accepted {
        if !self.is_new(update.id) {
            return Accepted::Known;
        }
        match self.queues.get_mut(queue) {
            Some(waiting) => {
                waiting.push_back(update);
                Accepted::Waits
            }
            None => {
                self.queues.insert(queue.to_owned(), VecDeque::new());
                Accepted::Next(update)
            }
        }
    }

    /// The next of a queue whose first is dealt with, or given up. Nothing goes on that is not ours to go on with: what waits behind
    /// an update that was given up comes after it, wherever that is dealt with.
    pub(super) fn next(&mut self, queue: &str, goes_on: bool) -> Option<Waiting> {
        let next = self.queues.get_mut(queue).filter(|_| goes_on);
        let next = next.and_then(VecDeque::pop_front);
        if next.is_none() {
            self.queues.remove(queue);
        }
        next
    }

    /// Whether this update is new. What is known already is behind us all the same.
    fn is_new(&mut self, id: i64) -> bool {
        self.next = Some(id + 1);
        !self.finished.contains(&id) && self.unfinished.insert(id)
    }

    /// It need not come again.
    pub(super) fn finish(&mut self, id: i64) {
        self.unfinished.remove(&id);
        self.finished.insert(id);
        // What is confirmed with the next question does not come again.
        let offset = self.offset();
        self.finished.retain(|id| Some(*id) >= offset);
    }

    /// Forgets what is not confirmed: it comes again, behind what is being dealt with.
    pub(super) fn let_go(&mut self) {
        for waiting in self.queues.values_mut() {
            waiting.clear();
        }
        self.unfinished.clear();
        self.finished.clear();
        self.next = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(id: i64) -> Waiting {
        let body = Bytes::new();
        Waiting { id, body }
    }

    #[test]
    fn the_lowest_that_is_not_finished_is_what_is_asked_for() {
        let mut hand = Hand::default();
        assert_eq!(hand.accept(update(5), "ann"), Accepted::Next(update(5)));
        assert_eq!(hand.accept(update(6), "ann"), Accepted::Waits);
        assert_eq!(hand.accept(update(7), "bob"), Accepted::Next(update(7)));
        hand.finish(7);
        assert_eq!(hand.offset(), Some(5));
        assert_eq!(hand.accept(update(7), "bob"), Accepted::Known);
        hand.finish(5);
        hand.finish(6);
        assert_eq!(hand.offset(), Some(8));
    }

    #[test]
    fn what_waits_behind_an_update_comes_after_it() {
        let mut hand = Hand::default();
        hand.accept(update(5), "ann");
        hand.accept(update(6), "ann");
        assert_eq!(hand.next("ann", true), Some(update(6)));
        assert_eq!(hand.next("ann", true), None);
        assert_eq!(hand.accept(update(8), "ann"), Accepted::Next(update(8)));
    }

    /// Whoever has the lease by now deals with both, in their order.
    #[test]
    fn what_waits_behind_an_update_that_is_someone_elses_by_now_is_theirs() {
        let mut hand = Hand::default();
        hand.accept(update(5), "ann");
        hand.accept(update(6), "ann");
        assert_eq!(hand.next("ann", false), None);
        assert_eq!(hand.offset(), Some(5), "and is not confirmed");
    }

    #[test]
    fn what_is_let_go_comes_again_behind_what_is_being_dealt_with() {
        let mut hand = Hand::default();
        hand.accept(update(5), "ann");
        hand.accept(update(6), "ann");
        hand.let_go();
        assert_eq!((hand.offset(), hand.is_empty()), (None, true));
        assert_eq!(hand.accept(update(5), "ann"), Accepted::Waits);
        assert_eq!(hand.next("ann", true), Some(update(5)));
    }
}
