//! How full Redis is, before it refuses.

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
