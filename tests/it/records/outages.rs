//! The database is away, or the connection to it is lost in the middle of something.

use std::time::Duration;

use secrecy::ExposeSecret as _;
use serde_json::json;
use steadfast::records::{Database, Records as _, Verdict};
use tokio::time::{sleep, timeout};

use crate::support::deaf_proxy::{DeafProxy, Loses};
use crate::support::ledger::{Ledger, open, order};
use crate::support::patience::LONG;
use crate::support::postgres_server::PostgresServer;

pub(super) async fn a_database_that_is_away_is_waited_for(ledger: Ledger) {
    let mut ledger = ledger.removable().await;
    ledger.coupon("spring").await;
    ledger.take_away().await;
    let verdict = timeout(LONG, ledger.take("e1", 7, "spring")).await;
    let verdict = verdict.expect("it is not waited for in the call");
    assert!(matches!(verdict, Verdict::Unavailable(_)), "{verdict:?}");
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

pub(super) async fn a_lost_answer_to_a_commit_is_repaired_by_the_repeat(
    ledger: Ledger,
    loses: Loses,
) {
    let server = PostgresServer::shared().await.port();
    let proxy = DeafProxy::before(server).await;
    let (Database::Postgres(url), code) = (&ledger.database, "spring") else {
        panic!("a file has no answers to lose");
    };
    let url = (url.expose_secret()).replace(&server.to_string(), &proxy.port().to_string());
    let far = open(&Database::Postgres(url.into())).await.expect("opened");
    ledger.coupon(code).await;
    let take = order("e1", 7, json!({"command": "take_coupon", "code": code}));
    // With its end, or it would be found in the name of an isolation level.
    proxy.lose_answer_to("COMMIT\0", loses);
    let verdict = far.run(&take).await;
    assert!(matches!(verdict, Verdict::Unavailable(_)), "{verdict:?}");
    assert!(proxy.has_lost());
    assert_eq!(ledger.holder(code).await, Some(7));
    for _ in 0..10 {
        assert_eq!(far.run(&take).await, Verdict::Applied);
    }
}
