//! What a store in Redis does while Redis does not: no call hangs, nothing happens twice, and all is well afterwards.

use std::fmt::Debug;
use std::time::Duration;

use steadfast::store::{
    After, Cause, Commit, Committed, DialogueKey, Error, Item, LANE_LEASE, Lane, LaneKind, Loaded,
    Next, Receipt, Redis, RedisConfig, Result, Snapshot, Store, Token,
};
use tokio::time::{Instant, sleep, timeout};

use crate::support::authority::Authority;
use crate::support::deaf_proxy::{DeafProxy, Loses};
use crate::support::redis_server::{RedisServer, SLOW_TO_LOAD, prefix};

/// Far above the two seconds a call may take: these tests share their machine.
const BOUND: Duration = Duration::from_secs(45);

const KEY: DialogueKey = DialogueKey { chat: 7, user: 7, topic: None };

const MESSAGES: Lane = Lane { kind: LaneKind::Messages, chat: 7 };

#[tokio::test]
async fn a_redis_that_was_killed_comes_back_with_everything() {
    let mut server = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let store = connect(&server.url()).await;
    let receipt = turn(&store, 1).await;

    server.kill();
    assert_unavailable(&bounded(load(&store, 2)).await);
    assert_unavailable(&bounded(load(&store, 2)).await);

    server.restart();
    until_usable(&store).await;
    assert_eq!(bounded(load(&store, 1)).await, Ok(Loaded::Duplicate));
    let snapshot = fresh(&store, 2).await;
    assert_eq!(snapshot.version, receipt.version);
    assert_eq!(snapshot.body.as_deref(), Some(&b"{\"at\":1}"[..]));
}

#[tokio::test]
async fn a_restart_between_two_calls_goes_unnoticed() {
    let mut server = RedisServer::start(&["--appendonly", "yes"]);
    let store = connect(&server.url()).await;
    turn(&store, 1).await;
    server.restart();
    turn(&store, 2).await;
}

#[tokio::test]
async fn a_frozen_redis_holds_nobody_up() {
    let server = RedisServer::start::<&str>(&[]);
    let store = connect(&server.url()).await;
    turn(&store, 1).await;

    server.freeze();
    let call = |update| bounded(load(&store, update));
    let (first, second, third, fourth) = tokio::join!(call(2), call(3), call(4), call(5));
    [first, second, third, fourth].iter().for_each(assert_unavailable);
    assert_unavailable(&bounded(store.ping()).await);

    server.thaw();
    until_usable(&store).await;
    turn(&store, 9).await;
}

/// By the clock that the time-out goes by, which a busy machine does not bend: it stands still until nothing else is left to do.
#[tokio::test]
async fn every_call_to_a_frozen_redis_ends_after_two_seconds() {
    let server = RedisServer::start::<&str>(&[]);
    let store = connect(&server.url()).await;
    let held = turn(&store, 1).await;
    let commit = commit(&fresh(&store, 2).await, 2);
    let token = commit.turn;
    server.freeze();
    tokio::time::pause();
    let mut longest = Duration::ZERO;
    let mut lasts = |asked: Instant| longest = longest.max(asked.elapsed());
    for _ in 0..3 {
        let asked = Instant::now();
        assert_unavailable(&store.inspect().await);
        lasts(asked);
        let asked = Instant::now();
        assert_unavailable(&load(&store, 3).await);
        lasts(asked);
        let asked = Instant::now();
        assert_unavailable(&store.commit(&KEY, &commit).await);
        lasts(asked);
        let asked = Instant::now();
        assert_unavailable(&store.done(MESSAGES, token, "1.0", None).await);
        lasts(asked);
        let asked = Instant::now();
        assert_unavailable(&store.due(Token::fresh(), 10, None).await);
        lasts(asked);
        let asked = Instant::now();
        assert_unavailable(&store.people(None, None, 10).await);
        lasts(asked);
        let asked = Instant::now();
        assert_unavailable(&store.ping().await);
        lasts(asked);
    }
    println!("the longest of 21 calls to a frozen Redis took {longest:?}");
    // The timer rounds up to the next millisecond.
    assert!(longest <= Duration::from_millis(2010), "{longest:?}");
    tokio::time::resume();
    server.thaw();
    until_usable(&store).await;
    assert!(fresh(&store, 9).await.version >= held.version);
}

/// Each trip for itself would be in time.
#[tokio::test]
async fn a_call_of_several_trips_has_the_time_of_one() {
    let server = RedisServer::start::<&str>(&[]);
    let proxy = DeafProxy::before(server.port()).await;
    let mut config = RedisConfig::new(proxy.url(), prefix());
    config.call_timeout = Duration::from_secs(3);
    let store = Redis::connect(config).await.expect("Redis is there");
    turn(&store, 1).await;
    proxy.takes(Duration::from_secs(2));
    let people = bounded(store.people(None, None, 10)).await.map(drop);
    let due = bounded(store.due(Token::fresh(), 10, None)).await.map(drop);
    let found = bounded(store.inspect()).await.map(drop);
    for answer in [people, due, found] {
        assert_eq!(answer.map_err(|error| error.kind()), Err("timeout"));
    }
    proxy.takes(Duration::ZERO);
    until_usable(&store).await;
    turn(&store, 2).await;
}

#[tokio::test]
async fn a_paused_redis_holds_nobody_up() {
    let server = RedisServer::start::<&str>(&[]);
    let store = connect(&server.url()).await;
    turn(&store, 1).await;
    server.command(&["CLIENT", "PAUSE", "10000", "ALL"]);
    assert_unavailable(&bounded(load(&store, 2)).await);
    until_usable(&store).await;
    turn(&store, 3).await;
}

#[tokio::test]
async fn forgotten_scripts_are_sent_again() {
    let server = RedisServer::start::<&str>(&[]);
    let store = connect(&server.url()).await;
    for update in 1..60 {
        server.command(&["SCRIPT", "FLUSH"]);
        let snapshot = fresh(&store, update).await;
        server.command(&["SCRIPT", "FLUSH"]);
        pass(&store, &commit(&snapshot, update)).await;
        server.command(&["SCRIPT", "FLUSH"]);
        bounded(store.due(Token::fresh(), 10, None)).await.expect("what is due");
    }
}

#[tokio::test]
async fn after_everything_was_flushed_people_begin_anew() {
    let server = RedisServer::start::<&str>(&[]);
    let store = connect(&server.url()).await;
    turn(&store, 1).await;
    let stale = commit(&fresh(&store, 2).await, 2);
    server.command(&["FLUSHALL"]);

    let answer = bounded(store.commit(&KEY, &stale)).await;
    let Ok(Committed::Conflict(snapshot)) = answer else {
        panic!("a conflict, not {answer:?}");
    };
    assert_eq!((snapshot.version, snapshot.body), (0, None));
    let after = bounded(store.done(MESSAGES, stale.turn, "1:0", None)).await;
    assert_eq!(after, Ok(After::Empty));
    turn(&store, 3).await;
}

#[tokio::test]
async fn a_full_redis_refuses_and_recovers() {
    let server = RedisServer::start::<&str>(&[]);
    let store = connect(&server.url()).await;
    let snapshot = fresh(&store, 1).await;
    let commit = commit(&snapshot, 1);

    server.command(&["CONFIG", "SET", "maxmemory", "1"]);
    let answer = bounded(store.commit(&KEY, &commit)).await;
    assert_eq!(answer.map_err(|error| error.kind()), Err("oom"));
    assert_eq!(bounded(store.ping()).await.map_err(|error| error.kind()), Err("oom"));

    server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    let receipt = pass(&store, &commit).await;
    assert!(receipt.messages_leased, "a refused commit left nothing behind");
    assert_eq!(receipt.sequence, 1);
}

#[tokio::test]
async fn a_master_that_became_a_replica_is_left_until_it_is_one_again() {
    let server = RedisServer::start::<&str>(&[]);
    let store = connect(&server.url()).await;
    turn(&store, 1).await;
    server.command(&["REPLICAOF", "127.0.0.1", "1"]);
    let kinds = [bounded(load(&store, 2)).await, bounded(load(&store, 2)).await]
        .map(|answer| answer.map_err(|error| error.kind()));
    assert_eq!(kinds, [Err("readonly"), Err("readonly")]);
    server.command(&["REPLICAOF", "NO", "ONE"]);
    until_usable(&store).await;
    turn(&store, 2).await;
}

/// After a failover the old master goes on answering, as a replica, and the name already stands for the new one.
#[tokio::test]
async fn a_master_that_became_a_replica_is_left_for_the_new_one() {
    let (old, new, proxy, store) = before_a_failover(&[]).await;
    turn(&store, 1).await;
    proxy.leads_to(new.port());
    turn(&store, 2).await;
    old.command(&["REPLICAOF", "127.0.0.1", "1"]);
    until_usable(&store).await;
    turn(&store, 3).await;
}

/// The same where it may not answer what it can.
#[tokio::test]
async fn a_replica_that_lost_its_master_is_left_for_the_new_one() {
    let (old, new, proxy, store) = before_a_failover(&["--replica-serve-stale-data", "no"]).await;
    proxy.leads_to(new.port());
    old.command(&["REPLICAOF", "127.0.0.1", "1"]);
    let refused = bounded(store.kept("a")).await;
    assert_eq!(refused.map_err(|error| error.kind()), Err("masterdown"));
    until_answered(async || store.kept("a").await).await;
    turn(&store, 1).await;
}

/// It was cut off from them, and by now the name stands for the one that took over.
#[tokio::test]
async fn a_master_without_its_replicas_is_left_for_the_new_one() {
    let (old, new, proxy, store) = before_a_failover(&[]).await;
    turn(&store, 1).await;
    old.command(&["CONFIG", "SET", "min-replicas-to-write", "1"]);
    proxy.leads_to(new.port());
    let refused = bounded(load(&store, 2)).await;
    assert_eq!(refused.map_err(|error| error.kind()), Err("noreplicas"));
    until_usable(&store).await;
    turn(&store, 3).await;
}

/// A dial that is refused is not the last one.
#[tokio::test]
async fn a_password_that_is_put_right_again_is_got_over() {
    let server = RedisServer::start::<&str>(&[]);
    let ann = |password: &str| {
        let password = format!(">{password}");
        let rules = ["on", "resetpass", &password, "~*", "&*", "+@all"];
        server.command(&[&["ACL", "SETUSER", "ann"], &rules[..]].concat());
    };
    ann("right");
    let store = connect(&server.url().replace("//", "//ann:right@")).await;
    turn(&store, 1).await;
    ann("wrong");
    server.command(&["CLIENT", "KILL", "USER", "ann"]);
    for _ in 0..2 {
        let refused = bounded(load(&store, 2)).await;
        assert_eq!(refused.map_err(|error| error.kind()), Err("auth"));
    }
    ann("right");
    until_usable(&store).await;
    turn(&store, 2).await;
}

/// It was restarted with much to load, and by now the name stands for another one.
#[tokio::test]
async fn a_redis_that_loads_for_too_long_is_left_for_the_new_one() {
    let (old, new, proxy, store) = before_a_failover(&SLOW_TO_LOAD).await;
    turn(&store, 1).await;
    proxy.leads_to(new.port());
    old.load_slowly();
    let refused = bounded(load(&store, 2)).await;
    assert_eq!(refused.map_err(|error| error.kind()), Err("loading"));
    until_usable(&store).await;
    assert!(old.command(&["PING"]).starts_with("-LOADING"));
    turn(&store, 3).await;
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_repeated_blindly() {
    let server = RedisServer::start::<&str>(&[]);
    let proxy = DeafProxy::before(server.port()).await;
    let mut config = RedisConfig::new(proxy.url(), prefix());
    config.call_timeout = Duration::from_secs(3);
    let store = Redis::connect(config).await.expect("Redis is there");
    let commit = commit(&fresh(&store, 1).await, 1);

    proxy.lose_next(Loses::Answer);
    let lost = bounded(store.commit(&KEY, &commit)).await;
    assert_eq!(lost.map_err(|error| error.kind()), Err("timeout"));

    until_usable(&store).await;
    let receipt = pass(&store, &commit).await;
    assert!(receipt.messages_leased && receipt.jobs_leased);
    assert_eq!(receipt.sequence, 1, "it was put into effect once");
    assert_one_item(&store, commit.turn).await;
}

#[tokio::test]
async fn a_dropped_connection_repeats_the_commit_by_itself() {
    let server = RedisServer::start::<&str>(&[]);
    let proxy = DeafProxy::before(server.port()).await;
    let store = connect(&proxy.url()).await;
    let commit = commit(&fresh(&store, 1).await, 1);

    proxy.lose_next(Loses::Connection);
    let receipt = pass(&store, &commit).await;
    assert!(receipt.messages_leased && receipt.jobs_leased);
    assert_eq!(receipt.sequence, 1, "it was put into effect once");
    assert_one_item(&store, commit.turn).await;
}

#[tokio::test]
async fn nobody_there_is_said_at_once() {
    let mut server = RedisServer::start::<&str>(&[]);
    let url = server.url();
    server.kill();
    let answer = bounded(Redis::connect(RedisConfig::new(url, "sf"))).await;
    assert_eq!(answer.err().map(|error| error.kind()), Some("io"));
}

#[tokio::test]
async fn a_wrong_password_is_said_and_not_shown() {
    let server = RedisServer::start(&["--requirepass", "right"]);
    for (password, works) in [("right", true), ("wr0ng", false)] {
        let url = format!("redis://:{password}@127.0.0.1:{}/2", server.port());
        let answer = bounded(Redis::connect(RedisConfig::new(url, "sf"))).await;
        assert_eq!(answer.is_ok(), works);
        assert!(!format!("{answer:?}").contains(password));
        if let Err(error) = answer {
            assert_eq!(error.kind(), "auth");
        }
    }
}

#[tokio::test]
async fn tls_to_a_server_without_it_fails_politely() {
    let url = RedisServer::shared().url().replace("redis://", "rediss://");
    let answer = bounded(Redis::connect(RedisConfig::new(url, "sf"))).await;
    assert_unavailable(&answer);
}

#[tokio::test]
async fn tls_works_with_an_authority_of_ones_own() {
    let authority = Authority::new();
    let _server = RedisServer::start(&authority.settings());
    let mut config = RedisConfig::new(authority.url(), prefix());
    let stranger = bounded(Redis::connect(config.clone())).await;
    assert_eq!(stranger.err().map(|error| error.kind()), Some("io"));
    config.root_cert = Some(authority.certificate());
    let store = bounded(Redis::connect(config)).await.expect("a handshake");
    turn(&store, 1).await;
}

#[tokio::test]
async fn a_careless_set_up_is_found() {
    let server = RedisServer::start(&["--maxmemory-policy", "allkeys-lru"]);
    let store = connect(&server.url()).await;
    assert_eq!(failed(&store).await, ["eviction", "maxmemory", "persistence"]);
    server.command(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    server.command(&["CONFIG", "SET", "maxmemory", "100mb"]);
    server.command(&["CONFIG", "SET", "appendonly", "yes"]);
    assert_eq!(failed(&store).await, [""; 0]);
}

#[tokio::test]
async fn what_may_not_be_asked_is_said() {
    let server = RedisServer::start::<&str>(&[]);
    let rules = "ACL SETUSER ann on >pass ~sf:* +@all -config -info -role";
    server.command(&rules.split(' ').collect::<Vec<_>>());
    let store = connect(&format!("redis://ann:pass@127.0.0.1:{}", server.port())).await;
    assert_eq!(failed(&store).await, ["info", "appendfsync"]);
    turn(&store, 1).await;
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let store = connect(&RedisServer::shared().url()).await;
    store.close().await;
    let answer = bounded(load(&store, 1)).await;
    assert_eq!(answer.map_err(|error| error.kind()), Err("closed"));
}

/// It stood still for longer than a lease lasts, with a sweep on its way that nobody waits for any more. What that leased to nobody would
/// be lost to whoever holds it and has something to note.
#[tokio::test]
async fn a_sweep_that_nobody_waits_for_any_more_takes_no_lane() {
    // The first sweep of all must not either, although it does not know the clock.
    for looks in 0..2 {
        let server = RedisServer::start::<&str>(&[]);
        let (store, other) = (connect(&server.url()).await, connect(&server.url()).await);
        // Redis knows the script.
        other.due(Token::fresh(), 10, None).await.expect("a look");
        let token = Token::fresh();
        let item = Item { id: "a".to_owned(), body: "{}".into() };
        store.push(MESSAGES, token, &item).await.expect("pushed");
        for _ in 0..looks {
            store.due(Token::fresh(), 10, None).await.expect("a look");
        }
        server.freeze();
        let swept = store.due(Token::fresh(), 10, None).await;
        assert_unavailable(&swept);
        sleep(LANE_LEASE).await;
        server.thaw();
        until_usable(&store).await;
        assert_eq!(store.renew(&[(MESSAGES, token)]).await, Ok(vec![]));
    }
}

/// It comes in time itself, but what it takes could not be asked for any more: that would be nobody's for as long as a lease lasts.
#[tokio::test]
async fn a_sweep_that_comes_late_takes_no_lane_whose_head_it_cannot_ask_for() {
    let server = RedisServer::start::<&str>(&[]);
    let proxy = DeafProxy::before(server.port()).await;
    let mut config = RedisConfig::new(proxy.url(), prefix());
    config.call_timeout = Duration::from_secs(3);
    let near = RedisConfig { url: server.url(), ..config.clone() };
    let store = Redis::connect(config).await.expect("Redis is there");
    let other = Redis::connect(near).await.expect("Redis is there");
    // It knows the clock from then on.
    store.due(Token::fresh(), 10, None).await.expect("a look");
    let token = Token::fresh();
    let item = Item { id: "a".to_owned(), body: "{}".into() };
    other.push(MESSAGES, token, &item).await.expect("pushed");
    let free = other.retry(MESSAGES, token, Duration::ZERO).await;
    assert_eq!(free, Ok(true));

    proxy.asks_after(Duration::from_secs(2));
    let late = bounded(store.due(Token::fresh(), 10, None)).await;
    let lanes = other.due(Token::fresh(), 10, None).await.map(|due| due.lanes);
    let lanes = lanes.expect("Redis is there");
    assert_eq!(lanes.len(), 1, "{late:?}");
}

/// A Redis so set up, one to take over from it, the name that leads to the first, and a store at that name.
async fn before_a_failover(settings: &[&str]) -> (RedisServer, RedisServer, DeafProxy, Redis) {
    let (old, new) = (RedisServer::start(settings), RedisServer::start::<&str>(&[]));
    let proxy = DeafProxy::before(old.port()).await;
    let store = connect(&proxy.url()).await;
    (old, new, proxy, store)
}

async fn connect(url: &str) -> Redis {
    let config = RedisConfig::new(url, prefix());
    bounded(Redis::connect(config)).await.expect("Redis is there")
}

async fn load(store: &Redis, update: u32) -> Result<Loaded> {
    store.load(&KEY, Cause::Update(update), Token::fresh()).await
}

async fn fresh(store: &Redis, update: u32) -> Snapshot {
    match bounded(load(store, update)).await {
        Ok(Loaded::Fresh(snapshot)) => snapshot,
        other => panic!("a dialogue was to be loaded for {update}, got {other:?}"),
    }
}

async fn pass(store: &Redis, commit: &Commit) -> Receipt {
    match bounded(store.commit(&KEY, commit)).await {
        Ok(Committed::Done(receipt)) => receipt,
        other => panic!("a commit was to pass, got {other:?}"),
    }
}

async fn turn(store: &Redis, update: u32) -> Receipt {
    pass(store, &commit(&fresh(store, update).await, update)).await
}

fn commit(snapshot: &Snapshot, update: u32) -> Commit {
    let item = |index| Item { id: format!("{update}:{index}"), body: "{}".into() };
    Commit {
        turn: Token::fresh(),
        cause: Cause::Update(update),
        expected: snapshot.version,
        loaded_at: snapshot.now,
        next: Next {
            labels: vec!["order/phone".into()],
            body: format!("{{\"at\":{update}}}").into(),
            due: Some(snapshot.now + 60_000),
            idle: Duration::from_secs(60),
        },
        messages: vec![item(0)],
        jobs: vec![item(1)],
        dead: None,
        settles: None,
    }
}

async fn assert_one_item(store: &Redis, token: Token) {
    let after = bounded(store.done(MESSAGES, token, "1:0", None)).await;
    assert_eq!(after, Ok(After::Empty));
}

#[track_caller]
fn assert_unavailable<T: Debug>(answer: &Result<T>) {
    assert!(matches!(answer, Err(Error::Unavailable { .. })), "{answer:?}");
}

async fn failed(store: &Redis) -> Vec<&'static str> {
    let findings = bounded(store.inspect()).await.expect("findings");
    let failed = findings.into_iter().filter(|finding| !finding.ok);
    failed.map(|finding| finding.check).collect()
}

async fn bounded<T>(call: impl Future<Output = T>) -> T {
    timeout(BOUND, call).await.expect("a call that comes back")
}

async fn until_usable(store: &Redis) {
    until_answered(async || store.ping().await).await;
}

async fn until_answered<T>(call: impl AsyncFn() -> Result<T>) {
    let started = Instant::now();
    while let Err(error) = bounded(call()).await {
        assert!(started.elapsed() < BOUND, "not usable again: {error}");
        sleep(Duration::from_millis(50)).await;
    }
}
