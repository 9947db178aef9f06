//! Of the process itself, and of the others.

use crate::telemetry::metric::{Kind, Metric};

/// Its metrics.
pub(super) const ALL: &[Metric] = &[
    Metric {
        name: "steadfast_build_info",
        kind: Kind::Gauge,
        help: "Always 1; the labels say which build runs.",
        labels: &[("bot", &[]), ("version", &[]), ("commit", &[]), ("rustc", &[])],
    },
    Metric {
        name: "steadfast_panics_total",
        kind: Kind::Counter,
        help: "Panics anywhere in the process; each was caught.",
        labels: &[],
    },
    Metric {
        name: "steadfast_log_lines_dropped_total",
        kind: Kind::Counter,
        help: "Lines of the log that found no room, since whoever reads it was too slow.",
        labels: &[],
    },
    Metric {
        name: "steadfast_replicas",
        kind: Kind::Gauge,
        help: "Replicas alive, as the store knows them: equal on all replicas, use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_draining",
        kind: Kind::Gauge,
        help: "Whether the process is about to stop.",
        labels: &[],
    },
];
