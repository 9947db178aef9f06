//! What came of a run, in one table.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use steadfast::emulator::{Call, Millis, State, Update};

use super::checker::Verdict;
use super::faults::Injury;

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) people: usize,
    pub(super) updates: usize,
    /// Times that an update was sent.
    pub(super) attempts: usize,
    /// Of those, how many were not answered with 2xx.
    pub(super) refused: usize,
    /// Copies of acknowledged updates that were acknowledged too.
    pub(super) duplicates: usize,
    pub(super) unacknowledged: usize,
    pub(super) messages: usize,
    /// Messages that came again.
    pub(super) repeated: usize,
    /// Of those, how many nobody could have known of.
    pub(super) unexplained: Vec<String>,
    pub(super) ambiguous: usize,
    /// What the repeats came of.
    pub(super) blamed: BTreeMap<String, usize>,
    pub(super) verdict: Verdict,
    pub(super) faults: BTreeMap<String, usize>,
    pub(super) unavailable: Vec<Duration>,
    pub(super) recovery: Vec<Duration>,
}

impl Account {
    /// What became of the updates.
    pub(super) fn read_updates(&mut self, updates: &[Update], injuries: &[Injury]) {
        self.updates = updates.len();
        let mut taken: Vec<Millis> = Vec::new();
        for update in updates {
            let is_ok = |status: Option<u16>| status.is_some_and(|it| (200..300).contains(&it));
            let ok = update.attempts.iter().filter(|it| is_ok(it.status));
            let ok: Vec<Millis> = ok.map(|it| it.at + it.duration_ms).collect();
            self.attempts += update.attempts.len();
            self.refused += update.attempts.len() - ok.len();
            self.duplicates += ok.len().saturating_sub(1);
            self.unacknowledged += usize::from(update.state != State::Acknowledged);
            taken.extend(ok);
        }
        taken.sort_unstable();
        self.unavailable = silences(&taken, injuries);
    }

    /// What was sent: the same words with the same buttons in one chat, once more, is a repeat.
    pub(super) fn read_calls(&mut self, calls: &[Call], injuries: &[Injury]) {
        let mut before: HashMap<i64, &Call> = HashMap::new();
        self.messages = calls.len();
        for call in calls {
            let earlier = before.insert(call.chat(), call);
            if earlier.is_some_and(|it| it.params == call.params) {
                self.repeated += 1;
                let text = super::telegram::text(call);
                let is_it =
                    |(chat, item): &(i64, String)| *chat == call.chat() && item.contains(text);
                let cause = |injury: &&Injury| injury.ambiguous.iter().any(is_it);
                if let Some(injury) = injuries.iter().find(cause) {
                    *self.blamed.entry(injury.fault.to_string()).or_default() += 1;
                } else {
                    self.unexplained.push(format!(
                        "{} at {} by {:?}, before at {:?} by {:?}",
                        text,
                        call.at,
                        call.caller,
                        earlier.map(|it| it.at),
                        earlier.map(|it| &it.caller)
                    ));
                }
            }
        }
        self.messages -= self.repeated;
    }

    /// What was done to the cluster.
    pub(super) fn read_injuries(&mut self, injuries: &[Injury]) {
        for injury in injuries {
            *self.faults.entry(injury.fault.to_string()).or_default() += 1;
            self.ambiguous += injury.ambiguous.len();
            self.recovery.push(injury.recovery);
        }
    }

    /// The table.
    pub(super) fn table(&self, title: &str) -> String {
        let listed = |counts: &BTreeMap<String, usize>| {
            let counts = counts
                .iter()
                .map(|(name, count)| format!("{count} × {name}"));
            counts.collect::<Vec<_>>().join(", ")
        };
        let spans = |spans: &[Duration]| {
            let mut spans = spans.to_vec();
            spans.sort_unstable();
            let last = spans.last().copied().unwrap_or_default();
            let middle = spans.get(spans.len() / 2).copied().unwrap_or_default();
            format!("p50 {middle:.1?}, max {last:.1?}")
        };
        let verdict = &self.verdict;
        let rows = [
            ("people at once", self.people.to_string()),
            ("updates", self.updates.to_string()),
            ("times sent", self.attempts.to_string()),
            ("of those not answered with 2xx", self.refused.to_string()),
            ("faults", listed(&self.faults)),
            ("duplicates answered", self.duplicates.to_string()),
            ("never acknowledged", self.unacknowledged.to_string()),
            ("effects checked", verdict.effects.to_string()),
            ("lost", verdict.lost.to_string()),
            ("doubled", verdict.doubled.to_string()),
            ("out of order", verdict.swapped.to_string()),
            ("messages", self.messages.to_string()),
            (
                "repeated replies",
                format!("{} of {} ambiguous sends", self.repeated, self.ambiguous),
            ),
            ("of which after", listed(&self.blamed)),
            ("unavailability", spans(&self.unavailable)),
            ("recovery", spans(&self.recovery)),
        ];
        let lines = rows.map(|(name, value)| format!("| {name} | {value} |\n"));
        format!("| {title} | |\n|---|---|\n{}", lines.concat())
    }
}

/// After each fault and before the next, the longest time in which no update was acknowledged.
fn silences(taken: &[Millis], injuries: &[Injury]) -> Vec<Duration> {
    let silence = |(place, injury): (usize, &Injury)| {
        let end = injuries.get(place + 1).map_or(Millis::MAX, |next| next.at);
        let within = taken.iter().filter(|at| (injury.at..end).contains(*at));
        let (mut last, mut longest) = (injury.at, 0);
        for at in within {
            longest = longest.max(at - last);
            last = *at;
        }
        Duration::from_millis(longest)
    };
    injuries.iter().enumerate().map(silence).collect()
}
