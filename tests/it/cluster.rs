//! The whole cluster, as it is deployed: Telegram, nginx, three replicas, Redis, PostgreSQL, Prometheus.
//!
//! These tests need the machine for themselves and are ignored in the common run. `deploy/check.sh` runs them briefly, except the
//! soak; `deploy/prove.sh` runs all of them at full length. They run one by one:
//! `cargo test --test it cluster:: -- --ignored --test-threads=1 --nocapture`.

use std::time::Duration;

mod account;
mod bed;
mod books;
mod chaos;
mod checker;
mod crew;
mod desk;
mod entries;
mod faults;
mod ledger;
mod meters;
mod pay;
mod people;
mod person;
mod replica;
mod rolling;
mod scripts;
mod shift;
mod site;
mod soak;
mod telegram;
mod timesheet;
mod worker;

/// Returns the duration of the load, set by `STEADFAST_CLUSTER_SECONDS`. Restarts take a third of it.
fn length() -> Duration {
    /// Enough for each fault and for a shift of each worker.
    const SHORT: u64 = 45;
    let seconds = std::env::var("STEADFAST_CLUSTER_SECONDS").ok();
    Duration::from_secs(seconds.map_or(SHORT, |it| it.parse().expect("a number of seconds")))
}
