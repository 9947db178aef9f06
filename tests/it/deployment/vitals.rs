//! How full Redis is, before it refuses, and who holds copies of it.

use crate::support::bot_api::BotApi;
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;

#[tokio::test]
async fn the_memory_of_redis_is_shown_beside_its_limit() {
    let redis = RedisServer::start(&["--maxmemory", "64mb"]);
    let api = BotApi::start();
    let server = Setup::redis(&api, &redis).start().await;
    let (used, limit) = until("it is known how full Redis is", async || {
        let metrics = server.metrics().await;
        let bytes = |what| metrics.sum(&format!("steadfast_store_memory_{what}_bytes"), &[]);
        (bytes("used") > 0.0).then(|| (bytes("used"), bytes("limit")))
    })
    .await;
    assert_eq!(limit, 64.0 * 1024.0 * 1024.0);
    assert!(used > 100_000.0 && used < limit, "{used}");
}

#[tokio::test]
async fn whether_redis_is_a_master_and_who_follows_it_is_shown() {
    let redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let server = Setup::redis(&api, &redis).start().await;
    let shown = async |is_master: f64, replicas: f64| {
        let what = format!("a Redis is shown, master: {is_master}, followed by {replicas}");
        until(what, async || {
            let metrics = server.metrics().await;
            let gauge = |name: &str| metrics.sum(&format!("steadfast_store_{name}"), &[]);
            let is_shown =
                gauge("is_master") == is_master && gauge("replicas_connected") == replicas;
            is_shown.then_some(())
        })
        .await;
    };
    shown(1.0, 0.0).await;
    let follower = RedisServer::start::<&str>(&[]);
    follower.command(&["REPLICAOF", "127.0.0.1", &redis.port().to_string()]);
    shown(1.0, 1.0).await;
    follower.command(&["REPLICAOF", "NO", "ONE"]);
    shown(1.0, 0.0).await;
    redis.command(&["REPLICAOF", "127.0.0.1", &follower.port().to_string()]);
    shown(0.0, 0.0).await;
}
