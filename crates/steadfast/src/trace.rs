//! Ties together what is told about one update: its own line, its transitions, and the sending of what it caused.
//!
//! Nothing is stored for it. An effect is called `update.stamp.index`, after the turn that caused it, so whoever carries it out,
//! on whichever replica and however late, finds the same trace. A redelivery has the trace of the first delivery, which an id made
//! up by a proxy for each request could not give; proxies can log the trace instead, since every answer carries it in [`HEADER`].

use std::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::store::Cause;

/// The header of the answer to a webhook request in which the trace stands.
pub const HEADER: &str = "x-trace-id";
/// How the stamp ends of a turn in which a flow hears that a record was refused; before it stands the effect.
pub const REFUSED: &str = ".refused";

/// What the lines about one update have in common: sixteen hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trace(u64);

impl Trace {
    /// Of a turn. That of a refusal is the trace of the turn whose record was refused.
    pub fn of_turn(cause: Cause, stamp: &str) -> Self {
        match stamp.strip_suffix(REFUSED) {
            Some(effect) => Self::of_effect(effect),
            None => Self::new(cause.number(), stamp),
        }
    }

    /// Of the turn that caused an effect, by the effect's id. One that no turn caused, such as a part of a broadcast, has a
    /// trace of its own.
    pub fn of_effect(id: &str) -> Self {
        let refusals = id.matches(REFUSED).count();
        let turn = (0..refusals).fold(id, |id, _| id.strip_prefix("0.").unwrap_or(id));
        match turn.split_once('.').map(|(cause, rest)| (cause.parse(), rest)) {
            Some((Ok(cause), rest)) => Self::new(cause, rest),
            _ => Self::new(0, id),
        }
    }

    /// A stamp ends at its first dot: what follows there is of the effect.
    fn new(cause: u64, stamp: &str) -> Self {
        let stamp = stamp.split('.').next().unwrap_or(stamp);
        Self(xxh3_64_with_seed(stamp.as_bytes(), cause))
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_has_the_trace_of_its_turn() {
        let turns = [
            (Cause::Update(7), "1760"),
            (Cause::Timer(1_760_000_000_000), "-100:5:3"),
            (Cause::Order, "00ab"),
        ];
        for (cause, stamp) in turns {
            let turn = Trace::of_turn(cause, stamp);
            for index in [0, 12] {
                let id = format!("{}.{stamp}.{index}", cause.number());
                assert_eq!(Trace::of_effect(&id), turn, "{id}");
            }
        }
    }

    #[test]
    fn a_refusal_and_what_follows_a_message_have_the_trace_of_the_first_turn() {
        for (cause, stamp) in [(Cause::Update(7), "1760"), (Cause::Order, "00ab")] {
            let turn = Trace::of_turn(cause, stamp);
            let first = format!("{}.{stamp}.1", cause.number());
            let refused = format!("{first}{REFUSED}");
            assert_eq!(Trace::of_turn(Cause::Order, &refused), turn);
            let second = format!("0.{refused}.2");
            assert_eq!(Trace::of_effect(&second), turn, "{second}");
            let again = format!("{second}{REFUSED}");
            assert_eq!(Trace::of_turn(Cause::Order, &again), turn, "{again}");
            let after_a_message = format!("{first}.555.0");
            assert_eq!(Trace::of_effect(&after_a_message), turn);
        }
    }

    #[test]
    fn other_turns_have_other_traces() {
        let traces = [
            Trace::of_turn(Cause::Update(7), "1760"),
            Trace::of_turn(Cause::Update(8), "1760"),
            Trace::of_turn(Cause::Update(7), "1761"),
            Trace::of_effect("b:notice:5"),
            Trace::of_effect("b:notice:6"),
        ];
        let distinct: std::collections::HashSet<_> = traces.iter().collect();
        assert_eq!(distinct.len(), traces.len());
        assert_eq!(traces[0].to_string().len(), 16);
    }
}
