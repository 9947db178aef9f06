//! Of dialogues, and of the steps they take.

use crate::dialogue::Edge;
use crate::telemetry::buckets::{LAG, REQUEST, STAY};
use crate::telemetry::metric::{Kind, Metric};
use crate::turn::WAYS;

/// Its metrics.
pub(super) const ALL: &[Metric] = &[
    Metric {
        name: "steadfast_dialogues_active",
        kind: Kind::Gauge,
        help: "Dialogues by flow and state, as the store counts them: equal on all replicas, use max().",
        labels: &[("flow", &[]), ("state", &[])],
    },
    Metric {
        name: "steadfast_transitions_total",
        kind: Kind::Counter,
        help: "Committed transitions, by flow, state left and state entered.",
        labels: &[("flow", &[]), ("from", &[]), ("to", &[])],
    },
    Metric {
        name: "steadfast_transitions_unknown_total",
        kind: Kind::Counter,
        help: "Committed transitions that no transcript has walked.",
        labels: &[],
    },
    Metric {
        name: "steadfast_dialogues_started_total",
        kind: Kind::Counter,
        help: "Dialogues begun, by flow.",
        labels: &[("flow", &[])],
    },
    Metric {
        name: "steadfast_dialogues_finished_total",
        kind: Kind::Counter,
        help: "Dialogues ended, by flow and how.",
        labels: &[("flow", &[]), ("outcome", &Edge::OUTCOMES)],
    },
    Metric {
        name: "steadfast_state_entered_total",
        kind: Kind::Counter,
        help: "How often a dialogue came to a state from another: the steps of a flow's funnel.",
        labels: &[("flow", &[]), ("state", &[])],
    },
    Metric {
        name: "steadfast_state_duration_seconds",
        kind: Kind::Histogram(STAY),
        help: "How long a dialogue stood in a state before it left it, onward or away from the flow.",
        labels: &[("flow", &[]), ("state", &[]), ("way", &WAYS)],
    },
    Metric {
        name: "steadfast_dialogue_timeout_lag_seconds",
        kind: Kind::Histogram(LAG),
        help: "Time from when a dialogue's timer was due to when it was played.",
        labels: &[],
    },
    Metric {
        name: "steadfast_handler_duration_seconds",
        kind: Kind::Histogram(REQUEST),
        help: "Time a pure step took, by the flow under way or begun; none: there was none.",
        labels: &[("flow", &[])],
    },
    Metric {
        name: "steadfast_records_reads_total",
        kind: Kind::Counter,
        help: "Named reads that steps wanted from the records.",
        labels: &[],
    },
    Metric {
        name: "steadfast_handler_panics_total",
        kind: Kind::Counter,
        help: "Steps that panicked.",
        labels: &[],
    },
];
