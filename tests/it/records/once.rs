//! A command happens once, and is answered the same for ever.

use std::time::Duration;

use serde_json::json;
use steadfast::dialogue::prelude::read;
use steadfast::records::{Records, Verdict};
use steadfast::store::Clock;

use crate::support::coupon::{TAKEN, UNKNOWN};
use crate::support::ledger::{Ledger, person};

pub(super) async fn a_command_is_applied_once_however_often_it_is_repeated(ledger: Ledger) {
    ledger.coupon("spring").await;
    for _ in 0..5 {
        assert_eq!(ledger.take("e1", 7, "spring").await, Verdict::Applied);
    }
    assert_eq!(ledger.take("e2", 7, "spring").await, refused(TAKEN));
    assert_eq!(ledger.holder("spring").await, Some(7));
}

pub(super) async fn what_was_refused_stays_refused(ledger: Ledger) {
    assert_eq!(ledger.take("e1", 7, "spring").await, refused(UNKNOWN));
    ledger.coupon("spring").await;
    assert_eq!(ledger.take("e1", 7, "spring").await, refused(UNKNOWN));
    assert_eq!(ledger.holder("spring").await, None);
}

pub(super) async fn what_is_refused_has_written_nothing(ledger: Ledger) {
    ledger.coupon("spring").await;
    let command = json!({"command": "take_and_refuse", "code": "spring"});
    for _ in 0..2 {
        let verdict = ledger.order("e1", 7, command.clone()).await;
        assert_eq!(verdict, refused("regret"));
    }
    assert_eq!(ledger.holder("spring").await, None);
}

/// Another build may know it; what is no command at all nobody does.
pub(super) async fn an_unknown_command_is_told_from_none(ledger: Ledger) {
    let verdict = ledger.order("e1", 7, json!({"command": "fly"})).await;
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
    for command in [json!({"code": "x"}), json!("fly")] {
        let verdict = ledger.order("e1", 7, command).await;
        assert!(matches!(verdict, Verdict::Broken(_)), "{verdict:?}");
    }
}

pub(super) async fn a_command_of_another_shape_is_broken(ledger: Ledger) {
    let command = json!({"command": "take_coupon", "code": ["a secret"]});
    let verdict = ledger.order("e1", 7, command).await;
    let Verdict::Broken(reason) = verdict else {
        panic!("{verdict:?}");
    };
    assert!(reason.contains("take_coupon"), "{reason}");
    assert!(!reason.contains("secret"), "{reason}");
}

pub(super) async fn a_violated_constraint_is_broken(ledger: Ledger) {
    ledger.coupon("spring").await;
    let verdict = ledger.issue("e1", "spring").await;
    assert!(matches!(verdict, Verdict::Broken(_)), "{verdict:?}");
}

pub(super) async fn what_is_broken_may_be_mended(ledger: Ledger) {
    ledger.order("e1", 7, json!({"command": "fly"})).await;
    ledger.coupon("spring").await;
    assert_eq!(ledger.take("e1", 7, "spring").await, Verdict::Applied);
}

pub(super) async fn old_outcomes_are_forgotten(ledger: Ledger) {
    ledger.coupon("spring").await;
    ledger.take("e1", 7, "spring").await;
    assert_eq!(ledger.prune().await, Ok(0));
    let later = Clock::system().now() + Duration::from_secs(31 * 86_400).as_millis() as u64;
    let ledger = ledger.at(later);
    assert_eq!(ledger.take("e2", 8, "spring").await, refused(TAKEN));
    assert_eq!(ledger.prune().await, Ok(2));
    assert_eq!(ledger.take("e2", 8, "spring").await, refused(TAKEN));
    assert_eq!(ledger.prune().await, Ok(0));
}

pub(super) async fn reads_see_what_was_applied(ledger: Ledger) {
    let coupon = read("coupon", "spring");
    let (records, key) = (&ledger.sql, person(7));
    assert_eq!(Records::fetch(records, &key, &coupon).await, Ok(json!(null)));
    ledger.coupon("spring").await;
    let free = json!({"code": "spring", "taken_by": null});
    assert_eq!(Records::fetch(records, &key, &coupon).await, Ok(free));
    ledger.take("e1", 7, "spring").await;
    let taken = json!({"code": "spring", "taken_by": 7});
    assert_eq!(Records::fetch(records, &key, &coupon).await, Ok(taken));
}

pub(super) async fn an_unknown_read_is_not_answered(ledger: Ledger) {
    let answer = Records::fetch(&ledger.sql, &person(7), &read("weather", "")).await;
    assert!(answer.is_err_and(|reason| reason.to_string().contains("weather")));
}

fn refused(reason: &str) -> Verdict {
    Verdict::Refused(reason.to_owned())
}
