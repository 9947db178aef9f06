//! HTTP, down to the connection, so that it can break where a test wants it to.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::{Desk, Outcome, Reply, TOKEN, queue, refused};

/// Serves while the door is open, until nobody holds it any more.
pub(super) async fn serve(
    listener: std::net::TcpListener,
    desk: Arc<Desk>,
    mut door: watch::Receiver<bool>,
) {
    let mut listener = TcpListener::from_std(listener).expect("a listener");
    let address = listener.local_addr().expect("its address");
    loop {
        let mut connections = JoinSet::new();
        let closed = tokio::select! {
            closed = door.wait_for(|open| !open) => closed.map(drop),
            () = accept(listener, &desk, &mut connections) => Ok(()),
        };
        drop(connections);
        if closed.is_err() || door.wait_for(|open| *open).await.is_err() {
            return;
        }
        listener = bind(address).await;
    }
}

async fn bind(address: std::net::SocketAddr) -> TcpListener {
    loop {
        if let Ok(listener) = TcpListener::bind(address).await {
            return listener;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn accept(listener: TcpListener, desk: &Arc<Desk>, connections: &mut JoinSet<()>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let _ = stream.set_nodelay(true);
        let desk = Arc::clone(desk);
        connections.spawn(async move {
            let service = service_fn(|request| answer(Arc::clone(&desk), request));
            // The caller may have been killed, or the connection told to break.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Answers a request; an error cuts the connection.
async fn answer(desk: Arc<Desk>, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await;
    let body = body.map_err(io::Error::other)?.to_bytes();
    let mut parts = path.trim_start_matches('/').splitn(2, '/');
    let (bot, method) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    if bot != format!("bot{TOKEN}") {
        return Ok(written(refused(401, "Unauthorized")));
    }
    // Malformed parameters are missing ones, as for Telegram.
    let params: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (reply, outcome) = desk.take(method.to_lowercase(), params.clone());
    match reply {
        Reply::Hang => std::future::pending().await,
        Reply::Reset => return Err(io::Error::other("told to")),
        Reply::Garbage => return Ok(Response::new("<html>what?</html>".into())),
        Reply::Truncated => return Ok(broken_off(outcome)),
        Reply::Slow(delay) => tokio::time::sleep(delay).await,
        _ => {}
    }
    if method.eq_ignore_ascii_case("getUpdates") && matches!(outcome, Outcome::Done(_)) {
        return Ok(written(queue::poll(&desk, &params).await));
    }
    Ok(written(outcome))
}

fn written(outcome: Outcome) -> Response<Body> {
    let (status, envelope) = enveloped(outcome);
    let retry_after = envelope["parameters"]["retry_after"].as_u64();
    let mut response = Response::builder()
        .status(StatusCode::from_u16(status).expect("a status"))
        .header(header::CONTENT_TYPE, "application/json");
    if let Some(seconds) = retry_after {
        response = response.header(header::RETRY_AFTER, seconds);
    }
    let body = Body::from(envelope.to_string());
    response.body(body).expect("a response")
}

fn enveloped(outcome: Outcome) -> (u16, Value) {
    match outcome {
        Outcome::Done(result) => (200, json!({ "ok": true, "result": result })),
        Outcome::Refused(status, description, parameters) => {
            let mut envelope =
                json!({ "ok": false, "error_code": status, "description": description });
            if !parameters.is_null() {
                envelope["parameters"] = parameters;
            }
            (status, envelope)
        }
    }
}

/// Announces the whole answer and sends half of it.
fn broken_off(outcome: Outcome) -> Response<Body> {
    let whole = enveloped(outcome).1.to_string();
    let half = Bytes::copy_from_slice(&whole.as_bytes()[..whole.len() / 2]);
    let parts = [Ok(half), Err(io::Error::other("told to"))];
    let (sender, receiver) = tokio::sync::mpsc::channel(2);
    for part in parts {
        sender.try_send(part).expect("room");
    }
    Response::builder()
        .header(header::CONTENT_LENGTH, whole.len())
        .body(Body::new(Parts(receiver)))
        .expect("a response")
}

/// A body in parts.
struct Parts(tokio::sync::mpsc::Receiver<io::Result<Bytes>>);

impl hyper::body::Body for Parts {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<io::Result<hyper::body::Frame<Bytes>>>> {
        let part = self.0.poll_recv(context);
        part.map(|part| part.map(|part| part.map(hyper::body::Frame::data)))
    }
}
