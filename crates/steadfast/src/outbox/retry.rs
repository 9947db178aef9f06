//! What is to be done about an effect that was not carried out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::flood::Flood;
use crate::letter::Why;
use crate::outbox::telegram::CallError;
use crate::store::Lane;

/// The first pause after a failure that may pass; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// The longest pause of a lane that fails while others are served.
const LONGEST: Duration = Duration::from_secs(60);
/// The longest pause while Telegram itself is away: nobody waits much longer than this when it is back.
const LONGEST_AWAY: Duration = Duration::from_secs(8);
/// After so many failures of any lane in a row, Telegram itself is taken to be away.
const BREAKS_AT: u32 = 5;
/// How often somebody may look whether it is back.
const PROBE: Duration = Duration::from_secs(1);
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
    Outcome(i64),
    /// It will never work, as Telegram says.
    Never(Why, String),
    /// It will never work, since nobody can make sense of it. Telegram was not asked.
    Senseless(&'static str),
}

impl Failure {
    /// Whether Telegram was there and said so.
    pub(super) fn is_answer(&self) -> bool {
        match self {
            Self::Flooded(_) | Self::Blocked(_) | Self::Outcome(_) | Self::Never(..) => true,
            Self::Wait(_) | Self::Later | Self::Unknown | Self::Senseless(_) => false,
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::RetryAfter(delay) => Self::Flooded(delay),
            CallError::Server(_) | CallError::Connect(_) => Self::Later,
            CallError::Ambiguous(_) => Self::Unknown,
            CallError::Migrated(chat) => Self::Outcome(chat),
            CallError::Permanent { .. } if error.is_blocked() => Self::Blocked(error.to_string()),
            // Such as a group that has shown the bot the door.
            CallError::Permanent { code: 403, .. } => Self::Never(Why::Blocked, error.to_string()),
            CallError::Permanent { .. } => Self::Never(Why::Refused, error.to_string()),
        }
    }
}

/// What is remembered of failures, to wait longer each time. Each replica remembers what it met with itself: where lanes go to and
/// fro between several, each waits longer by itself, and a letter tells how often the one tried that wrote it.
#[derive(Debug, Default)]
pub(super) struct Failures {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    lanes: HashMap<Lane, u32>,
    in_a_row: u32,
    next_probe: Option<Instant>,
    flood: Flood,
    /// Until when a chat is to be left alone, as Telegram said.
    told: HashMap<i64, Instant>,
}

impl Failures {
    /// Whether this lane may call now. While Telegram is away one lane a second may, the others wait. What a chat was told holds
    /// for its messages and for its broadcasts.
    pub(super) fn admit(&self, lane: Lane) -> Result<(), Duration> {
        self.admit_at(lane, Instant::now())
    }

    fn admit_at(&self, lane: Lane, now: Instant) -> Result<(), Duration> {
        let mut known = self.lock();
        if let Some(until) = known.told.get(&lane.chat).copied() {
            let left = until.saturating_duration_since(now);
            if !left.is_zero() {
                return Err(left);
            }
            known.told.remove(&lane.chat);
        }
        let Some(probe) = known.next_probe else {
            return Ok(());
        };
        if probe <= now {
            known.next_probe = Some(now + PROBE);
            return Ok(());
        }
        Err(jittered(probe - now + PROBE))
    }

    /// Whether this chat is to be left alone for now, as Telegram said.
    pub(super) fn is_told_to_wait(&self, chat: i64) -> bool {
        let told = self.lock().told.get(&chat).copied();
        told.is_some_and(|until| until > Instant::now())
    }

    /// Whether Telegram is taken to be away.
    pub(super) fn is_away(&self) -> bool {
        self.lock().next_probe.is_some()
    }

    /// It works: nobody else is in the way of this chat.
    pub(super) fn worked(&self, lane: Lane) {
        self.answered();
        self.settled(lane);
        self.lock().flood = Flood::default();
    }

    /// Telegram is there, whatever it says.
    pub(super) fn answered(&self) {
        let mut known = self.lock();
        known.in_a_row = 0;
        known.next_probe = None;
    }

    /// It failed, and may work later: how long to wait.
    pub(super) fn failed(&self, lane: Lane) -> Duration {
        let mut known = self.lock();
        known.in_a_row += 1;
        let is_away = known.in_a_row >= BREAKS_AT;
        if is_away {
            known.next_probe = Some(Instant::now() + PROBE);
        }
        // A lane that another replica brought to an end is never heard of again here.
        if known.lanes.len() >= MOST_LANES {
            known.lanes.clear();
        }
        let times = known.lanes.entry(lane).or_default();
        let longest = if is_away { LONGEST_AWAY } else { LONGEST };
        let pause = FIRST.saturating_mul(1 << (*times).min(6)).min(longest);
        *times += 1;
        jittered(pause)
    }

    /// The effect at the head of this lane is settled. Answers how often it was tried here.
    pub(super) fn settled(&self, lane: Lane) -> u32 {
        self.lock().lanes.remove(&lane).unwrap_or(0) + 1
    }

    /// A chat was told to wait so long, by a call that began then. Answers how long the whole bot is to pause, if at all.
    pub(super) fn flooded(&self, lane: Lane, delay: Duration, began: Instant) -> Option<Duration> {
        let (mut known, now) = (self.lock(), Instant::now());
        if known.told.len() >= MOST_LANES {
            known.told.clear();
        }
        known.told.insert(lane.chat, now + delay);
        known.flood.told_to_wait(lane.chat, delay, began, now)
    }

    /// All replicas pause until then, as the store says.
    pub(super) fn paused(&self, until: Instant) {
        self.lock().flood.paused(until, Instant::now());
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
    use std::collections::BTreeSet;

    use super::*;
    use crate::store::LaneKind;

    fn lane(chat: i64) -> Lane {
        Lane { kind: LaneKind::Messages, chat }
    }

    #[test]
    fn a_lane_waits_longer_each_time_until_it_works() {
        let failures = Failures::default();
        let fail = || {
            failures.worked(lane(2));
            failures.failed(lane(1))
        };
        let pauses: Vec<_> = (0..8).map(|_| fail()).collect();
        assert!(pauses[0] >= FIRST && pauses[1] >= FIRST * 2 && pauses[7] >= LONGEST);
        assert!(pauses[7] < LONGEST * 2);
        failures.worked(lane(1));
        assert!(failures.failed(lane(1)) < FIRST * 2);
    }

    #[test]
    fn no_lane_waits_long_for_a_telegram_that_is_away() {
        let failures = Failures::default();
        let pauses: Vec<_> = (0..20).map(|_| failures.failed(lane(1))).collect();
        assert!(pauses.iter().all(|pause| *pause < LONGEST_AWAY * 2));
    }

    #[test]
    fn while_telegram_is_away_one_lane_a_second_looks() {
        let failures = Failures::default();
        for chat in 0..i64::from(BREAKS_AT) {
            assert!(failures.admit(lane(chat)).is_ok());
            failures.failed(lane(chat));
        }
        let looks = |seconds| {
            let at = Instant::now() + Duration::from_secs(seconds);
            let admitted = (0..9).filter(|chat| failures.admit_at(lane(*chat), at).is_ok());
            admitted.count()
        };
        assert_eq!([0, 5, 5, 10, 10].map(looks), [0, 1, 0, 1, 0]);
        failures.worked(lane(1));
        assert!(failures.admit(lane(1)).is_ok());
    }

    #[test]
    fn lanes_that_fail_together_do_not_come_back_together() {
        let failures = Failures::default();
        let fail = |chat| {
            failures.answered();
            failures.failed(lane(chat))
        };
        let pauses: BTreeSet<Duration> = (0..100).map(fail).collect();
        assert!(pauses.len() > 50, "{} different pauses", pauses.len());
        let (least, most) = (pauses.first().unwrap(), pauses.last().unwrap());
        assert!(*least >= FIRST && *most <= FIRST.mul_f64(1.25));
        assert!(*most - *least > FIRST / 10, "{least:?} to {most:?}");
    }

    #[test]
    fn chats_told_to_wait_while_others_are_served_do_not_stop_the_bot() {
        let (failures, delay) = (Failures::default(), Duration::from_secs(9));
        for chat in 0..9 {
            assert_eq!(failures.flooded(lane(chat), delay, Instant::now()), None);
            failures.worked(lane(100));
        }
        assert_eq!(failures.flooded(lane(1), delay, Instant::now()), None);
        assert!(failures.flooded(lane(2), delay, Instant::now()).is_some());
    }

    #[test]
    fn what_a_chat_is_told_holds_for_both_its_lanes() {
        let (failures, delay) = (Failures::default(), Duration::from_secs(600));
        let bulk = Lane { kind: LaneKind::Bulk, chat: 1 };
        failures.flooded(bulk, delay, Instant::now());
        assert!(failures.admit(lane(1)).is_err_and(|left| left > delay / 2));
        assert!(failures.admit(lane(2)).is_ok());
        failures.flooded(bulk, Duration::ZERO, Instant::now());
        assert!(failures.admit(lane(1)).is_ok());
    }

    /// While Telegram is away, nobody else is to call because of an effect that this build cannot read.
    #[test]
    fn only_what_telegram_says_shows_that_it_is_there() {
        let refused = CallError::Permanent { code: 400, description: String::new() };
        for answer in [refused, CallError::RetryAfter(FIRST), CallError::Migrated(-1)] {
            assert!(Failure::from(answer.clone()).is_answer(), "{answer}");
        }
        let silence = [
            Failure::from(CallError::Ambiguous("no answer in time")),
            Failure::from(CallError::Connect(String::new())),
            Failure::Senseless("an effect that this build cannot read"),
            Failure::Wait(FIRST),
        ];
        assert!(!silence.iter().any(Failure::is_answer));
    }

    #[test]
    fn a_refusal_shows_that_telegram_is_there() {
        let failures = Failures::default();
        for _ in 0..BREAKS_AT {
            failures.failed(lane(1));
        }
        assert!(failures.admit(lane(1)).is_err());
        failures.answered();
        assert!(failures.admit(lane(1)).is_ok());
    }
}
