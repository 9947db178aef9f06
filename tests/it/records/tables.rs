//! The tables come about, whoever makes them.

use serde_json::json;
use steadfast::dialogue::read;
use steadfast::records::{Records, Unread};

use crate::support::ledger::{Ledger, open, person};
use crate::support::patience::all_at_once;

pub(super) async fn migrations_run_twice_are_fine(ledger: Ledger) {
    ledger.coupon("spring").await;
    let again = open(&ledger.database).await.expect("opened again");
    assert_eq!(again.kind(), ledger.kind());
    assert_eq!(ledger.holder("spring").await, None);
}

pub(super) async fn many_may_migrate_at_once(ledger: Ledger) {
    for _ in 0..5 {
        ledger
            .execute("DROP TABLE invitations; DROP TABLE onboarding; DROP TABLE adjustments; DROP TABLE shift_media; DROP TABLE shift_tasks; DROP TABLE shifts; DROP TABLE tasks; DROP TABLE slots; DROP TABLE objects; DROP TABLE relays; DROP TABLE conversations; DROP TABLE photos; DROP TABLE reports; DROP TABLE orders; DROP TABLE users; DROP TABLE roles; DROP TABLE coupons; DROP TABLE effects; DROP TABLE _sqlx_migrations")
            .await;
        let openings = (0..8).map(|_| {
            let database = ledger.database.clone();
            tokio::spawn(async move { open(&database).await.expect("opened") })
        });
        for opened in all_at_once(openings).await {
            opened.expect("no panic").close().await;
        }
    }
    ledger.coupon("spring").await;
}

pub(super) async fn a_newer_build_may_have_been_here(ledger: Ledger) {
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (9999, 'of tomorrow', true, 'x', 1)";
    ledger.execute(newer).await;
    open(&ledger.database).await.expect("opened");
}

pub(super) async fn connections_are_set_up(ledger: Ledger) {
    let expected = match ledger.kind() {
        "sqlite" => [
            ("PRAGMA journal_mode", json!("wal")),
            ("PRAGMA synchronous", json!(2)),
            ("PRAGMA foreign_keys", json!(1)),
        ],
        _ => [
            ("SHOW statement_timeout", json!("5s")),
            ("SHOW lock_timeout", json!("2s")),
            ("SHOW idle_in_transaction_session_timeout", json!("10s")),
        ],
    };
    for (sql, value) in expected {
        assert_eq!(ledger.fetch(&person(1), "setting", sql).await, Ok(value), "{sql}");
    }
}

/// A read that can never succeed is told from a database that is away: only for this one the update comes again.
pub(super) async fn what_can_never_be_read_is_broken(ledger: Ledger) {
    for (name, arg) in [("setting", "SELECT nothing FROM nowhere"), ("nonsense", "")] {
        let unread = Records::fetch(&ledger.sql, &person(1), &read(name, arg)).await;
        assert!(matches!(unread, Err(Unread::Broken(_))), "{unread:?}");
    }
}
