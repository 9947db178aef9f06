//! The two listeners: the webhook for Telegram, and the operations for those who run the bot.
//!
//! [`serve`] is a small HTTP/1 server that limits what a peer can make it hold: connections, header bytes, time to send
//! a header, time to take an answer, idle time. It stops by finishing what is in flight and closing what is idle.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use tracing::{debug, warn};

mod farewell;
mod patience;

use crate::refrain::Refrain;
pub use farewell::polite;
use patience::{Patient, Phase};

/// How often it is said that connections are not accepted.
const SAID_EVERY: Duration = Duration::from_secs(10);

/// What a listener lets its peers do.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many connections may be open; more wait to be accepted.
    pub connections: usize,
    /// The longest time to send a whole header, from its first byte; on a new connection, from its opening.
    pub header: Duration,
    /// How long a peer may take nothing of what is being sent to it.
    pub write: Duration,
    /// How long a connection may wait for its next request. More than nginx's 60 s, so that nginx closes first and
    /// never sends a request into a connection that is being closed.
    pub idle: Duration,
    /// The longest time to finish what is in flight when stopping.
    pub finish: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            header: Duration::from_secs(5),
            write: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            finish: Duration::from_secs(12),
        }
    }
}

/// Serves until `stop`, then closes idle connections, lets the others finish, and returns. `false`: some did not
/// finish in time.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
    limits: Limits,
) -> bool {
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut refrain = Refrain::every(SAID_EVERY);
    let graceful = GracefulShutdown::new();
    while let Some((stream, permit)) =
        stop.run_until_cancelled(accept(&listener, &room, &mut refrain)).await
    {
        let attended = attend(stream, router.clone(), limits, graceful.watcher());
        tokio::spawn(async move {
            attended.await;
            drop(permit);
        });
    }
    drop(listener);
    tokio::time::timeout(limits.finish, graceful.shutdown()).await.is_ok()
}

/// Waits for room, then for a peer.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
    refrain: &mut Refrain,
) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let Ok(permit) = Arc::clone(room).acquire_owned().await else {
            std::future::pending().await
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            Err(error) => {
                // Out of file descriptors, or a peer that left: neither is a reason to spin or to stop.
                if refrain.is_due() {
                    warn!(%error, "a connection was not accepted; it is tried again");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Serves one connection to its end.
async fn attend(stream: TcpStream, router: Router, limits: Limits, watcher: Watcher) {
    if let Err(error) = stream.set_nodelay(true) {
        debug!(%error, "small answers may be delayed");
    }
    let phase = Phase::default();
    let patient = Patient::new(stream, phase.clone(), limits.header, limits.write);
    let io = TokioIo::new(patient);
    let service = service_fn(move |request: Request<Incoming>| {
        let (serving, router) = (phase.serving(), router.clone());
        async move {
            let response = router.oneshot(request.map(Body::new)).await;
            drop(serving);
            response
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle)
        .max_headers(64)
        .max_buf_size(64 * 1024)
        .serve_connection(io, service);
    if let Err(error) = watcher.watch(connection).await {
        debug!(%error, "a connection broke off");
    }
}
