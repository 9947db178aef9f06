//! A connection to the webhook, and what is written on it.

use std::io;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{self, HeaderValue};
use hyper::{Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::rt::TokioIo;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::net::TcpStream;
use tokio_util::task::AbortOnDropHandle;
use tower::util::ServiceExt as _;
use tower::{Service, service_fn};

use crate::emulator::webhook::Webhook;

/// Where the webhook is, and what it knows Telegram by.
#[derive(Debug)]
pub(super) struct Target {
    uri: Uri,
    host: String,
    port: u16,
    /// Where to connect to instead of looking the host up.
    ip: Option<String>,
    secret: String,
    certificate: Option<String>,
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) sender: SendRequest<Full<Bytes>>,
    _driver: AbortOnDropHandle<()>,
}

impl Connection {
    pub(super) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }
}

impl Target {
    pub(super) fn read(webhook: &Webhook) -> Option<Self> {
        let uri: Uri = webhook.url.parse().ok()?;
        let usual = if uri.scheme_str() == Some("http") {
            80
        } else {
            443
        };
        Some(Self {
            host: uri.host()?.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(usual),
            uri,
            ip: webhook.ip_address.clone(),
            secret: webhook.secret.clone(),
            certificate: webhook.certificate.clone(),
        })
    }

    /// Opens a connection; or says what stands in `getWebhookInfo` then.
    pub(super) async fn open(&self) -> Result<Connection, String> {
        let (host, port) = (
            self.ip.clone().unwrap_or_else(|| self.host.clone()),
            self.port,
        );
        let tcp = service_fn(move |_: Uri| {
            let host = host.clone();
            async move {
                let stream = TcpStream::connect((host.as_str(), port)).await?;
                stream.set_nodelay(true)?;
                Ok::<_, io::Error>(TokioIo::new(stream))
            }
        });
        let mut connector = secured(self.certificate.as_deref(), tcp)?;
        let ready = connector.ready().await.map_err(|error| error.to_string())?;
        let stream = ready
            .call(self.uri.clone())
            .await
            .map_err(|error| complaint(&*error))?;
        let mut builder = http1::Builder::new();
        builder.title_case_headers(true);
        let (sender, driver) = builder
            .handshake(stream)
            .await
            .map_err(|error| error.to_string())?;
        // How it ends is seen by whoever waits for an answer.
        let driver = tokio::spawn(async move { drop(driver.await) });
        Ok(Connection {
            sender,
            _driver: AbortOnDropHandle::new(driver),
        })
    }

    /// The request, with the headers that Telegram sends, in its order.
    pub(super) fn request(&self, body: &Bytes) -> Request<Full<Bytes>> {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
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
        if let Some((user, _)) = self
            .uri
            .authority()
            .and_then(|it| it.as_str().rsplit_once('@'))
        {
            put(
                header::AUTHORIZATION,
                &format!("Basic {}", STANDARD.encode(user)),
            );
        }
        if !self.secret.is_empty() {
            put(
                header::HeaderName::from_static("x-telegram-bot-api-secret-token"),
                &self.secret,
            );
        }
        put(header::CONTENT_TYPE, "application/json");
        put(header::CONTENT_LENGTH, &body.len().to_string());
        put(header::CONNECTION, "keep-alive");
        put(header::ACCEPT_ENCODING, "gzip, deflate");
        request
    }

    /// The host, with its port unless that is the usual one.
    pub(super) fn authority(&self) -> String {
        let usual = if self.uri.scheme_str() == Some("http") {
            80
        } else {
            443
        };
        let host = self.uri.host().unwrap_or_default();
        match self.port == usual {
            true => host.to_owned(),
            false => format!("{host}:{}", self.port),
        }
    }

    /// Connects, writes half of an update, and goes away.
    pub(super) async fn break_off(&self, body: &[u8]) -> io::Result<()> {
        use tokio::io::AsyncWriteExt as _;
        let host = self.ip.as_deref().unwrap_or(&self.host);
        let mut stream = TcpStream::connect((host, self.port)).await?;
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nX-Telegram-Bot-Api-Secret-Token: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.authority(),
            self.secret,
            body.len(),
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body[..body.len() / 2]).await?;
        stream.flush().await
    }
}

/// TLS where the address says so; a certificate that came with the webhook is trusted too.
fn secured<T>(certificate: Option<&str>, tcp: T) -> Result<HttpsConnector<T>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let Some(pem) = certificate else {
        let builder = HttpsConnectorBuilder::new().with_provider_and_webpki_roots(provider);
        let builder = builder.map_err(|error| error.to_string())?;
        return Ok(builder.https_or_http().enable_http1().wrap_connector(tcp));
    };
    let mut roots = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()).flatten() {
        let _ = roots.add(certificate);
    }
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let builder = HttpsConnectorBuilder::new().with_tls_config(config);
    Ok(builder.https_or_http().enable_http1().wrap_connector(tcp))
}

/// An error in the words of `getWebhookInfo`.
pub(super) fn complaint(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return match error.kind() {
                io::ErrorKind::ConnectionRefused => "Connection refused".to_owned(),
                io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                    "Connection reset by peer".to_owned()
                }
                io::ErrorKind::InvalidData => format!("SSL error {{{error}}}"),
                _ => error.to_string(),
            };
        }
        cause = error.source();
    }
    error.to_string()
}
