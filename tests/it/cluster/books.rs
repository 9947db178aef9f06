//! What the store and the replicas say at the end, held against what people know.

use std::collections::BTreeMap;
use std::ops::Range;

use steadfast::store::{Cursor, Person, Redis, RedisConfig, Store as _};

use crate::support::patience::until;
use crate::support::updates::{self, someone};

use super::bed::Bed;
use super::meters::{CALLS, REQUESTS};

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

    /// No lane is left, nor an owner, nor a time; every timer is that of a record, and every record that waits has one, which is not
    /// late. One that a dialogue has left behind goes when its time comes.
    pub(super) fn assert_no_orphans(&self, live: &[Person]) {
        let left = self.redis.left_in_lanes(&self.prefix);
        assert!(left.is_empty(), "{left:?}");
        let (dues, timers) = (self.dues(), self.timers());
        for record in timers.keys() {
            assert!(dues.contains_key(record), "a timer without a record: {record}");
        }
        let waiting = dues.iter().filter_map(|(record, due)| Some((record, (*due)?)));
        let mut count = 0;
        for (record, due) in waiting {
            let timer = timers.get(record);
            assert!(timer.is_some_and(|&timer| timer <= due), "{record}: {timer:?}, due {due}");
            count += 1;
        }
        let found = live.iter().filter(|person| person.due.is_some()).count();
        assert_eq!(count, found, "records that wait, and people that are found");
    }

    /// When each record is due, if it waits. Where that stands is told in `crates/store/src/redis/record.rs`.
    fn dues(&self) -> BTreeMap<String, Option<u64>> {
        const DUE: Range<usize> = 50..58;
        const LABELS: Range<usize> = 66..68;
        let mut connection = self.redis.connection();
        let read = |key: String| {
            let record: Vec<u8> =
                redis::cmd("GET").arg(&key).query(&mut connection).expect("a record");
            let due = u64::from_be_bytes(record[DUE].try_into().expect("eight bytes"));
            let is_live = record[LABELS] != [0, 0];
            (key, Some(due).filter(|&due| is_live && due > 0))
        };
        self.keys("d:*").into_iter().map(read).collect()
    }

    /// When the timer of each record is looked at.
    fn timers(&self) -> BTreeMap<String, u64> {
        let mut connection = self.redis.connection();
        let read = |key: String| {
            let range = redis::cmd("ZRANGE")
                .arg(&key)
                .arg(0)
                .arg(-1)
                .arg("WITHSCORES")
                .query(&mut connection);
            let timers: Vec<(String, u64)> = range.expect("timers");
            let place = key.trim_end_matches("timers").to_owned();
            timers.into_iter().map(move |(dialogue, at)| (format!("{place}d:{dialogue}"), at))
        };
        self.keys("timers").into_iter().flat_map(read).collect()
    }

    /// The keys of all partitions that are called so.
    fn keys(&self, name: &str) -> Vec<String> {
        let mut keys = redis::cmd("KEYS");
        let keys = keys.arg(format!("{}:*:{name}", self.prefix));
        keys.query(&mut self.redis.connection()).expect("keys")
    }

    /// Nothing was given up: whatever failed could be done later.
    pub(super) fn assert_nothing_put_aside(&self) {
        let letters = self.redis.letters(&self.prefix);
        assert!(letters.is_empty(), "dead letters: {letters:#?}");
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
}
