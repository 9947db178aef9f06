//! What the database holds of shifts, a line for everything that somebody did in one; and where they are worked.

use std::collections::BTreeMap;

use sqlx::PgConnection;

use super::entries::{Entry, Line};
use super::pay::{Pay, time_at};
use super::site::Site;

/// What must not be there of shifts.
pub(super) const ODD: &[&str] = &[
    "SELECT count(*) FROM (SELECT worker FROM shifts WHERE status = 'open' GROUP BY worker HAVING count(*) > 1) many",
    "SELECT count(*) FROM shifts WHERE status NOT IN ('open', 'closed') OR (status = 'closed') <> (closed_at IS NOT NULL)",
    // Numbers follow one another.
    "SELECT count(*) - coalesce(max(no), 0) FROM shifts",
    // What was agreed is what is set up.
    "SELECT count(*) FROM shifts s JOIN objects o ON o.id = s.object JOIN slots l ON l.id = s.slot \
     WHERE (s.rate, s.grace, s.penalty) <> (o.rate, l.grace, l.penalty)",
    "SELECT count(*) FROM shifts s WHERE (SELECT count(*) FROM shift_tasks t WHERE t.shift = s.id) \
     <> (SELECT count(*) FROM tasks t WHERE t.object = s.object)",
    // Only what is closed is paid; the time by the millisecond, rounded half up.
    "SELECT count(*) FROM adjustments a JOIN shifts s ON s.id = a.shift WHERE s.status <> 'closed'",
    "SELECT count(*) FROM adjustments a JOIN shifts s ON s.id = a.shift WHERE a.kind = 'shift_base' \
     AND a.amount <> (2 * s.rate * (s.closed_at - s.opened_at) + 3600000) / 7200000",
    // What needs a photo has one, each has its own file, and all are downloaded, each under a name of its own.
    "SELECT count(*) FROM shift_tasks t WHERE media = 1 AND (done_at IS NOT NULL) <> \
     EXISTS (SELECT 1 FROM shift_media m WHERE m.shift = t.shift AND m.task = t.task)",
    "SELECT count(*) - count(DISTINCT file_id) FROM shift_media",
    "SELECT count(*) - count(DISTINCT path) FROM shift_media",
    "SELECT count(*) FROM shift_media WHERE lost IS NOT NULL",
];

/// Which shift of its worker each is, from 1 on.
const NUMBERED: &str = "WITH numbered AS (SELECT *, row_number() OVER (PARTITION BY worker ORDER BY opened_at, no) AS place FROM shifts) ";
/// How people read a time of the day, and a date with it.
const TIME: &str = "HH24:MI";
const DATE_TIME: &str = "FMDD FMMonth YYYY, HH24:MI";

/// Every shift that was opened, every task and photo in it, every pay.
pub(super) async fn written(books: &mut PgConnection) -> Vec<Line> {
    let mut all = opened(books).await;
    all.extend(ticked(books).await);
    all.extend(closed(books).await);
    all
}

async fn opened(books: &mut PgConnection) -> Vec<Line> {
    let [from, until, since] = ["slot_start", "slot_end", "opened_at"].map(|it| read(it, TIME));
    let sql = format!(
        "{NUMBERED} SELECT worker, s.place, o.name, {from} || '–' || {until}, {since} \
         FROM numbered s JOIN objects o ON o.id = s.object"
    );
    let rows: Vec<(i64, i64, String, Option<String>, String)> = asked(books, sql).await;
    let line = |(worker, place, site, hours, since): (_, _, _, Option<String>, _)| {
        let entry =
            Entry::Opened { shift: ordinal(place), site, hours: hours.unwrap_or_default(), since };
        (worker, entry)
    };
    rows.into_iter().map(line).collect()
}

/// What has no photo was done at a word. What is not done has no entry, but by a photo that should not be there.
async fn ticked(books: &mut PgConnection) -> Vec<Line> {
    let sql = format!(
        "{NUMBERED} SELECT worker, s.place, CASE WHEN done_at IS NULL THEN 'not done: ' ELSE '' END || title, file_id \
         FROM numbered s JOIN shift_tasks t ON t.shift = s.id LEFT JOIN shift_media m ON m.shift = s.id AND m.task = t.task \
         WHERE done_at IS NOT NULL OR file_id IS NOT NULL"
    );
    let rows: Vec<(i64, i64, String, Option<String>)> = asked(books, sql).await;
    let line = |(worker, place, task, photo)| {
        let shift = ordinal(place);
        (worker, Entry::Ticked { shift, task, photo })
    };
    rows.into_iter().map(line).collect()
}

async fn closed(books: &mut PgConnection) -> Vec<Line> {
    let [from, until] = ["opened_at", "closed_at"].map(|it| read(it, DATE_TIME));
    let sql = format!(
        "{NUMBERED} SELECT worker, s.place, {from}, {until}, s.rate, a.kind, coalesce(title, ''), amount \
         FROM numbered s LEFT JOIN adjustments a ON a.shift = s.id LEFT JOIN shift_tasks t ON t.shift = s.id AND t.task = a.task \
         WHERE status = 'closed' ORDER BY worker, s.place, a.place"
    );
    let rows: Vec<Part> = asked(books, sql).await;
    let mut pays: BTreeMap<(i64, i64), Pay> = BTreeMap::new();
    for (worker, place, from, until, rate, kind, title, amount) in rows {
        let pay = pays.entry((worker, place)).or_insert_with(|| Pay {
            span: (from, until),
            parts: Vec::new(),
            total: 0,
        });
        if let (Some(kind), Some(amount)) = (kind, amount) {
            pay.total += amount;
            pay.parts.push((named(&kind, &title, rate), amount));
        }
    }
    let line = |((worker, place), pay)| (worker, Entry::Closed(ordinal(place), pay));
    pays.into_iter().map(line).collect()
}

/// A part of a pay; of a shift without any there is one row, which has none.
type Part = (i64, i64, String, String, i64, Option<String>, String, Option<i64>);

/// What people call a part of their pay.
fn named(kind: &str, title: &str, rate: i64) -> String {
    match kind {
        "shift_base" => time_at(rate),
        "late_start" => "Late start".to_owned(),
        "task_bonus" => title.to_owned(),
        "task_penalty" => format!("{title}, not done"),
        "task_completed" => format!("{title}, done"),
        _ => format!("{kind} {title}"),
    }
}

/// Sets up an object, its time slots and its tasks.
pub(super) fn furniture(site: &Site) -> Vec<String> {
    let Site { name, rate, .. } = site;
    let mut sql = vec![format!(
        "INSERT INTO objects (id, name, rate, zone, active, made_at) VALUES ('{name}', '{name}', {rate}, 'UTC', 1, 0)"
    )];
    for (place, slot) in site.slots.iter().enumerate() {
        let (from, until, grace, penalty) = (slot.from, slot.until, slot.grace, slot.penalty);
        sql.push(format!(
            "INSERT INTO slots (id, object, days, starts, ends, grace, penalty, active, made_at) \
             VALUES ('{name}-{place}', '{name}', 127, {from}, {until}, {grace}, {penalty}, 1, 0)"
        ));
    }
    for (place, task) in site.tasks.iter().enumerate() {
        let (title, price, media) = (task.title, task.price, i64::from(task.needs_photo));
        let kind = if task.is_bonus { "bonus" } else { "mandatory" };
        sql.push(format!(
            "INSERT INTO tasks (id, object, title, price, kind, media, active, made_at) \
             VALUES ('{name}-{place}', '{name}', '{title}', {price}, '{kind}', {media}, 1, 0)"
        ));
    }
    sql
}

/// A moment of a column, as people read it.
fn read(column: &str, format: &str) -> String {
    format!("to_char(to_timestamp({column} / 1000) AT TIME ZONE 'UTC', '{format}')")
}

fn ordinal(place: i64) -> usize {
    usize::try_from(place).expect("a place")
}

async fn asked<T>(books: &mut PgConnection, sql: String) -> Vec<T>
where
    T: for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql)).fetch_all(books);
    rows.await.expect("shifts")
}
