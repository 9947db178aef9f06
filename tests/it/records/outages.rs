//! The database is away, or the connection to it is lost in the middle of something.

use std::time::{Duration, Instant};

use serde_json::json;
use steadfast::records::{Records as _, Verdict};
use tokio::time::{sleep, timeout};

use crate::support::ledger::{Ledger, order};

/// How long a call may take, and some time for a busy machine.
const BOUND: Duration = Duration::from_secs(10);

pub(super) async fn a_database_that_is_away_is_waited_for(ledger: Ledger) {
    let mut ledger = ledger.removable().await;
    ledger.coupon("spring").await;
    ledger.take_away().await;
    let asked = Instant::now();
    let verdict = ledger.take("e1", 7, "spring").await;
    assert!(matches!(verdict, Verdict::Unavailable(_)), "{verdict:?}");
    assert!(asked.elapsed() < BOUND, "{:?}", asked.elapsed());
    ledger.give_back().await;
    assert_eq!(ledger.take("e1", 7, "spring").await, Verdict::Applied);
    assert_eq!(ledger.take("e1", 7, "spring").await, Verdict::Applied);
    assert_eq!(ledger.holder("spring").await, Some(7));
}

pub(super) async fn who_gives_up_leaves_nothing(ledger: Ledger) {
    ledger.coupon("spring").await;
    let slowly = order("e1", 7, json!({"command": "take_slowly", "code": "spring"}));
    let given_up = timeout(Duration::from_millis(500), ledger.run(&slowly)).await;
    assert!(given_up.is_err(), "{given_up:?}");
    assert_eq!(ledger.holder("spring").await, None);
    assert_eq!(ledger.take("e2", 8, "spring").await, Verdict::Applied);
}

pub(super) async fn a_killed_connection_leaves_nothing(ledger: Ledger) {
    ledger.coupon("spring").await;
    let slowly = order("e1", 7, json!({"command": "take_slowly", "code": "spring"}));
    let kill = async {
        sleep(Duration::from_millis(500)).await;
        ledger.end_connections().await;
    };
    let (verdict, ()) = tokio::join!(ledger.run(&slowly), kill);
    assert!(matches!(verdict, Verdict::Unavailable(_)), "{verdict:?}");
    assert_eq!(ledger.holder("spring").await, None);
    assert_eq!(ledger.run(&slowly).await, Verdict::Applied);
    assert_eq!(ledger.holder("spring").await, Some(7));
}
