//! Asking the running server, over its operations listener.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use bytes::Bytes;
use serde_json::Value;

use super::Failure;
use super::say::say;
use crate::config::{Ops, Source};
use crate::ops::client;

/// The longest time to wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest time to wait for something to be done.
const LONG_PATIENCE: Duration = Duration::from_secs(20);

/// `health`.
pub(super) async fn health(source: Source<'_>) -> Result<ExitCode, Failure> {
    let server = Client::new(source)?;
    let (status, body) = server.ask(Method::GET, "/health", Bytes::new()).await?;
    say!("{}", body.trim_end())?;
    Ok(match status {
        StatusCode::OK => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// A client of the operator API of the running server.
///
/// It finds the server and its token by the configuration: `OPS_ADDR` and `OPS_TOKEN`.
#[derive(Debug)]
pub struct Client(Ops);

impl Client {
    pub(super) fn new(source: Source<'_>) -> Result<Self, Failure> {
        Ok(Self(Ops::read(source)?))
    }

    /// Whether a server answers at all.
    pub(super) async fn is_up(&self) -> bool {
        self.ask(Method::GET, "/livez", Bytes::new()).await.is_ok()
    }

    /// Requests JSON. Any status but 200 is a failure, in the words of the server.
    pub async fn get(&self, path: &str) -> Result<Value, Failure> {
        self.json(Method::GET, path).await
    }

    /// Sends an empty request, and answers as [`Client::get`] does.
    pub(super) async fn json(&self, method: Method, path: &str) -> Result<Value, Failure> {
        self.exchange(method, path, Bytes::new()).await
    }

    /// Requests a text. Any status but 200 is a failure.
    pub async fn text(&self, path: &str) -> Result<String, Failure> {
        match self.ask(Method::GET, path, Bytes::new()).await? {
            (StatusCode::OK, page) => Ok(page),
            (status, _) => Err(Failure::plain(format!("the server answered {status}"))),
        }
    }

    /// Posts JSON, and answers as [`Client::get`] does.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let body = body.to_string().into();
        self.exchange(Method::POST, path, body).await
    }

    async fn exchange(&self, method: Method, path: &str, body: Bytes) -> Result<Value, Failure> {
        let (status, body) = self.ask(method, path, body).await?;
        let value: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
        match (status, value["error"].as_str()) {
            (StatusCode::OK, _) => Ok(value),
            (_, Some(error)) => Err(Failure::plain(error)),
            (_, None) => {
                Err(Failure::plain(format!("the server answered {status}: {}", body.trim_end())))
            }
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<(StatusCode, String), Failure> {
        let address = reachable(self.0.listen);
        let patience = match method {
            Method::GET => PATIENCE,
            _ => LONG_PATIENCE,
        };
        let asked = client::ask(address, method, path, self.0.token.as_ref(), body);
        match tokio::time::timeout(patience, asked).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(Failure::plain(format!(
                "no server answers at {address}: start it with `serve`, or set OPS_ADDR to where it listens"
            ))),
            Err(_) => Err(Failure::plain(format!("the server at {address} does not answer"))),
        }
    }
}

/// An address to reach a server that listens on all of them.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}
