//! What the database holds at the end, held against what people were told; and what is put there before it begins.

use std::collections::HashSet;
use std::fs;
use std::mem::discriminant;

use sqlx::{Connection as _, PgConnection};

use crate::support::patience::until;

use super::bed::Bed;
use super::entries::{self, Entry, KINDS, Line};
use super::person::words_of;
use super::site::Site;
use super::timesheet;

impl Bed {
    /// The books hold what people were told that they do, and nothing else: not a row, not an effect, not a refusal.
    pub(super) async fn assert_recorded(&self, confirmed: &[Line]) {
        assert_right(&mut self.books().await, confirmed).await;
    }

    /// Every photo that shows that a task is done is downloaded, however often whoever saw to it was killed meanwhile.
    pub(super) async fn until_downloaded(&self) {
        let mut books = self.books().await;
        until("every photo is downloaded", async || {
            let missing = "SELECT count(*) FROM shift_media WHERE path IS NULL";
            (number(&mut books, missing).await == 0).then_some(())
        })
        .await;
        let paths = sqlx::query_scalar("SELECT path FROM shift_media").fetch_all(&mut books);
        let paths: Vec<String> = paths.await.expect("paths");
        assert!(!paths.is_empty(), "nobody has shown anything");
        for path in paths {
            let file = fs::metadata(self.media.path().join(&path));
            assert!(file.is_ok_and(|file| file.len() > 0), "{path}");
        }
    }

    /// Puts coupons there for these people, under words that they will say.
    pub(super) async fn stock(&self, people: &[i64], each: usize) {
        let mut books = self.books().await;
        for person in people {
            let words = words_of(*person);
            let sql = format!(
                "INSERT INTO coupons (code) SELECT '{words}' || number FROM generate_series(1, {each}) number"
            );
            write(&mut books, sql).await;
        }
    }

    /// Gives these people roles, as an operator does.
    pub(super) async fn employ(&self, people: &[(i64, &str)]) {
        let mut books = self.books().await;
        for (person, role) in people {
            let sql = format!(
                "INSERT INTO roles (role, user_id, given_at) VALUES ('{role}', {person}, 0)"
            );
            write(&mut books, sql).await;
        }
    }

    /// Sets up these objects, with their time slots and tasks.
    pub(super) async fn furnish(&self, sites: &[Site]) {
        let mut books = self.books().await;
        for site in sites {
            for sql in timesheet::furniture(site) {
                write(&mut books, sql).await;
            }
        }
    }

    async fn books(&self) -> PgConnection {
        let books = PgConnection::connect(&self.database).await;
        books.expect("PostgreSQL answers")
    }
}

/// The same, over this connection.
async fn assert_right(books: &mut PgConnection, confirmed: &[Line]) {
    let written = written(books).await;
    let (passing, lasting): (Vec<Line>, Vec<Line>) =
        confirmed.iter().cloned().partition(|(_, entry)| *entry == Entry::Passing);
    let verdict = entries::compare(&lasting, &written);
    assert!(verdict.is_well(), "{verdict:#?}");
    let kinds: HashSet<_> = written.iter().map(|(_, it)| discriminant(it)).collect();
    assert_eq!(kinds.len(), KINDS, "kinds of entries");
    let effects = "SELECT count(*) FROM effects WHERE outcome = 'applied'";
    let did = written.len() + passing.len();
    assert_eq!(number(books, effects).await, did as i64, "effects");
    for odd in ODD.iter().chain(timesheet::ODD) {
        assert_eq!(number(books, odd).await, 0, "{odd}");
    }
    for table in others(books).await {
        let rows = number(books, &format!("SELECT count(*) FROM {table}")).await;
        assert_eq!(rows, 0, "nobody did anything that is written into {table}");
    }
}

/// What must not be there: something that was begun and is said to be done, that is refused, or that is other than it was said.
const ODD: &[&str] = &[
    // Two who wanted the same number for their orders: the other got the next one.
    "SELECT count(*) FROM effects WHERE outcome <> 'applied' AND reason IS DISTINCT FROM 'number'",
    "SELECT count(*) FROM orders WHERE status <> 'closed'",
    "SELECT count(*) FROM orders WHERE (client, address, phone) <> ('Olga', 'Lenin St. 5', '+79123456789')",
    "SELECT count(*) FROM orders WHERE problem NOT LIKE 'whispered-' || created_by || '-%'",
    "SELECT count(*) - count(DISTINCT problem) FROM orders",
    "SELECT count(*) - max(no) FROM orders",
    "SELECT count(*) FROM reports WHERE (amount, materials, review) <> (150000, '', 1)",
    "SELECT count(*) FROM reports r JOIN orders o ON o.no = r.order_no WHERE o.master IS DISTINCT FROM r.created_by",
    "SELECT count(*) FROM onboarding WHERE draft IS NOT NULL",
    "SELECT count(*) FROM onboarding WHERE (profile::json ->> 'phone', profile::json ->> 'experience') <> ('+79123456789', '7')",
    "SELECT count(*) FROM onboarding WHERE profile::json ->> 'city' NOT LIKE 'whispered-' || user_id || '-%'",
    "SELECT count(*) FROM onboarding WHERE profile::json ->> 'about' NOT LIKE 'whispered-' || user_id || '-%'",
    "SELECT count(*) FROM conversations WHERE closed_at IS NULL OR dispatcher IS NULL",
    "SELECT count(*) - count(DISTINCT file_id) FROM photos",
];

/// Tables that are written to in the run, and the one of the migrations.
const KNOWN: [&str; 18] = [
    "effects",
    "coupons",
    "photos",
    "users",
    "roles",
    "onboarding",
    "orders",
    "reports",
    "conversations",
    "relays",
    "objects",
    "slots",
    "tasks",
    "shifts",
    "shift_tasks",
    "shift_media",
    "adjustments",
    "_sqlx_migrations",
];

/// A query that tells whose something is and a number of it, and what that makes an entry of.
type Numbered = (&'static str, fn(i64) -> Entry);

/// Everything that came of a step, a line for each.
async fn written(books: &mut PgConnection) -> Vec<Line> {
    let people: Vec<i64> =
        sqlx::query_scalar("SELECT id FROM users").fetch_all(&mut *books).await.expect("people");
    let coupons: Vec<(i64, String)> =
        sqlx::query_as("SELECT taken_by, code FROM coupons WHERE taken_by IS NOT NULL")
            .fetch_all(&mut *books)
            .await
            .expect("coupons");
    let photos: Vec<(i64, i64, Option<String>)> =
        sqlx::query_as("SELECT owner, count(*), caption FROM photos GROUP BY id, owner, caption")
            .fetch_all(&mut *books)
            .await
            .expect("photos");
    let introduced: Vec<(i64, String)> = sqlx::query_as(
        "SELECT user_id, profile::json ->> 'name' FROM onboarding WHERE profile IS NOT NULL",
    )
    .fetch_all(&mut *books)
    .await
    .expect("introductions");
    let numbered: [Numbered; 4] = [
        ("SELECT created_by, no FROM orders", Entry::Order),
        ("SELECT created_by, order_no FROM reports", Entry::Report),
        ("SELECT person, 0::bigint FROM conversations", |_| Entry::Conversation),
        ("SELECT chat, message FROM relays", |_| Entry::Relay),
    ];
    let mut all: Vec<Line> = Vec::new();
    for (sql, entry) in numbered {
        let rows: Vec<(i64, i64)> =
            sqlx::query_as(sql).fetch_all(&mut *books).await.expect("what is told of by numbers");
        all.extend(rows.into_iter().map(|(id, number)| (id, entry(number))));
    }
    let introduced = introduced.into_iter();
    all.extend(introduced.map(|(id, name)| (id, Entry::Introduced(name))));
    let people = people.into_iter().map(|id| (id, Entry::Person));
    let coupons = coupons.into_iter().map(|(id, it)| (id, Entry::Coupon(it)));
    let photos = photos.into_iter().map(|(id, it, to)| (id, Entry::Photos(it, to)));
    all.extend(people.chain(coupons).chain(photos));
    all.extend(timesheet::written(books).await);
    all
}

/// The tables that nobody in the run writes to.
async fn others(books: &mut PgConnection) -> Vec<String> {
    let sql =
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
    let mut tables: Vec<String> = sqlx::query_scalar(sql).fetch_all(books).await.expect("tables");
    tables.retain(|table| !KNOWN.contains(&&**table));
    assert!(!tables.is_empty(), "there is none");
    tables
}

async fn number(books: &mut PgConnection, sql: &str) -> i64 {
    let asked = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned()));
    asked.fetch_one(books).await.expect("a number")
}

async fn write(books: &mut PgConnection, sql: String) {
    let written = sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(books).await;
    written.expect("it is written");
}
