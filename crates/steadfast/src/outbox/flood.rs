//! Who was told to wait: a chat, or the whole bot. Telegram's 429 does not say.
//!
//! One chat waits by itself. When a second one is told to wait as well, and nothing worked in between, all replicas pause for a
//! moment; then whoever calls next shows which it was. It works: the chats were meant, and nobody else waits for them. It is told to
//! wait, too: the bot was meant, and all replicas pause as long as they were told to.
//!
//! A suspicion is shared: a replica that hears from the store of a pause need not be told twice itself. Its next call shows which it was.

use std::time::{Duration, Instant};

/// How long all replicas pause on a suspicion.
const MOMENT: Duration = Duration::from_secs(1);
/// The longest all replicas pause without another look: a mistake must not cost more than this.
const LONGEST: Duration = Duration::from_secs(30);
/// What was told longer ago than this has nothing to do with it.
const MEMORY: Duration = Duration::from_secs(3);

/// What is known of those who were told to wait since something last worked.
#[derive(Debug, Default)]
pub(super) struct Flood {
    chats: Vec<i64>,
    last: Option<Instant>,
    /// When the pause is over, whoever began it. A call that began before tells nothing new.
    look_at: Option<Instant>,
}

impl Flood {
    /// A chat was told to wait so long, by a call that began then. Answers how long the whole bot is to pause, if at all.
    pub(super) fn told_to_wait(
        &mut self,
        chat: i64,
        delay: Duration,
        began: Instant,
        now: Instant,
    ) -> Option<Duration> {
        self.forget(now);
        self.last = Some(now);
        if self.chats.contains(&chat) {
            return None;
        }
        self.chats.push(chat);
        let pause = match self.look_at {
            Some(look_at) if began < look_at => return None,
            Some(_) => delay.min(LONGEST),
            None if self.chats.len() == 1 => return None,
            None => delay.min(MOMENT),
        };
        self.look_at = Some(now + pause);
        Some(pause)
    }

    /// All replicas pause until then: somebody suspects that the bot is meant, or knows it.
    pub(super) fn paused(&mut self, until: Instant, now: Instant) {
        self.forget(now);
        self.look_at = self.look_at.max(Some(until));
    }

    /// Begins anew where nobody was told anything for a while, nor paused.
    fn forget(&mut self, now: Instant) {
        let is_old = |last: Instant| now.saturating_duration_since(last) > MEMORY;
        if self.last.max(self.look_at).is_some_and(is_old) {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_secs(20);

    /// Calls of these chats, each begun and refused so many milliseconds after the start; answers the pauses.
    fn pauses(calls: &[(i64, u64, u64)]) -> Vec<Option<Duration>> {
        let (mut flood, start) = (Flood::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        let told = |(chat, began, now): &(i64, u64, u64)| (*chat, DELAY, at(*began), at(*now));
        let mut pauses = Vec::new();
        for (chat, delay, began, now) in calls.iter().map(told) {
            pauses.push(flood.told_to_wait(chat, delay, began, now));
        }
        pauses
    }

    #[test]
    fn one_chat_waits_alone_however_often_it_is_told_to() {
        assert_eq!(pauses(&[(1, 0, 10), (1, 20, 30), (1, 40, 50)]), [None; 3]);
    }

    #[test]
    fn two_chats_make_the_bot_pause_for_a_moment_and_no_longer() {
        assert_eq!(pauses(&[(1, 0, 10), (2, 0, 12)]), [None, Some(MOMENT)]);
        // What was on its way already shows nothing.
        let all = pauses(&[(1, 0, 10), (2, 0, 12), (3, 5, 14), (4, 9, 16)]);
        assert_eq!(all, [None, Some(MOMENT), None, None]);
    }

    #[test]
    fn a_third_chat_after_that_moment_means_the_bot() {
        let all = pauses(&[(1, 0, 10), (2, 0, 10), (3, 1020, 1030), (4, 1025, 1040)]);
        assert_eq!(all, [None, Some(MOMENT), Some(DELAY), None]);
    }

    #[test]
    fn one_that_was_told_to_wait_before_shows_nothing() {
        let all = pauses(&[(1, 0, 10), (2, 0, 10), (1, 1020, 1030)]);
        assert_eq!(all, [None, Some(MOMENT), None]);
    }

    /// Another replica was told twice, and this one has heard of its pause.
    #[test]
    fn the_first_call_after_a_pause_of_others_shows_which_it_was() {
        let (mut flood, start) = (Flood::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        flood.paused(at(1000), at(100));
        let told = [(1, 50, 150), (2, 1020, 1030), (3, 1025, 1040)];
        let pauses =
            told.map(|(chat, began, now)| flood.told_to_wait(chat, DELAY, at(began), at(now)));
        assert_eq!(pauses, [None, Some(DELAY), None]);
    }

    #[test]
    fn a_pause_of_others_long_ago_shows_nothing() {
        let (mut flood, start) = (Flood::default(), Instant::now());
        flood.paused(start + MOMENT, start);
        let now = start + MOMENT + MEMORY + MOMENT;
        assert_eq!(flood.told_to_wait(1, DELAY, now, now), None);
    }

    /// The bot was told to wait for longer than anybody pauses without another look.
    #[test]
    fn one_more_call_after_a_long_pause_is_enough_for_the_next() {
        let (mut flood, now) = (Flood::default(), Instant::now());
        let (hours, later) = (Duration::from_secs(7200), now + LONGEST);
        flood.paused(later, now);
        assert_eq!(flood.told_to_wait(1, hours, later, later), Some(LONGEST));
    }

    #[test]
    fn chats_told_at_other_times_have_nothing_to_do_with_each_other() {
        assert_eq!(pauses(&[(1, 0, 10), (2, 3500, 3510)]), [None; 2]);
    }

    #[test]
    fn nobody_pauses_for_long_without_another_look() {
        let (mut flood, now) = (Flood::default(), Instant::now());
        let hours = Duration::from_secs(7200);
        assert_eq!(flood.told_to_wait(1, hours, now, now), None);
        assert_eq!(flood.told_to_wait(2, hours, now, now), Some(MOMENT));
        let later = now + MOMENT;
        assert_eq!(flood.told_to_wait(3, hours, later, later), Some(LONGEST));
    }
}
