//! Databases that cannot be opened.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use field_service::{Company, DECLARED};
use steadfast::config::{Config, Mode};
use steadfast::records::{Database, Fault, Schema, Sql};
use steadfast::server;
use steadfast::staff::Staff;
use steadfast::store::Clock;

/// Why it was not opened, after a while.
pub(super) async fn gives_up(database: Database) -> Fault {
    let (started, patience) = (Instant::now(), Duration::from_secs(1));
    let opened = Sql::open(&database, Schema::new(), patience).await;
    assert!(started.elapsed() >= patience, "it is tried for a while");
    opened.expect_err("nothing to open")
}

/// What the server says when its data directory is there.
pub(super) async fn of_the_server(dir: &Path) -> String {
    let source = |name: &str| match name {
        "BOT_TOKEN" => Some("1:abc".to_owned()),
        "WEBHOOK_SECRET" => Some("secret".to_owned()),
        "DATA_DIR" => Some(dir.display().to_string()),
        _ => None,
    };
    let config = Config::<Company>::read(&source, Mode::Webhook, &DECLARED);
    let config = config.expect("a configuration");
    let database = config.server.records.as_ref().expect("a database");
    let (clock, staff, schema) = (Clock::system(), Staff::default(), Schema::new());
    let opened = server::open_records(database, clock, staff, schema, Arc::new(())).await;
    opened.expect_err("nothing to open").to_string()
}
