//! Stopping in order: what was answered is committed, what is unsaid is left to others, and nobody waits for a lease.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use serde_json::Value;
use tokio::time::sleep;

use crate::support::bot_api::{BotApi, Reply};
use crate::support::http;
use crate::support::patience::all_at_once;
use crate::support::redis_server::RedisServer;
use crate::support::server::{Setup, logged};
use crate::support::updates::{Update, post, someone};
use crate::support::world::{ASKED, World, thanks};

/// Twelve stops under load: not one message is lost, and not one comes twice.
#[tokio::test]
async fn servers_that_are_stopped_in_turn_under_load_lose_and_double_nothing() {
    let mut world = World::two().await;
    world.api.rule(|_| Reply::Slow(Duration::from_millis(5)));
    let (over, telegram) = (AtomicBool::new(false), world.telegram.clone());
    let people: Vec<i64> = (0..6).map(|_| someone()).collect();
    let scripts = people.iter().map(async |user| {
        let mut rounds = 0;
        while !over.load(Ordering::Relaxed) {
            let caption = format!("{user} {rounds}");
            let updates = [Update::photo(*user), Update::text(*user, &caption)];
            telegram.deliver_all(&updates).await;
            rounds += 1;
        }
        (*user, rounds)
    });
    let stops = async {
        for stop in 0..12 {
            sleep(Duration::from_millis(150)).await;
            let server = world.servers.remove(stop % 2);
            check_steps(&server.stop().await);
            let server = world.setup.start().await;
            world.servers.insert(stop % 2, server);
            telegram.turn_to(&world.servers);
        }
        over.store(true, Ordering::Relaxed);
    };
    let (outcomes, ()) = tokio::join!(all_at_once(scripts), stops);
    for (user, rounds) in outcomes {
        let round = |round| [ASKED.to_owned(), thanks(&format!("{user} {round}"))];
        let expected: Vec<String> = (0..rounds).flat_map(round).collect();
        assert!(rounds > 0);
        assert_eq!(world.told(user).await, expected);
    }
    world.until_counted(&[]).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
}

/// What it waits for never comes.
#[tokio::test]
async fn a_server_that_is_stopped_while_it_starts_ends_well() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let silent = silent.expect("a port");
    let port = silent.local_addr().expect("its address").port();
    let url = format!("postgres://bot@127.0.0.1:{port}/bot");
    let setup = Setup::memory(&BotApi::start()).with("DATABASE_URL", &url);
    let server = setup.begin(&["serve"]);
    let _peer = silent.accept().await.expect("it asks for its database");
    kill(server.pid(), Signal::SIGTERM).expect("it runs");
    assert_eq!(server.ended().await, Some(0));
}

/// Each step is in the log, in its order.
fn check_steps(log: &[String]) {
    let steps = logged(log, "stopping").filter_map(|line| match &line["step"] {
        Value::String(step) => Some(step.clone()),
        _ => None,
    });
    let expected = [
        "requests in flight finished",
        "sweeper",
        "outbox",
        "sign of life",
        "commands",
        "commands of members",
        "own name",
        "records upkeep",
        "operations listener closed",
        "store probe",
        "dialogue count",
        "metrics upkeep",
        "records closed",
        "store closed",
    ];
    assert_eq!(steps.collect::<Vec<_>>(), expected);
    assert_eq!(logged(log, "stopped").count(), 1);
}

/// A server with much to say stops after the message in hand. Its lanes belong to nobody then, and the next one goes on.
#[tokio::test]
async fn a_server_that_stops_gives_its_lanes_back() {
    let redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let setup = Setup::redis(&api, &redis);
    let mut world = World::raise(api, setup, 1).await;
    world.api.rule(|_| Reply::Slow(Duration::from_secs(1)));
    let user = someone();
    for _ in 0..10 {
        world.deliver(Update::text(user, "/cancel")).await;
    }
    world.api.until_sent(user, 2).await;
    world.servers.remove(0).stop().await;

    let said = world.api.sent(user).len();
    assert!(said < 10, "it said everything before it stopped");
    let left = redis.left_in_lanes(world.setup.value("REDIS_PREFIX"));
    let has = |name: &str| left.iter().any(|key| key.contains(name));
    assert!(has(":lanes") && has(":behind:lane:") && has(":claims"), "{left:?}");
    let owned = redis.owned_lanes(world.setup.value("REDIS_PREFIX"));
    assert_eq!(owned, 0, "a lane is still somebody's: {left:?}");

    world.api.rule(|_| Reply::Ok);
    world.servers.push(world.setup.start().await);
    world.telegram.turn_to(&world.servers);
    world.api.until_sent(user, 10).await;
    assert_eq!(world.told(user).await.len(), 10, "none of them twice");
    world.until_lanes_are_empty(&redis).await;
}

/// A call that takes longer than a lease, while its server stops: the lease is kept until the end of it.
#[tokio::test]
async fn a_message_in_hand_is_not_said_twice_by_a_server_that_stops() {
    let mut world = World::two().await;
    let user = someone();
    world.telegram.turn_to(&world.servers[..1]);
    world.api.plan([Reply::Slow(Duration::from_secs(9))]);
    world.deliver(Update::photo(user)).await;
    world.api.until_sent(user, 1).await;
    world.servers.remove(0).stop().await;
    world.telegram.turn_to(&world.servers);
    assert_eq!(world.told(user).await, [ASKED]);
}

/// Readiness goes first, and whoever has not noticed yet is still served. A second signal ends that at once.
#[tokio::test]
async fn a_server_that_drains_still_serves_and_a_second_signal_ends_it_at_once() {
    let mut world = World::two_with(&[("DRAIN_DELAY", "40s")]).await;
    let user = someone();
    let server = world.servers.remove(0);
    let before = http::get(server.webhook(), "/health").await;
    assert_eq!(before.expect("an answer").header("connection"), "");
    server.terminate();
    let draining = "stopping: not ready any more, still serving";
    server.until_logged(draining).await;
    let ready = server.ask("/readyz").await;
    assert_eq!((ready.status, ready.body.as_str()), (503, "draining\n"));
    assert_eq!(server.ask("/servingz").await.status, 503);
    assert_eq!(server.ask("/livez").await.status, 200);
    assert_eq!(server.metrics().await.sum("steadfast_draining", &[]), 1.0);
    let answer = post(server.webhook(), &Update::photo(user)).await;
    let answer = answer.expect("an answer");
    assert_eq!((answer.status, answer.header("connection")), (200, "close"));

    server.terminate();
    let (code, log) = server.ended().await;
    assert_eq!(code, 143);
    assert_eq!(logged(&log, "stopped").count(), 0);

    world.telegram.turn_to(&world.servers);
    world.api.until_said(user, ASKED).await;
    world.deliver(Update::text(user, "elsewhere")).await;
    let mut told = world.told(user).await;
    // What was in hand when it ended is said once more.
    told.dedup();
    assert_eq!(told, [ASKED.to_owned(), thanks("elsewhere")]);
}

/// Telegram never answers: the deadline comes first, and the exit is still a good one.
#[tokio::test]
async fn a_server_that_cannot_finish_stops_at_its_deadline() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("SHUTDOWN_DEADLINE", "3s");
    let mut world = World::raise(api, setup, 1).await;
    let user = someone();
    world.api.plan([Reply::Hang]);
    world.deliver(Update::photo(user)).await;
    world.api.until_sent(user, 1).await;
    let log = world.servers.remove(0).stop().await;
    let gave_up = "stopping: gave up waiting, SHUTDOWN_DEADLINE is near";
    let steps: Vec<Value> = logged(&log, gave_up).collect();
    assert_eq!(steps.len(), 1, "{log:#?}");
    assert_eq!(steps[0]["step"], "outbox");

    world.servers.push(world.setup.start().await);
    world.telegram.turn_to(&world.servers);
    world.api.until_sent(user, 2).await;
    assert_eq!(world.told(user).await, [ASKED, ASKED], "nobody knows of the first");
}
