//! Whole tables for the people who do the pay, page by page.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Company;
use crate::records::export::{After, Export, export, span};
use steadfast::bot::Running;
use steadfast::records::{Fault, Sql};

/// How many rows a page holds.
const PAGE: usize = 500;

/// `GET /export/{table}?from=2026-11-01&to=2026-11-30&cursor=…`: a page of a table, and where the next begins.
pub fn routes(running: &Running<Company>) -> Router {
    match running.records.clone() {
        Some(records) => Router::new().route("/export/{table}", get(page)).with_state(records),
        None => Router::new(),
    }
}

/// The reason for a refusal.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}")]
    BadRequest(String),
    #[error("the records are unavailable: {0}")]
    Records(#[from] Fault),
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Records(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        (status, Json(json!({ "error": self.to_string() }))).into_response()
    }
}

/// Which rows.
#[derive(Debug, Deserialize)]
struct Which {
    /// The first day.
    from: String,
    /// The last day.
    to: String,
    /// Where the page begins: `SHIFT.PLACE`.
    cursor: Option<String>,
}

async fn page(
    State(records): State<Arc<Sql>>,
    Path(what): Path<String>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, Error> {
    let what: Export = what.parse().map_err(Error::BadRequest)?;
    let after = which.cursor.as_deref().map_or(Ok((0, 0)), cursor)?;
    let days = (day(&which.from)?, day(&which.to)?);
    if days.0 > days.1 {
        let Which { from, to, .. } = which;
        return Err(Error::BadRequest(format!("{from} comes after {to}: swap them")));
    }
    let far = || Error::BadRequest("these days are too far away".to_owned());
    let span = span(records.settings::<Company>(), days.0, days.1).ok_or_else(far)?;
    let sheet = export(&records, what, span, after, PAGE).await?;
    let next = sheet.next.map(|(shift, place)| format!("{shift}.{place}"));
    Ok(Json(json!({ "columns": sheet.columns, "rows": sheet.rows, "next": next })))
}

fn day(text: &str) -> Result<Date, Error> {
    let wrong = |_| Error::BadRequest(format!("`{text}` is no day such as 2026-11-30"));
    text.parse().map_err(wrong)
}

fn cursor(text: &str) -> Result<After, Error> {
    let parts = text.split_once('.');
    let after = parts.and_then(|(shift, place)| Some((shift.parse().ok()?, place.parse().ok()?)));
    after.ok_or_else(|| Error::BadRequest(format!("`{text}` is no cursor of ours")))
}
