//! HTTP down to the connection, so that it can be cut, and the door shut.
//!
//! A connection that nobody has used for 500 s is closed, by the machine's clock: one that leaps would cut the very request that
//! comes at that moment, whose outcome nobody could know.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::util::ServiceExt as _;

/// How long a connection is kept that nobody uses.
const IDLE: Duration = Duration::from_secs(500);
/// The longest head of a request; to a longer one the answer is 431.
const MOST_HEAD: usize = 256 << 10;

/// Marks a response that is not sent: the connection is closed instead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut;

/// Serves while the door is open, until nobody holds it any more.
pub(super) async fn serve(
    mut listener: TcpListener,
    routes: Router,
    mut door: watch::Receiver<bool>,
    cuts: Arc<AtomicUsize>,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    loop {
        let mut connections = JoinSet::new();
        let closed = tokio::select! {
            closed = door.wait_for(|open| !open) => closed.map(drop),
            () = accept(listener, &routes, &cuts, &mut connections) => Ok(()),
        };
        drop(connections);
        if closed.is_err() || door.wait_for(|open| *open).await.is_err() {
            return Ok(());
        }
        listener = bind(address).await;
    }
}

/// The port was ours a moment ago.
async fn bind(address: SocketAddr) -> TcpListener {
    loop {
        if let Ok(listener) = TcpListener::bind(address).await {
            return listener;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn accept(
    listener: TcpListener,
    routes: &Router,
    cuts: &AtomicUsize,
    connections: &mut JoinSet<()>,
) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        if is_cut(cuts) {
            // Reset, rather than closed.
            let _ = stream.set_zero_linger();
            continue;
        }
        connections.spawn(attend(stream, routes.clone()));
        while connections.try_join_next().is_some() {}
    }
}

/// Serves one connection to its end.
async fn attend(stream: impl AsyncRead + AsyncWrite + Unpin, routes: Router) {
    let service = service_fn(|request| answer(routes.clone(), request));
    // The caller may have been killed, or the connection told to break.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE)
        .max_header_size(MOST_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// Whether this connection is one of those to be cut.
fn is_cut(cuts: &AtomicUsize) -> bool {
    let one_less = |left: usize| left.checked_sub(1);
    let cut = cuts.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
    cut.is_ok()
}

/// Answers a request; an error cuts the connection.
async fn answer(routes: Router, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let Ok(response) = routes.oneshot(request.map(Body::new)).await;
    match response.extensions().get::<Cut>() {
        Some(Cut) => Err(io::Error::other("told to")),
        None => Ok(response),
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
    use tokio::time::{sleep, timeout};

    use super::*;

    /// Asks once, and reads the answer.
    async fn ask(stream: &mut DuplexStream) {
        let asked = stream.write_all(b"GET / HTTP/1.1\r\nHost: it\r\n\r\n");
        asked.await.expect("the connection is there");
        let mut read = Vec::new();
        while !read.ends_with(b"here") {
            let count = stream.read_buf(&mut read).await.expect("an answer");
            assert!(count > 0, "the connection was closed");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_nobody_uses_is_closed_after_500_seconds() {
        let (mut mine, theirs) = tokio::io::duplex(4096);
        let routes = Router::new().route("/", get(async || "here"));
        tokio::spawn(attend(theirs, routes));
        ask(&mut mine).await;
        sleep(Duration::from_secs(499)).await;
        ask(&mut mine).await;
        let mut rest = [0; 16];
        let early = timeout(Duration::from_secs(499), mine.read(&mut rest)).await;
        assert!(early.is_err(), "it is kept for so long: {early:?}");
        let end = timeout(Duration::from_secs(2), mine.read(&mut rest)).await;
        assert!(matches!(end, Ok(Ok(0))), "it is closed: {end:?}");
    }
}
