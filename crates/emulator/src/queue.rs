//! The queue of updates: numbers, which line each stands in, how long it is kept, and what became of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock::Millis;
pub(super) use kind::Kind;
pub use update::{Attempt, State, Update};

pub(super) mod kind;
mod update;

/// How many numbers are left out after a restart.
const SKIPPED: i64 = 1000;
/// No number is as high: what waits is dropped then, and numbers begin anew.
const END: i64 = 2_000_000_000;
/// How far beyond the next number an offset may be.
const AHEAD: i64 = 10;
/// How long updates of no known kind are kept.
const CUSTOM: Millis = 600_000;
/// How many that are settled are remembered, for whoever looks on.
const REMEMBERED: usize = 2_000;
/// The most that may wait; what comes beyond is lost.
const MOST_WAITING: usize = 100_000;
/// The same in bytes.
const MOST_WAITING_BYTES: usize = 128 << 20;
/// The largest update; a larger one is lost.
const MOST_BYTES: usize = 512 * 1024;

/// All updates: those that wait, and the latest that are settled.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Queue {
    next_id: i64,
    next_seq: u64,
    updates: BTreeMap<u64, Update>,
    #[serde(skip)]
    by_id: HashMap<i64, u64>,
    /// Those that wait or are in flight.
    #[serde(skip)]
    pending: BTreeSet<u64>,
    /// How many bytes those have.
    #[serde(skip)]
    bytes: usize,
    /// The same by the moment at which they are too old.
    #[serde(skip)]
    expiring: BTreeSet<(Millis, u64)>,
    /// Those that are settled, in the order in which they were; one of them may wait again.
    #[serde(skip)]
    settled: VecDeque<u64>,
    /// Those that were touched since they were last written down.
    #[serde(skip)]
    touched: BTreeSet<u64>,
    /// Nothing is ever forgotten.
    #[serde(skip)]
    pub(super) remembers_all: bool,
    /// What the bot wants to hear of; nothing: what is usual.
    pub(super) allowed: Vec<String>,
}

impl Queue {
    /// Puts an update in, unless the bot does not want to hear of it.
    pub(super) fn push(
        &mut self,
        kind: Kind,
        chat: i64,
        now: Millis,
        payload: &str,
    ) -> Option<&mut Update> {
        if self.is_full(payload.len()) || !self.wants(kind) {
            return None;
        }
        let update_id = self.number();
        let name = kind.name();
        let body = format!("{{\"update_id\":{update_id},\n\"{name}\":{payload}}}");
        let update = Update::fresh(update_id, now, body).of(kind);
        Some(self.insert(Update { chat, ..update }))
    }

    /// Puts an update in that was made elsewhere, under its own number; one of no known kind in a line of its own.
    pub(super) fn push_made(&mut self, body: &Value, now: Millis) {
        let id = body["update_id"].as_i64().unwrap_or_default();
        let update = Update::fresh(id, now, body.to_string());
        self.insert(match Kind::read(body) {
            Some(kind) => Update { chat: Kind::chat(&body[kind.name()]), ..update.of(kind) },
            None => Update { expires: now + CUSTOM, ..update },
        });
    }

    /// Whether one of so many bytes is lost.
    fn is_full(&self, bytes: usize) -> bool {
        let is_full = self.pending.len() >= MOST_WAITING;
        is_full || bytes > MOST_BYTES || self.bytes + bytes > MOST_WAITING_BYTES
    }

    fn insert(&mut self, update: Update) -> &mut Update {
        self.next_seq += 1;
        let seq = self.next_seq;
        self.touched.insert(seq);
        self.pending.insert(seq);
        self.bytes += update.body.len();
        self.expiring.insert((update.expires, seq));
        self.by_id.insert(update.update_id, seq);
        self.updates.entry(seq).or_insert(Update { seq, ..update })
    }

    fn number(&mut self) -> i64 {
        if self.next_id >= END {
            self.drop_all();
            self.next_id = 0;
        }
        if self.next_id == 0 {
            self.next_id = rand::random_range(2_000_001..1_000_000_000);
        }
        self.next_id += 1;
        self.next_id - 1
    }

    fn drop_all(&mut self) {
        for (_, seq) in self.waiting() {
            self.settle(seq, State::Dropped);
        }
    }

    /// Numbers go on from a lower one, as after a week of silence.
    pub(super) fn number_lower(&mut self) {
        let lowest = self.by_id.keys().copied().min().unwrap_or(self.next_id);
        self.next_id = rand::random_range(1..(lowest / 2).max(2));
    }

    fn wants(&self, kind: Kind) -> bool {
        let is_named = |allowed: &String| allowed == kind.name();
        match self.allowed.is_empty() {
            true => kind.is_usual(),
            false => self.allowed.iter().any(is_named),
        }
    }

    /// How many are in the queue, in flight or waiting.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// All that are remembered, oldest first.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = &Update> {
        self.updates.values()
    }

    /// Those in the queue that came after this one, oldest first.
    pub(super) fn after(&self, seq: u64) -> impl Iterator<Item = &Update> {
        let later = self.pending.range(seq + 1..);
        later.filter_map(|seq| self.updates.get(seq))
    }

    /// The first so many for a poll, as they are sent.
    pub(super) fn hand_out(&mut self, limit: usize) -> Vec<String> {
        let handed = self.pending.iter().take(limit).filter_map(|seq| {
            let update = self.updates.get_mut(seq)?;
            update.unseen = false;
            Some(update.body.clone())
        });
        handed.collect()
    }

    /// Whether an offset says nothing of this number, because it is of a time when numbers were higher.
    pub(super) fn is_beyond(&self, offset: i64, id: i64) -> bool {
        offset > self.next_id.saturating_add(AHEAD) && id < self.next_id
    }

    /// The update that came as this one.
    pub(super) fn get(&self, seq: u64) -> Option<&Update> {
        self.updates.get(&seq)
    }

    /// The same, to be changed; what becomes of it is for [`settle`](Self::settle).
    pub(super) fn get_mut(&mut self, seq: u64) -> Option<&mut Update> {
        self.touched.insert(seq);
        self.updates.get_mut(&seq)
    }

    /// The latest update of this number.
    pub(super) fn by_id(&self, id: i64) -> Option<&Update> {
        self.updates.get(self.by_id.get(&id)?)
    }

    /// Says what became of an update; answers it if that is news.
    pub(super) fn settle(&mut self, seq: u64, state: State) -> Option<&Update> {
        let update = self.updates.get_mut(&seq)?;
        if update.state == state {
            return None;
        }
        let expiry = (update.expires, seq);
        match (update.state.is_pending(), state.is_pending()) {
            (true, false) => {
                self.pending.remove(&seq);
                self.bytes = self.bytes.saturating_sub(update.body.len());
                self.expiring.remove(&expiry);
                self.settled.push_back(seq);
            }
            (false, true) => {
                self.pending.insert(seq);
                self.bytes += update.body.len();
                self.expiring.insert(expiry);
            }
            _ => {}
        }
        update.state = state;
        self.touched.insert(seq);
        self.updates.get(&seq)
    }

    /// What was in flight was not, and what failed has not: whoever comes next begins anew.
    pub(super) fn take_back(&mut self) {
        for seq in &self.pending {
            if let Some(update) = self.updates.get_mut(seq) {
                update.state = State::Waiting;
                update.forgive();
            }
        }
    }

    /// Which ones are too old, of those that wait.
    pub(super) fn expired(&self, now: Millis) -> Vec<u64> {
        let old = self.expiring.range(..(now, 0)).map(|(_, seq)| *seq);
        let is_waiting = |seq: &u64| self.get(*seq).is_some_and(|it| it.state == State::Waiting);
        old.filter(is_waiting).collect()
    }

    /// Which ones wait, by their number and what they came as.
    pub(super) fn waiting(&self) -> Vec<(i64, u64)> {
        let pending = self.after(0);
        pending.map(|update| (update.update_id, update.seq)).collect()
    }

    /// Forgets those that were settled first.
    pub(super) fn prune(&mut self) {
        if self.remembers_all {
            return;
        }
        while self.settled.len() > REMEMBERED {
            let oldest = self.settled.pop_front();
            let Some(seq) = oldest.filter(|seq| !self.pending.contains(seq)) else {
                continue;
            };
            if let Some(update) = self.updates.remove(&seq)
                && self.by_id.get(&update.update_id) == Some(&seq)
            {
                self.by_id.remove(&update.update_id);
            }
        }
    }

    /// Forgets all; numbers go on.
    pub(super) fn clear(&mut self) {
        *self = Self {
            next_id: self.next_id,
            next_seq: self.next_seq,
            allowed: std::mem::take(&mut self.allowed),
            remembers_all: self.remembers_all,
            ..Self::default()
        };
    }

    /// What is new or other than when this was last asked. What was forgotten is not told: it is again, in its time.
    pub(super) fn news(&mut self) -> Self {
        let touched = std::mem::take(&mut self.touched).into_iter();
        let updates = touched.filter_map(|seq| Some((seq, self.updates.get(&seq)?.clone())));
        Self {
            next_id: self.next_id,
            next_seq: self.next_seq,
            updates: updates.collect(),
            allowed: self.allowed.clone(),
            ..Self::default()
        }
    }

    /// Takes that in; nothing is found by number before it is [`index`](Self::index)ed.
    pub(super) fn learn(&mut self, news: Self) {
        self.updates.extend(news.updates);
        (self.next_id, self.next_seq) = (news.next_id, news.next_seq);
        self.allowed = news.allowed;
    }

    /// Finds again by number what was written down. What got a number in the last moment before a crash may not have been, and no
    /// number is given twice: the bot would take the second for the first, delivered again.
    pub(super) fn index(&mut self) {
        if self.next_id > 0 {
            self.next_id += SKIPPED;
        }
        for update in self.updates.values() {
            self.by_id.insert(update.update_id, update.seq);
            if update.state.is_pending() {
                self.pending.insert(update.seq);
                self.bytes += update.body.len();
                self.expiring.insert((update.expires, update.seq));
            } else {
                self.settled.push_back(update.seq);
            }
        }
        self.take_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(count: i64) -> Queue {
        let mut queue = Queue::default();
        for user in 0..count {
            queue.push(kind::CALLBACK_QUERY.of(user), user, 0, "{}");
        }
        queue
    }

    #[test]
    fn what_waits_is_too_old_in_its_time_and_what_is_in_flight_is_not() {
        let mut queue = queue(3);
        queue.push(kind::MESSAGE.of(9), 9, 0, "{}");
        queue.settle(1, State::InFlight);
        queue.settle(2, State::Acknowledged);
        assert!(queue.expired(150_000).is_empty());
        assert_eq!(queue.expired(150_001), [3]);
        assert_eq!(queue.expired(86_400_001), [3, 4]);
    }

    #[test]
    fn what_is_too_large_or_comes_when_too_much_waits_is_lost_and_takes_no_number() {
        let mut queue = queue(1);
        let first = queue.get(1).expect("the first").update_id;
        let message = kind::MESSAGE.of(9);
        assert!(queue.push(message, 9, 0, &"x".repeat(MOST_BYTES + 1)).is_none());
        let large = "x".repeat(MOST_BYTES);
        let taken = (0..300).filter(|_| queue.push(message, 9, 0, &large).is_some());
        assert_eq!(taken.count(), 255, "128 MiB, with what is around each");
        queue.settle(2, State::Acknowledged);
        let next = queue.push(message, 9, 0, &large).expect("there is room again");
        assert_eq!(next.update_id, first + 256);
    }

    #[test]
    fn the_hundred_thousandth_is_the_last_that_may_wait() {
        let mut queue = queue(MOST_WAITING as i64);
        assert_eq!(queue.pending(), 100_000);
        assert!(queue.push(kind::MESSAGE.of(9), 9, 0, "{}").is_none());
        queue.settle(1, State::Dropped);
        assert!(queue.push(kind::MESSAGE.of(9), 9, 0, "{}").is_some());
    }

    #[test]
    fn numbers_begin_somewhere_in_their_range_and_elsewhere_each_time() {
        let first = || queue(1).get(1).expect("an update").update_id;
        let firsts: std::collections::HashSet<i64> = (0..20).map(|_| first()).collect();
        assert!(firsts.len() > 10, "{firsts:?}");
        assert!(firsts.iter().all(|id| (2_000_001..1_000_000_000).contains(id)), "{firsts:?}");
    }

    #[test]
    fn numbers_end_and_begin_anew_without_what_waits() {
        let mut queue = queue(1);
        queue.next_id = END - 1;
        let last = queue.push(kind::MESSAGE.of(9), 9, 0, "{}");
        assert_eq!(last.map(|it| it.update_id), Some(1_999_999_999));
        assert_eq!(queue.pending(), 2);
        let next = queue.push(kind::MESSAGE.of(9), 9, 0, "{}");
        let next = next.expect("an update").update_id;
        assert!((2_000_001..1_000_000_000).contains(&next), "{next}");
        assert_eq!(queue.pending(), 1);
        assert_eq!(queue.get(1).map(|it| it.state), Some(State::Dropped));
    }

    #[test]
    fn what_is_of_no_known_kind_has_a_line_of_its_own_and_is_kept_for_ten_minutes() {
        let mut queue = Queue::default();
        for id in [70, 71] {
            queue.push_made(&serde_json::json!({ "update_id": id, "custom": {} }), 0);
        }
        let lines: Vec<i64> = queue.all().map(|it| it.queue).collect();
        assert_ne!(lines[0], lines[1]);
        assert!(queue.expired(600_000).is_empty());
        assert_eq!(queue.expired(600_001), [1, 2]);
    }

    #[test]
    fn those_that_were_settled_first_are_forgotten_first_whoever_waits() {
        let mut queue = queue(REMEMBERED as i64 + 4);
        for seq in 2..=REMEMBERED as u64 + 3 {
            queue.settle(seq, State::Acknowledged);
        }
        queue.settle(2, State::Waiting);
        queue.prune();
        let left: Vec<u64> = queue.all().map(|it| it.seq).take(3).collect();
        assert_eq!(left, [1, 2, 4], "one has always waited, two waits again");
        assert_eq!((queue.pending(), queue.after(2).count()), (3, 1));
    }

    #[test]
    fn what_was_written_down_is_found_again() {
        let mut queue = queue(2);
        queue.settle(1, State::Acknowledged);
        let written = serde_json::to_string(&queue).expect("plain data");
        let mut read: Queue = serde_json::from_str(&written).expect("the same");
        read.index();
        assert_eq!(read.pending(), 1);
        assert_eq!(read.expired(150_001), [2]);
        let id = queue.get(1).expect("the first").update_id;
        assert_eq!(read.by_id(id).map(|it| it.state), Some(State::Acknowledged));
    }
}
