//! The table of orders, with what was reported of them.

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::{After, Sheet, amount, written};
use steadfast::records::Fault;

const COLUMNS: &[&str] = &[
    "order",
    "status",
    "equipment",
    "problem",
    "client",
    "address",
    "phone",
    "dispatcher_id",
    "dispatcher",
    "master_id",
    "master",
    "created_at",
    "assigned_at",
    "closed_at",
    "amount",
    "materials",
    "review",
];

pub(super) async fn export(
    connection: &mut AnyConnection,
    (from, to): (i64, i64),
    (after, _): After,
    limit: usize,
    here: &TimeZone,
) -> Result<Sheet, Fault> {
    let sql = "SELECT o.no, o.status, o.equipment, o.problem, o.client, o.address, o.phone, o.created_by, d.name, o.master, m.name, \
               o.created_at, o.assigned_at, o.closed_at, r.amount, r.materials, r.review \
               FROM orders o LEFT JOIN reports r ON r.order_no = o.no LEFT JOIN users d ON d.id = o.created_by \
               LEFT JOIN users m ON m.id = o.master \
               WHERE o.created_at >= $1 AND o.created_at < $2 AND o.no > $3 ORDER BY o.no LIMIT $4";
    let found = sqlx::query(sql).bind(from).bind(to).bind(after);
    let found = found.bind(limit as i64).fetch_all(connection).await?;
    let rows: Result<Vec<_>, Fault> = found.iter().map(|row| order(row, here)).collect();
    let last = found.last().map(|row| row.try_get(0)).transpose()?;
    Ok(Sheet {
        columns: COLUMNS,
        rows: rows?,
        next: last.filter(|_| found.len() == limit).map(|no| (no, 0)),
    })
}

fn order(row: &AnyRow, here: &TimeZone) -> Result<Vec<Value>, Fault> {
    let number = |at: usize| row.try_get::<Option<i64>, _>(at);
    let text = |at: usize| row.try_get::<Option<String>, _>(at);
    let mut cells = vec![json!(number(0)?)];
    for at in 1..=6 {
        cells.push(json!(text(at)?));
    }
    cells.extend([json!(number(7)?), json!(text(8)?), json!(number(9)?), json!(text(10)?)]);
    for at in 11..=13 {
        cells.push(written(number(at)?, here));
    }
    let review = number(16)?.map(|review| review == 1);
    cells.extend([amount(number(14)?), json!(text(15)?), json!(review)]);
    Ok(cells)
}
