//! Of the webhook, and of the updates that come by it or by polling.

use crate::intake::update::KINDS;
use crate::intake::webhook::OUTCOMES;
use crate::telemetry::buckets::{AGE, BYTES, REQUEST};
use crate::telemetry::metric::{Kind, Metric};

/// Its metrics.
pub(super) const ALL: &[Metric] = &[
    Metric {
        name: "steadfast_webhook_requests_total",
        kind: Kind::Counter,
        help: "Requests to the webhook, by what became of them.",
        labels: &[("outcome", &OUTCOMES)],
    },
    Metric {
        name: "steadfast_webhook_request_duration_seconds",
        kind: Kind::Histogram(REQUEST),
        help: "Time from a request's header to its answer.",
        labels: &[("outcome", &OUTCOMES)],
    },
    Metric {
        name: "steadfast_webhook_inflight",
        kind: Kind::Gauge,
        help: "Updates being worked on.",
        labels: &[],
    },
    Metric {
        name: "steadfast_webhook_inflight_limit",
        kind: Kind::Gauge,
        help: "How many updates may be worked on at once.",
        labels: &[],
    },
    Metric {
        name: "steadfast_webhook_body_bytes",
        kind: Kind::Histogram(BYTES),
        help: "Sizes of the bodies that were read.",
        labels: &[],
    },
    Metric {
        name: "steadfast_updates_total",
        kind: Kind::Counter,
        help: "Updates that were read, by kind; redeliveries count again.",
        labels: &[("kind", &KINDS)],
    },
    Metric {
        name: "steadfast_update_age_seconds",
        kind: Kind::Histogram(AGE),
        help: "Time from a message's date to its arrival here.",
        labels: &[],
    },
];
