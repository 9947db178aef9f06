//! Calls of the Bot API: teloxide-core's payloads over one keep-alive client.
//!
//! teloxide-core's own client sleeps ten seconds inside every 5xx and shows the token in its `Debug`; a plain hyper client costs a
//! third of its CPU per call. So the payload types are teloxide-core's and the wire is ours. The token is in no error and no log.

use std::fmt;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use hyper::{Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use teloxide_core::requests::Payload;

use crate::mark;

mod meter;

use meter::Meter;
pub use meter::{METHODS, RESULTS};

/// The most an answer may have.
const MAX_ANSWER_BYTES: usize = 1 << 20;
/// The most an answer with updates may have: a hundred of them, each as long as a message can be that replies to another. Telegram
/// writes every letter beyond ASCII with six bytes.
const MAX_UPDATES_BYTES: usize = 100 * (128 << 10);
/// The longest a call may take, connecting included.
const CALL_TIMEOUT: Duration = Duration::from_secs(12);
/// How many connections are kept for later calls. A bot may send thirty messages a second at Telegram's own servers and many more at
/// a server of the Bot API of one's own; a burst that needs more connections makes more, and they are closed after it.
const MOST_IDLE: usize = 128;
/// The longest anybody is taken at their word who tells us to wait: the end of more than this may not even be a time.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);
/// The longest a file may take.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(60);

/// One client per process.
#[derive(Clone)]
pub struct Telegram {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    /// `https://api.telegram.org/bot<token>/`
    base: SecretString,
    /// `https://api.telegram.org/file/bot<token>/`
    files: SecretString,
    meter: Meter,
}

impl fmt::Debug for Telegram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Telegram(…)")
    }
}

/// What a call came to, other than success, by what is to be done about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Too many calls: wait exactly this long; a day at most.
    #[error("too many requests: retry after {0:?}")]
    RetryAfter(Duration),
    /// Telegram, or the way to it, has trouble; the call was not carried out, or so it says.
    #[error("Telegram answered {0}{advice}", advice = advice(*.0))]
    Server(u16),
    /// There was no connection.
    #[error("Telegram cannot be reached: {0}")]
    Connect(String),
    /// The request may have been carried out: the answer did not come, or made no sense.
    #[error("it is not known whether the call was carried out: {0}")]
    Ambiguous(&'static str),
    /// It will never work.
    #[error("refused: {code} {description}")]
    Permanent {
        /// The HTTP status.
        code: u16,
        /// Telegram's words.
        description: String,
    },
    /// The group has become another chat.
    #[error("the group is now another chat")]
    Migrated(i64),
}

impl CallError {
    /// Whether nothing is left to be done although Telegram refused: the message is as it should be, or gone as it should be, or
    /// the press is too old to be answered.
    pub fn is_fine(&self) -> bool {
        const FINE: [&str; 3] =
            ["message is not modified", "message to delete not found", "query is too old"];
        matches!(self, Self::Permanent { description, .. } if FINE.iter().any(|words| description.contains(words)))
    }

    /// Whether the person does not want to hear from the bot, or is not there any more.
    pub fn is_blocked(&self) -> bool {
        const GONE: [&str; 3] =
            ["bot was blocked", "user is deactivated", "can't initiate conversation"];
        matches!(self, Self::Permanent { code: 403, description } if GONE.iter().any(|words| description.contains(words)))
    }

    /// The word in metrics.
    pub fn word(&self) -> &'static str {
        match self {
            Self::RetryAfter(_) => "retry_after",
            Self::Server(_) => "server_error",
            Self::Connect(_) => "network",
            Self::Ambiguous(_) => "ambiguous",
            Self::Permanent { .. } => "permanent",
            Self::Migrated(_) => "migrated",
        }
    }
}

/// A good answer, read only as far as somebody asks.
#[derive(Debug, Clone)]
pub struct Answer(Bytes);

impl Answer {
    /// The result, if it is of this type.
    pub fn result<T: DeserializeOwned>(&self) -> Option<T> {
        #[derive(Deserialize)]
        struct Whole<T> {
            result: T,
        }
        serde_json::from_slice::<Whole<T>>(&self.0).ok().map(|whole| whole.result)
    }

    /// The id of the message that was sent; of an album, that of its first part.
    pub fn message_id(&self) -> Option<i64> {
        #[derive(Deserialize)]
        struct Sent {
            message_id: i64,
        }
        let one = self.result::<Sent>();
        let first = || self.result::<Vec<Sent>>()?.into_iter().next();
        one.or_else(first).map(|sent| sent.message_id)
    }
}

/// Telegram's envelope; the result itself is not looked at.
#[derive(Debug, Deserialize)]
struct Envelope {
    ok: bool,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Debug, Default, Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
    migrate_to_chat_id: Option<i64>,
}

impl Telegram {
    /// A client for the Bot API at `api` (such as `https://api.telegram.org`), speaking as the bot of this token.
    pub fn new(api: &str, token: &SecretString) -> Self {
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        http.set_connect_timeout(Some(Duration::from_secs(5)));
        http.enforce_http(false);
        let https = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
            .expect("ring supports the protocol versions of rustls")
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_secs(50))
            .pool_max_idle_per_host(MOST_IDLE)
            .build(https);
        let (api, token) = (api.trim_end_matches('/'), token.expose_secret());
        Self {
            client,
            base: format!("{api}/bot{token}/").into(),
            files: format!("{api}/file/bot{token}/").into(),
            meter: Meter::default(),
        }
    }

    /// Tells this bot, at this Bot API, from any other, without saying its token.
    pub fn mark(&self) -> String {
        mark::of(self.base.expose_secret(), 16)
    }

    /// Calls a method by its name, with parameters of any shape.
    pub async fn ask(
        &self,
        method: &str,
        parameters: &impl Serialize,
    ) -> Result<Answer, CallError> {
        let body = serde_json::to_vec(parameters).expect("parameters are plain data");
        let start = Instant::now();
        let sent = tokio::time::timeout(CALL_TIMEOUT, self.post(method, body.into())).await;
        let answered = sent.unwrap_or(Err(CallError::Ambiguous("no answer in time")));
        let error = answered.as_ref().err();
        self.meter.called(method, error, start.elapsed());
        answered
    }

    /// Calls a method.
    pub async fn call<P: Payload + Serialize>(&self, payload: &P) -> Result<Answer, CallError> {
        self.ask(P::NAME, payload).await
    }

    /// Downloads a file from where `getFile` says it is, if it has no more than so many bytes.
    pub async fn download(&self, path: &str, most: usize) -> Result<Bytes, CallError> {
        let got = tokio::time::timeout(DOWNLOAD_TIMEOUT, self.get(path, most)).await;
        got.unwrap_or(Err(CallError::Ambiguous("no file in time")))
    }

    async fn get(&self, path: &str, most: usize) -> Result<Bytes, CallError> {
        let odd = |_| CallError::Connect("the path of a file is no address".to_owned());
        let uri = format!("{}{path}", self.files.expose_secret());
        let request = Request::get(uri).body(Full::default());
        let request = request.map_err(|_| odd(()))?;
        let answer = self.client.request(request).await;
        let answer = answer.map_err(|error| unsent(&error))?;
        match answer.status().as_u16() {
            200 => {}
            status => return Err(CallError::Server(status)),
        }
        let body = Limited::new(answer.into_body(), most).collect().await;
        let body = body.map_err(|error| match error.is::<LengthLimitError>() {
            true => CallError::Permanent { code: 200, description: "file is too big".to_owned() },
            false => CallError::Ambiguous("the file broke off"),
        })?;
        Ok(body.to_bytes())
    }

    async fn post(&self, method: &str, body: Bytes) -> Result<Answer, CallError> {
        let uri: Uri = format!("{}{method}", self.base.expose_secret())
            .parse()
            .map_err(|_| CallError::Connect("TELEGRAM_API_URL is not an address".to_owned()))?;
        let request = Request::builder()
            .method(Method::POST)
            .uri(uri)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(|_| CallError::Connect("the request cannot be written".to_owned()))?;
        let answer = self.client.request(request).await.map_err(|error| unsent(&error))?;
        let (status, told) = (answer.status().as_u16(), retry_after(answer.headers()));
        let body = Limited::new(answer.into_body(), most_bytes(method)).collect().await;
        let body = body.map_err(|_| CallError::Ambiguous("the answer broke off"))?.to_bytes();
        judge(status, told, &body).map(|()| Answer(body))
    }
}

/// The most the answer to a method may have.
fn most_bytes(method: &str) -> usize {
    match method {
        "getUpdates" => MAX_UPDATES_BYTES,
        _ => MAX_ANSWER_BYTES,
    }
}

/// A connection that never came about did nothing; anything else may have.
fn unsent(error: &hyper_util::client::legacy::Error) -> CallError {
    if error.is_connect() {
        CallError::Connect("no connection".to_owned())
    } else {
        CallError::Ambiguous("the connection broke")
    }
}

/// How many seconds the header asks to wait. Telegram says it in the body as well; whatever else stands in the way says it only here.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

/// What an operator can do about it.
fn advice(status: u16) -> &'static str {
    match status {
        401 => ": BOT_TOKEN is not that of a bot",
        404 => ": BOT_TOKEN or TELEGRAM_API_URL is wrong",
        _ => "",
    }
}

/// What an answer means; `told` is how many seconds its header asks to wait.
fn judge(status: u16, told: Option<u64>, body: &[u8]) -> Result<(), CallError> {
    let envelope: Result<Envelope, _> = serde_json::from_slice(body);
    match (status, envelope) {
        // A token that is not known, or a wrong address, is for the operator to mend: what people are told waits for that.
        (401 | 404, _) => Err(CallError::Server(status)),
        // A gateway that lost its patience, or its connection, does not know what became of the call.
        (502 | 504, _) | (500.., Err(_)) => {
            Err(CallError::Ambiguous("a gateway did not get the answer"))
        }
        (500.., Ok(_)) => Err(CallError::Server(status)),
        (_, Ok(envelope)) if envelope.ok => Ok(()),
        (429, envelope) => {
            let said = envelope.ok().and_then(|it| it.parameters.retry_after);
            let delay = Duration::from_secs(said.or(told).unwrap_or(1));
            Err(CallError::RetryAfter(delay.min(LONGEST_WAIT)))
        }
        (_, Ok(Envelope { parameters: Parameters { migrate_to_chat_id: Some(chat), .. }, .. })) => {
            Err(CallError::Migrated(chat))
        }
        (400..500, Ok(Envelope { description, .. })) => {
            Err(CallError::Permanent { code: status, description })
        }
        // Something on the way refused it, such as a proxy that finds it too large, and will at every try. But one that has waited
        // too long for the request may have more patience next time.
        (400..408 | 409..500, Err(_)) => {
            Err(CallError::Permanent { code: status, description: "without words".to_owned() })
        }
        _ => Err(CallError::Ambiguous("an answer that makes no sense")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_has_its_meaning() {
        let judge =
            |status, body: &str| judge(status, None, body.as_bytes()).map_err(|error| error.word());
        assert_eq!(judge(200, r#"{"ok":true,"result":{}}"#), Ok(()));
        assert_eq!(
            judge(429, r#"{"ok":false,"error_code":429,"parameters":{"retry_after":7}}"#),
            Err("retry_after")
        );
        assert_eq!(
            judge(400, r#"{"ok":false,"error_code":400,"parameters":{"migrate_to_chat_id":-7}}"#),
            Err("migrated")
        );
        assert_eq!(judge(403, r#"{"ok":false,"description":"Forbidden"}"#), Err("permanent"));
        assert_eq!(judge(429, "<html>"), Err("retry_after"));
        assert_eq!(judge(500, r#"{"ok":false,"description":"restart"}"#), Err("server_error"));
        assert_eq!(judge(401, r#"{"ok":false}"#), Err("server_error"));
        assert_eq!(judge(200, "<html>"), Err("ambiguous"));
        assert_eq!(judge(408, "<html>"), Err("ambiguous"));
        assert_eq!(judge(413, "<html>"), Err("permanent"));
    }

    #[test]
    fn whoever_runs_it_is_told_what_to_look_at() {
        let said = |status| CallError::Server(status).to_string();
        assert!(said(401).contains("BOT_TOKEN"));
        assert!(said(404).contains("TELEGRAM_API_URL"));
        assert_eq!(said(500), "Telegram answered 500");
    }

    /// Telegram may have carried it out, and its answer never came to whoever stands in between.
    #[test]
    fn what_a_gateway_answers_does_not_tell_what_became_of_a_call() {
        for (status, body) in [(502, "<html>"), (504, r#"{"ok":false}"#), (503, "")] {
            let judged = judge(status, None, body.as_bytes());
            let word = judged.map_err(|error| error.word());
            assert_eq!(word, Err("ambiguous"), "{status} {body}");
        }
    }

    #[test]
    fn a_refusal_without_words_is_told_by_its_number() {
        let refused = judge(413, None, b"<html>").unwrap_err();
        assert_eq!(refused.to_string(), "refused: 413 without words");
    }

    #[test]
    fn how_long_to_wait_is_said_by_the_body_or_else_by_the_header() {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, "17".parse().expect("a value"));
        let told = retry_after(&headers);
        let waits = |told, body: &str| judge(429, told, body.as_bytes()).unwrap_err();
        let seconds = |seconds| CallError::RetryAfter(Duration::from_secs(seconds));
        assert_eq!(waits(told, "<html>"), seconds(17));
        let said = r#"{"ok":false,"parameters":{"retry_after":7}}"#;
        assert_eq!(waits(told, said), seconds(7));
        headers.insert(RETRY_AFTER, "Wed, 21 Oct 2026".parse().expect("a value"));
        assert_eq!(waits(retry_after(&headers), "<html>"), seconds(1));
    }

    #[test]
    fn nobody_waits_longer_than_a_day_whatever_they_are_told() {
        let waits = |told, body: &str| judge(429, told, body.as_bytes()).unwrap_err();
        let day = CallError::RetryAfter(LONGEST_WAIT);
        for seconds in [90_000, 1 << 63, u64::MAX] {
            let said = format!(r#"{{"ok":false,"parameters":{{"retry_after":{seconds}}}}}"#);
            assert_eq!(waits(None, &said), day);
            assert_eq!(waits(Some(seconds), "<html>"), day);
        }
    }

    #[test]
    fn what_leaves_nothing_to_be_done_is_fine() {
        let refused = |words: &str| {
            let body = serde_json::json!({ "ok": false, "description": words });
            judge(400, None, body.to_string().as_bytes()).unwrap_err()
        };
        for words in [
            "Bad Request: message is not modified: specified new message content is exactly the same",
            "Bad Request: message to delete not found",
            "Bad Request: query is too old and response timeout expired or query ID is invalid",
        ] {
            assert!(refused(words).is_fine(), "{words}");
        }
        assert!(!refused("Bad Request: chat not found").is_fine());
    }

    /// The address of every call and of every file holds it.
    #[tokio::test]
    async fn no_error_tells_the_token() {
        for api in ["http://127.0.0.1:1", "no address"] {
            let telegram = Telegram::new(api, &"12345:secret".into());
            let asked = telegram.ask("getMe", &serde_json::json!({})).await;
            let file = telegram.download("a.jpg", 1).await;
            let odd = telegram.download("a b", 1).await;
            let errors = [asked.map(drop), file.map(drop), odd.map(drop)];
            for error in errors.map(Result::unwrap_err) {
                let told = format!("{error} {error:?}");
                assert!(!told.contains("secret"), "{told}");
            }
        }
    }

    /// Whoever stands in the way may say anything; Telegram's own words are in a field of their own.
    #[test]
    fn no_error_tells_an_answer_that_makes_no_sense() {
        for status in [200, 302, 400, 401, 404, 408, 413, 429, 500, 502, 504] {
            for body in ["a secret <html>", r#"{"ok":false,"result":"a secret"}"#] {
                let error = judge(status, None, body.as_bytes()).unwrap_err();
                let told = format!("{error} {error:?}");
                assert!(!told.contains("secret"), "{status}: {told}");
            }
        }
    }

    #[test]
    fn the_token_is_not_shown() {
        let telegram = Telegram::new("https://example.org", &"12345:secret".into());
        assert!(!format!("{telegram:?}").contains("secret"));
    }
}
