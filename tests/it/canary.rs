//! Secrets and what people write are in no log, however much is logged and whatever goes wrong.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use tokio::time::sleep;

use crate::support::bot_api::{BotApi, Reply, TOKEN};
use crate::support::coupon_bot;
use crate::support::patience::until;
use crate::support::postgres_server::PostgresServer;
use crate::support::redis_server::RedisServer;
use crate::support::server::{SECRET, Setup, logged};
use crate::support::updates::{Update, someone};
use crate::support::world::World;

/// What is held back otherwise is asked for by name.
const EVERYTHING: &str =
    "trace,hyper=trace,hyper_util=trace,rustls=trace,h2=trace,reqwest=trace,sqlx=trace,redis=trace";
const PHONE: &str = "79990001122";
const WORDS: &str = "canaries-sing-of-boilers";

/// What must not be in a log, each with its name. The key of the token tells as much as the whole.
fn secrets() -> [(&'static str, &'static str); 5] {
    let (_, key) = TOKEN.split_once(':').expect("a token");
    [
        ("the token", TOKEN),
        ("the key of the token", key),
        ("the secret", SECRET),
        ("a phone number", PHONE),
        ("what somebody wrote", WORDS),
    ]
}

fn assert_discreet(log: &[String]) {
    println!("{} lines were searched", log.len());
    assert!(log.len() > 20, "not everything is logged");
    for (name, secret) in secrets() {
        let line = log.iter().find(|line| line.contains(secret));
        assert_eq!(line, None, "{name} is in the log");
    }
}

fn set_up(api: &BotApi) -> Setup {
    Setup::redis(api, RedisServer::shared())
        .with("RUST_LOG", EVERYTHING)
        .with("TELEGRAM_LIMITS", "global=100/s,chat=20/s")
}

#[tokio::test]
async fn a_server_that_logs_everything_gives_nothing_away() {
    let api = BotApi::start();
    let setup = set_up(&api).with("WEBHOOK_URL", "https://bot.example.org");
    let mut world = World::raise(api, setup, 2).await;
    let user = someone();
    world.api.plan_for(
        user,
        [
            Reply::Reset,
            Reply::Garbage,
            Reply::TooMany(1),
            Reply::Refuse(400, "Bad Request: chat not found"),
        ],
    );
    world.deliver(Update::photo(user).captioned(WORDS)).await;
    world.deliver(Update::text(user, WORDS)).await;
    world.deliver(Update::contact(user, PHONE)).await;
    world.told(user).await;
    let question = world.asked_for_caption(user).await;
    world.deliver(Update::press(user, &question.button("No caption"))).await;
    world.api.shut_door();
    world.deliver(Update::photo(user).captioned(WORDS)).await;
    until("a call has failed", async || {
        let calls = "steadfast_telegram_calls_total";
        let failed = world.total(calls, &["result=\"network\""]).await;
        (failed > 0.0).then_some(())
    })
    .await;
    world.api.open_door();
    world.told(user).await;
    world.api.block(user, true);
    world.deliver(Update::text(user, WORDS)).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for server in world.servers.drain(..) {
        assert_discreet(&server.stop().await);
    }
}

/// Two replicas, and more to say than any limit lets through at once.
#[tokio::test]
async fn servers_that_wait_for_limits_and_log_everything_give_nothing_away() {
    let api = BotApi::start();
    let setup = set_up(&api).with("TELEGRAM_LIMITS", "global=5/s,chat=20/m");
    let mut world = World::raise(api, setup, 2).await;
    let people: Vec<i64> = (0..4).map(|_| someone()).collect();
    for user in people.iter().cycle().take(5 * people.len()) {
        world.deliver(Update::photo(*user).captioned(WORDS)).await;
    }
    for user in people {
        world.api.until_sent(user, 5).await;
    }
    let waits = "steadfast_ratelimit_wait_seconds_count";
    assert!(world.total(waits, &[]).await > 0.0, "nothing has waited");
    let mut told = 0;
    for server in world.servers.drain(..) {
        let log = server.stop().await;
        assert_discreet(&log);
        told += logged(&log, "a message waits for a limit").count();
    }
    assert!(told > 0, "nobody tells of it");
}

#[tokio::test]
async fn a_poller_that_logs_everything_gives_nothing_away() {
    let api = BotApi::start();
    let server = set_up(&api).polling().start().await;
    let user = someone();
    api.plan([Reply::Fail(500), Reply::Garbage, Reply::Reset]);
    api.queue(&Update::photo(user).captioned(WORDS).body());
    api.queue(&Update::contact(user, PHONE).body());
    api.queue(&Update::text(user, WORDS).body());
    api.until_sent(user, 3).await;
    sleep(Duration::from_millis(200)).await;
    assert_discreet(&server.stop().await);
}

/// What people write goes into the database and comes back, is refused, waits for a database that hangs up, and for Telegram.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_records_that_logs_everything_gives_nothing_away() {
    let postgres = PostgresServer::shared().await;
    let (api, database) = (BotApi::start(), postgres.database().await);
    let setup = coupon_bot::set_up(&api, RedisServer::shared(), &database);
    let world = World::raise(api, setup.with("RUST_LOG", EVERYTHING), 2).await;
    let take = format!("/take {WORDS}");
    let (ann, bob) = (someone(), someone());
    world.deliver(Update::text(bob, &take)).await;
    world.api.until_sent(bob, 1).await;
    let mut shelf = PgConnection::connect(&database).await.expect("connected");
    let put = sqlx::query("INSERT INTO coupons (code) VALUES ($1)").bind(WORDS);
    put.execute(&mut shelf).await.expect("a coupon");
    postgres.end_connections(&database).await;
    world.deliver(Update::text(ann, &take)).await;
    world.api.until_said(ann, WORDS).await;
    world.deliver(Update::text(bob, &take)).await;
    let look = format!("/look {WORDS}");
    world.deliver(Update::text(bob, &look)).await;
    world.api.until_said(bob, WORDS).await;
    world.api.plan_for(bob, [Reply::Fail(500)]);
    world.api.plan_for(ann, [Reply::Garbage]);
    world.deliver(Update::contact(bob, PHONE)).await;
    world.deliver(Update::text(ann, &look)).await;
    world.api.until_sent(ann, 3).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for server in world.servers {
        assert_discreet(&server.stop().await);
    }
}
