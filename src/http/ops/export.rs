//! Whole tables for the people who do the pay, page by page.

use axum::Json;
use axum::extract::{Path, Query, State};
use jiff::civil::Date;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Ops, Trouble};
use crate::company::Company;
use crate::company::records::export::{self, After, Export};

/// How many rows a page holds.
const PAGE: usize = 500;

/// Which rows.
#[derive(Debug, Deserialize)]
pub(super) struct Which {
    /// The first day.
    from: String,
    /// The last day.
    to: String,
    /// Where the page begins: `SHIFT.PLACE`.
    cursor: Option<String>,
}

pub(super) async fn page(
    State(ops): State<Ops>,
    Path(what): Path<String>,
    Query(which): Query<Which>,
) -> Result<Json<Value>, Trouble> {
    let what: Export = what.parse().map_err(Trouble::Asked)?;
    let after = which.cursor.as_deref().map_or(Ok((0, 0)), cursor)?;
    let days = (day(&which.from)?, day(&which.to)?);
    if days.0 > days.1 {
        let Which { from, to, .. } = which;
        return Err(Trouble::Asked(format!("{from} comes after {to}: swap them")));
    }
    let none = || Trouble::Asked("this server keeps no records".to_owned());
    let records = ops.records.as_ref().ok_or_else(none)?;
    let far = || Trouble::Asked("these days are too far away".to_owned());
    let span = export::span(records.settings::<Company>(), days.0, days.1).ok_or_else(far)?;
    let sheet = export::export(records, what, span, after, PAGE).await?;
    let next = sheet.next.map(|(shift, place)| format!("{shift}.{place}"));
    Ok(Json(json!({ "columns": sheet.columns, "rows": sheet.rows, "next": next })))
}

fn day(text: &str) -> Result<Date, Trouble> {
    let wrong = |_| Trouble::Asked(format!("`{text}` is no day such as 2026-11-30"));
    text.parse().map_err(wrong)
}

fn cursor(text: &str) -> Result<After, Trouble> {
    let parts = text.split_once('.');
    let after = parts.and_then(|(shift, place)| Some((shift.parse().ok()?, place.parse().ok()?)));
    after.ok_or_else(|| Trouble::Asked(format!("`{text}` is no cursor of ours")))
}
