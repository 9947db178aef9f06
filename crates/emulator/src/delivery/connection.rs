//! A connection to the webhook, and what is written on it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{self, HeaderValue};
use hyper::{Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;
use tower::util::ServiceExt as _;
use tower::{Service, service_fn};

use super::opening::{Awaited, Opening};
use super::trust;
use super::wire::{Flushed, Wire};
use crate::desk::Desk;
use crate::lookup;
use crate::webhook::Webhook;

/// The longest head of a request.
const MOST_HEAD: usize = 4096;
/// The longest head of an answer.
const MOST_ANSWER_HEAD: usize = 256 << 10;
/// The most header lines of an answer. Telegram does not count them; hyper takes a hundred if nothing is said.
const MOST_LINES: usize = 500;

/// What is written to, in the open or secured.
type Stream = MaybeHttpsStream<TokioIo<Wire>>;

/// Where the webhook is, and what it knows Telegram by.
#[derive(Debug)]
pub(super) struct Target {
    uri: Uri,
    host: String,
    port: u16,
    /// Where it is, unless that is to be looked up.
    ip: Option<IpAddr>,
    secret: String,
    certificate: Option<String>,
    /// The head of a request does not fit into what Telegram writes it to.
    pub(super) is_too_long: bool,
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    /// Where it leads to.
    pub(super) ip: IpAddr,
    pub(super) sender: SendRequest<Full<Bytes>>,
    /// Whether the request went out whole.
    pub(super) flushed: Flushed,
    awaited: Awaited,
    _driver: AbortOnDropHandle<()>,
}

impl Connection {
    /// A request is about to be written, and its answer to be read.
    pub(super) fn begin(&self) {
        self.flushed.begin();
        self.awaited.begin();
    }

    pub(super) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }
}

impl Target {
    pub(super) fn read(webhook: &Webhook) -> Option<Self> {
        let uri: Uri = webhook.url.parse().ok()?;
        let host = uri.host()?.trim_matches(['[', ']']).to_owned();
        let mut target = Self {
            ip: webhook.ip_address.as_ref().unwrap_or(&host).parse().ok(),
            host,
            port: uri.port_u16().unwrap_or(usual_port(&uri)),
            uri,
            secret: webhook.secret.clone(),
            certificate: webhook.certificate.clone(),
            is_too_long: false,
        };
        let head = head(&target.request(&Bytes::new()));
        target.is_too_long = head.len() > MOST_HEAD;
        Some(target)
    }

    /// The address to connect to: the one that was asked for, or what the host was found at.
    pub(super) async fn address(&self, desk: &Desk) -> Result<IpAddr, String> {
        match self.ip {
            Some(ip) => Ok(ip),
            None => lookup::known(desk, &self.host).await,
        }
    }

    /// Opens a connection; or says what stands in `getWebhookInfo` then.
    pub(super) async fn open(&self, ip: IpAddr) -> Result<Connection, String> {
        let (flushed, awaited) = (Flushed::default(), Awaited::default());
        let stream = TokioIo::new(self.connect(ip, flushed.clone()).await?);
        let stream = TokioIo::new(Opening::new(stream, awaited.clone()));
        let mut builder = http1::Builder::new();
        builder.title_case_headers(true).max_header_size(MOST_ANSWER_HEAD).max_headers(MOST_LINES);
        let (sender, driver) =
            builder.handshake(stream).await.map_err(|error| complaint(&error))?;
        // How it ends is seen by whoever waits for an answer.
        let driver = tokio::spawn(async move { drop(driver.await) });
        Ok(Connection { ip, sender, flushed, awaited, _driver: AbortOnDropHandle::new(driver) })
    }

    /// Connects, with TLS where the address says so.
    async fn connect(&self, ip: IpAddr, flushed: Flushed) -> Result<Stream, String> {
        let place = (ip, self.port);
        let tcp = service_fn(move |_: Uri| {
            let flushed = flushed.clone();
            async move {
                let stream = TcpStream::connect(place).await;
                let stream = stream.map_err(unconnected)?;
                stream.set_nodelay(true)?;
                Ok::<_, io::Error>(TokioIo::new(Wire::new(stream, flushed)))
            }
        });
        let mut connector = secured(self.certificate.as_deref(), tcp)
            .map_err(|error| format!("Can't create an SSL connection: {error}"))?;
        let ready = connector.ready().await;
        let ready = ready.map_err(|error| complaint(&*error))?;
        let stream = ready.call(self.uri.clone()).await;
        stream.map_err(|error| complaint(&*error))
    }

    /// The request, with the headers that Telegram sends, in its order.
    pub(super) fn request(&self, body: &Bytes) -> Request<Full<Bytes>> {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        // A query may stand right behind the host.
        let slash = if path.starts_with('?') { "/" } else { "" };
        let path = format!("{slash}{path}");
        let mut request = Request::new(Full::new(body.clone()));
        *request.method_mut() = hyper::Method::POST;
        *request.uri_mut() = path.parse().unwrap_or_default();
        let headers = request.headers_mut();
        let mut put = |name: header::HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.append(name, value);
            }
        };
        put(header::HOST, &self.authority());
        if let Some((user, _)) = self.uri.authority().and_then(|it| it.as_str().rsplit_once('@')) {
            put(header::AUTHORIZATION, &format!("Basic {}", STANDARD.encode(user)));
        }
        if !self.secret.is_empty() {
            put(header::HeaderName::from_static("x-telegram-bot-api-secret-token"), &self.secret);
        }
        put(header::CONTENT_TYPE, "application/json");
        put(header::CONTENT_LENGTH, &body.len().to_string());
        put(header::CONNECTION, "keep-alive");
        put(header::ACCEPT_ENCODING, "gzip, deflate");
        request
    }

    /// The host, with its port unless that is the usual one.
    pub(super) fn authority(&self) -> String {
        let host = self.uri.host().unwrap_or_default();
        match self.port == usual_port(&self.uri) {
            true => host.to_owned(),
            false => format!("{host}:{}", self.port),
        }
    }

    /// Connects, writes the request with half of its update, and goes away.
    pub(super) async fn break_off(&self, ip: IpAddr, body: &Bytes) -> Result<(), String> {
        let mut stream = TokioIo::new(self.connect(ip, Flushed::default()).await?);
        let half = &body[..body.len() / 2];
        let written = [head(&self.request(body)).as_bytes(), half].concat();
        let done = stream.write_all(&written).await;
        let done = done.and(stream.flush().await);
        done.map_err(|error| complaint(&error))
    }
}

/// What stands before the body, as hyper writes it with its names in title case.
fn head<B>(request: &Request<B>) -> String {
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        let parts = name.as_str().split('-').map(|part| {
            let (first, rest) = part.split_at(1);
            first.to_ascii_uppercase() + rest
        });
        head.push_str(&parts.collect::<Vec<_>>().join("-"));
        head.push_str(": ");
        head.push_str(&String::from_utf8_lossy(value.as_bytes()));
        head.push_str("\r\n");
    }
    head + "\r\n"
}

/// TLS where the address says so, by the certificate that came with the webhook if one did.
fn secured<T>(certificate: Option<&str>, tcp: T) -> Result<HttpsConnector<T>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = HttpsConnectorBuilder::new();
    let builder = match certificate {
        Some(pem) => builder.with_tls_config(trust::own(pem, provider)?),
        None => {
            builder.with_provider_and_webpki_roots(provider).map_err(|error| error.to_string())?
        }
    };
    Ok(builder.https_or_http().enable_http1().wrap_connector(tcp))
}

/// A socket that cannot even be opened is told in words of its own.
fn unconnected(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::ConnectionRefused
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::TimedOut => error,
        _ => io::Error::other("Can't connect to the webhook"),
    }
}

/// An error in the words of `getWebhookInfo`.
pub(super) fn complaint(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return broken(innermost(error));
        }
        cause = error.source();
    }
    error.to_string()
}

/// The error that others only pass on.
fn innermost(error: &io::Error) -> &io::Error {
    let inner = error.get_ref().and_then(|it| it.downcast_ref());
    inner.map_or(error, innermost)
}

/// What is wrong with a socket; of a certificate, in the words that everybody looks for.
fn broken(error: &io::Error) -> String {
    let tls = error.get_ref().and_then(|it| it.downcast_ref());
    match (tls, error.kind()) {
        (Some(rustls::Error::InvalidCertificate(why)), _) => {
            format!("SSL error {{certificate verify failed: {why}}}")
        }
        (Some(other), _) => format!("SSL error {{{other}}}"),
        (_, io::ErrorKind::ConnectionRefused) => "Connection refused".to_owned(),
        (_, io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) => {
            "Connection reset by peer".to_owned()
        }
        (_, io::ErrorKind::TimedOut) => "Connection timed out".to_owned(),
        _ => error.to_string(),
    }
}

/// Where a webhook is that names no port.
fn usual_port(uri: &Uri) -> u16 {
    match uri.scheme_str() {
        Some("http") => 80,
        _ => 443,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_has_its_port_unless_that_is_the_usual_one() {
        for (url, host, path) in [
            ("http://bot.example/hook", "bot.example", "/hook"),
            ("http://bot.example:80", "bot.example", "/"),
            ("https://bot.example:443?a=b", "bot.example", "/?a=b"),
            ("https://bot.example/", "bot.example", "/"),
            ("http://bot.example:443/", "bot.example:443", "/"),
            ("https://bot.example:80/", "bot.example:80", "/"),
            ("https://me:secret@[::1]:8443/", "[::1]:8443", "/"),
        ] {
            let target = Target::read(&Webhook::at(url)).expect("an address");
            let request = target.request(&Bytes::new());
            let (said, to) = (&request.headers()[header::HOST], request.uri());
            assert_eq!(
                (said, to.to_string().as_str()),
                (&HeaderValue::from_static(host), path),
                "{url}"
            );
        }
    }
}
