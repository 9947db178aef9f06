//! What is to be done about an effect that was not carried out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::store::Lane;
use crate::telegram::CallError;

/// The first pause after a failure that may pass; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);
/// After so many failures of any lane in a row, Telegram itself is taken to be away.
const BREAKS_AT: u32 = 5;
/// How often somebody may look whether it is back.
const PROBE: Duration = Duration::from_secs(1);
/// Two chats told to wait within this time, and nothing sent between: it is the bot that is too fast, not a chat.
const FLOOD: Duration = Duration::from_secs(1);
/// Of how many lanes failures are remembered.
const MOST_LANES: usize = 10_000;

/// Why an effect was not carried out, by what is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// Try it again after this time.
    Wait(Duration),
    /// The chat was told to wait; this long, exactly.
    Flooded(Duration),
    /// It may work later.
    Later,
    /// It may work later, and perhaps it did: nobody knows.
    Unknown,
    /// The person does not want it.
    Blocked(String),
    /// The group has become this chat.
    Moved(i64),
    /// It will never work.
    Never(String),
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::RetryAfter(delay) => Self::Flooded(delay),
            CallError::Server(_) | CallError::Connect(_) => Self::Later,
            CallError::Ambiguous(_) => Self::Unknown,
            CallError::Migrated(chat) => Self::Moved(chat),
            CallError::Permanent { .. } if error.is_blocked() => Self::Blocked(error.to_string()),
            CallError::Permanent { .. } => Self::Never(error.to_string()),
        }
    }
}

/// What is remembered of failures, to wait longer each time.
#[derive(Debug, Default)]
pub(super) struct Failures {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    lanes: HashMap<Lane, u32>,
    in_a_row: u32,
    next_probe: Option<Instant>,
    flooded: Option<(Lane, Instant)>,
}

impl Failures {
    /// Whether this lane may call now. While Telegram is away one lane a second may, the others wait.
    pub(super) fn admit(&self) -> Result<(), Duration> {
        let mut known = self.lock();
        let Some(probe) = known.next_probe else {
            return Ok(());
        };
        let now = Instant::now();
        if probe <= now {
            known.next_probe = Some(now + PROBE);
            return Ok(());
        }
        Err(jittered(probe - now + PROBE))
    }

    /// It works: nobody else is in the way of this chat.
    pub(super) fn worked(&self, lane: Lane) {
        self.answered(lane);
        self.lock().flooded = None;
    }

    /// Telegram is there, whatever it says.
    pub(super) fn answered(&self, lane: Lane) {
        let mut known = self.lock();
        known.in_a_row = 0;
        known.next_probe = None;
        known.lanes.remove(&lane);
    }

    /// It failed, and may work later: how long to wait.
    pub(super) fn failed(&self, lane: Lane) -> Duration {
        let mut known = self.lock();
        known.in_a_row += 1;
        if known.in_a_row >= BREAKS_AT {
            known.next_probe = Some(Instant::now() + PROBE);
        }
        // A lane that another replica brought to an end is never heard of again here.
        if known.lanes.len() >= MOST_LANES {
            known.lanes.clear();
        }
        let times = known.lanes.entry(lane).or_default();
        let pause = FIRST.saturating_mul(1 << (*times).min(6)).min(LONGEST);
        *times += 1;
        jittered(pause)
    }

    /// The effect at the head of this lane is settled. Answers how often it was tried here.
    pub(super) fn tries(&self, lane: Lane) -> u32 {
        self.lock().lanes.remove(&lane).unwrap_or(0) + 1
    }

    /// A chat was told to wait. Answers whether it is the whole bot that is too fast.
    pub(super) fn flooded(&self, lane: Lane) -> bool {
        let mut known = self.lock();
        let now = Instant::now();
        let last = known.flooded.replace((lane, now));
        last.is_some_and(|(other, at)| other.chat != lane.chat && now.duration_since(at) < FLOOD)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Up to a quarter longer, so that lanes do not come back all at once.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(rand::random_range(1.0..1.25))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::LaneKind;

    fn lane(chat: i64) -> Lane {
        Lane {
            kind: LaneKind::Messages,
            chat,
        }
    }

    #[test]
    fn a_lane_waits_longer_each_time_until_it_works() {
        let failures = Failures::default();
        let pauses: Vec<_> = (0..8).map(|_| failures.failed(lane(1))).collect();
        assert!(pauses[0] >= FIRST && pauses[1] >= FIRST * 2 && pauses[7] >= LONGEST);
        assert!(pauses[7] < LONGEST * 2);
        failures.worked(lane(1));
        assert!(failures.failed(lane(1)) < FIRST * 2);
    }

    #[test]
    fn while_telegram_is_away_one_lane_a_second_looks() {
        let failures = Failures::default();
        for chat in 0..i64::from(BREAKS_AT) {
            assert!(failures.admit().is_ok());
            failures.failed(lane(chat));
        }
        assert!(failures.admit().is_err());
        failures.worked(lane(1));
        assert!(failures.admit().is_ok());
    }

    #[test]
    fn two_chats_told_to_wait_at_once_mean_the_bot() {
        let failures = Failures::default();
        assert!(!failures.flooded(lane(1)));
        assert!(!failures.flooded(lane(1)));
        assert!(failures.flooded(lane(2)));
    }

    #[test]
    fn two_chats_told_to_wait_while_others_are_served_do_not() {
        let failures = Failures::default();
        assert!(!failures.flooded(lane(1)));
        failures.worked(lane(3));
        assert!(!failures.flooded(lane(2)));
    }

    #[test]
    fn a_refusal_shows_that_telegram_is_there() {
        let failures = Failures::default();
        for _ in 0..BREAKS_AT {
            failures.failed(lane(1));
        }
        assert!(failures.admit().is_err());
        failures.answered(lane(2));
        assert!(failures.admit().is_ok());
    }
}
