//! Of the calls of the Bot API.

use crate::outbox::telegram::{METHODS, RESULTS};
use crate::telemetry::buckets::{CALL, RETRY_AFTER};
use crate::telemetry::metric::{Kind, Metric};

/// Its metrics.
pub(super) const ALL: &[Metric] = &[
    Metric {
        name: "steadfast_telegram_retry_after_seconds",
        kind: Kind::Histogram(RETRY_AFTER),
        help: "How long Telegram told somebody to wait: one chat, or so it seems the whole bot.",
        labels: &[("scope", &["chat", "global"])],
    },
    Metric {
        name: "steadfast_telegram_calls_total",
        kind: Kind::Counter,
        help: "Calls of the Bot API, by method and result.",
        labels: &[("method", &METHODS), ("result", &RESULTS)],
    },
    Metric {
        name: "steadfast_telegram_call_duration_seconds",
        kind: Kind::Histogram(CALL),
        help: "Time a call of the Bot API took, by method.",
        labels: &[("method", &METHODS)],
    },
    Metric {
        name: "steadfast_telegram_webhook_pending_updates",
        kind: Kind::Gauge,
        help: "Updates that wait at Telegram, as the replica that keeps the registration last saw it; NaN once another one does: use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_telegram_webhook_last_error_timestamp_seconds",
        kind: Kind::Gauge,
        help: "When Telegram last failed to deliver, as that replica last saw it; 0 for never, NaN once another one looks: use max().",
        labels: &[],
    },
];
