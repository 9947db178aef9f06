//! One request with one update: there and back within a minute, or not.

use std::io::Read as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http_body_util::{BodyExt as _, Limited};
use hyper::ext::ReasonPhrase;
use hyper::header;
use hyper::{Response, Version};

use super::connection::{Connection, Target, complaint};
use super::wire::Flushed;
use crate::clock::{Millis, millis};
use crate::desk::Desk;
use crate::faults::{Fault, Kind};
use crate::params::{Form, Params};

/// How long the whole answer may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most that an answer may have, if it asks for a method.
const MOST_BYTES: usize = 1 << 20;
/// The same if it brings files.
const MOST_WITH_FILES: usize = 60 << 20;

/// What is to be brought where.
#[derive(Debug)]
pub(super) struct Trip {
    pub(super) seq: u64,
    pub(super) line: i64,
    pub(super) is_copy: bool,
    pub(super) target: Arc<Target>,
    pub(super) connection: Option<Connection>,
    pub(super) body: Bytes,
    /// Whether the request went out whole, once there is a connection.
    pub(super) flushed: Option<Flushed>,
    pub(super) fault: Option<Fault>,
    pub(super) desk: Arc<Desk>,
}

/// What a trip came to.
#[derive(Debug)]
pub(super) struct Return {
    pub(super) seq: u64,
    pub(super) line: i64,
    pub(super) is_copy: bool,
    pub(super) began: Millis,
    /// How long it took, by the machine's clock.
    pub(super) took: Duration,
    pub(super) outcome: Outcome,
    pub(super) connection: Option<Connection>,
    /// The answer came and is forgotten.
    pub(super) forgets: bool,
    /// The app will send the press again.
    pub(super) resends: bool,
}

/// How a trip ended.
#[derive(Debug)]
pub(super) enum Outcome {
    Answered(Reply),
    /// No answer, and what stands in `getWebhookInfo` for it, if anything.
    Lost(Option<String>),
}

/// A whole answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    reason: String,
    pub(super) retry_after: Option<u64>,
    /// What it says, as far as it can ask for a method.
    pub(super) params: Params,
}

impl Reply {
    /// What stands in `getWebhookInfo` about it.
    pub(super) fn complaint(&self) -> String {
        let Self { status, reason, .. } = self;
        format!("Wrong response from the webhook: {status} {reason}")
    }
}

impl Trip {
    pub(super) async fn go(mut self) -> Return {
        let (began, start) = (self.desk.clock.now(), Instant::now());
        let limit = self.desk.clock.clone();
        let in_time = tokio::select! {
            result = self.travel() => Some(result),
            () = limit.sleep_until(began + millis(PATIENCE)) => None,
        };
        let result = in_time.unwrap_or_else(|| Err(Some(self.late())));
        let is = |kind: Kind| self.fault.as_ref().is_some_and(|fault| fault.kind == kind);
        let (outcome, connection) = match result {
            Ok((reply, connection)) => (Outcome::Answered(reply), connection),
            Err(words) => (Outcome::Lost(words), None),
        };
        Return {
            seq: self.seq,
            line: self.line,
            is_copy: self.is_copy,
            began,
            took: start.elapsed(),
            forgets: is(Kind::DropAck),
            resends: is(Kind::ResendPress),
            outcome,
            connection,
        }
    }

    /// What there was no time for: to write the request, or to read the answer.
    fn late(&self) -> String {
        let is_sent = self.flushed.as_ref().is_some_and(Flushed::is);
        let what = if is_sent { "Read" } else { "Write" };
        format!("{what} timeout expired")
    }

    async fn travel(&mut self) -> Result<(Reply, Option<Connection>), Option<String>> {
        if self.target.is_too_long {
            return Err(Some("URL is too long".to_owned()));
        }
        let fault = self.fault.as_ref().map(|fault| fault.kind);
        let ip = self.target.address(&self.desk).await.map_err(Some)?;
        if fault == Some(Kind::CloseBefore) {
            let broken = self.target.break_off(ip, &self.body).await;
            return Err(broken.err());
        }
        // One that leads to where the host was before is closed.
        let kept = self.connection.take().filter(|it| it.ip == ip);
        let connection = match kept {
            Some(connection) => connection,
            None => self.target.open(ip).await.map_err(Some)?,
        };
        connection.begin();
        self.flushed = Some(connection.flushed.clone());
        let arrived = self.exchange(connection).await?;
        match fault {
            Some(Kind::CloseAfter) => Err(None),
            Some(Kind::Truncate) => Err(Some("Connection closed".to_owned())),
            Some(Kind::Delay) => {
                let asked = self.fault.as_ref().and_then(Fault::after_ms);
                let time = asked.map_or(2 * PATIENCE, Duration::from_millis);
                self.desk.clock.sleep(time).await;
                Ok(arrived)
            }
            _ => Ok(arrived),
        }
    }

    async fn exchange(
        &self,
        mut connection: Connection,
    ) -> Result<(Reply, Option<Connection>), Option<String>> {
        let request = self.target.request(&self.body);
        connection.sender.ready().await.map_err(|error| lost(&error))?;
        let response = connection.sender.send_request(request).await;
        let response = response.map_err(|error| lost(&error))?;
        let is_kept = response.version() == Version::HTTP_11;
        let reply = read(response).await?;
        Ok((reply, (is_kept && connection.is_open()).then_some(connection)))
    }
}

/// A connection that was closed without a word is nothing to complain about.
fn lost(error: &hyper::Error) -> Option<String> {
    let is_clean = error.is_incomplete_message() || error.is_closed() || error.is_canceled();
    match error.is_parse_too_large() {
        true => Some("Request Header Fields Too Large".to_owned()),
        false => (!is_clean).then(|| complaint(error)),
    }
}

async fn read(response: Response<hyper::body::Incoming>) -> Result<Reply, Option<String>> {
    let headers = response.headers();
    let text = |name: header::HeaderName| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let encoding = text(header::CONTENT_ENCODING);
    if !["", "identity", "gzip", "deflate"].contains(&encoding.as_str()) {
        return Err(Some(format!("Unsupported \"content-encoding\": {encoding}")));
    }
    let is_measured = headers.contains_key(header::CONTENT_LENGTH)
        || headers.contains_key(header::TRANSFER_ENCODING);
    let status = response.status();
    let reason = response
        .extensions()
        .get::<ReasonPhrase>()
        .map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned());
    let mut reply = Reply {
        status: status.as_u16(),
        reason: reason.unwrap_or_else(|| status.canonical_reason().unwrap_or_default().to_owned()),
        retry_after: text(header::RETRY_AFTER).parse().ok().filter(|it| *it > 0),
        params: Params::default(),
    };
    if is_measured {
        let kind = text(header::CONTENT_TYPE);
        let params = said(&kind, &encoding, response.into_body()).await;
        reply.params = params.ok_or_else(|| Some("Connection closed".to_owned()))?;
    }
    Ok(reply)
}

/// What an answer says. Nothing if it breaks off, or says more than Telegram reads: as it comes, or once it is unpacked.
async fn said(kind: &str, encoding: &str, body: hyper::body::Incoming) -> Option<Params> {
    let body = unpacked(encoding, whole(kind, body).await?)?;
    Params::read("", kind, &body).ok()
}

/// The whole body, as far as it can ask for a method: what else it says is read and forgotten. Nothing if it breaks off.
async fn whole(content_type: &str, mut body: hyper::body::Incoming) -> Option<Bytes> {
    let most = match Form::of(content_type) {
        Some(Form::Json | Form::Fields) => MOST_BYTES,
        Some(Form::Parts) => MOST_WITH_FILES,
        None => {
            while let Some(part) = body.frame().await {
                part.ok()?;
            }
            return Some(Bytes::new());
        }
    };
    let whole = Limited::new(body, most).collect().await.ok()?;
    Some(whole.to_bytes())
}

/// What was packed, as it was before; nothing if it cannot be, or is more than Telegram reads.
fn unpacked(encoding: &str, body: Bytes) -> Option<Bytes> {
    let mut whole = Vec::new();
    let most = MOST_WITH_FILES as u64 + 1;
    match encoding {
        _ if body.is_empty() => return Some(body),
        "gzip" => MultiGzDecoder::new(&body[..]).take(most).read_to_end(&mut whole).ok()?,
        "deflate" => ZlibDecoder::new(&body[..]).take(most).read_to_end(&mut whole).ok()?,
        _ => return Some(body),
    };
    (whole.len() <= MOST_WITH_FILES).then(|| Bytes::from(whole))
}
