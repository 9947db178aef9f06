//! What the webhook counts. Every handle is made once: a request looks up no names.

use std::array;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

use super::answer::{OUTCOMES, Outcome};
use crate::intake::update::KINDS;
use crate::letter::{Kind, Tally, Why};
use crate::store::Millis;

/// The handles.
pub(super) struct Meter {
    requests: [Counter; OUTCOMES.len()],
    durations: [Histogram; OUTCOMES.len()],
    updates: [Counter; KINDS.len()],
    age: Histogram,
    body: Histogram,
    busy: Gauge,
    letters: Tally,
}

/// A request on its way; counted when dropped.
pub(super) struct Record<'a> {
    meter: &'a Meter,
    started: Instant,
    /// What it became.
    pub(super) outcome: Outcome,
}

/// An update being worked on.
pub(super) struct Busy(Gauge);

impl Meter {
    pub(super) fn new(limit: usize) -> Self {
        gauge!("steadfast_webhook_inflight_limit").set(limit as f64);
        Self {
            requests: array::from_fn(
                |i| counter!("steadfast_webhook_requests_total", "outcome" => OUTCOMES[i]),
            ),
            durations: array::from_fn(
                |i| histogram!("steadfast_webhook_request_duration_seconds", "outcome" => OUTCOMES[i]),
            ),
            updates: array::from_fn(|i| counter!("steadfast_updates_total", "kind" => KINDS[i])),
            age: histogram!("steadfast_update_age_seconds"),
            body: histogram!("steadfast_webhook_body_bytes"),
            busy: gauge!("steadfast_webhook_inflight"),
            letters: Tally::new(),
        }
    }

    /// A request came. If nothing else is said of it, its connection was lost.
    pub(super) fn begin(&self) -> Record<'_> {
        Record { meter: self, started: Instant::now(), outcome: Outcome::Dropped }
    }

    /// A body came.
    pub(super) fn body(&self, bytes: usize) {
        self.body.record(bytes as f64);
    }

    /// A body that is no update was put aside.
    pub(super) fn unreadable(&self) {
        self.letters.count(Kind::Unreadable, Why::Unreadable);
    }

    /// An update is worked on, until this is dropped.
    pub(super) fn busy(&self) -> Busy {
        self.busy.increment(1.0);
        Busy(self.busy.clone())
    }

    /// An update was read.
    pub(super) fn update(&self, kind: &str, sent: Option<Millis>) {
        let other = KINDS.len() - 1;
        let index = KINDS.iter().position(|known| *known == kind);
        self.updates[index.unwrap_or(other)].increment(1);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        if let (Some(sent), Ok(now)) = (sent, now) {
            self.age.record((now.as_secs_f64() - sent as f64 / 1e3).max(0.0));
        }
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        let index = match std::thread::panicking() {
            true => Outcome::Panicked,
            false => self.outcome,
        } as usize;
        self.meter.requests[index].increment(1);
        self.meter.durations[index].record(self.started.elapsed());
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}
