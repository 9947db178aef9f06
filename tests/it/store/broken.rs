//! Records that were spoiled where they lie: nobody is trapped, nothing of them stays, and their bytes are told.

use steadfast::store::{
    Cause, Committed, DialogueKey, Limits, Loaded, RedisConfig, Snapshot, Token, UNREADABLE,
};
use tempfile::TempDir;

use crate::support::back_door::{BackDoor, named};
use crate::support::bed::{Bed, key, plain, seconds};
use crate::support::redis_server::{RedisServer, prefix};

const ANN: DialogueKey = DialogueKey { chat: 5, user: 5, topic: None };

/// A store, and a way to its records behind its back.
struct Den {
    bed: Bed,
    back_door: BackDoor,
    _ground: Option<TempDir>,
}

impl Den {
    async fn embedded() -> Self {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("store.db");
        Self {
            bed: Bed::embedded_at(&path, Limits::default()),
            back_door: BackDoor::File(path),
            _ground: Some(directory),
        }
    }

    async fn redis(server: &'static RedisServer) -> Self {
        let prefix = prefix();
        let config = RedisConfig::new(server.url(), prefix.clone());
        Self {
            bed: Bed::redis_as(config).await,
            back_door: BackDoor::Redis(server, prefix),
            _ground: None,
        }
    }

    /// ANN's record as it lies there.
    fn record(&self) -> Vec<u8> {
        self.back_door.record(&ANN)
    }

    /// Puts these bytes in the place of ANN's record.
    fn spoil(&self, bytes: &[u8]) {
        self.back_door.spoil(&ANN, bytes);
    }

    /// ANN, who cannot be read.
    async fn unreadable(&self) -> Snapshot {
        let snapshot = self.bed.fresh(&ANN, Cause::Update(9)).await;
        assert_eq!(snapshot.version, UNREADABLE);
        snapshot
    }
}

/// Stamps the cases for each store that has a back door. Memory has none; its rules are those of the file.
macro_rules! cases {
    ($($case:ident,)*) => {
        cases! { embedded, Den::embedded(); $($case)* }
        cases! { redis_shared, Den::redis(RedisServer::shared()); $($case)* }
        cases! { redis_by_slots, Den::redis(RedisServer::by_slots()); $($case)* }
    };
    ($store:ident, $den:expr; $($case:ident)*) => {
        mod $store {
            use super::*;
            $(
                #[tokio::test]
                async fn $case() {
                    super::$case($den.await).await;
                }
            )*
        }
    };
}

cases! {
    what_cannot_be_read_is_told_byte_for_byte_and_left_alone,
    a_commit_takes_its_place_and_nothing_of_it_stays,
    a_commit_of_a_turn_that_did_not_meet_it_conflicts,
    the_end_of_a_spoiled_idle_record_is_not_that_of_the_next,
    one_that_cannot_be_read_hides_no_others,
    a_record_cut_off_anywhere_traps_nobody,
}

async fn what_cannot_be_read_is_told_byte_for_byte_and_left_alone(den: Den) {
    let bed = &den.bed;
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    den.spoil(b"from the \xff future");
    for _ in 0..2 {
        let snapshot = den.unreadable().await;
        assert_eq!(snapshot.unreadable.as_deref(), Some(&b"from the \xff future"[..]));
        assert_eq!((snapshot.body, snapshot.due, snapshot.tries), (None, None, 0));
    }
    for guilty in [true, false] {
        assert_eq!(bed.blame(&ANN, Cause::Update(9), Token::fresh(), guilty).await, Ok(0));
    }
    let person = bed.peek(&ANN).await.expect("a look").expect("somebody");
    assert_eq!(person.unreadable.as_deref(), Some(&b"from the \xff future"[..]));
    assert_eq!(den.record(), b"from the \xff future");
}

async fn a_commit_takes_its_place_and_nothing_of_it_stays(den: Den) {
    let (bed, bob) = (&den.bed, key(5, 6));
    let before = bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    bed.turn(&bob, Cause::Update(2), |_| {}).await;
    bed.advance(seconds(1));
    den.spoil(b"");
    let commit = {
        let mut commit = plain(&den.unreadable().await, Cause::Update(9));
        commit.next.labels = vec!["order/name".into()];
        commit.next.due = commit.next.due.map(|due| due + 3_600_000);
        commit.dead = Some("letter".into());
        commit
    };
    let receipt = bed.pass(&ANN, &commit).await;
    assert!(receipt.version > before.version, "{receipt:?} {before:?}");
    assert_eq!(bed.pass(&ANN, &commit).await.version, receipt.version, "the same turn");
    assert_eq!(bed.counts().await, [("order/name".into(), 1), ("order/phone".into(), 1)]);
    assert_eq!(bed.dead_letters(9).await, Ok(vec!["letter".into()]));
    bed.advance(seconds(3700));
    let due: Vec<DialogueKey> = bed.timers(None).await.into_iter().map(|(key, _)| key).collect();
    assert_eq!(due, [bob], "the timer of the spoiled record is gone");
    bed.turn(&ANN, Cause::Update(10), |commit| commit.next.labels.clear()).await;
    bed.turn(&bob, Cause::Update(11), |commit| commit.next.labels.clear()).await;
    assert_eq!(bed.counts().await, []);
}

async fn a_commit_of_a_turn_that_did_not_meet_it_conflicts(den: Den) {
    let bed = &den.bed;
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let early = bed.fresh(&ANN, Cause::Update(2)).await;
    den.spoil(b"x");
    let refused = bed.commit(&ANN, &plain(&early, Cause::Update(2))).await;
    let Ok(Committed::Conflict(now)) = refused else {
        panic!("expected a conflict, got {refused:?}");
    };
    assert_eq!((now.version, now.unreadable.as_deref()), (UNREADABLE, Some(&b"x"[..])));
    let late = plain(&now, Cause::Update(3));
    bed.pass(&ANN, &plain(&now, Cause::Update(2))).await;
    let refused = bed.commit(&ANN, &late).await;
    assert!(matches!(refused, Ok(Committed::Conflict(now)) if now.unreadable.is_none()));
}

async fn the_end_of_a_spoiled_idle_record_is_not_that_of_the_next(den: Den) {
    let bed = &den.bed;
    bed.turn(&ANN, Cause::Update(1), |commit| {
        commit.next.labels.clear();
        commit.next.idle = seconds(60);
    })
    .await;
    den.spoil(b"x");
    let commit = plain(&den.unreadable().await, Cause::Update(2));
    bed.pass(&ANN, &commit).await;
    bed.advance(seconds(100));
    assert_eq!(bed.timers(None).await, []);
    let person = bed.peek(&ANN).await.expect("a look");
    assert_eq!(person.map(|person| person.labels), Some(commit.next.labels));
}

async fn one_that_cannot_be_read_hides_no_others(den: Den) {
    let bed = &den.bed;
    for user in [5, 6] {
        bed.turn(&key(5, user), Cause::Update(1), |_| {}).await;
    }
    den.spoil(b"x");
    let page = bed.people(None, None, 9).await.expect("people");
    let mut people: Vec<_> =
        page.people.iter().map(|one| (one.key.user, one.unreadable.is_some())).collect();
    people.sort_unstable();
    assert_eq!(people, [(5, true), (6, false)]);
    let page = bed.people(Some("order/phone"), None, 9).await.expect("people");
    assert_eq!(page.people.len(), 1);
}

async fn a_record_cut_off_anywhere_traps_nobody(den: Den) {
    let bed = &den.bed;
    bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let whole = den.record();
    for length in 0..whole.len() {
        den.spoil(&whole[..length]);
        let cause = Cause::Update(100 + length as u32);
        let loaded = bed.load(&ANN, cause, Token::fresh()).await;
        let Ok(Loaded::Fresh(snapshot)) = loaded else {
            panic!("cut off after {length}: {loaded:?}");
        };
        bed.pass(&ANN, &plain(&snapshot, cause)).await;
        assert_eq!(bed.counts().await, [("order/phone".into(), 1)], "{length}");
    }
}

#[tokio::test]
async fn what_is_not_even_a_string_is_told_too_and_a_commit_takes_its_place() {
    let server = RedisServer::shared();
    let den = Den::redis(server).await;
    den.bed.turn(&ANN, Cause::Update(1), |_| {}).await;
    let BackDoor::Redis(_, prefix) = &den.back_door else {
        panic!("it is Redis");
    };
    let record = named(prefix, &ANN);
    redis::cmd("DEL").arg(&record).exec(&mut server.connection()).expect("gone");
    let mut set = redis::cmd("HSET");
    set.arg(&record).arg("a field").arg("a value").exec(&mut server.connection()).expect("set");
    let snapshot = den.unreadable().await;
    let told = snapshot.unreadable.clone().expect("its bytes").escape_ascii().to_string();
    assert!(told.contains("a field"), "{told}");
    assert!(den.bed.peek(&ANN).await.expect("a look").is_some());
    den.bed.pass(&ANN, &plain(&snapshot, Cause::Update(2))).await;
    assert_eq!(den.bed.counts().await, [("order/phone".into(), 1)]);
}

/// A newer build may know lanes of another kind. What this one knows is due all the same.
#[tokio::test]
async fn what_is_due_and_not_known_holds_up_nothing_else() {
    let server = RedisServer::shared();
    let den = Den::redis(server).await;
    let BackDoor::Redis(_, prefix) = &den.back_door else {
        panic!("it is Redis");
    };
    den.bed
        .turn(&ANN, Cause::Update(1), |commit| {
            commit.next.due = Some(commit.loaded_at + 1000);
            commit.messages = vec![crate::support::bed::item(1)];
        })
        .await;
    let partition = named(prefix, &ANN);
    let (partition, _) = partition.rsplit_once(":d:").expect("the name of a record");
    for (set, member) in [("claims", "telepathy:5"), ("timers", "five:six")] {
        redis::cmd("ZADD")
            .arg(format!("{partition}:{set}"))
            .arg(0)
            .arg(member)
            .exec(&mut server.connection())
            .expect("added");
    }
    den.bed.advance(crate::support::bed::seconds(60));
    let due = den.bed.due(Token::fresh(), 100, None).await;
    let due = due.expect("what is due");
    assert_eq!((due.timers.len(), due.lanes.len()), (1, 1));
    let timers = format!("{partition}:timers");
    assert_eq!(members(server, &timers), 2, "the other build's is left");
}

/// Else every look at those who are in a dialogue would pass by all who were.
#[tokio::test]
async fn who_pages_through_people_takes_away_the_timers_of_what_is_over() {
    let server = RedisServer::shared();
    let den = Den::redis(server).await;
    let BackDoor::Redis(_, prefix) = &den.back_door else {
        panic!("it is Redis");
    };
    for user in 1..=9 {
        let there = key(5, user);
        den.bed.turn(&there, Cause::Update(1), |_| {}).await;
        den.bed
            .turn(&there, Cause::Update(2), |commit| {
                if user != 9 {
                    commit.next.labels.clear();
                }
            })
            .await;
    }
    let timers = named(prefix, &ANN);
    let (partition, _) = timers.rsplit_once(":d:").expect("the name of a record");
    let timers = format!("{partition}:timers");
    assert_eq!(members(server, &timers), 9, "they are left where they were");
    let page = den.bed.people(None, None, 2).await.expect("a page");
    let found: Vec<i64> = page.people.iter().map(|person| person.key.user).collect();
    assert_eq!(found, [9], "no page is empty while there is somebody");
    assert_eq!(members(server, &timers), 1);
}

/// How many there are in a sorted set.
fn members(server: &RedisServer, set: &str) -> usize {
    let mut count = redis::cmd("ZCARD");
    let count = count.arg(set).query(&mut server.connection());
    count.expect("a sorted set")
}
