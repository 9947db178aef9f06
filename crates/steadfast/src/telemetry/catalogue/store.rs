//! Of the store and its commits.

use crate::store::{FAULTS, OPS};
use crate::telemetry::buckets::STORE;
use crate::telemetry::metric::{Kind, Metric};

/// Its metrics.
pub(super) const ALL: &[Metric] = &[
    Metric {
        name: "steadfast_store_op_duration_seconds",
        kind: Kind::Histogram(STORE),
        help: "Time a store call took, by operation.",
        labels: &[("op", &OPS)],
    },
    Metric {
        name: "steadfast_store_errors_total",
        kind: Kind::Counter,
        help: "Store calls that failed, by operation and kind.",
        labels: &[("op", &OPS), ("kind", FAULTS)],
    },
    Metric {
        name: "steadfast_store_reconnects_total",
        kind: Kind::Counter,
        help: "Connections to the store that were given up and made anew, by reason.",
        labels: &[("reason", FAULTS)],
    },
    Metric {
        name: "steadfast_store_up",
        kind: Kind::Gauge,
        help: "Whether the store answered the last probe.",
        labels: &[],
    },
    Metric {
        name: "steadfast_store_config_ok",
        kind: Kind::Gauge,
        help: "Whether the store is set up safely, by what was checked at the start.",
        labels: &[("check", &[])],
    },
    Metric {
        name: "steadfast_store_memory_used_bytes",
        kind: Kind::Gauge,
        help: "Memory that Redis uses: equal on all replicas, use max(). 0 for other stores.",
        labels: &[],
    },
    Metric {
        name: "steadfast_store_memory_limit_bytes",
        kind: Kind::Gauge,
        help: "Memory that Redis may use (maxmemory), 0 for no limit: equal on all replicas, use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_store_is_master",
        kind: Kind::Gauge,
        help: "Whether the store takes writes: 0 for a Redis that follows another, 1 for every store but Redis.",
        labels: &[],
    },
    Metric {
        name: "steadfast_store_replicas_connected",
        kind: Kind::Gauge,
        help: "How many Redis follow the one in use: equal on all replicas of the bot, use max(). 0 for other stores.",
        labels: &[],
    },
    Metric {
        name: "steadfast_degraded",
        kind: Kind::Gauge,
        help: "Whether a store in memory stands in for one that could not be reached at the start.",
        labels: &[],
    },
    Metric {
        name: "steadfast_commit_conflicts_total",
        kind: Kind::Counter,
        help: "Commits that met a newer version and ran their step again.",
        labels: &[],
    },
    Metric {
        name: "steadfast_commit_retries_total",
        kind: Kind::Counter,
        help: "Commits repeated because it was not known whether they were carried out.",
        labels: &[],
    },
    Metric {
        name: "steadfast_seen_crowded_out_total",
        kind: Kind::Counter,
        help: "Update ids younger than an hour that a dialogue had to forget to make room.",
        labels: &[],
    },
    Metric {
        name: "steadfast_store_rollbacks_total",
        kind: Kind::Counter,
        help: "How often the store was found to have lost commits it had acknowledged.",
        labels: &[],
    },
];
