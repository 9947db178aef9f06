//! What the people who do the pay get: whole tables, page by page.
//!
//! Times are written where the object stands, of orders where the company does, with their offset; money as decimals.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::slot::zone;
use crate::Company;
use crate::money::Money;
use steadfast::records::{Fault, Sql};

/// What can be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// Orders with their reports, by when they were created.
    Orders,
    /// Shifts, by when they were opened.
    Shifts,
    /// The adjustments of shifts, by when those were closed.
    Adjustments,
}

impl FromStr for Export {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "orders" => Ok(Self::Orders),
            "shifts" => Ok(Self::Shifts),
            "adjustments" => Ok(Self::Adjustments),
            _ => Err(format!("`{name}` cannot be exported: orders, shifts, adjustments")),
        }
    }
}

/// After which row a page begins: the number of the order or shift, and the place in it.
pub type After = (i64, i64);

/// A page of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// What the columns are called.
    pub columns: &'static [&'static str],
    /// The rows, each with a value for every column.
    pub rows: Vec<Vec<Value>>,
    /// Where the next page begins, if there may be one.
    pub next: Option<After>,
}

mod order;

const SHIFTS: &[&str] = &[
    "shift",
    "worker_id",
    "worker",
    "object",
    "status",
    "opened_at",
    "closed_at",
    "slot_start",
    "slot_end",
    "rate",
    "total",
];
const ADJUSTMENTS: &[&str] = &[
    "shift",
    "worker_id",
    "worker",
    "object",
    "opened_at",
    "closed_at",
    "adjustment",
    "task",
    "amount",
    "photos",
    "files",
];

/// The moments at which these days begin and end, where the company's clocks stand.
pub fn span(company: &Company, from: Date, to: Date) -> Option<(i64, i64)> {
    let begin = |date: Date| {
        let there = date.to_zoned(company.zone.clone()).ok()?;
        Some(there.timestamp().as_millisecond())
    };
    Some((begin(from)?, begin(to.tomorrow().ok()?)?))
}

/// The next rows of a table, of what happened in this span.
pub async fn export(
    records: &Sql,
    what: Export,
    span: (i64, i64),
    after: After,
    limit: usize,
) -> Result<Sheet, Fault> {
    let here = &records.settings::<Company>().zone;
    records
        .read(async |connection| match what {
            Export::Orders => order::export(connection, span, after, limit, here).await,
            Export::Shifts => shifts(connection, span, after, limit).await,
            Export::Adjustments => adjustments(connection, span, after, limit).await,
        })
        .await
}

async fn shifts(
    connection: &mut AnyConnection,
    (from, to): (i64, i64),
    (after, _): After,
    limit: usize,
) -> Result<Sheet, Fault> {
    let sql = "SELECT s.no, s.worker, COALESCE(u.name, ''), o.name, s.status, o.zone, s.opened_at, s.closed_at, s.slot_start, \
               s.slot_end, s.rate, (SELECT CAST(SUM(a.amount) AS BIGINT) FROM adjustments a WHERE a.shift = s.id) \
               FROM shifts s JOIN objects o ON o.id = s.object LEFT JOIN users u ON u.id = s.worker \
               WHERE s.opened_at >= $1 AND s.opened_at < $2 AND s.no > $3 ORDER BY s.no LIMIT $4";
    let found = sqlx::query(sql).bind(from).bind(to).bind(after);
    let found = found.bind(limit as i64).fetch_all(connection).await?;
    let rows: Result<Vec<_>, Fault> = found.iter().map(shift).collect();
    let last = found.last().map(|row| row.try_get(0)).transpose()?;
    let next = last.filter(|_| found.len() == limit).map(|no| (no, 0));
    Ok(Sheet { columns: SHIFTS, rows: rows?, next })
}

fn shift(row: &AnyRow) -> Result<Vec<Value>, Fault> {
    let there: String = row.try_get(5)?;
    Ok(vec![
        json!(row.try_get::<i64, _>(0)?),
        json!(row.try_get::<i64, _>(1)?),
        json!(row.try_get::<String, _>(2)?),
        json!(row.try_get::<String, _>(3)?),
        json!(row.try_get::<String, _>(4)?),
        moment(row.try_get(6)?, &there),
        moment(row.try_get(7)?, &there),
        moment(row.try_get(8)?, &there),
        moment(row.try_get(9)?, &there),
        amount(row.try_get(10)?),
        amount(row.try_get(11)?),
    ])
}

async fn adjustments(
    connection: &mut AnyConnection,
    (from, to): (i64, i64),
    (no, place): After,
    limit: usize,
) -> Result<Sheet, Fault> {
    let sql = "SELECT s.no, a.place, s.worker, COALESCE(u.name, ''), o.name, o.zone, s.opened_at, s.closed_at, a.kind, \
               COALESCE(t.title, ''), a.amount, COALESCE(a.task, '') \
               FROM adjustments a JOIN shifts s ON s.id = a.shift JOIN objects o ON o.id = s.object \
               LEFT JOIN users u ON u.id = s.worker LEFT JOIN shift_tasks t ON t.shift = a.shift AND t.task = a.task \
               WHERE s.closed_at >= $1 AND s.closed_at < $2 AND (s.no > $3 OR (s.no = $3 AND a.place > $4)) \
               ORDER BY s.no, a.place LIMIT $5";
    let found = sqlx::query(sql).bind(from).bind(to).bind(no).bind(place);
    let found = found.bind(limit as i64).fetch_all(&mut *connection).await?;
    let at = |row: &AnyRow| Ok::<After, sqlx::Error>((row.try_get(0)?, row.try_get(1)?));
    let ends = (found.first().map(at).transpose()?, found.last().map(at).transpose()?);
    let photos = match ends {
        (Some((first, _)), Some((last, _))) => photos(connection, first, last).await?,
        _ => Photos::default(),
    };
    let rows: Result<Vec<_>, Fault> = found.iter().map(|row| adjustment(row, &photos)).collect();
    Ok(Sheet { columns: ADJUSTMENTS, rows: rows?, next: ends.1.filter(|_| found.len() == limit) })
}

fn adjustment(row: &AnyRow, photos: &Photos) -> Result<Vec<Value>, Fault> {
    let there: String = row.try_get(5)?;
    let of = (row.try_get(0)?, row.try_get(11)?);
    let own = photos.get(&of).map(Vec::as_slice).unwrap_or_default();
    let files: Vec<&str> = own.iter().flatten().map(String::as_str).collect();
    Ok(vec![
        json!(of.0),
        json!(row.try_get::<i64, _>(2)?),
        json!(row.try_get::<String, _>(3)?),
        json!(row.try_get::<String, _>(4)?),
        moment(row.try_get(6)?, &there),
        moment(row.try_get(7)?, &there),
        json!(row.try_get::<String, _>(8)?),
        json!(row.try_get::<String, _>(9)?),
        amount(row.try_get(10)?),
        json!(own.len()),
        json!(files.join("; ")),
    ])
}

/// By the number of a shift and a task: each photo, and where it was put.
type Photos = BTreeMap<(i64, String), Vec<Option<String>>>;

async fn photos(connection: &mut AnyConnection, first: i64, last: i64) -> Result<Photos, Fault> {
    let sql = "SELECT s.no, m.task, m.path FROM shift_media m JOIN shifts s ON s.id = m.shift \
               WHERE s.no >= $1 AND s.no <= $2 ORDER BY s.no, m.task, m.place";
    let found = sqlx::query(sql).bind(first).bind(last);
    let mut photos = Photos::default();
    for row in found.fetch_all(connection).await? {
        let of = (row.try_get(0)?, row.try_get(1)?);
        photos.entry(of).or_default().push(row.try_get(2)?);
    }
    Ok(photos)
}

fn moment(at: Option<i64>, there: &str) -> Value {
    written(at, &zone(there))
}

fn written(at: Option<i64>, there: &TimeZone) -> Value {
    let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
    let written = at.map(|at| {
        let there = at.to_zoned(there.clone());
        there.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    });
    json!(written)
}

fn amount(minor: Option<i64>) -> Value {
    json!(minor.map(|minor| Money(minor).to_string()))
}
