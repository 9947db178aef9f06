//! A store that fails under running servers: nothing is acknowledged that is not kept, and all is well afterwards.

use std::time::Duration;

use steadfast::store::LANE_LEASE;
use tokio::time::{Instant, sleep};

use crate::support::bot_api::{BotApi, Reply};
use crate::support::patience::until;
use crate::support::redis_server::{RedisServer, SLOW_TO_LOAD};
use crate::support::server::{Server, Setup, logged};
use crate::support::updates::{Update, post, someone};
use crate::support::world::{ASKED, World, thanks};

#[tokio::test]
async fn while_redis_is_gone_updates_are_refused_and_then_taken() {
    let mut redis = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let (world, user) = asked_on(&redis).await;
    redis.kill();
    let answer = refused(&world, user).await;
    until_given_up(&world, "io").await;
    redis.restart();
    taken(&world, &redis, user, answer).await;
}

#[tokio::test]
async fn while_redis_is_frozen_updates_are_refused_and_then_taken() {
    let redis = RedisServer::start::<&str>(&[]);
    let (world, user) = asked_on(&redis).await;
    redis.freeze();
    let answer = refused(&world, user).await;
    redis.thaw();
    taken(&world, &redis, user, answer).await;
}

/// It answers every call, and refuses it, for longer than it is waited for: those who ask on a new connection are refused, too.
#[tokio::test]
async fn while_redis_loads_its_data_updates_are_refused_and_then_taken() {
    let redis = RedisServer::start(&SLOW_TO_LOAD);
    let (world, user) = asked_on(&redis).await;
    redis.load_slowly();
    let answer = refused(&world, user).await;
    until_given_up(&world, "loading").await;
    refused(&world, user).await;
    redis.load_quickly();
    taken(&world, &redis, user, answer).await;
}

/// The server has one thread for everything. If it stood still with a call to Redis, nobody would be told that an update waits
/// for one.
#[tokio::test]
async fn no_call_to_redis_blocks_anybody_else() {
    let redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let setup = Setup::redis(&api, &redis).with("WORKER_THREADS", "1");
    let world = World::raise(api, setup, 1).await;
    let server = &world.servers[0];
    redis.freeze();
    let again_and_again = async {
        loop {
            let update = Update::text(someone(), "hello");
            let refused = post(server.webhook(), &update).await.expect("an answer");
            assert_eq!(refused.status, 503);
        }
    };
    let seen = until("an update is seen to wait", async || {
        let waiting = server.metrics().await.sum("steadfast_webhook_inflight", &[]);
        (waiting == 1.0).then_some(())
    });
    tokio::select! { () = again_and_again => {}, () = seen => {} }
    redis.thaw();
}

async fn on(redis: &RedisServer) -> World {
    let api = BotApi::start();
    let setup = Setup::redis(&api, redis);
    World::raise(api, setup, 2).await
}

/// Two servers, and somebody who is asked for a caption.
async fn asked_on(redis: &RedisServer) -> (World, i64) {
    let (world, user) = (on(redis).await, someone());
    world.asked_for_caption(user).await;
    world.until_lanes_are_empty(redis).await;
    (world, user)
}

/// Their answer comes while the store is away.
async fn refused(world: &World, user: i64) -> Update {
    let answer = Update::text(user, "through it all");
    for server in &world.servers {
        let refused = post(server.webhook(), &answer).await.expect("an answer");
        assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
        until_ready(server, false).await;
        assert_eq!(server.ask("/livez").await.status, 200, "it lives");
        let serving = server.ask("/servingz").await.status;
        assert_eq!(serving, 200, "it says when to come again, and nobody else would");
        assert_eq!(server.ask("/health").await.json()["status"], "unavailable");
        assert_eq!(server.metrics().await.sum("steadfast_store_up", &[]), 0.0);
    }
    answer
}

/// It comes again, now that the store is back.
async fn taken(world: &World, redis: &RedisServer, user: i64, answer: Update) {
    let (back, failed) = (Instant::now(), failed_probes(world).await);
    for (server, before) in world.servers.iter().zip(failed) {
        until_ready(server, true).await;
        let (took, failed) = (back.elapsed(), failed_probe(server).await - before);
        println!("ready {took:?} after Redis was back; {failed} probes failed since");
        // They are a second apart, so with one it takes less than two, and a busy machine may cost another. Seconds themselves are no
        // measure there.
        assert!(failed <= 2.0, "{failed} probes failed after Redis was back");
    }
    world.deliver(answer).await;
    let told = world.told(user).await;
    assert_eq!(told, [ASKED.to_owned(), thanks("through it all")]);
    world.until_counted(&[]).await;
    world.until_lanes_are_empty(redis).await;
    assert_no_panic(world).await;
}

/// Waits until every server has given its connection up for this reason, and counts that.
async fn until_given_up(world: &World, reason: &str) {
    let reason = format!("reason=\"{reason}\"");
    for server in &world.servers {
        until("it connects anew", async || {
            let metrics = server.metrics().await;
            let count = metrics.sum("steadfast_store_reconnects_total", &[&reason]);
            (count > 0.0).then_some(())
        })
        .await;
    }
}

async fn failed_probes(world: &World) -> Vec<f64> {
    let mut failed = Vec::new();
    for server in &world.servers {
        failed.push(failed_probe(server).await);
    }
    failed
}

async fn failed_probe(server: &Server) -> f64 {
    let metrics = server.metrics().await;
    metrics.sum("steadfast_store_errors_total", &["op=\"ping\""])
}

#[tokio::test]
async fn the_log_says_why_the_store_does_not_answer() {
    let redis = RedisServer::start::<&str>(&[]);
    let world = on(&redis).await;
    redis.command(&["CONFIG", "SET", "maxmemory", "1"]);
    let line = world.servers[0].until_logged("the store does not answer");
    let said = line.await.to_string();
    assert!(said.contains("(oom)"), "{said}");
    redis.command(&["CONFIG", "SET", "maxmemory", "0"]);
    world.servers[0].until_logged("the store answers").await;
}

#[tokio::test]
async fn a_redis_that_forgets_its_scripts_goes_unnoticed() {
    let redis = RedisServer::start::<&str>(&[]);
    let world = on(&redis).await;
    let user = someone();
    for round in 0..20 {
        redis.command(&["SCRIPT", "FLUSH"]);
        let photo = Update::photo(user).captioned(&round.to_string());
        assert_eq!(world.telegram.deliver(&photo).await.again, 0);
    }
    let expected: Vec<String> = (0..20).map(|round| thanks(&round.to_string())).collect();
    assert_eq!(world.told(user).await, expected);
    assert_no_panic(&world).await;
}

/// With `appendfsync everysec` a Redis whose disk is slow puts its writes off and acknowledges them all the same. What it then loses
/// with its process looks like a message that is repeated after later ones: the note of it is gone, and they are gone altogether.
#[tokio::test]
async fn a_redis_that_restarts_under_load_loses_and_doubles_nothing() {
    let mut redis = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let world = on(&redis).await;
    let user = someone();
    let captions: Vec<String> = (0..100).map(|round| round.to_string()).collect();
    let load = async {
        for caption in &captions {
            world.deliver(Update::photo(user).captioned(caption)).await;
            sleep(Duration::from_millis(20)).await;
        }
    };
    let restarts = async {
        for _ in 0..3 {
            sleep(Duration::from_millis(500)).await;
            redis.restart();
        }
    };
    tokio::join!(load, restarts);
    let expected: Vec<String> = captions.iter().map(|caption| thanks(caption)).collect();
    let mut told = world.told(user).await;
    // The note that a message was sent may have been lost with a restart.
    told.dedup();
    assert_eq!(told, expected);
    world.until_lanes_are_empty(&redis).await;
    assert_no_panic(&world).await;
}

/// Who sent a message notes it as soon as there is somebody to tell. Otherwise it would be sent again, when the lease is over.
#[tokio::test]
async fn a_message_that_was_sent_while_redis_was_away_is_not_sent_again() {
    let mut redis = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let world = on(&redis).await;
    loop {
        let (user, began) = (someone(), Instant::now());
        world.api.plan_for(user, [Reply::Slow(Duration::from_millis(300))]);
        world.deliver(Update::photo(user)).await;
        world.api.until_sent(user, 1).await;
        redis.kill();
        sleep(Duration::from_millis(600)).await;
        redis.restart();
        world.until_lanes_are_empty(&redis).await;
        // Whoever takes that long has lost its lease, and is right to be followed by another.
        if began.elapsed() < LANE_LEASE {
            assert_eq!(world.told(user).await, [ASKED]);
            break;
        }
    }
}

#[tokio::test]
async fn a_redis_that_was_flushed_is_noticed_and_people_begin_anew() {
    let redis = RedisServer::start::<&str>(&[]);
    let world = on(&redis).await;
    let user = someone();
    world.asked_for_caption(user).await;
    for server in &world.servers {
        until("the loss is counted", async || {
            // Only what was seen can be missed: there must be something, and a look at it.
            world.deliver(Update::text(someone(), "/start")).await;
            sleep(Duration::from_secs(1)).await;
            redis.command(&["FLUSHALL"]);
            sleep(Duration::from_secs(1)).await;
            let metrics = server.metrics().await;
            (metrics.sum("steadfast_store_rollbacks_total", &[]) > 0.0).then_some(())
        })
        .await;
        let line = server
            .until_logged("the store went back in time: commits that were acknowledged are gone")
            .await;
        assert_eq!(line["level"], "ERROR");
    }

    world.deliver(Update::text(user, "forgotten")).await;
    world.deliver(Update::photo(user).captioned("anew")).await;
    let told = world.told(user).await;
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[1].starts_with("I did not understand"), "{told:?}");
    assert_eq!(told[2], thanks("anew"));
    world.until_counted(&[]).await;
    assert_no_panic(&world).await;
}

#[tokio::test]
async fn without_redis_the_server_does_not_start_and_says_why() {
    let (setup, _redis) = without_redis(&BotApi::start());
    let output = setup.run(&["serve"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let line = said.lines().last().unwrap_or_default();
    assert!(line.starts_with("error: the store is unavailable"), "{said}");
    assert!(line.contains("REDIS_URL") && line.contains("STORE_FALLBACK=memory"), "{said}");

    let parts = Setup::memory(&BotApi::start())
        .with("STORE", "redis")
        .with("REDIS_ENABLED", "true")
        .with("REDIS_HOST", "127.0.0.1")
        .with("REDIS_PORT", "9");
    let said = String::from_utf8_lossy(&parts.run(&["serve"]).stderr).into_owned();
    let line = said.lines().last().unwrap_or_default();
    assert!(line.contains("see REDIS_HOST and REDIS_PORT"), "{said}");
}

/// It answers everything but what counts.
#[tokio::test]
async fn on_a_redis_that_runs_no_scripts_the_server_does_not_start_and_says_why() {
    let line = refused_with("-@scripting").await;
    for part in ["does not run our scripts", "7.0 or newer", "+@scripting"] {
        assert!(line.contains(part), "{line}");
    }
}

/// Scripts are not undone: a command refused in the middle would leave a step done by half, and its reply lost.
#[tokio::test]
async fn on_a_redis_that_refuses_a_command_of_theirs_the_server_does_not_start_and_names_it() {
    let line = refused_with("-hsetnx").await;
    for part in ["does not run our scripts", "HSETNX", "+@write"] {
        assert!(line.contains(part), "{line}");
    }
}

/// The last thing said by a server whose user of Redis may do everything but this.
async fn refused_with(rule: &str) -> String {
    let redis = RedisServer::start::<&str>(&[]);
    let rules = ["~*", "&*", "+@all", rule];
    redis.command(&[&["ACL", "SETUSER", "lame", "on", ">word"], &rules[..]].concat());
    let url = redis.url().replace("//", "//lame:word@");
    let setup = Setup::redis_at(&BotApi::start(), &url);
    let mut said = setup.start_unready().await.expect_err("it starts");
    said.pop().unwrap_or_default()
}

/// What is refused would be refused for ever, and another store would only hide that.
#[tokio::test]
async fn no_store_in_memory_stands_in_for_a_redis_that_refuses_us() {
    let redis = RedisServer::start::<&str>(&[]);
    let url = redis.url().replace("//", "//nobody:word@");
    let setup = Setup::redis_at(&BotApi::start(), &url).with("STORE_FALLBACK", "memory");
    let mut said = setup.start_unready().await.expect_err("it starts");
    let line = said.pop().unwrap_or_default();
    assert!(line.contains("cannot be reached"), "{line}");
}

#[tokio::test]
async fn without_redis_the_server_starts_in_memory_if_told_to_and_says_so_everywhere() {
    let api = BotApi::start();
    let (setup, _redis) = without_redis(&api);
    let setup = setup.with("STORE_FALLBACK", "memory");
    let world = World::raise(api, setup, 1).await;
    let server = &world.servers[0];
    let log = server.log().join("\n");
    assert!(log.contains("DEGRADED: Redis was not reached"), "{log}");
    let health = server.ask("/health").await;
    assert_eq!(health.status, 200);
    assert_eq!(health.json()["status"], "degraded");
    assert_eq!(health.json()["degraded"], true);
    assert_eq!(health.json()["store"]["kind"], "memory");
    assert_eq!(server.metrics().await.sum("steadfast_degraded", &[]), 1.0);

    let user = someone();
    world.deliver(Update::photo(user).captioned("served")).await;
    assert_eq!(world.told(user).await, [thanks("served")]);
}

/// It would hold other dialogues than they do.
#[tokio::test]
async fn without_redis_a_replica_that_has_seen_others_does_not_start_in_memory() {
    let mut redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let data = tempfile::tempdir().expect("a directory");
    let setup = Setup::redis(&api, &redis)
        .with("DATA_DIR", &data.path().display().to_string())
        .with("STORE_FALLBACK", "memory");
    let world = World::raise(api, setup, 2).await;
    until("the company is noted", async || data.path().read_dir().ok()?.next().map(drop)).await;
    redis.kill();
    let output = world.setup.run(&["serve"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("STORE_FALLBACK=memory is refused"), "{said}");
}

/// A set-up whose Redis is not there, nor anybody else in its place.
fn without_redis(api: &BotApi) -> (Setup, RedisServer) {
    let mut redis = RedisServer::start::<&str>(&[]);
    redis.kill();
    (Setup::redis(api, &redis), redis)
}

#[tokio::test]
async fn a_file_that_is_in_use_is_not_opened_twice() {
    let api = BotApi::start();
    let setup = Setup::embedded(&api);
    let world = World::raise(api, setup, 1).await;
    let output = world.setup.run(&["serve"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let line = said.lines().last().unwrap_or_default();
    assert!(line.contains("is in use by another process"), "{said}");
    assert!(line.contains("DATA_DIR"), "{said}");

    let user = someone();
    world.deliver(Update::photo(user)).await;
    assert_eq!(world.told(user).await, [ASKED], "the first is not disturbed");
}

async fn until_ready(server: &Server, ready: bool) {
    until(format!("ready is {ready}"), async || {
        (server.ask("/readyz").await.is_success() == ready).then_some(())
    })
    .await;
}

async fn assert_no_panic(world: &World) {
    assert_eq!(world.total("steadfast_panics_total", &[]).await, 0.0);
    for server in &world.servers {
        assert_eq!(logged(&server.log(), "a panic").count(), 0);
    }
}
