//! What those who run the bot may see and do: dialogues, dead letters, broadcasts, roles.
//!
//! | request | answer |
//! |---|---|
//! | `GET /dialogues?label=order/phone&cursor=…` | a page of dialogues, and where the next begins |
//! | `GET /dialogues/{key}` | one dialogue with all it holds, and what waits to be carried out |
//! | `POST /dialogues/{key}/reset` | frees the person, by a turn like any other |
//! | `GET /dead-letters` | the dead letters, newest first, without what they hold |
//! | `GET /dead-letters/{id}` | one of them with all it holds |
//! | `POST /dead-letters/{id}/retry` | tries it again, and removes it if that worked |
//! | `POST /dead-letters/{id}/drop` | removes it |
//! | `POST /broadcast` | one page of a message to many people, and where the next begins |
//! | `GET /roles?user=…` | who has which role, and which of them were given |
//! | `PUT /roles?user=…&role=…` | gives somebody a role |
//! | `DELETE /roles?user=…&role=…` | takes it away again |
//! | `POST /forget?user=…` | leaves nothing of a person but what the books need, and says what went |

use std::fmt;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;

use crate::dialogue::Role;
use crate::intake::arrival;
use crate::intake::update::UpdateParser;
use crate::outbox::Outbox;
use crate::records::{Fault, Sql};
use crate::staff::Staff;
use crate::store::{self, DialogueKey, Store};
use crate::turn::{self, Pipeline};

mod broadcast;
pub mod client;
mod cursor;
mod dialogues;
mod forget;
mod guard;
pub mod health;
mod letters;
pub mod metrics;
mod retry;
mod roles;
pub mod timepiece;
mod view;

pub(crate) use broadcast::check_broadcast;
pub use guard::Guard;

/// What the operations work with.
#[derive(Clone)]
pub struct Ops {
    /// Where the dialogues are.
    pub store: Arc<dyn Store>,
    /// What moves them.
    pub pipeline: Pipeline,
    /// What carries messages out.
    pub outbox: Outbox,
    /// Reads updates that come once more.
    pub reader: UpdateParser,
    /// Where people are known.
    pub records: Option<Arc<Sql>>,
    /// The roles that people have by the configuration.
    pub staff: Arc<Staff>,
    /// The roles that the bot declares.
    pub roles: &'static [Role],
}

impl fmt::Debug for Ops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ops").field("store", &self.store).finish_non_exhaustive()
    }
}

/// All of it, behind `guard`.
pub fn router(ops: Ops, guard: Guard) -> Router {
    let desk = Router::new()
        .route("/dialogues", get(dialogues::list))
        .route("/dialogues/{key}", get(dialogues::show))
        .route("/dialogues/{key}/reset", post(dialogues::reset))
        .route("/dead-letters", get(letters::list))
        .route("/dead-letters/{id}", get(letters::show))
        .route("/dead-letters/{id}/retry", post(retry::retry))
        .route("/dead-letters/{id}/drop", post(letters::remove))
        .route("/broadcast", post(broadcast::page))
        .route("/roles", get(roles::list).put(roles::give).delete(roles::take))
        .route("/forget", post(forget::forget))
        .route_layer(middleware::from_fn(arrival::wait));
    guard.protect(desk).with_state(ops)
}

/// Returns the records, or an error that says what is not possible without them.
fn records<'a>(ops: &'a Ops, what: &str) -> Result<&'a Sql, Trouble> {
    let none = || {
        Trouble::Refused(format!(
            "{what} without a database: register `.records(…)` with the bot, and see DATABASE_URL"
        ))
    };
    ops.records.as_deref().ok_or_else(none)
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("{0}")]
    Asked(String),
    #[error("nothing is kept of {0}")]
    Nobody(DialogueKey),
    #[error("there is no dead letter `{0}`")]
    NoLetter(String),
    #[error("another dead letter is being retried; try again")]
    Busy,
    #[error(
        "records of {0} still wait to be written: see that the database is there, then try again"
    )]
    Pending(i64),
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("the records are unavailable: {0}")]
    Records(#[from] Fault),
    #[error(transparent)]
    Pipeline(#[from] turn::TurnError),
    #[error("it panicked; the log says where")]
    Panicked,
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Asked(_) => StatusCode::BAD_REQUEST,
            Self::Nobody(_) | Self::NoLetter(_) => StatusCode::NOT_FOUND,
            Self::Busy | Self::Pending(_) => StatusCode::CONFLICT,
            Self::Refused(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Store(_) | Self::Records(_) | Self::Pipeline(_) | Self::Panicked => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}
