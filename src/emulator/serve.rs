//! HTTP down to the connection, so that it can be cut, and the door shut.
//!
//! Telegram closes a connection that nobody has used for 500 s. Here it stays: a clock that leaps would cut the very request that
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
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower::util::ServiceExt as _;

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
        let routes = routes.clone();
        connections.spawn(async move {
            let service = service_fn(|request| answer(routes.clone(), request));
            // The caller may have been killed, or the connection told to break.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
        while connections.try_join_next().is_some() {}
    }
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
