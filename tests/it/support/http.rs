//! One HTTP exchange on a connection of its own.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{HOST, HeaderMap};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Far above what an answer may take: Telegram itself waits a minute.
const PATIENCE: Duration = Duration::from_secs(60);

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    /// The body as JSON; `null` if it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// A header, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Whether Telegram would take it as done.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Asks with GET. The error says that there was no whole answer.
pub(crate) async fn get(address: SocketAddr, path: &str) -> io::Result<Answer> {
    exchange(address, Method::GET, path, &[], Bytes::new()).await
}

/// Posts a body of JSON.
pub(crate) async fn post(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    body: String,
) -> io::Result<Answer> {
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    exchange(address, Method::POST, path, &all, body.into()).await
}

/// Posts a body of any kind, which the headers tell.
pub(crate) async fn post_as(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    body: String,
) -> io::Result<Answer> {
    exchange(address, Method::POST, path, headers, body.into()).await
}

/// Asks with another verb, without a body.
pub(crate) async fn ask(address: SocketAddr, verb: Method, path: &str) -> io::Result<Answer> {
    exchange(address, verb, path, &[], Bytes::new()).await
}

/// Asks as somebody whom this header tells of, be it the host.
pub(crate) async fn foreign(
    address: SocketAddr,
    path: &str,
    header: &str,
    value: &str,
) -> io::Result<Answer> {
    let mut request = Request::builder().uri(path);
    if header != "host" {
        request = request.header(HOST, address.to_string());
    }
    let request = request.header(header, value).body(Full::default());
    send(address, request.expect("a request")).await
}

/// One exchange.
pub(crate) async fn exchange(
    address: SocketAddr,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: Bytes,
) -> io::Result<Answer> {
    let mut request = Request::builder().method(method).uri(path).header(HOST, address.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(body)).expect("a request");
    let answer = timeout(PATIENCE, send(address, request)).await;
    answer.unwrap_or_else(|_| Err(io::Error::other("no answer within a minute")))
}

async fn send(address: SocketAddr, request: Request<Full<Bytes>>) -> io::Result<Answer> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(io::Error::other)?;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    Ok(Answer {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}
