//! What came of a run, in one table.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use steadfast::emulator::{Call, Millis, State, Update};

use super::checker::Verdict;
use super::faults::{Fault, Injury, ROUND};
use super::telegram::{Novelty, Repeats, says};

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) people: usize,
    /// Whole shifts, from opening to the pay.
    pub(super) shifts: usize,
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
    pub(super) fn read_updates(&mut self, updates: &[Update], injuries: &[Injury], end: Millis) {
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
        let faults: Vec<Millis> = injuries.iter().map(|injury| injury.at).collect();
        self.unavailable = silences(&taken, &faults, end);
    }

    /// What was sent, and what of it again. Only somebody who was paused repeats a message after a later one.
    pub(super) fn read_calls(&mut self, calls: &[Call], injuries: &[Injury]) {
        let mut chats: HashMap<i64, Repeats> = HashMap::new();
        let mut known: HashMap<(i64, &str), &Call> = HashMap::new();
        for call in calls {
            let novelty = chats.entry(call.chat()).or_default().meet(call);
            let before = known.insert((call.chat(), super::telegram::text(call)), call);
            let may_cause = |injury: &&Injury| match novelty {
                Novelty::New | Novelty::Again => true,
                Novelty::Late => injury.fault == Fault::Freeze,
            };
            let text = super::telegram::text(call);
            let is_it = |(chat, item): &(i64, String)| *chat == call.chat() && says(item, call);
            let mut causes = injuries.iter().filter(may_cause);
            let cause = causes.find(|injury| injury.ambiguous.iter().any(is_it));
            match (novelty, cause) {
                (Novelty::New, _) => self.messages += 1,
                (_, Some(injury)) => {
                    self.repeated += 1;
                    *self.blamed.entry(injury.fault.to_string()).or_default() += 1;
                }
                (_, None) => {
                    self.repeated += 1;
                    let by = |call: &Call| format!("{} by {:?}", call.at, call.caller);
                    let last = injuries.iter().rev().find(|it| it.at <= call.at);
                    let last = last.map(|injury| (injury.fault, injury.at));
                    let (now, before) = (by(call), before.map(by));
                    let said = format!(
                        "{novelty:?}: {text} at {now}, before that at {before:?}, after {last:?}"
                    );
                    self.unexplained.push(said);
                }
            }
        }
    }

    /// What was done to the cluster.
    pub(super) fn read_injuries(&mut self, injuries: &[Injury]) {
        for injury in injuries {
            *self.faults.entry(injury.fault.to_string()).or_default() += 1;
            self.ambiguous += injury.ambiguous.len();
            self.recovery.push(injury.recovery);
        }
    }

    /// Why it proves less than it should, if it does: hardly anything was done, or nothing of what was done met anything.
    pub(super) fn shortcomings(&self) -> Vec<&'static str> {
        let faults: usize = self.faults.values().sum();
        let reasons = [
            (faults < ROUND.len(), "not every fault was injected"),
            (self.refused == 0, "no fault met an update on its way in"),
            (self.ambiguous == 0, "no fault met a message on its way out"),
            (self.updates <= 2 * self.people, "hardly anybody wrote"),
            (self.verdict.effects <= 2 * self.people, "hardly anything was checked"),
            (self.duplicates <= self.people / 20, "hardly anything came twice"),
        ];
        let mut reasons = reasons.to_vec();
        reasons.retain(|(is_so, _)| *is_so);
        reasons.into_iter().map(|(_, words)| words).collect()
    }

    /// The table.
    pub(super) fn table(&self, title: &str) -> String {
        let listed = |counts: &BTreeMap<String, usize>| {
            let counts = counts.iter().map(|(name, count)| format!("{count} × {name}"));
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
            ("shifts closed and paid", self.shifts.to_string()),
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

/// After each fault, the longest time in which no update was acknowledged, until the next fault, or the end of the run.
fn silences(taken: &[Millis], faults: &[Millis], end: Millis) -> Vec<Duration> {
    let ends = faults.iter().skip(1).copied().chain([end]);
    let silence = |(fault, end): (&Millis, Millis)| {
        let within = taken.iter().filter(|at| (*fault..end).contains(*at));
        let (mut last, mut longest) = (*fault, 0);
        for at in within.copied().chain([end]) {
            longest = longest.max(at.saturating_sub(last));
            last = at;
        }
        Duration::from_millis(longest)
    };
    faults.iter().zip(ends).map(silence).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::{Value, json};

    use super::*;

    fn sent(text: &str) -> Call {
        Call {
            seq: 0,
            at: 0,
            came: Instant::now(),
            caller: None,
            method: "sendMessage".to_owned(),
            params: json!({ "chat_id": 5, "text": text }),
            status: 200,
            answer: Value::Null,
            duration_ms: 0,
            answered: None,
            fault: None,
        }
    }

    /// How many messages there are, how many repeats, and how many of those nobody can explain, where this had `#1` in hand.
    fn counted(texts: &[&str], fault: Fault) -> (usize, usize, usize) {
        let calls: Vec<Call> = texts.iter().map(|text| sent(text)).collect();
        let injury = Injury {
            fault,
            at: 0,
            recovery: Duration::ZERO,
            ended: Vec::new(),
            ambiguous: vec![(5, "{\"text\":\"#1 a\"}".to_owned())],
        };
        let mut account = Account::default();
        account.read_calls(&calls, &[injury]);
        (account.messages, account.repeated, account.unexplained.len())
    }

    #[test]
    fn a_repeat_is_explained_by_who_had_it_in_hand() {
        assert_eq!(counted(&["#1 a", "#1 a", "#2 b"], Fault::Kill), (2, 1, 0));
        assert_eq!(counted(&["#1 a", "#2 b", "#2 b"], Fault::Kill), (2, 1, 1));
    }

    #[test]
    fn only_somebody_who_was_paused_repeats_a_message_after_a_later_one() {
        let late = ["#1 a", "#2 b", "#1 a", "#3 c"];
        assert_eq!(counted(&late, Fault::Freeze), (3, 1, 0));
        assert_eq!(counted(&late, Fault::Kill), (3, 1, 1));
    }

    #[test]
    fn a_silence_lasts_until_an_update_is_taken_the_next_fault_or_the_end() {
        let heard = |taken: &[Millis], faults: &[Millis]| -> Vec<u128> {
            let silences = silences(taken, faults, 1000);
            silences.iter().map(Duration::as_millis).collect()
        };
        assert_eq!(heard(&[150, 160, 400, 990], &[100]), [590]);
        // Nothing is taken after it, or at last.
        assert_eq!(heard(&[], &[100]), [900]);
        assert_eq!(heard(&[150, 200], &[100]), [800]);
        // What is taken before a fault, or after the next one, ends no silence of its own.
        assert_eq!(heard(&[50, 350, 450, 950], &[100, 300]), [200, 500]);
        // Later than the end: people finish what they have begun.
        assert_eq!(heard(&[200, 600, 1400], &[100]), [400]);
    }

    /// One that is worth its name, with a number of its own in every place.
    fn full() -> Account {
        let counts = |counts: &[(&str, usize)]| {
            let counts = counts.iter().map(|(name, count)| ((*name).into(), *count));
            counts.collect::<BTreeMap<String, usize>>()
        };
        let spans = |of: &[u64]| of.iter().copied().map(Duration::from_millis).collect();
        Account {
            people: 101,
            shifts: 102,
            updates: 1003,
            attempts: 1004,
            refused: 105,
            duplicates: 106,
            unacknowledged: 107,
            messages: 108,
            repeated: 109,
            unexplained: Vec::new(),
            ambiguous: 110,
            blamed: counts(&[("replica killed", 111)]),
            verdict: Verdict {
                effects: 1012,
                lost: 113,
                doubled: 114,
                swapped: 115,
                complaints: Vec::new(),
            },
            faults: counts(&[("Redis killed", 116), ("replica frozen", 117)]),
            unavailable: spans(&[3000, 1000, 2000]),
            recovery: spans(&[6000, 5000, 4000]),
        }
    }

    #[test]
    fn the_table_tells_everything_that_is_to_be_known() {
        let rows = [
            "people at once | 101",
            "updates | 1003",
            "times sent | 1004",
            "of those not answered with 2xx | 105",
            "faults | 116 × Redis killed, 117 × replica frozen",
            "duplicates answered | 106",
            "never acknowledged | 107",
            "effects checked | 1012",
            "lost | 113",
            "doubled | 114",
            "out of order | 115",
            "messages | 108",
            "shifts closed and paid | 102",
            "repeated replies | 109 of 110 ambiguous sends",
            "of which after | 111 × replica killed",
            "unavailability | p50 2.0s, max 3.0s",
            "recovery | p50 5.0s, max 6.0s",
        ];
        let table = full().table("a run");
        let mut lines = table.lines();
        assert_eq!([lines.next(), lines.next()], [Some("| a run | |"), Some("|---|---|")]);
        let wanted = rows.map(|row| format!("| {row} |"));
        assert_eq!(lines.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_run_whose_faults_met_nothing_or_in_which_little_happened_proves_nothing() {
        assert_eq!(full().shortcomings(), Vec::<&str>::new());
        let spoil: [fn(&mut Account); 6] = [
            |it| it.faults = BTreeMap::from([("Redis killed".to_owned(), ROUND.len() - 1)]),
            |it| it.refused = 0,
            |it| it.ambiguous = 0,
            |it| it.updates = 202,
            |it| it.verdict.effects = 202,
            |it| it.duplicates = 5,
        ];
        for (place, spoil) in spoil.into_iter().enumerate() {
            let mut account = full();
            spoil(&mut account);
            assert_eq!(account.shortcomings().len(), 1, "{place}");
        }
    }

    #[test]
    fn words_of_several_lines_are_found_in_what_was_in_hand() {
        let mut account = Account::default();
        let injury = Injury {
            fault: Fault::Kill,
            at: 0,
            recovery: Duration::ZERO,
            ended: Vec::new(),
            ambiguous: vec![(5, json!({ "text": "#1 \"a\"\n\nb" }).to_string())],
        };
        let again = [sent("#1 \"a\"\n\nb"), sent("#1 \"a\"\n\nb")];
        account.read_calls(&again, &[injury]);
        assert_eq!((account.repeated, account.unexplained.len()), (1, 0));
    }

    #[test]
    fn the_same_words_in_another_round_are_no_repeat() {
        let rounds = ["Which?", "Thanks.", "Which?", "Thanks."];
        assert_eq!(counted(&rounds, Fault::Freeze), (4, 0, 0));
    }
}
