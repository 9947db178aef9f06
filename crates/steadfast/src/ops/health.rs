//! Whether the process is alive, ready, and well: what load balancers, orchestrators and people ask.
//!
//! A background probe asks the store once a second; those who ask here read what it found, which costs nothing.
//! Liveness never depends on the store: an outage of Redis must not restart the fleet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use metrics::{Gauge, gauge};
use serde::Serialize;
use tracing::{info, warn};

use crate::bot::Build;
use crate::store::{Error, Store};

/// How long ago the store may last have answered for us to be ready.
const FRESH: Duration = Duration::from_secs(5);

/// What is known about this process and its store.
#[derive(Debug)]
pub struct Vitals {
    build: Build,
    kind: &'static str,
    degraded: bool,
    started: Instant,
    draining: AtomicBool,
    /// Milliseconds from the start to the store's last answer; 0: it never answered.
    answered: AtomicU64,
    latency_us: AtomicU64,
    /// Whether it answered the last probe.
    answering: AtomicBool,
    up: Gauge,
    drain: Gauge,
}

/// The body of `/health`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Health {
    /// `ok`, `degraded`, `draining` or `unavailable`.
    pub status: &'static str,
    /// Name of the bot.
    pub name: &'static str,
    /// Version of the bot.
    pub version: &'static str,
    /// Since the start.
    pub uptime_seconds: u64,
    /// The store, by the last probe.
    pub store: StoreHealth,
    /// A store in memory stands in for one that could not be reached.
    pub degraded: bool,
    /// The process is about to stop.
    pub draining: bool,
}

/// The store, by the last probe.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoreHealth {
    /// The backend.
    pub kind: &'static str,
    /// How long its last answer took.
    pub latency_ms: f64,
    /// Whether it answered in the last five seconds.
    pub ok: bool,
}

impl Vitals {
    /// A process of this bot that has just started on a store of this kind.
    pub fn new(build: Build, kind: &'static str, degraded: bool) -> Arc<Self> {
        gauge!("steadfast_degraded").set(f64::from(u8::from(degraded)));
        Arc::new(Self {
            build,
            kind,
            degraded,
            started: Instant::now(),
            draining: AtomicBool::new(false),
            answered: AtomicU64::new(0),
            latency_us: AtomicU64::new(0),
            answering: AtomicBool::new(false),
            up: gauge!("steadfast_store_up"),
            drain: gauge!("steadfast_draining"),
        })
    }

    /// From now on we are not ready.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.drain.set(1.0);
    }

    /// Whether we are about to stop.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Whether traffic should be sent here.
    pub fn ready(&self) -> bool {
        !self.is_draining() && self.store_ok()
    }

    /// Whether requests should be brought here although another replica could not do better: since the store first answered, and
    /// until we are about to stop. An outage of the store is all replicas' alike, and whoever is asked meanwhile says when to come
    /// again, which nobody else does.
    pub fn serving(&self) -> bool {
        !self.is_draining() && self.answered.load(Ordering::Relaxed) > 0
    }

    /// What is known now.
    pub fn health(&self) -> Health {
        let draining = self.is_draining();
        let ok = self.store_ok();
        let status = match (draining, ok, self.degraded) {
            (true, _, _) => "draining",
            (_, false, _) => "unavailable",
            (_, _, true) => "degraded",
            _ => "ok",
        };
        Health {
            status,
            name: self.build.name,
            version: self.build.version,
            uptime_seconds: self.started.elapsed().as_secs(),
            store: StoreHealth {
                kind: self.kind,
                latency_ms: self.latency_us.load(Ordering::Relaxed) as f64 / 1e3,
                ok,
            },
            degraded: self.degraded,
            draining,
        }
    }

    /// Asks the store once, for at most `limit`.
    pub async fn probe(&self, store: &dyn Store, limit: Duration) {
        let asked = Instant::now();
        let answer = tokio::time::timeout(limit, store.ping()).await;
        let answer = answer.unwrap_or_else(|_| Err(Error::timeout("no answer in time")));
        let ok = answer.is_ok();
        if ok {
            let at = self.started.elapsed().as_millis() as u64;
            self.answered.store(at.max(1), Ordering::Relaxed);
            let latency = asked.elapsed().as_micros() as u64;
            self.latency_us.store(latency, Ordering::Relaxed);
        }
        self.up.set(f64::from(u8::from(ok)));
        match (self.answering.swap(ok, Ordering::Relaxed), answer) {
            (false, Ok(())) => info!(store = self.kind, "the store answers"),
            (true, Err(error)) => warn!(store = self.kind, %error, "the store does not answer"),
            _ => {}
        }
    }

    fn store_ok(&self) -> bool {
        let answered = self.answered.load(Ordering::Relaxed);
        let since = Duration::from_millis(answered) + FRESH;
        answered > 0 && self.started.elapsed() < since
    }
}

/// Probes the store for ever.
pub async fn watch(vitals: Arc<Vitals>, store: Arc<dyn Store>, every: Duration) {
    let mut tick = tokio::time::interval(every);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        vitals.probe(&*store, every * 2).await;
    }
}

/// `/health`, for both listeners.
pub fn router(vitals: Arc<Vitals>) -> Router {
    Router::new().route("/health", get(health)).with_state(vitals)
}

/// `/livez`, `/readyz` and `/servingz`, for the operations listener.
pub fn probes(vitals: Arc<Vitals>) -> Router {
    Router::new()
        .route("/livez", get(async || "alive\n"))
        .route("/readyz", get(readiness))
        .route("/servingz", get(service))
        .with_state(vitals)
}

async fn health(State(vitals): State<Arc<Vitals>>) -> (StatusCode, Json<Health>) {
    let health = vitals.health();
    (status(vitals.ready()), Json(health))
}

async fn readiness(State(vitals): State<Arc<Vitals>>) -> (StatusCode, String) {
    let health = vitals.health();
    (status(vitals.ready()), format!("{}\n", health.status))
}

async fn service(State(vitals): State<Arc<Vitals>>) -> (StatusCode, String) {
    let health = vitals.health();
    (status(vitals.serving()), format!("{}\n", health.status))
}

fn status(ready: bool) -> StatusCode {
    if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}
