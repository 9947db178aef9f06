//! What is forgotten: of a person who asks for it, and of everybody after a time.
//!
//! A table that holds something personal has its line here, in [`FORGET`] and, where it holds photos, phone numbers or drafts, in
//! [`OVERDUE`]. What the books need stays: amounts, times, and who did what by number alone.

use std::time::Duration;

use super::{Database, Fault, Sql};

/// What goes when a person is forgotten, by table: `$1` is their number. Each may be repeated, and says how many rows had something.
///
/// What stays: when somebody was first and last seen; who took a coupon, made an invitation or used one, made or did an order, asked
/// or answered, worked in which shift and for how much, by number. The client of an order is not the person who wrote it down.
/// A conversation that is open ends with who asked, and waits for somebody else without who answered.
/// A photo that was downloaded stays where it was put, as long as photos are kept: it is a proof of work.
const FORGET: &[(&str, &str)] = &[
    (
        "users",
        "UPDATE users SET chat = NULL, name = '', username = '', language = '', speaks = NULL WHERE id = $1 \
         AND (chat IS NOT NULL OR name <> '' OR username <> '' OR language <> '' OR speaks IS NOT NULL)",
    ),
    ("roles", "DELETE FROM roles WHERE user_id = $1"),
    ("onboarding", "DELETE FROM onboarding WHERE user_id = $1"),
    (
        "photos",
        "UPDATE photos SET file_id = '', caption = NULL WHERE owner = $1 AND (file_id <> '' OR caption IS NOT NULL)",
    ),
    (
        "conversations",
        "UPDATE conversations SET closed_at = CASE WHEN person = $1 THEN opened_at END, \
         dispatcher = CASE WHEN dispatcher <> $1 THEN dispatcher END \
         WHERE closed_at IS NULL AND (person = $1 OR dispatcher = $1)",
    ),
    (
        "relays",
        "DELETE FROM relays WHERE chat = $1 OR conversation IN (SELECT id FROM conversations WHERE person = $1)",
    ),
    (
        "shift_media",
        "UPDATE shift_media SET file_id = '', lost = CASE WHEN path IS NULL THEN COALESCE(lost, 'forgotten') ELSE lost END \
         WHERE file_id <> '' AND shift IN (SELECT id FROM shifts WHERE worker = $1)",
    ),
];

/// What goes of everybody when it is old: `$1` is the time before which it is. Some at once, so that nobody waits long.
///
/// The number of an order's client goes a while after the order is closed: as long as it is open, somebody has to call. The number
/// of a profile goes a while after that was finished, whatever is said anew since.
const OVERDUE: &[Overdue] = &[
    Overdue::both(
        "onboarding",
        What::Drafts,
        "DELETE FROM onboarding WHERE user_id IN \
         (SELECT user_id FROM onboarding WHERE changed_at < $1 AND profile IS NULL LIMIT 500)",
    ),
    Overdue::both(
        "onboarding",
        What::Drafts,
        "UPDATE onboarding SET draft = NULL WHERE user_id IN \
         (SELECT user_id FROM onboarding WHERE changed_at < $1 AND draft IS NOT NULL LIMIT 500)",
    ),
    Overdue {
        table: "onboarding",
        what: What::Phones,
        sqlite: "UPDATE onboarding SET \
                 profile = CASE WHEN COALESCE(finished_at, changed_at) < $1 THEN json_remove(profile, '$.phone') ELSE profile END, \
                 draft = CASE WHEN changed_at < $1 THEN json_remove(draft, '$.phone') ELSE draft END \
                 WHERE user_id IN (SELECT user_id FROM onboarding \
                 WHERE (COALESCE(finished_at, changed_at) < $1 AND profile LIKE '%\"phone\":%') \
                 OR (changed_at < $1 AND draft LIKE '%\"phone\":%') LIMIT 500)",
        postgres: "UPDATE onboarding SET profile = CASE WHEN COALESCE(finished_at, changed_at) < $1 \
                   THEN (profile::jsonb - 'phone')::text ELSE profile END, \
                   draft = CASE WHEN changed_at < $1 THEN (draft::jsonb - 'phone')::text ELSE draft END \
                   WHERE user_id IN (SELECT user_id FROM onboarding \
                   WHERE (COALESCE(finished_at, changed_at) < $1 AND profile LIKE '%\"phone\":%') \
                   OR (changed_at < $1 AND draft LIKE '%\"phone\":%') LIMIT 500)",
    },
    Overdue::both(
        "orders",
        What::Phones,
        "UPDATE orders SET phone = '' WHERE id IN \
         (SELECT id FROM orders WHERE closed_at < $1 AND phone <> '' LIMIT 500)",
    ),
    Overdue::both(
        "photos",
        What::Photos,
        "UPDATE photos SET file_id = '', caption = NULL WHERE (id, place) IN (SELECT id, place FROM photos \
         WHERE created_at < $1 AND (file_id <> '' OR caption IS NOT NULL) LIMIT 500)",
    ),
    Overdue::both(
        "shift_media",
        What::Photos,
        "UPDATE shift_media SET file_id = '', lost = CASE WHEN path IS NULL THEN COALESCE(lost, 'expired') ELSE lost END \
         WHERE (shift, task, place) IN (SELECT shift, task, place FROM shift_media \
         WHERE added_at < $1 AND file_id <> '' LIMIT 500)",
    ),
];

/// How long personal data is kept; nothing: for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// Telegram's ids of photos, by which they can be had again, and the captions to them.
    pub photos: Option<Duration>,
    /// Phone numbers.
    pub phones: Option<Duration>,
    /// What was said in a dialogue that was not finished: as long as that would have waited.
    pub drafts: Option<Duration>,
}

/// What came of blanking what is old.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blanked {
    /// In so many rows.
    pub rows: u64,
    /// What could not be blanked, by its table, and why.
    pub failures: Vec<(&'static str, Fault)>,
}

/// Something that is blanked when it is old.
struct Overdue {
    table: &'static str,
    what: What,
    sqlite: &'static str,
    postgres: &'static str,
}

/// What is blanked.
#[derive(Debug, Clone, Copy)]
enum What {
    Photos,
    Phones,
    Drafts,
}

impl Sql {
    /// Forgets a person, but for what the books need: as much of it as can be, whatever fails. Answers how many rows of each table had something of theirs.
    pub async fn forget(&self, user: i64) -> Result<Vec<(&'static str, u64)>, Fault> {
        let mut forgotten = Vec::new();
        for (table, sql) in FORGET {
            let changed = self.changed(sql, user).await;
            forgotten.push(changed.map(|rows| (*table, rows)));
        }
        forgotten.into_iter().collect()
    }

    /// Blanks what is older than it may get. What fails keeps nothing else from being blanked.
    pub async fn blank_overdue(&self) -> Blanked {
        let mut blanked = Blanked::default();
        for overdue in OVERDUE {
            let Some(age) = self.retention().of(overdue.what) else {
                continue;
            };
            let before = self.before(age);
            let sql = overdue.sql(self.database());
            loop {
                match self.changed(sql, before).await {
                    Ok(0) => break,
                    Ok(some) => blanked.rows += some,
                    Err(fault) => {
                        blanked.failures.push((overdue.table, fault));
                        break;
                    }
                }
            }
        }
        blanked
    }

    /// Runs a statement with this one number, and says how many rows it changed.
    async fn changed(&self, sql: &'static str, number: i64) -> Result<u64, Fault> {
        self.write(async |connection| {
            let changed = sqlx::query(sql).bind(number).execute(connection).await?;
            Ok(changed.rows_affected())
        })
        .await
    }
}

impl Retention {
    fn of(&self, what: What) -> Option<Duration> {
        match what {
            What::Photos => self.photos,
            What::Phones => self.phones,
            What::Drafts => self.drafts,
        }
    }
}

impl Overdue {
    /// By a statement that both databases understand.
    const fn both(table: &'static str, what: What, sql: &'static str) -> Self {
        Self { table, what, sqlite: sql, postgres: sql }
    }

    fn sql(&self, database: &Database) -> &'static str {
        match database {
            Database::Sqlite(_) => self.sqlite,
            Database::Postgres(_) => self.postgres,
        }
    }
}
