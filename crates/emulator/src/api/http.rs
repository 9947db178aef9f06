//! The Bot API over HTTP: paths, verbs, tokens, and answers that can break where they shall.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use bytes::Bytes;
use serde_json::Value;

use super::{Answer, Refusal, envelope};
use crate::body::Parts;
use crate::control;
use crate::crowd;
use crate::desk::{Desk, Taken};
use crate::faults::Kind;
use crate::params::Params;
use crate::polls;
use crate::serve::Cut;
use crate::setting;

/// The largest request: fifty megabytes of a file, and what is around it.
const MOST_BYTES: usize = 60 << 20;
/// How long a slow answer takes, if nothing is said.
const SLOW: Duration = Duration::from_secs(3);

pub(crate) fn routes() -> Router<Arc<Desk>> {
    Router::new()
        .route("/bot{token}", any(nothing))
        .route("/bot{token}/", any(nameless))
        .route("/bot{token}/{method}", any(named))
        .route("/bot{token}/test/{method}", any(named))
        .route("/{caller}/bot{token}/{method}", any(named_by))
        .route("/file/bot{token}/{*path}", any(download))
        .route("/{caller}/file/bot{token}/{*path}", any(download_by))
        .fallback(elsewhere)
}

/// No path of the Bot API; what is neither GET nor POST is refused before that.
async fn nothing(verb: Method) -> Response {
    match is_known(&verb) {
        true => written(&Err(Refusal::new(404, "Not Found"))),
        false => StatusCode::NOT_IMPLEMENTED.into_response(),
    }
}

fn is_known(verb: &Method) -> bool {
    [Method::GET, Method::POST].contains(verb)
}

/// No path at all: one of the control API's is answered as that does.
async fn elsewhere(verb: Method, uri: Uri) -> Response {
    match uri.path().starts_with("/emulator/") {
        true => control::nowhere(&uri),
        false => nothing(verb).await,
    }
}

async fn nameless(
    State(desk): State<Arc<Desk>>,
    Path(token): Path<String>,
    request: Request,
) -> Response {
    call(&desk, None, &token, "", request).await
}

async fn named(
    State(desk): State<Arc<Desk>>,
    Path((token, method)): Path<(String, String)>,
    request: Request,
) -> Response {
    call(&desk, None, &token, &method, request).await
}

/// Of several replicas that are to be told apart.
async fn named_by(
    State(desk): State<Arc<Desk>>,
    Path((caller, token, method)): Path<(String, String, String)>,
    request: Request,
) -> Response {
    call(&desk, Some(&caller), &token, &method, request).await
}

async fn call(
    desk: &Arc<Desk>,
    caller: Option<&str>,
    token: &str,
    method: &str,
    request: Request,
) -> Response {
    if !is_known(request.method()) {
        return StatusCode::NOT_IMPLEMENTED.into_response();
    }
    let Some(params) = read(request).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if let Err(refusal) = admit(desk, token) {
        return written(&Err(refusal));
    }
    let method = match method {
        "" => params.text("method").unwrap_or_default(),
        named => named.to_owned(),
    };
    let busy = crowd::enter(desk, &method, &params).await;
    let prepared = match busy.as_ref() {
        Err(refusal) => Err(refusal.clone()),
        Ok(_) if method.eq_ignore_ascii_case("setWebhook") => setting::prepare(desk, &params).await,
        Ok(_) => Ok(()),
    };
    let mut restarts = desk.restarts.subscribe();
    let taken = match prepared {
        Ok(()) => desk.take(caller, &method, &params),
        Err(refusal) => desk.refuse(caller, &method, &params, refusal),
    };
    let seq = taken.seq;
    tokio::select! {
        biased;
        answer = answer(desk, &method, &params, taken) => answer,
        _ = restarts.changed() => given_up(desk, seq),
    }
}

/// The server restarts before there is an answer.
fn given_up(desk: &Desk, seq: u64) -> Response {
    let answer = Err(Refusal::new(500, "Internal Server Error: restart"));
    desk.finish(seq, &answer);
    written(&answer)
}

/// The parameters; nothing if there is more than Telegram reads.
async fn read(request: Request) -> Option<Params> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, MOST_BYTES).await.ok()?;
    let kind = parts.headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    Params::read(parts.uri.query().unwrap_or_default(), kind, &body).ok()
}

/// One bot lives here; where none was named, it is the first that calls.
fn admit(desk: &Desk, token: &str) -> Result<(), Refusal> {
    let is_complete = is_complete(token)?;
    let known = desk.world().bot.token.clone();
    match known {
        Some(known) if known == token => Ok(()),
        None if is_complete => {
            desk.change(|world| world.bot.token = Some(token.to_owned()));
            Ok(())
        }
        _ => Err(Refusal::new(401, "Unauthorized")),
    }
}

/// Whether it could be a bot's: what is not even written like one is refused in words of its own.
fn is_complete(token: &str) -> Result<bool, Refusal> {
    let malformed = || Refusal::new(401, "Unauthorized: invalid token specified");
    let (id, key) = token.split_once(':').ok_or_else(malformed)?;
    if token.starts_with('0') || token.len() > 80 {
        return Err(malformed());
    }
    if id.is_empty() || !id.bytes().all(|it| it.is_ascii_digit()) {
        let words = "Misdirected Request: unallowed token specified";
        return Err(Refusal::new(421, words));
    }
    Ok(!key.is_empty())
}

async fn answer(desk: &Arc<Desk>, method: &str, params: &Params, taken: Taken) -> Response {
    let fault = taken.fault;
    let kind = fault.as_ref().map(|fault| fault.kind);
    let status = fault.as_ref().and_then(|fault| fault.status);
    match kind {
        Some(Kind::Hang) => std::future::pending().await,
        Some(Kind::Reset) => return cut(),
        Some(Kind::Slow) => {
            let asked = fault.and_then(|fault| fault.after_ms());
            let time = asked.map_or(SLOW, Duration::from_millis);
            desk.clock.sleep(time).await;
        }
        Some(Kind::Hold) => desk.let_go(params.chat()).await,
        _ => {}
    }
    desk.answered(taken.seq);
    match kind {
        Some(Kind::Garbage) => return garbage(status),
        Some(Kind::Truncate) => return broken_off(&taken.answer),
        _ => {}
    }
    if !method.eq_ignore_ascii_case("getUpdates") || taken.answer.is_err() {
        return written(&taken.answer);
    }
    let answer = polls::poll(desk, params).await;
    desk.finish(taken.seq, &answer);
    written(&answer)
}

fn written(answer: &Answer) -> Response {
    let (status, envelope) = envelope(answer);
    let mut response = Response::new(Body::from(crate::json::ascii(&envelope)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    headers.insert(header::CONNECTION, header::HeaderValue::from_static("keep-alive"));
    if let Some(seconds) = envelope["parameters"]["retry_after"].as_u64() {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// What stands before the server may answer instead of it, in words of its own.
fn garbage(status: Option<u16>) -> Response {
    let mut response = Response::new("<html>what?</html>".into());
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    *response.status_mut() = status.unwrap_or_default();
    response
}

/// No answer: the connection is closed.
fn cut() -> Response {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(Cut);
    response
}

/// Announces the whole answer and sends half of it.
fn broken_off(answer: &Answer) -> Response {
    let whole = envelope(answer).1.to_string();
    let half = Bytes::copy_from_slice(&whole.as_bytes()[..whole.len() / 2]);
    let body = Parts::of([Ok(half), Err(io::Error::other("told to"))]);
    let mut response = Response::new(Body::new(body));
    response.headers_mut().insert(header::CONTENT_LENGTH, whole.len().into());
    response
}

async fn download(
    State(desk): State<Arc<Desk>>,
    Path((token, path)): Path<(String, String)>,
) -> Response {
    file(&desk, &token, &path)
}

/// A download is not written down, so it makes no difference whose it is.
async fn download_by(
    State(desk): State<Arc<Desk>>,
    Path((_, token, path)): Path<(String, String, String)>,
) -> Response {
    file(&desk, &token, &path)
}

fn file(desk: &Desk, token: &str, path: &str) -> Response {
    let found = admit(desk, token).map(|()| {
        let world = desk.world();
        let file = world.files.by_path(path);
        file.and_then(|file| world.files.bytes(file))
    });
    match found {
        Ok(Some(bytes)) => {
            let kind = [(header::CONTENT_TYPE, "application/octet-stream")];
            (kind, bytes).into_response()
        }
        Ok(None) => written(&Err(Refusal::new(404, "Not Found"))),
        Err(refusal) => written(&Err::<Value, _>(refusal)),
    }
}
