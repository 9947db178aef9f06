//! What is refused before anybody has looked at it is refused in plain words too.

use axum::extract::{FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde::de::DeserializeOwned;

use super::list;
use crate::acts::{Cannot, missing, wrong};

/// A number in a path.
#[derive(Debug)]
pub(super) struct Id(pub(super) i64);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Cannot;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Cannot> {
        let said = Path::<String>::from_request_parts(parts, state).await;
        let Path(said) = said.map_err(|error| wrong(error.body_text()))?;
        let id = said.parse().map(Self);
        id.map_err(|_| wrong(format!("`{said}` is no number such as 5001")))
    }
}

/// What is asked for behind the path.
#[derive(Debug)]
pub(super) struct Asked<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Cannot;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Cannot> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        let refused = |words: String| {
            let reason = words.rsplit("query string: ").next().unwrap_or_default();
            wrong(format!("what stands behind the `?` is not as it should be: {reason}"))
        };
        let Query(asked) = query.map_err(|error| refused(error.body_text()))?;
        Ok(Self(asked))
    }
}

/// A verb that a path does not take, and a body that is too large.
pub(super) async fn explain(request: Request, next: Next) -> Response {
    let (verb, path) = (request.method().clone(), request.uri().path().to_owned());
    let response = next.run(request).await;
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => not_so(&verb, &path),
        StatusCode::PAYLOAD_TOO_LARGE => {
            let (status, words) = (413, "a body has at most 64 MB".to_owned());
            Cannot { status, words }.into_response()
        }
        _ => response,
    }
}

fn not_so(verb: &Method, path: &str) -> Response {
    let allowed = list::verbs(path).join(", ");
    let (status, words) = (405, format!("{path} takes {allowed}, not {verb}"));
    let mut response = Cannot { status, words }.into_response();
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

/// Nothing is there at all.
pub(crate) fn nowhere(uri: &Uri) -> Response {
    let path = uri.path();
    missing(format!("there is no {path}; GET /emulator/ tells what there is")).into_response()
}
