//! The whole cluster, as it is deployed: Telegram, nginx, three replicas, Redis, PostgreSQL, Prometheus.
//!
//! These tests need the machine for themselves and are ignored in the common run; `deploy/check.sh` runs them after it, one by
//! one. Each runs longer where a variable says so: `CLUSTER_SECONDS`, `ROLLING_ROUNDS`, `SOAK_SECONDS`.

use std::str::FromStr;

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

/// The value of a variable, or what is usual.
fn setting<T: FromStr>(variable: &str, usual: T) -> T {
    let value = std::env::var(variable).ok();
    value.and_then(|it| it.parse().ok()).unwrap_or(usual)
}
