//! What a cluster consists of: Telegram, nginx, three replicas, Redis, PostgreSQL, Prometheus.

use std::sync::Arc;

use tempfile::TempDir;

use crate::support::bot_api::TOKEN;
use crate::support::edge::Edge;
use crate::support::http;
use crate::support::patience::until;
use crate::support::postgres_server::PostgresServer;
use crate::support::prometheus::Prometheus;
use crate::support::redis_server::RedisServer;
use crate::support::server::{CANARIES, Setup};
use crate::support::whispers;

use super::person::WHISPER;
use super::replica::Replica;
use super::scripts::{ADDRESS, PHONE, TYPED_PHONE};
use super::telegram::Telegram;

/// How many replicas there are.
pub(super) const REPLICAS: usize = 3;

/// A whole cluster; it ends with this value.
#[derive(Debug)]
pub(super) struct Bed {
    // Dropped first, so that nobody complains that others are gone.
    pub(super) prometheus: Prometheus,
    pub(super) replicas: Vec<Replica>,
    pub(super) nginx: Edge,
    pub(super) telegram: Arc<Telegram>,
    pub(super) postgres: PostgresServer,
    pub(super) redis: RedisServer,
    /// What all keys of the bot in Redis begin with.
    pub(super) prefix: String,
    pub(super) database: String,
    /// Where the replicas put what they download.
    pub(super) media: TempDir,
}

impl Bed {
    /// Makes it, with servers that are set up so.
    pub(super) async fn make(adjust: impl FnOnce(Setup) -> Setup) -> Self {
        for words in [WHISPER, TYPED_PHONE, &PHONE[1..], ADDRESS] {
            whispers::say(words);
        }
        let start = || {
            let redis = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]);
            (redis, PostgresServer::start())
        };
        let (redis, postgres) = tokio::task::block_in_place(start);
        let media = tempfile::tempdir().expect("a directory");
        let (telegram, database) = (Arc::new(Telegram::open()), postgres.database().await);
        let setup = Setup::redis_for(&redis)
            .with("DATABASE_URL", &database)
            .with("DEFAULT_ROLE", "worker")
            .with("MEDIA_DIR", &media.path().display().to_string())
            .with("DRAIN_DELAY", "300ms")
            .with("MAX_IN_FLIGHT", "512")
            .with("TELEGRAM_LIMITS", "global=3000/s,chat=50/s,group=20/m");
        let setup = adjust(setup);
        let (bot, _) = TOKEN.split_once(':').expect("the id of the bot");
        let prefix = format!("{}:{bot}", setup.value("REDIS_PREFIX"));
        let mut replicas: Vec<_> = (0..REPLICAS).map(|it| Replica::new(it, &setup)).collect();
        for replica in &mut replicas {
            replica.start(&telegram).await;
        }
        let doors: Vec<_> = replicas.iter().map(|it| it.webhook).collect();
        let desks: Vec<_> = replicas.iter().map(|it| it.ops).collect();
        let nginx = Edge::before(&doors).await;
        telegram.deliver_to(nginx.address());
        Self {
            prometheus: Prometheus::over(&desks).await,
            replicas,
            nginx,
            telegram,
            postgres,
            redis,
            prefix,
            database,
            media,
        }
    }

    /// Waits until every replica says that it is ready.
    pub(super) async fn until_ready(&self) {
        for replica in &self.replicas {
            until(format!("{} is ready", replica.name()), async || {
                let answer = http::get(replica.ops, "/readyz").await.ok()?;
                answer.is_success().then_some(())
            })
            .await;
        }
    }

    /// Waits until every update is taken and everything is sent.
    pub(super) async fn until_drained(&self) {
        until("every update is taken", async || {
            (self.telegram.emulator.pending() == 0).then_some(())
        })
        .await;
        until("everything is sent", async || {
            let left = self.redis.left_in_lanes(&self.prefix);
            left.is_empty().then_some(())
        })
        .await;
    }

    /// Nobody's log holds what it must not: a secret, or what anybody said. Those of the servers are looked through when they end.
    pub(super) fn assert_discreet(&self) {
        for (name, log) in [
            ("nginx", self.nginx.log()),
            ("Redis", self.redis.log()),
            ("PostgreSQL", self.postgres.said()),
            ("Prometheus", self.prometheus.log()),
        ] {
            let told = CANARIES.iter().find(|canary| log.contains(**canary));
            assert_eq!(told, None, "the log of {name}");
            let heard = whispers::overheard(&[log]);
            assert_eq!(heard, None, "the log of {name}");
        }
    }
}
