//! What the webhook answers, and what it is counted as.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::trace::{self, Trace};
use crate::turn;

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The update's step is committed.
    Applied,
    /// The update had been committed before.
    Duplicate,
    /// The update concerned no dialogue.
    Ignored,
    /// The update was put aside for people to look at.
    DeadLetter,
    /// The request was not one of Telegram's.
    BadInput,
    /// The secret was missing or wrong.
    Unauthorized,
    /// The request had waited too long before it came here.
    Stale,
    /// Too many updates were being worked on.
    Overloaded,
    /// The store, or the records, were out of reach.
    StoreError,
    /// Others changed the dialogue again and again.
    Contended,
    /// The body or the work took too long.
    Timeout,
    /// The step failed and will be tried again.
    Failed,
    /// The dialogue is in a state only a newer build reads.
    NewerState,
    /// Something panicked.
    Panicked,
    /// The connection was gone before there was an answer. The work goes on.
    Dropped,
}

/// The word of every outcome, in the order of the enum.
pub const OUTCOMES: [&str; 15] = [
    "applied",
    "duplicate",
    "ignored",
    "dead_letter",
    "bad_input",
    "unauthorized",
    "stale",
    "overloaded",
    "store_error",
    "contended",
    "timeout",
    "failed",
    "newer_state",
    "panicked",
    "dropped",
];

impl Outcome {
    /// The word in metrics.
    pub fn word(self) -> &'static str {
        OUTCOMES[self as usize]
    }
}

impl From<turn::OutcomeKind> for Outcome {
    fn from(outcome: turn::OutcomeKind) -> Self {
        match outcome {
            turn::OutcomeKind::Applied => Self::Applied,
            turn::OutcomeKind::Duplicate => Self::Duplicate,
            turn::OutcomeKind::Ignored => Self::Ignored,
            turn::OutcomeKind::DeadLetter => Self::DeadLetter,
        }
    }
}

impl From<&turn::TurnError> for Outcome {
    fn from(error: &turn::TurnError) -> Self {
        match error {
            turn::TurnError::Store(_) | turn::TurnError::Records(_) => Self::StoreError,
            turn::TurnError::Contended(_) => Self::Contended,
            turn::TurnError::TooOld | turn::TurnError::Stale => Self::Timeout,
            turn::TurnError::Failed { .. } => Self::Failed,
            turn::TurnError::Newer { .. } => Self::NewerState,
        }
    }
}

/// What the webhook answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    status: StatusCode,
    outcome: Outcome,
    trace: Option<Trace>,
    call: Option<AnswerCallbackQuery>,
}

/// The one call that rides in the response: nothing that must happen may, since Telegram discards its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct AnswerCallbackQuery {
    method: &'static str,
    callback_query_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
}

impl Answer {
    /// It is dealt with, and need not come again.
    pub fn done(outcome: Outcome) -> Self {
        Self::new(StatusCode::OK, outcome)
    }

    /// It is not dealt with, and shall come again.
    pub fn later(outcome: Outcome) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, outcome)
    }

    /// It is not a request of Telegram's.
    pub fn bad_input(status: StatusCode) -> Self {
        Self::new(status, Outcome::BadInput)
    }

    /// It does not carry the secret.
    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, Outcome::Unauthorized)
    }

    /// Its body did not arrive.
    pub fn slow_body() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, Outcome::Timeout)
    }

    /// Also ends the little clock on the button that was pressed.
    pub fn with_callback(mut self, id: String, text: String) -> Self {
        self.call = Some(AnswerCallbackQuery {
            method: "answerCallbackQuery",
            callback_query_id: id,
            text,
        });
        self
    }

    /// Names the trace of the update, for proxies to log.
    pub fn with_trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Whether it need not come again.
    pub fn is_done(&self) -> bool {
        self.status == StatusCode::OK
    }

    /// The press that waits for an answer, and what to show.
    pub fn callback(&self) -> Option<(&str, &str)> {
        self.call.as_ref().map(|call| (call.callback_query_id.as_str(), call.text.as_str()))
    }

    /// What it is counted as.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn new(status: StatusCode, outcome: Outcome) -> Self {
        Self { status, outcome, trace: None, call: None }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = match (self.status, self.call) {
            (StatusCode::SERVICE_UNAVAILABLE, _) => {
                (self.status, [(header::RETRY_AFTER, "1")]).into_response()
            }
            (StatusCode::METHOD_NOT_ALLOWED, _) => {
                (self.status, [(header::ALLOW, "POST")]).into_response()
            }
            (status, Some(call)) => (status, Json(call)).into_response(),
            (status, None) => status.into_response(),
        };
        let trace = self.trace.map(|trace| trace.to_string());
        if let Some(Ok(trace)) = trace.map(HeaderValue::try_from) {
            response.headers_mut().insert(trace::HEADER, trace);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_own_word() {
        assert_eq!(Outcome::Applied.word(), "applied");
        assert_eq!(Outcome::Timeout.word(), "timeout");
        assert_eq!(Outcome::Dropped.word(), "dropped");
        assert_eq!(OUTCOMES.len(), Outcome::Dropped as usize + 1);
    }

    #[test]
    fn the_words_are_those_of_the_pipeline() {
        let error = turn::TurnError::Contended(3);
        assert_eq!(Outcome::from(&error).word(), error.word());
        let outcome = turn::OutcomeKind::DeadLetter;
        assert_eq!(Outcome::from(outcome).word(), outcome.word());
    }
}
