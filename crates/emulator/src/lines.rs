//! The lines that updates stand in: one of each is sent at a time, and which goes first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::clock::Millis;
use super::queue::Queue;

/// The most that is read ahead in one go.
const MOST_AT_ONCE: usize = 1000;

/// What was read ahead from the queue, by line.
#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: BTreeMap<i64, Line>,
    /// Those of which nothing is out, by when the first may go.
    ready: BTreeSet<(Millis, i64)>,
    /// The last update that was read.
    read: u64,
}

#[derive(Debug, Default)]
struct Line {
    /// What waits, with the moment at which it was read.
    waiting: VecDeque<(u64, Millis)>,
    /// When the first of them may go.
    ready: Millis,
}

impl Lines {
    /// Reads ahead, as long as there are not so many lines. What is read in one go is ready at the same moment.
    pub(super) fn read_ahead(&mut self, queue: &Queue, now: Millis, most: usize) {
        for update in queue.after(self.read).take(MOST_AT_ONCE) {
            if self.lines.len() >= most {
                return;
            }
            self.read = update.seq;
            let line = self.lines.entry(update.queue).or_default();
            if line.waiting.is_empty() {
                line.ready = now;
                self.ready.insert((now, update.queue));
            }
            line.waiting.push_back((update.seq, now));
        }
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// When the next one may go. Of those that are ready together the lowest line goes first.
    pub(super) fn next_at(&self) -> Option<Millis> {
        self.ready.first().map(|(ready, _)| *ready)
    }

    /// Takes the update whose turn it is, and answers it with its line, which waits for it.
    pub(super) fn take(&mut self, now: Millis) -> Option<(u64, i64)> {
        let turn = *self.ready.first().filter(|(ready, _)| *ready <= now)?;
        self.ready.remove(&turn);
        let line = self.lines.get(&turn.1)?;
        line.waiting.front().map(|(seq, _)| (*seq, turn.1))
    }

    /// The update that was taken does not go yet.
    pub(super) fn put_back(&mut self, key: i64) {
        if let Some(line) = self.lines.get(&key) {
            self.ready.insert((line.ready, key));
        }
    }

    /// The update that was out is settled; the next of its line keeps the moment at which it was read.
    pub(super) fn settled(&mut self, key: i64) {
        let Some(line) = self.lines.get_mut(&key) else {
            return;
        };
        line.waiting.pop_front();
        match line.waiting.front() {
            Some((_, read)) => {
                line.ready = *read;
                self.ready.insert((line.ready, key));
            }
            None => drop(self.lines.remove(&key)),
        }
    }

    /// The update that was out is to go again, at this moment.
    pub(super) fn again(&mut self, key: i64, at: Millis) {
        if let Some(line) = self.lines.get_mut(&key) {
            line.ready = at;
            self.ready.insert((at, key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::{Kind, kind};
    use super::*;

    /// The number of the update whose turn it is.
    fn number(lines: &mut Lines) -> Option<u64> {
        lines.take(10).map(|(seq, _)| seq)
    }

    fn queue(kinds: &[Kind]) -> Queue {
        let mut queue = Queue::default();
        for kind in kinds {
            queue.push(*kind, 0, 0, "{}");
        }
        queue
    }

    #[test]
    fn what_was_read_together_goes_by_line_and_not_by_number() {
        let queue = queue(&[kind::CALLBACK_QUERY.of(5), kind::MESSAGE.of(5), kind::MESSAGE.of(-7)]);
        let mut lines = Lines::default();
        lines.read_ahead(&queue, 0, 80);
        let taken: Vec<_> = std::iter::from_fn(|| number(&mut lines)).collect();
        assert_eq!(taken, [3, 2, 1], "the group, then the person, then the press");
    }

    #[test]
    fn one_of_a_line_at_a_time() {
        let queue = queue(&[kind::MESSAGE.of(5), kind::EDITED_MESSAGE.of(5)]);
        let mut lines = Lines::default();
        lines.read_ahead(&queue, 0, 80);
        assert_eq!((number(&mut lines), number(&mut lines)), (Some(1), None));
        lines.settled(5);
        assert_eq!(number(&mut lines), Some(2));
    }

    #[test]
    fn a_line_that_was_read_earlier_is_emptied_first() {
        let mut queue = queue(&[kind::MESSAGE.of(9), kind::MESSAGE.of(9)]);
        let mut lines = Lines::default();
        lines.read_ahead(&queue, 0, 80);
        assert_eq!(number(&mut lines), Some(1));
        queue.push(kind::MESSAGE.of(5), 0, 0, "{}");
        lines.read_ahead(&queue, 10, 80);
        lines.settled(9);
        assert_eq!(number(&mut lines), Some(2));
        assert_eq!(number(&mut lines), Some(3));
    }

    #[test]
    fn no_more_than_a_thousand_are_read_in_one_go() {
        let queue = queue(&[kind::MESSAGE.of(5); 1001]);
        let mut lines = Lines::default();
        lines.read_ahead(&queue, 0, 80);
        assert_eq!(lines.read, 1000);
        lines.read_ahead(&queue, 0, 80);
        assert_eq!(lines.read, 1001);
    }

    #[test]
    fn no_more_lines_are_read_than_may_be() {
        let queue = queue(&[kind::MESSAGE.of(1), kind::MESSAGE.of(2), kind::MESSAGE.of(3)]);
        let mut lines = Lines::default();
        lines.read_ahead(&queue, 0, 2);
        assert_eq!(lines.len(), 2);
        lines.take(0);
        lines.settled(1);
        lines.read_ahead(&queue, 5, 2);
        assert_eq!(lines.len(), 2);
    }
}
