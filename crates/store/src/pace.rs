//! How fast messages may go out: a pace for each chat, and one for the whole bot.
//!
//! A pace is kept as one number, the time at which everything sent so far would have been sent at that pace (GCRA). All
//! in microseconds since the epoch by the store's clock, since thirty a second is no whole number of milliseconds.

use std::time::Duration;

use super::AHEAD;

/// One sending every so often, and a few at once after a rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The time from one sending to the next, in the long run.
    pub every: Duration,
    /// How many may go at once after a rest; none is as one.
    pub burst: u32,
}

/// The paces that a store keeps to. None, the default: no limit, and next to no cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// All sendings of the bot; see [`Store::grant`](super::Store::grant).
    pub bot: Option<Pace>,
    /// The messages to a chat.
    pub chat: Option<Pace>,
    /// The messages to a group, a channel or whatever else has a negative id; these obey [`Limits::chat`] as well.
    pub group: Option<Pace>,
}

/// The answer to [`Store::grant`](super::Store::grant).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Grant {
    /// How many sendings may go out, after the wait.
    pub granted: u32,
    /// How long to wait with them; where there are none, until it is worth asking again.
    pub wait: Duration,
    /// How long after one of them the next may go; none, if all may at once.
    pub apart: Duration,
    /// There is no limit, and no freeze: whoever asks next is granted as many.
    pub is_open: bool,
    /// There is a [freeze](super::Store::freeze), which is over after the wait.
    pub is_frozen: bool,
}

impl Grant {
    /// So many, out of a limit.
    pub(super) fn some(granted: u32) -> Self {
        Self { granted, ..Self::default() }
    }

    /// All that were wanted, since there is no limit.
    pub(super) fn open(granted: u32) -> Self {
        Self { is_open: true, ..Self::some(granted) }
    }

    /// None for so long.
    pub(super) fn none(wait: Duration) -> Self {
        Self { wait, ..Self::default() }
    }

    /// None until the freeze is over.
    pub(super) fn frozen(wait: Duration) -> Self {
        Self { is_frozen: true, ..Self::none(wait) }
    }
}

/// A time or a span in microseconds.
pub(super) type Micros = u64;

/// More than three thousand years; sums of these are exact even in Lua.
const MOST: u128 = 1 << 50;

impl Pace {
    /// The time from one sending to the next.
    pub(super) fn every(self) -> Micros {
        micros(self.every).max(1)
    }

    /// How far ahead of the pace a burst may run.
    pub(super) fn slack(self) -> Micros {
        let ahead = self.burst.saturating_sub(1);
        micros(self.every.saturating_mul(ahead))
    }

    /// When so many sendings are free at once, or all that ever are, if all before them end at `end`.
    pub(super) fn free_at(self, end: Micros, count: u32) -> Micros {
        let more = self.every().saturating_mul(u64::from(count.max(1) - 1));
        end.saturating_sub(self.slack().saturating_sub(more))
    }

    /// Where all sendings end once there are so many more at `at`.
    pub(super) fn after(self, end: Micros, at: Micros, count: u32) -> Micros {
        let taken = self.every().saturating_mul(u64::from(count));
        end.max(at).saturating_add(taken)
    }

    /// Takes up to `want` sendings out of those that are free now, or else of those that are [soon](AHEAD), which go one after the
    /// other, and answers where all of them end then.
    pub(super) fn grant(self, end: Micros, now: Micros, want: u32) -> (Grant, Micros) {
        let begin = end.max(now);
        let (free, ahead) = (self.free_at(begin, 1), micros(AHEAD));
        let wait = free.saturating_sub(now);
        if wait > ahead {
            return (Grant::none(Duration::from_micros(wait - ahead)), begin);
        }
        let room = if wait == 0 { now - free } else { ahead - wait };
        let free = u32::try_from(room / self.every() + 1);
        let granted = want.min(free.unwrap_or(u32::MAX));
        let end = begin + u64::from(granted) * self.every();
        (self.granted(granted, wait), end)
    }

    /// So many, all at once or, where they have to be waited for, one after the other.
    pub(super) fn granted(self, granted: u32, wait: Micros) -> Grant {
        let apart = if wait == 0 { 0 } else { self.every() };
        Grant {
            wait: Duration::from_micros(wait),
            apart: Duration::from_micros(apart),
            ..Grant::some(granted)
        }
    }
}

impl Limits {
    /// What the messages to this chat obey.
    pub(super) fn of(&self, chat: i64) -> [Option<Pace>; 2] {
        [self.chat, self.group.filter(|_| chat < 0)]
    }
}

/// A duration in microseconds.
pub(super) fn micros(duration: Duration) -> Micros {
    duration.as_micros().min(MOST) as Micros
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { every: Duration::from_secs(1), burst: 3 };
    const NOW: Micros = 1_800_000_000_000_000;

    #[test]
    fn a_burst_is_granted_at_once_and_then_the_pace() {
        let (grant, end) = PACE.grant(0, NOW, 5);
        assert_eq!((grant.granted, grant.wait), (3, Duration::ZERO));
        let (grant, end) = PACE.grant(end, NOW + 400_000, 5);
        assert_eq!((grant.granted, grant.wait.as_millis()), (0, 350));
        let (grant, end) = PACE.grant(end, NOW + 1_000_000, 5);
        assert_eq!((grant.granted, grant.wait), (1, Duration::ZERO));
        let (grant, _) = PACE.grant(end, NOW + 9_000_000, 5);
        assert_eq!(grant.granted, 3);
    }

    /// Whoever comes a little late does not make all others late.
    #[test]
    fn the_next_is_granted_ahead_so_that_nobody_lags_behind_the_pace() {
        let (_, end) = PACE.grant(0, NOW, 3);
        let (grant, end) = PACE.grant(end, NOW + 750_000, 5);
        assert_eq!((grant.granted, grant.wait.as_millis()), (1, 250));
        let (grant, end) = PACE.grant(end, NOW + 1_900_000, 5);
        assert_eq!((grant.granted, grant.wait.as_millis()), (1, 100));
        let (grant, _) = PACE.grant(end, NOW + 3_000_000, 5);
        assert_eq!((grant.granted, grant.wait), (1, Duration::ZERO));
    }

    /// At a pace that has several of them within the time, none goes nearer to the one before than the pace allows.
    #[test]
    fn several_are_granted_ahead_one_after_the_other() {
        let every = Duration::from_millis(40);
        let pace = Pace { every, burst: 1 };
        let (mut end, mut told) = (0, Vec::new());
        for at in [0, 10, 10, 10, 30] {
            let (grant, after) = pace.grant(end, NOW + at * 1000, 4);
            told.push((grant.granted, grant.wait.as_millis()));
            let is_apart = grant.granted > 0 && !grant.wait.is_zero();
            assert_eq!(grant.apart, if is_apart { every } else { Duration::ZERO });
            end = after;
        }
        assert_eq!(told, [(1, 0), (4, 30), (2, 190), (0, 20), (1, 250)]);
    }

    #[test]
    fn several_go_at_once_when_as_many_are_free_as_can_be() {
        let end = PACE.after(0, NOW, 1);
        assert_eq!(PACE.free_at(end, 2), NOW, "of three");
        assert_eq!(PACE.free_at(end, 3), end);
        assert_eq!(PACE.free_at(end, 10), end, "all that ever are");
        assert_eq!(PACE.after(end, end, 10), end + 10_000_000);
    }

    #[test]
    fn a_pace_of_nothing_is_no_trap() {
        let pace = Pace { every: Duration::ZERO, burst: 0 };
        assert_eq!(pace.grant(0, NOW, 5).0.granted, 1);
        assert_eq!(pace.grant(NOW, NOW + 1, 5).0.granted, 1);
    }
}
