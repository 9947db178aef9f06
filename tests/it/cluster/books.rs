//! What the store, the database and the metrics say at the end, held against what Telegram saw.

use std::collections::{BTreeMap, HashSet};

use sqlx::{Connection as _, PgConnection};
use steadfast::emulator::Update;
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
        let verdict = entries::compare(confirmed, &written);
        assert!(verdict.is_well(), "{verdict:#?}");
        let effects = number(&mut books, "SELECT count(*) FROM effects").await;
        assert_eq!(effects, written.len() as i64, "effects, and what they did");
        let refused = "SELECT count(*) FROM effects WHERE outcome <> 'applied'";
        assert_eq!(number(&mut books, refused).await, 0, "nothing was refused");
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
        let mut unseen: HashSet<i64> = HashSet::new();
        for (instance, death) in injuries.iter().flat_map(|injury| &injury.ended) {
            let series = applied.iter().find(|it| it.instance == *instance);
            let death_s = *death as f64 / 1e3;
            let seen = series.and_then(|it| it.last_before(death_s)).unwrap_or(0.0);
            let seen = (seen * 1e3) as u64;
            let under_way = |update: &&Update| {
                let mut attempts = update.attempts.iter();
                attempts.any(|it| it.at <= *death && it.at + it.duration_ms >= seen)
            };
            let missed = updates.iter().filter(under_way);
            unseen.extend(missed.map(|update| update.update_id));
        }
        let (known, unseen) = (updates.len() as f64, unseen.len() as f64);
        let said = format!(
            "Prometheus counted {counted} applied, {duplicates} duplicates, {ignored} ignored, {aside} lost or late connections; Telegram \
             knows of {known} updates, of which {unseen} were under way between the last scrape of a replica and its end"
        );
        assert!(counted <= known, "{said}");
        assert!(counted + ignored + unseen + aside >= known, "{said}");
        let sent = self
            .prometheus
            .series(&format!("{CALLS}{{method=\"sendMessage\",result=\"ok\"}}"))
            .await;
        let (sent, arrived) = (sum(&sent), self.telegram.sent().len() as f64);
        assert!(sent <= arrived, "{sent} sent, {arrived} arrived");
        format!("{said}; {sent} of {arrived} messages were counted")
    }
}

/// Tables that are written to in the run, and the one of the migrations.
const KNOWN: [&str; 5] = ["effects", "coupons", "photos", "users", "_sqlx_migrations"];

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
    let people = people.into_iter().map(|id| (id, Entry::Person));
    let coupons = coupons.into_iter().map(|(id, it)| (id, Entry::Coupon(it)));
    let photos = photos
        .into_iter()
        .map(|(id, it, to)| (id, Entry::Photos(it, to)));
    people.chain(coupons).chain(photos).collect()
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
