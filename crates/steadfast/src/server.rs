//! The running server: owns every resource, and closes them in order.
//!
//! What varies is passed in: listeners, store, pipeline, the moment to stop. Tests start it as `serve` does.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Router, middleware};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::config::{Mode, ServerConfig, Stop};
use crate::intake::arrival;
use crate::intake::poll;
use crate::intake::webhook::{self as intake_webhook, Secrets, Webhook};
use crate::ops::health::{self, Vitals};
use crate::ops::metrics;
use crate::ops::{self, Guard, Ops};
use crate::outbox::telegram::Telegram;
use crate::records::Sql;
use crate::store::Store;
use crate::telemetry;

mod assembly;
pub mod commands;
pub mod http;
mod open;
mod records;
mod signal;
mod start;
mod stop;
pub mod supervisor;
pub mod sweeper;
pub mod webhook;
mod worker;

pub use assembly::Server;
pub use open::{DIALOGUES, Opened, Refused, open, open_ahead};
pub use records::{NoDatabase, open_records, probe_records, records_upkeep};
pub use signal::{Signal, Signals, StopSignal};
pub(crate) use start::start;
pub use worker::Worker;

/// How often the store is probed.
const PROBE: Duration = Duration::from_secs(1);
/// How often dialogues and lanes are counted and the metrics kept up.
const REFRESH: Duration = Duration::from_secs(5);

/// What a server is made of.
pub struct Parts {
    /// The two sockets.
    pub listeners: Listeners,
    /// The store, opened.
    pub store: Opened,
    /// The parts that follow from the bot.
    pub server: Server,
    /// Routes of the bot's author.
    pub routes: ExtraRoutes,
    /// The records, opened; closed with everything else.
    pub records: Option<Arc<Sql>>,
    /// What `/metrics` shows.
    pub metrics: PrometheusHandle,
}

/// Routes that the bot's author adds to the two listeners. A path that the framework uses itself panics at the start.
#[derive(Debug, Default)]
pub struct ExtraRoutes {
    /// Routes beside the webhook, with its limits.
    pub public: Router,
    /// Routes beside the operator API, behind the same guard. Their fallback is removed.
    pub operator: Router,
}

/// The two sockets.
#[derive(Debug)]
pub struct Listeners {
    /// For Telegram.
    pub webhook: TcpListener,
    /// For those who run the bot.
    pub ops: TcpListener,
}

/// A running server.
pub struct App {
    store: Arc<dyn Store>,
    records: Option<Arc<Sql>>,
    vitals: Arc<Vitals>,
    hook: Arc<Webhook>,
    webhook: HttpServer,
    ops: HttpServer,
    workers: Vec<worker::Running>,
    watchers: Vec<worker::Running>,
    stop: Stop,
}

/// A listener being served.
#[derive(Debug)]
struct HttpServer {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<bool>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("listeners", &self.listeners)
            .field("store", &self.store)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("webhook", &self.webhook.address)
            .field("ops", &self.ops.address)
            .finish_non_exhaustive()
    }
}

impl Listeners {
    /// Binds the configured addresses. The error names the variable.
    pub async fn bind(config: &ServerConfig) -> io::Result<Self> {
        Ok(Self {
            webhook: bind("LISTEN_ADDR", config.webhook.listen).await?,
            ops: bind("OPS_ADDR", config.ops.listen).await?,
        })
    }
}

async fn bind(variable: &str, address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        io::Error::new(error.kind(), format!("{variable} {address} cannot be listened on: {error}"))
    })
}

impl App {
    /// Starts everything. When it returns, updates are accepted.
    pub async fn start(config: &ServerConfig, parts: Parts) -> io::Result<Self> {
        let Opened { store, degraded, timepiece } = parts.store;
        let Server { telegram, reader, pipeline, outbox, peers, mut workers, states, build } =
            parts.server;
        telemetry::announce_build(build);
        let vitals = Vitals::new(build, store.kind(), degraded);
        vitals.probe(&*store, PROBE).await;
        let hook = Webhook::new(
            Secrets::new(&config.webhook.secrets),
            reader.clone(),
            Arc::clone(&store),
            pipeline.clone(),
            webhook_limits(config),
        );
        let extra = parts.routes;
        let mut door = health::router(Arc::clone(&vitals)).merge(hook.limit(extra.public));
        match config.mode {
            Mode::Webhook => door = door.merge(hook.router(&config.webhook.path)),
            Mode::Poll => workers.insert(0, poller(&hook, &store, telegram)),
        }
        let ops = Ops {
            store: Arc::clone(&store),
            pipeline,
            outbox,
            reader,
            records: parts.records.clone(),
            staff: Arc::new(config.staff.clone()),
            roles: config.roles,
        };
        let guard = Guard::new(parts.listeners.ops.local_addr()?, config.ops.token.as_ref());
        let clock = timepiece.map(|timepiece| timepiece.router(peers));
        let operator = extra.operator.reset_fallback().layer(middleware::from_fn(arrival::wait));
        let guarded =
            metrics::router(parts.metrics.clone()).merge(clock.unwrap_or_default()).merge(operator);
        let desk = ops::router(ops, guard.clone())
            .merge(guard.protect(guarded))
            .merge(health::router(Arc::clone(&vitals)))
            .merge(health::probes(Arc::clone(&vitals)));
        let app = Self {
            watchers: watchers(&store, &vitals, states, parts.metrics),
            workers: workers.into_iter().map(Worker::start).collect(),
            webhook: HttpServer::start(
                parts.listeners.webhook,
                http::polite(door, Arc::clone(&vitals)),
            )?,
            ops: HttpServer::start(parts.listeners.ops, desk)?,
            stop: config.stop,
            records: parts.records,
            store,
            vitals,
            hook,
        };
        info!(webhook = %app.webhook.address, ops = %app.ops.address, store = app.store.kind(), "started");
        Ok(app)
    }

    /// Where the webhook listens.
    pub fn webhook_address(&self) -> SocketAddr {
        self.webhook.address
    }

    /// Where the operations listen.
    pub fn ops_address(&self) -> SocketAddr {
        self.ops.address
    }

    /// What is known about the process and its store.
    pub fn vitals(&self) -> &Vitals {
        &self.vitals
    }
}

impl HttpServer {
    fn start(listener: TcpListener, router: Router) -> io::Result<Self> {
        let stop = CancellationToken::new();
        Ok(Self {
            address: listener.local_addr()?,
            task: tokio::spawn(http::serve(
                listener,
                router,
                stop.clone(),
                http::Limits::default(),
            )),
            stop,
        })
    }
}

/// Asks for updates, where none are posted. Stopped first: nothing new is begun.
fn poller(hook: &Arc<Webhook>, store: &Arc<dyn Store>, telegram: Telegram) -> Worker {
    let (hook, store) = (Arc::clone(hook), Arc::clone(store));
    Worker::new("poller", move |stop| poll::poll(hook, store, telegram, stop))
}

fn webhook_limits(config: &ServerConfig) -> intake_webhook::Limits {
    intake_webhook::Limits {
        in_flight: config.webhook.max_in_flight,
        ..intake_webhook::Limits::default()
    }
}

/// What keeps the numbers fresh.
fn watchers(
    store: &Arc<dyn Store>,
    vitals: &Arc<Vitals>,
    states: BTreeSet<String>,
    handle: PrometheusHandle,
) -> Vec<worker::Running> {
    let probe = health::watch(Arc::clone(vitals), Arc::clone(store), PROBE);
    let count = metrics::watch(Arc::clone(store), states, REFRESH);
    let upkeep = metrics::upkeep(handle, REFRESH);
    [
        Worker::endless("store probe", probe),
        Worker::endless("dialogue count", count),
        Worker::endless("metrics upkeep", upkeep),
    ]
    .map(Worker::start)
    .into()
}
