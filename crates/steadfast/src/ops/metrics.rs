//! `/metrics`, and the tasks that keep what it shows fresh. Nothing is asked of the store when it is scraped.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics::{counter, gauge};
use metrics_exporter_prometheus::PrometheusHandle;
use tracing::debug;

use crate::store::{LaneKind, Store};
use crate::telemetry::process;

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `/metrics`.
pub fn router(handle: PrometheusHandle) -> Router {
    process::describe();
    Router::new().route("/metrics", get(scrape)).with_state(handle)
}

/// Counts dialogues, lanes and dead letters for ever. The known `states` are shown from the start, at 0.
pub async fn watch(store: Arc<dyn Store>, states: BTreeSet<String>, every: Duration) {
    let mut shown = Shown::default();
    shown.show(states.into_iter().map(|state| (state, 0)).collect());
    let mut tick = tokio::time::interval(every);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        shown.refresh(&*store).await;
        show_backlog(&*store).await;
        show_vitals(&*store).await;
    }
}

/// Shows how much there is to carry out, and what could not be. If the store cannot be asked, what was shown stays.
pub async fn show_backlog(store: &dyn Store) {
    match store.backlog().await {
        Ok(backlog) => {
            gauge!("steadfast_outbox_lanes").set(backlog.lanes as f64);
            gauge!("steadfast_outbox_depth").set(backlog.effects as f64);
            for (kind, word) in LaneKind::ALL.into_iter().zip(LaneKind::WORDS) {
                let oldest = backlog.oldest(kind).unwrap_or_default();
                gauge!("steadfast_outbox_oldest_age_seconds", "lane" => word)
                    .set(oldest.as_secs_f64());
            }
            gauge!("steadfast_outbox_dead_letters").set(backlog.dead as f64);
            counter!("steadfast_dead_letters_dropped_total").absolute(backlog.dropped);
        }
        Err(error) => debug!(%error, "the lanes were not counted"),
    }
}

/// Shows how the store is, where it is a server of its own. If it cannot be asked, what was shown stays.
async fn show_vitals(store: &dyn Store) {
    match store.vitals().await {
        Ok(Some(vitals)) => {
            gauge!("steadfast_store_memory_used_bytes").set(vitals.used as f64);
            gauge!("steadfast_store_memory_limit_bytes").set(vitals.limit as f64);
            gauge!("steadfast_store_is_master").set(f64::from(vitals.is_master));
            gauge!("steadfast_store_replicas_connected").set(vitals.replicas as f64);
        }
        Ok(None) => gauge!("steadfast_store_is_master").set(1.0),
        // It is not connected to then.
        Err(error) if error.kind() == "readonly" => {
            gauge!("steadfast_store_is_master").set(0.0);
        }
        Err(error) => debug!(%error, "the store does not say how it is"),
    }
}

/// Folds samples into their buckets for ever; without it they would pile up until the next scrape.
pub async fn upkeep(handle: PrometheusHandle, every: Duration) {
    let mut tick = tokio::time::interval(every);
    loop {
        tick.tick().await;
        handle.run_upkeep();
    }
}

/// The labels that were shown so far. One that vanishes from the store goes to 0, it does not keep its last value.
#[derive(Debug, Default)]
pub struct Shown(BTreeSet<String>);

impl Shown {
    /// Shows what the store counts now. If it cannot be asked, what was shown stays.
    pub async fn refresh(&mut self, store: &dyn Store) {
        match store.active().await {
            Ok(counts) => self.show(counts),
            Err(error) => debug!(%error, "the dialogues were not counted"),
        }
    }

    fn show(&mut self, counts: Vec<(String, u64)>) {
        let mut gone = std::mem::take(&mut self.0);
        for (label, count) in counts {
            gone.remove(&label);
            set(&label, count);
            self.0.insert(label);
        }
        for label in gone {
            set(&label, 0);
            self.0.insert(label);
        }
    }
}

fn set(label: &str, count: u64) {
    let (flow, state) = label.split_once('/').unwrap_or((label, ""));
    let labels = [("flow", flow.to_owned()), ("state", state.to_owned())];
    gauge!("steadfast_dialogues_active", &labels).set(count as f64);
}

async fn scrape(State(handle): State<PrometheusHandle>) -> impl IntoResponse {
    process::show();
    ([(header::CONTENT_TYPE, TEXT)], handle.render())
}
