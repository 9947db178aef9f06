//! What a shift earns: from what was agreed, when it was worked and what was done, to the adjustments of its pay.
//!
//! | adjustment | when | amount |
//! |---|---|---|
//! | `shift_base` | always | time × rate, rounded half up, once |
//! | `late_start` | opened beyond the grace of its time slot | − penalty of the slot |
//! | `task_bonus` | a bonus task is done | + its price |
//! | `task_penalty` | a mandatory task is not done | − its price |
//! | `task_completed` | a mandatory task is done | 0 |
//!
//! A bonus task that is not done gives nothing. A penalty keeps its sign, wherever it is written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::money::Money;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// What was agreed when a shift was opened, and how far it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// What an hour earns.
    pub rate: Money,
    /// The time slot it was opened for, where the object has one at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
    /// What is to be done in it.
    pub tasks: Vec<Task>,
}

/// A time slot on a certain day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Which slot of the object.
    pub id: String,
    /// When it begins: UTC, in milliseconds.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// How many minutes late is not late.
    pub grace: i64,
    /// What being late costs; not negative.
    pub penalty: Money,
}

/// Something to be done in a shift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Which task of the object.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// What its price is for.
    pub kind: Kind,
    /// What doing it brings, or not doing it costs; not negative.
    pub price: Money,
    /// Whether a photo must show that it is done.
    pub media: bool,
    /// Whether it is done.
    pub done: bool,
    /// How many photos show it.
    pub photos: usize,
}

/// What the price of a task is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// For doing it.
    Bonus,
    /// For not doing it: it has to be done.
    Mandatory,
}

/// A part of the pay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjustment {
    /// Why.
    pub why: Why,
    /// How much; a penalty is negative.
    pub amount: Money,
    /// The task it is for, where it is for one.
    pub task: Option<String>,
}

/// What a part of the pay is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The time.
    ShiftBase,
    /// Being late.
    LateStart,
    /// A bonus task that is done.
    TaskBonus,
    /// A mandatory task that is not done.
    TaskPenalty,
    /// A mandatory task that is done.
    TaskCompleted,
}

/// The adjustments of a shift that was opened and closed at these times: UTC, in milliseconds.
pub fn pay(terms: &Terms, opened: i64, closed: i64) -> Vec<Adjustment> {
    let base = terms.rate.share((closed - opened).max(0), HOUR);
    let late = terms.slot.as_ref().filter(|slot| slot.is_late(opened));
    let time = [of_time(Why::ShiftBase, base)].into_iter();
    time.chain(late.map(|slot| of_time(Why::LateStart, -slot.penalty)))
        .chain(terms.tasks.iter().filter_map(Task::adjustment))
        .collect()
}

/// What they come to.
pub fn total(adjustments: &[Adjustment]) -> Money {
    adjustments.iter().map(|it| it.amount).sum()
}

fn of_time(why: Why, amount: Money) -> Adjustment {
    Adjustment { why, amount, task: None }
}

impl Slot {
    /// Whether whoever begins at this time is late, and that costs something.
    fn is_late(&self, opened: i64) -> bool {
        opened > self.start + self.grace * MINUTE && self.penalty > Money::ZERO
    }
}

impl Task {
    fn adjustment(&self) -> Option<Adjustment> {
        let (why, amount) = match (self.kind, self.done) {
            (Kind::Bonus, true) => (Why::TaskBonus, self.price),
            (Kind::Bonus, false) => return None,
            (Kind::Mandatory, true) => (Why::TaskCompleted, Money::ZERO),
            (Kind::Mandatory, false) => (Why::TaskPenalty, -self.price),
        };
        Some(Adjustment { why, amount, task: Some(self.id.clone()) })
    }
}

impl Kind {
    /// Its name in the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bonus => "bonus",
            Self::Mandatory => "mandatory",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = [Self::Bonus, Self::Mandatory].into_iter();
        let mut known = known.filter(|kind| kind.name() == name);
        known.next().ok_or_else(|| format!("no kind `{name}`"))
    }
}

impl Why {
    /// Its name in the records and in exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ShiftBase => "shift_base",
            Self::LateStart => "late_start",
            Self::TaskBonus => "task_bonus",
            Self::TaskPenalty => "task_penalty",
            Self::TaskCompleted => "task_completed",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn task(id: &str, kind: Kind, price: i64, done: bool) -> Task {
        Task {
            id: id.to_owned(),
            title: id.to_owned(),
            kind,
            price: Money(price),
            media: false,
            done,
            photos: 0,
        }
    }

    fn slot(start: i64, grace: i64, penalty: i64) -> Slot {
        Slot { id: "s".to_owned(), start, end: start + 8 * HOUR, grace, penalty: Money(penalty) }
    }

    fn told(terms: &Terms, opened: i64, closed: i64) -> Vec<(&'static str, i64)> {
        let adjustments = pay(terms, opened, closed);
        let pairs = adjustments.iter().map(|it| (it.why.name(), it.amount.0));
        pairs.collect()
    }

    #[test]
    fn shift_352_is_late_and_does_both_tasks() {
        let terms = Terms {
            rate: Money(46_620),
            slot: Some(slot(0, 10, 10_000)),
            tasks: vec![
                task("bonus", Kind::Bonus, 12_300, true),
                task("mandatory", Kind::Mandatory, 5_000, true),
            ],
        };
        let opened = 11 * MINUTE;
        let expected = [
            ("shift_base", 777),
            ("late_start", -10_000),
            ("task_bonus", 12_300),
            ("task_completed", 0),
        ];
        assert_eq!(told(&terms, opened, opened + MINUTE), expected);
        let sum = total(&pay(&terms, opened, opened + MINUTE));
        assert_eq!(sum, Money(3_077));
    }

    #[test]
    fn shift_364_pays_for_what_it_left_undone() {
        let terms = Terms {
            rate: Money(198),
            slot: None,
            tasks: vec![
                task("mandatory", Kind::Mandatory, 3_300, false),
                task("bonus", Kind::Bonus, 10_000, true),
            ],
        };
        let expected = [("shift_base", 990), ("task_penalty", -3_300), ("task_bonus", 10_000)];
        assert_eq!(told(&terms, 0, 5 * HOUR), expected);
        assert_eq!(total(&pay(&terms, 0, 5 * HOUR)), Money(7_690));
    }

    #[test]
    fn shift_365_avoids_its_penalty_and_leaves_its_bonus() {
        let terms = Terms {
            rate: Money(2_640),
            slot: None,
            tasks: vec![
                task("mandatory", Kind::Mandatory, 4_400, true),
                task("bonus", Kind::Bonus, 10_000, false),
            ],
        };
        let expected = [("shift_base", 44), ("task_completed", 0)];
        assert_eq!(told(&terms, 0, MINUTE), expected);
        assert_eq!(total(&pay(&terms, 0, MINUTE)), Money(44));
    }

    #[test]
    fn the_grace_of_a_slot_is_granted_to_the_millisecond() {
        let terms = Terms { rate: Money::ZERO, slot: Some(slot(0, 5, 100)), tasks: Vec::new() };
        let is_late = |opened| told(&terms, opened, opened).len() == 2;
        assert!(!is_late(-HOUR) && !is_late(0) && !is_late(5 * MINUTE));
        assert!(is_late(5 * MINUTE + 1));
    }

    fn tasks() -> impl Strategy<Value = Vec<Task>> {
        let one = (any::<bool>(), 0_i64..1_000_000, any::<bool>());
        proptest::collection::vec(one, 0..12).prop_map(|all| {
            let kinds = [Kind::Bonus, Kind::Mandatory];
            let made = all.into_iter().enumerate();
            made.map(|(n, (kind, price, done))| {
                task(&n.to_string(), kinds[usize::from(kind)], price, done)
            })
            .collect()
        })
    }

    fn slots() -> impl Strategy<Value = Option<Slot>> {
        let one = (-10_i64 * HOUR..10 * HOUR, 0_i64..120, 0_i64..100_000);
        proptest::option::of(one.prop_map(|(start, grace, penalty)| slot(start, grace, penalty)))
    }

    proptest! {
        #[test]
        fn the_sum_equals_its_parts(rate in 0_i64..1_000_000, slot in slots(), tasks in tasks(), time in 0_i64..100 * HOUR) {
            let late = slot.as_ref().filter(|slot| slot.start + slot.grace * MINUTE < 0);
            let late = late.map_or(Money::ZERO, |slot| -slot.penalty);
            let of_tasks = |kind, done| -> Money {
                let own = tasks.iter().filter(|task| task.kind == kind && task.done == done);
                own.map(|task| task.price).sum()
            };
            let expected = Money(rate).share(time, HOUR) + late + of_tasks(Kind::Bonus, true)
                + -of_tasks(Kind::Mandatory, false);
            let terms = Terms { rate: Money(rate), slot, tasks: tasks.clone() };
            prop_assert_eq!(total(&pay(&terms, 0, time)), expected);
        }

        #[test]
        fn a_penalty_is_never_positive_and_a_reward_never_negative(slot in slots(), tasks in tasks(), opened in -20 * HOUR..20 * HOUR) {
            let terms = Terms { rate: Money(100), slot, tasks };
            for adjustment in pay(&terms, opened, opened + HOUR) {
                let amount = adjustment.amount;
                match adjustment.why {
                    Why::LateStart => prop_assert!(amount < Money::ZERO),
                    Why::TaskPenalty => prop_assert!(amount <= Money::ZERO),
                    Why::TaskCompleted => prop_assert_eq!(amount, Money::ZERO),
                    Why::ShiftBase | Why::TaskBonus => prop_assert!(amount >= Money::ZERO),
                }
            }
        }

        #[test]
        fn the_order_of_the_tasks_does_not_matter((listed, shuffled) in tasks().prop_flat_map(|tasks| (Just(tasks.clone()), Just(tasks).prop_shuffle()))) {
            let paid = |tasks: Vec<Task>| {
                let pay = pay(&Terms { rate: Money(100), slot: None, tasks }, 0, HOUR);
                let mut parts: Vec<String> = pay.iter().map(|part| format!("{part:?}")).collect();
                parts.sort();
                (total(&pay), parts)
            };
            prop_assert_eq!(paid(listed), paid(shuffled));
        }

        #[test]
        fn only_a_slot_and_only_beyond_its_grace_makes_a_late_start(slot in slots(), opened in -20 * HOUR..20 * HOUR) {
            let beyond = slot.as_ref().is_some_and(|slot| slot.penalty > Money::ZERO && opened > slot.start + slot.grace * MINUTE);
            let terms = Terms { rate: Money(100), slot, tasks: Vec::new() };
            let late = pay(&terms, opened, opened).iter().any(|it| it.why == Why::LateStart);
            prop_assert_eq!(late, beyond);
        }
    }
}
