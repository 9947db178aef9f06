//! The one list of metrics: their names, meanings, labels and buckets.
//!
//! What is listed is there from the first scrape, at zero: a counter that appears with its first event hides that event
//! from `increase()`.

use std::sync::LazyLock;

use metrics::gauge;

use super::metric::Metric;
use crate::bot::Build;

mod dialogues;
mod outbox;
mod process;
mod store;
mod telegram;
mod webhook;

/// Every metric there is, but for `process_*`.
pub static CATALOGUE: LazyLock<Vec<Metric>> = LazyLock::new(|| {
    let parts =
        [process::ALL, webhook::ALL, store::ALL, dialogues::ALL, outbox::ALL, telegram::ALL];
    parts.concat()
});

/// Describes everything, and sets to zero what has known labels.
pub(super) fn announce() {
    for metric in CATALOGUE.iter() {
        metric.describe();
        for labels in metric.series() {
            metric.touch(labels);
        }
    }
}

/// Sets the gauge that tells which build of which bot runs.
pub fn announce_build(build: Build) {
    let commit = option_env!("STEADFAST_COMMIT").unwrap_or("unknown");
    let labels = [
        ("bot", build.name),
        ("version", build.version),
        ("commit", commit),
        ("rustc", env!("STEADFAST_RUSTC")),
    ];
    gauge!("steadfast_build_info", &labels).set(1.0);
}
