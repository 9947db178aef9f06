//! The one list of metrics: their names, meanings, labels and buckets.
//!
//! What is listed is there from the first scrape, at zero: a counter that appears with its first event hides that event
//! from `increase()`.

use metrics::{
    Label, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

use crate::dialogue::Edge;
use crate::http::webhook::OUTCOMES;
use crate::letter;
use crate::pipeline::WAYS;
use crate::store::{LaneKind, OPS};
use crate::telegram::{METHODS, RESULTS};
use crate::update::KINDS;

/// One metric.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// What it means.
    pub help: &'static str,
    /// Its labels with all their values. No values: they are known only while running.
    pub labels: &'static [(&'static str, &'static [&'static str])],
}

/// What a metric is.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Falls into these buckets.
    Histogram(&'static [f64]),
}

/// Seconds of a request.
const REQUEST: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// Seconds of a store call.
const STORE: &[f64] = &[
    0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0,
];
/// Seconds an update was on its way.
const AGE: &[f64] = &[
    0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 21_600.0, 86_400.0,
];
/// Seconds a timer was late.
const LAG: &[f64] = &[0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Seconds that people take: an answer at once, a while, a day.
const STAY: &[f64] = &[
    2.0, 5.0, 15.0, 30.0, 60.0, 180.0, 600.0, 1800.0, 7200.0, 86_400.0,
];
/// Seconds of a call to Telegram.
const CALL: &[f64] = &[
    0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0,
];
/// Seconds until a reply was confirmed.
const REPLY: &[f64] = &[
    0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0,
];
/// Seconds that Telegram tells to wait.
const RETRY_AFTER: &[f64] = &[1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0];
/// Seconds that a sending waited for its limit.
const LIMIT: &[f64] = &[0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0];
/// Bytes of a body.
const BYTES: &[f64] = &[
    512.0,
    1024.0,
    2048.0,
    4096.0,
    8192.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
];
/// The words a store may use for what went wrong.
pub(crate) const FAULTS: &[&str] = &[
    "timeout",
    "config",
    "io",
    "closed",
    "auth",
    "busy",
    "loading",
    "masterdown",
    "misconf",
    "noperm",
    "noreplicas",
    "noscript",
    "oom",
    "protocol",
    "readonly",
    "too_large",
    "corrupt",
    "other",
];

/// Every metric there is, but for `process_*`.
pub const CATALOGUE: &[Metric] = &[
    Metric {
        name: "steadfast_build_info",
        kind: Kind::Gauge,
        help: "Always 1; the labels say which build runs.",
        labels: &[("version", &[]), ("commit", &[])],
    },
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
    Metric {
        name: "steadfast_panics_total",
        kind: Kind::Counter,
        help: "Panics anywhere in the process; each was caught.",
        labels: &[],
    },
    Metric {
        name: "steadfast_dialogues_active",
        kind: Kind::Gauge,
        help: "Dialogues by flow and state, as the store counts them: equal on all replicas, use max().",
        labels: &[("flow", &[]), ("state", &[])],
    },
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
        name: "steadfast_degraded",
        kind: Kind::Gauge,
        help: "Whether a store in memory stands in for one that could not be reached at the start.",
        labels: &[],
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
    Metric {
        name: "steadfast_dead_letters_total",
        kind: Kind::Counter,
        help: "Dead letters written, by what they hold and why; those to people who have blocked the bot are for nobody to mend.",
        labels: &[("kind", &letter::KINDS), ("reason", &letter::REASONS)],
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
    Metric {
        name: "steadfast_replicas",
        kind: Kind::Gauge,
        help: "Replicas alive, as the store knows them: equal on all replicas, use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_outbox_claims_total",
        kind: Kind::Counter,
        help: "Lanes taken up, by how this replica came to them: by its own commit or push, when their delay was over (sweep), or when their holder was gone (takeover).",
        labels: &[("source", &["commit", "sweep", "takeover", "push"])],
    },
    Metric {
        name: "steadfast_outbox_stale_token_total",
        kind: Kind::Counter,
        help: "Lanes found to be someone else's by now: fencing worked.",
        labels: &[],
    },
    Metric {
        name: "steadfast_outbox_ambiguous_total",
        kind: Kind::Counter,
        help: "Calls of which it is not known whether they were carried out; they are repeated.",
        labels: &[],
    },
    Metric {
        name: "steadfast_outbox_blocked_total",
        kind: Kind::Counter,
        help: "Messages put aside because their reader has blocked the bot.",
        labels: &[],
    },
    Metric {
        name: "steadfast_outbox_left_out_total",
        kind: Kind::Counter,
        help: "Messages that were never put into a lane because their reader had blocked the bot.",
        labels: &[],
    },
    Metric {
        name: "steadfast_outbox_lanes",
        kind: Kind::Gauge,
        help: "Lanes with effects to carry out, as the store counts them: equal on all replicas, use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_outbox_effects",
        kind: Kind::Gauge,
        help: "Effects to carry out in those lanes, as the store counts them: equal on all replicas, use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_outbox_oldest_age_seconds",
        kind: Kind::Gauge,
        help: "For how long the lane with work for the longest has not been empty, by what waits in it: use max().",
        labels: &[("lane", &LaneKind::WORDS)],
    },
    Metric {
        name: "steadfast_outbox_dead_letters",
        kind: Kind::Gauge,
        help: "Dead letters kept, as the store counts them: equal on all replicas, use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_dead_letters_dropped_total",
        kind: Kind::Counter,
        help: "Dead letters that made room for newer ones, as the store counts them: equal on all replicas, use max().",
        labels: &[],
    },
    Metric {
        name: "steadfast_broadcast_messages_total",
        kind: Kind::Counter,
        help: "Messages of broadcasts, by what became of them; those of a resumed one count again.",
        labels: &[("result", &["queued", "blocked"])],
    },
    Metric {
        name: "steadfast_telegram_retry_after_seconds",
        kind: Kind::Histogram(RETRY_AFTER),
        help: "How long Telegram told somebody to wait: one chat, or so it seems the whole bot.",
        labels: &[("scope", &["chat", "global"])],
    },
    Metric {
        name: "steadfast_ratelimit_wait_seconds",
        kind: Kind::Histogram(LIMIT),
        help: "How long a sending waited for the limit of the bot, or of its chat or group if it had to.",
        labels: &[("scope", &["chat", "group", "global"])],
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
    Metric {
        name: "steadfast_reply_delay_seconds",
        kind: Kind::Histogram(REPLY),
        help: "Time from receiving an update to Telegram's confirmation of its first reply.",
        labels: &[],
    },
    Metric {
        name: "steadfast_draining",
        kind: Kind::Gauge,
        help: "Whether the process is about to stop.",
        labels: &[],
    },
];

/// Describes everything, and sets to zero what has known labels.
pub(super) fn announce() {
    for metric in CATALOGUE {
        metric.describe();
        for labels in metric.series() {
            metric.touch(labels);
        }
    }
    let commit = option_env!("STEADFAST_COMMIT").unwrap_or("unknown");
    let labels = [("version", env!("CARGO_PKG_VERSION")), ("commit", commit)];
    gauge!("steadfast_build_info", &labels).set(1.0);
}

impl Metric {
    fn describe(&self) {
        match self.kind {
            Kind::Counter => describe_counter!(self.name, self.help),
            Kind::Gauge => describe_gauge!(self.name, self.help),
            Kind::Histogram(_) => describe_histogram!(self.name, self.help),
        }
    }

    /// Every combination of label values.
    fn series(&self) -> Vec<Vec<Label>> {
        self.labels
            .iter()
            .fold(vec![Vec::new()], |all, (name, values)| {
                let extend = |series: &Vec<Label>| {
                    let series = series.clone();
                    values.iter().map(move |value| {
                        [series.clone(), vec![Label::new(*name, *value)]].concat()
                    })
                };
                all.iter().flat_map(extend).collect()
            })
    }

    fn touch(&self, labels: Vec<Label>) {
        match self.kind {
            Kind::Counter => counter!(self.name, labels).increment(0),
            Kind::Gauge => gauge!(self.name, labels).increment(0.0),
            Kind::Histogram(_) => drop(histogram!(self.name, labels)),
        }
    }
}
