//! One exchange with a server of ours, on a connection of its own.

use std::net::SocketAddr;

use axum::http::{Method, Request, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use secrecy::{ExposeSecret, SecretString};
use tokio::net::TcpStream;

/// Asks, with `token` where one is needed, and answers the status and the body. Waits as long as it takes.
pub async fn ask(
    address: SocketAddr,
    method: Method,
    path: &str,
    token: Option<&SecretString>,
    body: Bytes,
) -> Result<(StatusCode, String), Box<dyn std::error::Error + Send + Sync>> {
    let stream = TokioIo::new(TcpStream::connect(address).await?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
    tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, address.to_string())
        .header(header::CONTENT_TYPE, "application/json");
    if let Some(token) = token {
        let bearer = format!("Bearer {}", token.expose_secret());
        request = request.header(header::AUTHORIZATION, bearer);
    }
    let response = sender.send_request(request.body(Full::new(body))?).await?;
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}
