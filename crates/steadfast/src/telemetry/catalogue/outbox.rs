//! Of what is carried out, and of what could not be.

use crate::letter;
use crate::store::LaneKind;
use crate::telemetry::buckets::{LIMIT, REPLY};
use crate::telemetry::metric::{Kind, Metric};

/// Its metrics.
pub(super) const ALL: &[Metric] = &[
    Metric {
        name: "steadfast_dead_letters_total",
        kind: Kind::Counter,
        help: "Dead letters written, by what they hold and why; those to people who have blocked the bot are for nobody to mend.",
        labels: &[("kind", &letter::KINDS), ("reason", &letter::REASONS)],
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
        name: "steadfast_outbox_depth",
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
        name: "steadfast_ratelimit_wait_seconds",
        kind: Kind::Histogram(LIMIT),
        help: "How long a sending waited for the limit of the bot, or of its chat or group if it had to.",
        labels: &[("scope", &["chat", "group", "global"])],
    },
    Metric {
        name: "steadfast_reply_delay_seconds",
        kind: Kind::Histogram(REPLY),
        help: "Time from receiving an update to Telegram's confirmation of its first reply.",
        labels: &[],
    },
];
