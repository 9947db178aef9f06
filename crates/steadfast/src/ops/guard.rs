//! Who may see the metrics, and see and move dialogues.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use secrecy::SecretString;
use serde_json::json;

use crate::intake::webhook::Secrets;

/// Who may see the metrics, and see and move dialogues.
#[derive(Debug, Clone)]
pub enum Guard {
    /// Everyone on this machine, but no web page: the browser of someone here is not someone here.
    Local,
    /// Everyone, but no web page from elsewhere.
    Own,
    /// Whoever has the token.
    Token(Secrets),
    /// Nobody.
    Closed,
}

impl Guard {
    /// What the address of the listener calls for.
    pub fn new(listen: SocketAddr, token: Option<&SecretString>) -> Self {
        match token {
            _ if listen.ip().is_loopback() => Self::Local,
            Some(token) => Self::Token(Secrets::new(std::slice::from_ref(token))),
            None => Self::Closed,
        }
    }

    /// Stands before a router that is all for this machine, where the listener is. Whoever listens elsewhere has asked for others to
    /// come, but not for pages of others.
    pub fn around(listen: SocketAddr, router: Router) -> Router {
        match listen.ip().is_loopback() {
            true => Self::Local.protect(router),
            false => Self::Own.protect(router),
        }
    }

    /// Stands before all that the router has now.
    pub fn protect<S: Clone + Send + Sync + 'static>(self, router: Router<S>) -> Router<S> {
        router.route_layer(middleware::from_fn_with_state(Arc::new(self), check))
    }

    /// Lets the request pass, or says why not.
    fn admit(&self, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        match self {
            Self::Local if !local(headers) => Err((
                StatusCode::FORBIDDEN,
                "this is for programs on this machine, not for web pages",
            )),
            Self::Own if !own(headers) => Err((
                StatusCode::FORBIDDEN,
                "this is for programs and its own page, not for other web pages",
            )),
            Self::Token(token) if !bearer(headers).is_some_and(|given| token.accept(given)) => {
                Err((
                    StatusCode::UNAUTHORIZED,
                    "send `Authorization: Bearer` with the value of OPS_TOKEN",
                ))
            }
            Self::Closed => Err((
                StatusCode::FORBIDDEN,
                "set OPS_TOKEN to see more than health here, since OPS_ADDR is not loopback",
            )),
            Self::Local | Self::Own | Self::Token(_) => Ok(()),
        }
    }
}

/// The layer.
async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.admit(request.headers()) {
        Ok(()) => next.run(request).await,
        Err((status, words)) => (status, Json(json!({ "error": words }))).into_response(),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(header::AUTHORIZATION)?.as_bytes();
    value.strip_prefix(b"Bearer ")
}

/// Addressed to this machine by name, so that no foreign name was pointed at it, and from no foreign page: a picture there,
/// or a link, has no origin, but the browser says where it stands.
fn local(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let origin = text(header::ORIGIN).map(|origin| origin.strip_prefix("http://").unwrap_or(""));
    is_of_one_site(headers)
        && text(header::HOST).is_some_and(is_local)
        && origin.is_none_or(is_local)
}

/// From a page of the same address, or from none.
fn own(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or(""));
    let origin = text(header::ORIGIN).and_then(|origin| origin.split("://").last());
    is_of_one_site(headers) && origin.is_none_or(|origin| Some(origin) == text(header::HOST))
}

/// What the browser says of the page that asks, where one does.
fn is_of_one_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_none_or(|site| ["same-origin", "none"].iter().any(|own| site == own))
}

fn is_local(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn on_loopback_only_local_names_and_pages_pass() {
        let guard = Guard::new("127.0.0.1:9100".parse().unwrap(), None);
        for host in
            ["localhost:9100", "127.0.0.1:9100", "[::1]:9100", "127.0.0.2:9100", "localhost"]
        {
            assert!(guard.admit(&headers(&[(header::HOST, host)])).is_ok(), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:9100", "127.0.0.1.evil:9100", ""] {
            assert!(guard.admit(&headers(&[(header::HOST, host)])).is_err(), "{host}");
        }
        for (origin, passes) in
            [("http://localhost:9100", true), ("https://evil.example", false), ("null", false)]
        {
            let asked = headers(&[(header::HOST, "localhost:9100"), (header::ORIGIN, origin)]);
            assert_eq!(guard.admit(&asked).is_ok(), passes, "{origin}");
        }
    }

    #[test]
    fn a_picture_or_a_link_in_a_foreign_page_asks_in_vain() {
        let site = header::HeaderName::from_static("sec-fetch-site");
        for (from, passes) in
            [("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false)]
        {
            let asked = headers(&[(header::HOST, "localhost:9100"), (site.clone(), from)]);
            assert_eq!(Guard::Local.admit(&asked).is_ok(), passes, "{from}");
        }
    }

    #[test]
    fn who_has_let_others_in_has_not_let_their_pages_in() {
        let site = || header::HeaderName::from_static("sec-fetch-site");
        let host = (header::HOST, "10.0.0.1:8765");
        for (more, passes) in [
            (None, true),
            (Some((header::ORIGIN, "http://10.0.0.1:8765")), true),
            (Some((header::ORIGIN, "https://evil.example")), false),
            (Some((header::ORIGIN, "null")), false),
            (Some((site(), "cross-site")), false),
        ] {
            let asked: Vec<_> = more.iter().cloned().chain([host.clone()]).collect();
            assert_eq!(Guard::Own.admit(&headers(&asked)).is_ok(), passes, "{more:?}");
        }
    }

    #[test]
    fn elsewhere_the_token_is_needed() {
        let guard = Guard::new("0.0.0.0:9100".parse().unwrap(), Some(&"open-sesame".into()));
        let host = (header::HOST, "127.0.0.1:9100");
        let with = |value| headers(&[host.clone(), (header::AUTHORIZATION, value)]);
        assert!(guard.admit(&with("Bearer open-sesame")).is_ok());
        for wrong in ["Bearer open", "open-sesame", "Bearer ", "Basic open-sesame"] {
            assert!(guard.admit(&with(wrong)).is_err(), "{wrong}");
        }
        assert!(guard.admit(&headers(&[host])).is_err());
    }

    #[test]
    fn elsewhere_without_a_token_nobody_passes() {
        let guard = Guard::new("10.0.0.1:9100".parse().unwrap(), None);
        let (status, line) = guard.admit(&HeaderMap::new()).unwrap_err();
        assert_eq!(status, StatusCode::FORBIDDEN);
        assert!(line.contains("OPS_TOKEN"));
    }
}
