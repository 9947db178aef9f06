//! What the store, the database and the metrics say at the end, held against what Telegram saw.

use std::collections::BTreeMap;

use sqlx::{Connection as _, PgConnection};
use steadfast::emulator::{Call, Millis, Update};
use steadfast::store::{Cursor, Person, Redis, RedisConfig, Store as _};

use crate::support::patience::until;
use crate::support::updates::{self, someone};

use super::bed::Bed;
use super::entries::{self, Entry, Line};
use super::faults::Injury;

const REQUESTS: &str = "steadfast_webhook_requests_total";
const CALLS: &str = "steadfast_telegram_calls_total";
const ACTIVE: &str = "steadfast_dialogues_active";

/// How many updates each replica has to serve in a row.
const IN_A_ROW: usize = 5;

impl Bed {
    /// Everybody who is in a dialogue, as the store pages them.
    pub(super) async fn live(&self) -> Vec<Person> {
        let config = RedisConfig::new(self.redis.url(), self.prefix.clone());
        let store = Redis::connect(config).await.expect("Redis is there");
        let (mut people, mut cursor) = (Vec::new(), Some(Cursor::default()));
        while let Some(at) = cursor {
            let page = store.people(None, Some(at), 500).await.expect("a page");
            people.extend(page.people);
            cursor = page.next;
        }
        store.close().await;
        people
    }

    /// The counts of every replica are those of the records that are there.
    pub(super) async fn assert_counted(&self, live: &[Person]) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for label in live.iter().flat_map(|person| &person.labels) {
            *counts.entry(label).or_default() += 1;
        }
        for replica in &self.replicas {
            until(format!("the dialogues are {counts:?}"), async || {
                let metrics = replica.server().metrics().await;
                let fits = |(label, count): (&&str, &usize)| {
                    let (flow, state) = label.split_once('/').expect("a flow and a state");
                    let labels = [format!("flow=\"{flow}\""), format!("state=\"{state}\"")];
                    metrics.sum(ACTIVE, &labels.each_ref().map(String::as_str)) == *count as f64
                };
                let all: usize = counts.values().sum();
                let whole = metrics.sum(ACTIVE, &[]) == all as f64;
                (whole && counts.iter().all(fits)).then_some(())
            })
            .await;
        }
    }

    /// No lane is left, nor an owner, nor a time; every timer is that of a record, and every record that waits has one.
    pub(super) fn assert_no_orphans(&self, live: &[Person]) {
        let left = self.redis.left_in_lanes(&self.prefix);
        assert!(left.is_empty(), "{left:?}");
        let mut connection = self.redis.connection();
        let keys: Vec<String> = redis::cmd("KEYS")
            .arg(format!("{}:*:timers", self.prefix))
            .query(&mut connection)
            .expect("keys");
        let mut timers = 0;
        for key in keys {
            let range = redis::cmd("ZRANGE")
                .arg(&key)
                .arg(0)
                .arg(-1)
                .query(&mut connection);
            let dialogues: Vec<String> = range.expect("timers");
            let place = key.trim_end_matches("timers");
            for dialogue in dialogues {
                let record = format!("{place}d:{dialogue}");
                let there = redis::cmd("EXISTS").arg(&record).query(&mut connection);
                assert_eq!(there, Ok(true), "a timer without a record: {record}");
                timers += 1;
            }
        }
        let waiting = live.iter().filter(|person| person.due.is_some()).count();
        assert_eq!(timers, waiting, "timers, and records that wait");
        assert_eq!(
            self.redis.letters(&self.prefix),
            Vec::<serde_json::Value>::new()
        );
    }

    /// The books hold what people were told that they do, and nothing else: not a row, not an effect, not a refusal.
    pub(super) async fn assert_recorded(&self, confirmed: &[Line]) {
        let mut books = PgConnection::connect(&self.database)
            .await
            .expect("PostgreSQL answers");
        let written = written(&mut books).await;
        let (passing, lasting): (Vec<Line>, Vec<Line>) = confirmed
            .iter()
            .cloned()
            .partition(|(_, entry)| *entry == Entry::Passing);
        let verdict = entries::compare(&lasting, &written);
        assert!(verdict.is_well(), "{verdict:#?}");
        let effects = "SELECT count(*) FROM effects WHERE outcome = 'applied'";
        let did = written.len() + passing.len();
        assert_eq!(number(&mut books, effects).await, did as i64, "effects");
        // Two who wanted the same number for their orders: the other got the next one.
        let refused = "SELECT count(*) FROM effects WHERE outcome <> 'applied' AND reason IS DISTINCT FROM 'number'";
        assert_eq!(number(&mut books, refused).await, 0, "nothing was refused");
        for left in [
            "SELECT count(*) FROM orders WHERE status <> 'closed'",
            "SELECT count(*) FROM onboarding WHERE draft IS NOT NULL",
            "SELECT count(*) FROM conversations WHERE closed_at IS NULL OR dispatcher IS NULL",
        ] {
            assert_eq!(number(&mut books, left).await, 0, "{left}");
        }
        for table in others(&mut books).await {
            let rows = number(&mut books, &format!("SELECT count(*) FROM {table}")).await;
            assert_eq!(rows, 0, "nobody did anything that is written into {table}");
        }
    }

    /// Puts coupons there for these people: `person-1` and so on.
    pub(super) async fn stock(&self, people: &[i64], each: usize) {
        let mut connection = PgConnection::connect(&self.database)
            .await
            .expect("PostgreSQL answers");
        for person in people {
            let sql = format!(
                "INSERT INTO coupons (code) SELECT '{person}-' || number FROM generate_series(1, {each}) number"
            );
            let stocked = sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
                .execute(&mut connection)
                .await;
            stocked.expect("coupons");
        }
    }

    /// Gives these people roles, as an operator does.
    pub(super) async fn employ(&self, people: &[(i64, &str)]) {
        let mut connection = PgConnection::connect(&self.database)
            .await
            .expect("PostgreSQL answers");
        for (person, role) in people {
            let sql = format!(
                "INSERT INTO roles (role, user_id, given_at) VALUES ('{role}', {person}, 0)"
            );
            let given = sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
                .execute(&mut connection)
                .await;
            given.expect("a role");
        }
    }

    /// Every replica serves updates in a row, and its own metrics agree with what it was sent to the last one.
    pub(super) async fn assert_alive(&self) {
        for replica in &self.replicas {
            let (user, server) = (someone(), replica.server());
            let before = server.metrics().await;
            for number in 0..IN_A_ROW {
                let photo = updates::Update::photo(user).captioned(&format!("{user}-{number}"));
                // The second time it is a duplicate.
                for _ in 0..2 {
                    let answer = updates::post(replica.webhook, &photo).await;
                    assert_eq!(answer.expect("an answer").status, 200, "{}", replica.name());
                }
            }
            until(format!("{} has counted it", replica.name()), async || {
                let now = server.metrics().await;
                let grown =
                    |name: &str, label: &str| now.sum(name, &[label]) - before.sum(name, &[label]);
                let counted = [
                    grown(REQUESTS, "outcome=\"applied\""),
                    grown(REQUESTS, "outcome=\"duplicate\""),
                    grown(CALLS, "result=\"ok\""),
                ];
                (counted == [IN_A_ROW as f64; 3]).then_some(())
            })
            .await;
            let sent = self.telegram.sent_to(&[user].into());
            assert_eq!(sent.len(), IN_A_ROW, "{}", replica.name());
        }
    }

    /// What Prometheus has seen agrees with what Telegram has.
    ///
    /// What a process counted after it was last scraped died with it. So an update may be missing from the count if it was under way
    /// between the last scrape of a process that ended and its end; and if its connection was lost or it took too long, it was
    /// counted as that. None may be there that Telegram does not know of.
    ///
    /// Likewise every further time that an update was taken is a duplicate, and every message that arrived was sent, or its sender
    /// does not know.
    pub(super) async fn assert_metered(&self, updates: &[Update], injuries: &[Injury]) -> String {
        let of = async |outcome: &str| {
            let selector = format!("{REQUESTS}{{outcome=\"{outcome}\"}}");
            self.prometheus.series(&selector).await
        };
        let sum = |series: &[crate::support::prometheus::Series]| -> f64 {
            series.iter().map(|series| series.total()).sum()
        };
        let applied = of("applied").await;
        let [counted, duplicates, ignored] = [
            sum(&applied),
            sum(&of("duplicate").await),
            sum(&of("ignored").await),
        ];
        let aside = sum(&of("dropped").await) + sum(&of("timeout").await);
        let deaths = injuries.iter().flat_map(|injury| &injury.ended);
        let blind: Vec<(Millis, Millis)> = deaths
            .map(|(instance, death)| {
                let series = applied.iter().find(|it| it.instance == *instance);
                let seen = series.and_then(|it| it.last_before(*death as f64 / 1e3));
                ((seen.unwrap_or(0.0) * 1e3) as Millis, *death)
            })
            .collect();
        let is_unseen = |at: Millis, lasted: Millis| {
            let mut blind = blind.iter();
            blind.any(|(seen, death)| at <= *death && at + lasted >= *seen)
        };
        let was_under_way = |update: &&Update| {
            let mut attempts = update.attempts.iter();
            attempts.any(|it| is_unseen(it.at, it.duration_ms))
        };
        let unseen = updates.iter().filter(was_under_way).count() as f64;
        let again: usize = updates
            .iter()
            .map(|update| {
                let ok = update.attempts.iter().filter(|it| it.status == Some(200));
                let ok: Vec<_> = ok.collect();
                let missed = ok.iter().filter(|it| is_unseen(it.at, it.duration_ms));
                (ok.len() - missed.count()).saturating_sub(1)
            })
            .sum();
        let known = updates.len() as f64;
        let said = format!(
            "Prometheus counted {counted} applied, {duplicates} duplicates, {ignored} ignored, {aside} lost or late connections; Telegram \
             knows of {known} updates, of which {unseen} were under way between the last scrape of a replica and its end"
        );
        assert!(counted <= known, "{said}");
        assert!(counted + ignored + unseen + aside >= known, "{said}");
        let said = format!("{said}; {again} were seen to be taken again");
        assert!(duplicates + ignored >= again as f64, "{said}");
        let calls = async |result: &str| {
            let selector = format!("{CALLS}{{method=\"sendMessage\",result{result}\"ok\"}}");
            sum(&self.prometheus.series(&selector).await)
        };
        let (sent, unsure) = (calls("=").await, calls("!=").await);
        let arrived = self.telegram.sent();
        let was_unseen = |call: &&Call| is_unseen(call.at, call.duration_ms);
        let unseen = arrived.iter().filter(was_unseen).count() as f64;
        let arrived = arrived.len() as f64;
        let said = format!(
            "{said}; {sent} of {arrived} messages were counted, {unsure} without knowing, {unseen} by nobody who lived"
        );
        assert!(sent <= arrived, "{said}");
        assert!(sent + unsure + unseen >= arrived, "{said}");
        said
    }
}

/// Tables that are written to in the run, and the one of the migrations.
const KNOWN: [&str; 11] = [
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
    "_sqlx_migrations",
];

/// A query that tells whose something is and a number of it, and what that makes an entry of.
type Numbered = (&'static str, fn(i64) -> Entry);

/// Everything that came of a step, a line for each.
async fn written(books: &mut PgConnection) -> Vec<Line> {
    let people: Vec<i64> = sqlx::query_scalar("SELECT id FROM users")
        .fetch_all(&mut *books)
        .await
        .expect("people");
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
        ("SELECT person, 0::bigint FROM conversations", |_| {
            Entry::Conversation
        }),
        ("SELECT chat, message FROM relays", |_| Entry::Relay),
    ];
    let mut all: Vec<Line> = Vec::new();
    for (sql, entry) in numbered {
        let rows: Vec<(i64, i64)> = sqlx::query_as(sql)
            .fetch_all(&mut *books)
            .await
            .expect("what is told of by numbers");
        all.extend(rows.into_iter().map(|(id, number)| (id, entry(number))));
    }
    let introduced = introduced.into_iter();
    all.extend(introduced.map(|(id, name)| (id, Entry::Introduced(name))));
    let people = people.into_iter().map(|id| (id, Entry::Person));
    let coupons = coupons.into_iter().map(|(id, it)| (id, Entry::Coupon(it)));
    let photos = photos
        .into_iter()
        .map(|(id, it, to)| (id, Entry::Photos(it, to)));
    all.extend(people.chain(coupons).chain(photos));
    all
}

/// The tables that nobody in the run writes to.
async fn others(books: &mut PgConnection) -> Vec<String> {
    let sql =
        "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
    let mut tables: Vec<String> = sqlx::query_scalar(sql)
        .fetch_all(books)
        .await
        .expect("tables");
    tables.retain(|table| !KNOWN.contains(&&**table));
    assert!(tables.len() > 5, "{tables:?}");
    tables
}

async fn number(books: &mut PgConnection, sql: &str) -> i64 {
    let asked = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned()));
    asked.fetch_one(books).await.expect("a number")
}
