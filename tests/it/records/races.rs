//! Several want the same at the same time.

use std::collections::BTreeSet;

use steadfast::records::{Records as _, Verdict};

use crate::support::coupon::TAKEN;
use crate::support::ledger::{Ledger, open, order};
use crate::support::patience::all_at_once;
use serde_json::json;

pub(super) async fn one_of_two_people_gets_the_coupon(ledger: Ledger) {
    // As another process, with connections of its own.
    let other = open(&ledger.database).await.expect("opened");
    for round in 0..200 {
        let code = format!("c{round}");
        ledger.coupon(&code).await;
        let effect = |user| format!("{user} takes {code}");
        let take = json!({"command": "take_coupon", "code": code});
        let orders = [1, 2].map(|user| order(&effect(user), user, take.clone()));
        let (first, second) = tokio::join!(ledger.run(&orders[0]), other.run(&orders[1]));
        let refused = Verdict::Refused(TAKEN.to_owned());
        let winner = match (&first, &second) {
            (Verdict::Applied, verdict) if *verdict == refused => 1,
            (verdict, Verdict::Applied) if *verdict == refused => 2,
            both => panic!("round {round}: {both:?}"),
        };
        assert_eq!(ledger.holder(&code).await, Some(winner));
    }
}

pub(super) async fn an_effect_that_races_with_itself_is_applied_once(ledger: Ledger) {
    let other = open(&ledger.database).await.expect("opened");
    for round in 0..20 {
        let code = format!("c{round}");
        ledger.coupon(&code).await;
        let take = json!({"command": "take_coupon", "code": code});
        let order = order(&format!("take {code}"), 7, take);
        let both = tokio::join!(ledger.run(&order), other.run(&order));
        // The second one is told what became of the first, never that the coupon is taken.
        assert_eq!(both, (Verdict::Applied, Verdict::Applied), "round {round}");
    }
}

pub(super) async fn many_people_are_served_at_once(ledger: Ledger) {
    let codes: Vec<_> = (0..50).map(|number| format!("c{number}")).collect();
    let issued = all_at_once(codes.iter().map(|code| ledger.coupon(code))).await;
    let takes = codes.iter().map(|code| ledger.take(code, 7, code));
    let verdicts: BTreeSet<_> =
        all_at_once(takes).await.iter().map(|it| format!("{it:?}")).collect();
    assert_eq!((issued.len(), verdicts), (50, BTreeSet::from(["Applied".to_owned()])));
}
