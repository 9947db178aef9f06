//! The door: what Telegram posts becomes an `Event`, and is acknowledged only once it is committed.
//!
//! | what comes | answer | outcome |
//! |---|---|---|
//! | not a POST, not JSON, over 1 MiB | 405, 415, 413 | `bad_input` |
//! | no secret, or a wrong one | 401, the body unread | `unauthorized` |
//! | a request that waited for 20 s in a proxy | 503 | `stale` |
//! | more than can be worked on | 503 | `overloaded` |
//! | a body that does not arrive | 408 | `timeout` |
//! | a body that is no update | 200, kept as a dead letter | `dead_letter` |
//! | an update that concerns no dialogue | 200 | `ignored` |
//! | an update that was dealt with | 200 | `applied`, `duplicate`, … |
//! | an update that could not be dealt with | 503 | `store_error`, `failed`, … |
//!
//! Every 503 carries `Retry-After: 1`: without it Telegram would come again at once, in a tight loop.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Router, middleware};
use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::TimeoutLayer;
use tracing::error;

use crate::intake::arrival;
use crate::intake::update::UpdateParser;
use crate::store::Store;
use crate::turn::Pipeline;

mod admission;
mod answer;
mod complaint;
mod meter;
mod secret;
mod start;
mod turn;

pub use answer::{Answer, OUTCOMES, Outcome};
pub use secret::Secrets;

use admission::Room;
use complaint::Complaints;
use meter::Meter;

/// What a request may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many updates are worked on at once.
    pub in_flight: usize,
    /// The largest body. Telegram sends at most 512 KiB; a smaller limit would block a chat for a day.
    pub body_bytes: usize,
    /// The longest time for a body to arrive.
    pub body_time: Duration,
    /// The longest time to wait for an update to be dealt with. The work itself is not cut off.
    pub turn_time: Duration,
    /// How long ago a proxy may have received the request.
    pub request_age: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: 512,
            body_bytes: 1024 * 1024,
            body_time: Duration::from_secs(5),
            turn_time: Duration::from_secs(10),
            request_age: Duration::from_secs(20),
        }
    }
}

/// Everything a webhook needs.
pub struct Webhook {
    secrets: Secrets,
    reader: UpdateParser,
    store: Arc<dyn Store>,
    pipeline: Pipeline,
    limits: Limits,
    permits: Arc<Semaphore>,
    work: TaskTracker,
    meter: Meter,
    complaints: Complaints,
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Webhook {
    /// A webhook that hands updates to `pipeline`, and keeps what is no update in `store`.
    pub fn new(
        secrets: Secrets,
        reader: UpdateParser,
        store: Arc<dyn Store>,
        pipeline: Pipeline,
        limits: Limits,
    ) -> Arc<Self> {
        Arc::new(Self {
            secrets,
            reader,
            store,
            pipeline,
            limits,
            permits: Arc::new(Semaphore::new(limits.in_flight)),
            work: TaskTracker::new(),
            meter: Meter::new(limits.in_flight),
            complaints: Complaints::new(),
        })
    }

    /// The webhook at `path`.
    pub fn router(self: &Arc<Self>, path: &str) -> Router {
        Router::new()
            .route(path, any(receive))
            .with_state(Arc::clone(self))
            .layer(CatchPanicLayer::custom(panicked))
    }

    /// Gives routes of the bot's author the limits of the webhook.
    pub fn limit(&self, routes: Router) -> Router {
        let limit =
            TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, self.limits.turn_time);
        routes.layer(middleware::from_fn(arrival::wait)).layer(limit).layer(CatchPanicLayer::new())
    }

    /// Waits for the work that outlived its connection. Call it when no more requests come.
    pub async fn finish(&self) {
        self.work.close();
        self.work.wait().await;
    }

    async fn answer(self: &Arc<Self>, request: Request) -> Result<Answer, Answer> {
        let (parts, body) = request.into_parts();
        self.admit(&parts)?;
        let room = self.room()?;
        let body = self.body(&parts.headers, body).await?;
        self.meter.body(body.len());
        Ok(self.deal_with(body, room).await)
    }

    /// Works in a task of its own, so that a connection that is lost cannot stop the work half-way; a panic ends there.
    async fn deal_with(self: &Arc<Self>, body: Bytes, room: Room) -> Answer {
        let hook = Arc::clone(self);
        let work = self.work.spawn(async move {
            let answer = hook.take(body).await;
            drop(room);
            answer
        });
        match tokio::time::timeout(self.limits.turn_time, work).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Answer::later(Outcome::Panicked),
            Err(_) => Answer::later(Outcome::Timeout),
        }
    }
}

async fn receive(State(hook): State<Arc<Webhook>>, request: Request) -> Response {
    let mut record = hook.meter.begin();
    let answer = hook.answer(request).await.unwrap_or_else(|refusal| refusal);
    record.outcome = answer.outcome();
    hook.complaints.answered(answer.outcome());
    answer.into_response()
}

/// The last net, for what no task of ours caught.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    error!("a request handler panicked");
    Answer::later(Outcome::Panicked).into_response()
}
