//! The bot's commands at Telegram: told by one replica, in every language, and again when they are others.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use field_service::flows;
use serde_json::Value;
use steadfast::dialogue::Member;
use steadfast::outbox::telegram::Telegram;
use steadfast::server::commands;
use steadfast::store::{Memory, Store};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::bot_api::{BotApi, Call, Reply, TOKEN};
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::{Server, Setup, logged};

const SET: &str = "setMyCommands";
const TOLD: &str = "Telegram knows the commands";
/// The languages of the lists, in their order.
const ALL: [Option<&str>; 3] = [None, Some("en"), Some("ru")];

#[tokio::test]
async fn two_replicas_tell_the_commands_once_in_every_language() {
    let api = BotApi::start();
    told_once(&api, Setup::redis(&api, RedisServer::shared())).await;
}

#[tokio::test]
async fn two_pollers_tell_the_commands_once_in_every_language() {
    let api = BotApi::start();
    told_once(&api, Setup::redis(&api, RedisServer::shared()).polling()).await;
}

/// One tells Telegram, the other finds that it is told, and so does whoever comes next.
async fn told_once(api: &BotApi, setup: Setup) {
    let mut logs = Vec::new();
    for _ in 0..2 {
        let servers = [setup.start().await, setup.start().await];
        api.until_called(SET, 3).await;
        if logs.is_empty() {
            until("it is known that they are told", async || {
                let told = |it: &Server| logged(&it.log(), TOLD).count() > 0;
                servers.iter().any(told).then_some(())
            })
            .await;
        }
        // Time for the other to find that it is taken care of.
        sleep(Duration::from_secs(2)).await;
        for server in servers {
            logs.extend(server.stop().await);
        }
    }
    let calls = api.calls_of(SET);
    assert_eq!(languages(&calls), ALL);
    assert_eq!(logged(&logs, TOLD).count(), 1);
    let photo: Vec<_> = calls.iter().map(|call| words(call, "photo")).collect();
    let english = "Send a photo with a caption";
    assert_eq!(photo, [english, english, "Прислать фотографию с подписью"]);
}

/// The error is on record, Telegram's wish to be left alone is heeded, and in the end it knows.
#[tokio::test]
async fn what_telegram_could_not_be_told_is_told_again() {
    let api = BotApi::start();
    api.plan_of(SET, [Reply::Ok, Reply::Fail(500), Reply::TooMany(1)]);
    let server = Setup::memory(&api).start().await;
    server.until_logged(TOLD).await;
    let (log, calls) = (server.stop().await, api.calls_of(SET));
    assert_eq!(languages(&calls), [&[None, Some("en"), None], &ALL[..]].concat());
    let failed = logged(&log, "Telegram could not be told the commands");
    assert_eq!(failed.count(), 2);
    let rest = calls[3].at.duration_since(calls[2].at);
    assert!(rest >= Duration::from_secs(1), "only {rest:?}");
}

/// It has told one of them, and another is under way.
#[tokio::test]
async fn a_teller_that_is_killed_is_followed() {
    let api = BotApi::start();
    api.plan_of(SET, [Reply::Ok, Reply::Hang]);
    let setup = Setup::redis(&api, RedisServer::shared());
    let teller = setup.start().await;
    api.until_called(SET, 2).await;
    let next = setup.start().await;
    teller.kill();
    next.until_logged(TOLD).await;
    assert_eq!(languages(&api.calls_of(SET)[2..]), ALL);
}

#[tokio::test]
async fn a_telegram_that_is_silent_holds_up_neither_the_start_nor_the_stop() {
    let api = BotApi::start();
    api.plan_of(SET, [Reply::Hang]);
    let setup = Setup::memory(&api).with("SHUTDOWN_DEADLINE", "6s");
    let server = setup.start().await;
    api.until_called(SET, 1).await;
    let log = server.stop().await;
    assert_eq!(logged(&log, TOLD).count(), 0);
    let hasty = "stopping: gave up waiting, SHUTDOWN_DEADLINE is near";
    assert_eq!(logged(&log, hasty).count(), 0, "{log:#?}");
}

/// A newer version waits until the older one is gone, and when that comes back it puts things right.
#[tokio::test]
async fn other_commands_are_told_by_who_comes_next() {
    let (api, store) = (BotApi::start(), Arc::new(Memory::new()));
    let old = Teller::start(&api, &store, "Old").await;
    old.has_told().await;
    let new = Teller::start(&api, &store, "New").await;
    // Time for it to find that somebody else tells.
    sleep(Duration::from_millis(200)).await;
    old.stop().await;
    new.has_told().await;
    new.stop().await;
    // Whoever is told to stop has looked once.
    Teller::start(&api, &store, "New").await.stop().await;
    let back = Teller::start(&api, &store, "Old").await;
    back.has_told().await;
    back.stop().await;
    let calls = api.calls_of(SET);
    let told: Vec<_> = calls.iter().map(|call| words(call, "menu")).collect();
    let expected = ["Old", "New", "Old"].map(|words| [words, words, "Что я умею"]);
    assert_eq!(told, expected.concat());
}

/// The same store, as when the token of a trial is followed by that of the real one.
#[tokio::test]
async fn another_bot_is_told_as_well() {
    let store = Arc::new(Memory::new());
    for _ in 0..2 {
        let api = BotApi::start();
        let teller = Teller::start(&api, &store, "Menu").await;
        teller.has_told().await;
        teller.stop().await;
        assert_eq!(languages(&api.calls_of(SET)), ALL);
    }
}

/// The languages of these calls.
fn languages(calls: &[Call]) -> Vec<Option<&str>> {
    let params = calls.iter().map(|call| &call.params);
    params.map(|it| it["language_code"].as_str()).collect()
}

/// What stands beside a command.
fn words<'a>(call: &'a Call, command: &str) -> &'a Value {
    let mut all = call.params["commands"].as_array().expect("a list").iter();
    let found = all.find(|it| it["command"] == command);
    &found.unwrap_or_else(|| panic!("no {command} in {}", call.params))["description"]
}

/// A replica as far as the commands go.
struct Teller {
    store: Arc<dyn Store>,
    /// The mark of what was told before.
    before: Option<Bytes>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Teller {
    /// Of a bot that says this of its menu, in English, and the same as ever in Russian.
    async fn start(api: &BotApi, store: &Arc<Memory>, menu: &str) -> Self {
        let bot = flows::all()
            .texts("en", &format!("menu-command = {menu}"))
            .texts("ru", "menu-command = Что я умею");
        let store = Arc::clone(store) as Arc<dyn Store>;
        let (before, stop) = (mark(&*store).await, CancellationToken::new());
        let telegram = Telegram::new(&api.url(), &TOKEN.into());
        let lists = commands::lists(&bot, &Member::default());
        let keep = commands::keep(lists, Arc::clone(&store), telegram, stop.clone());
        Self { task: tokio::spawn(keep), store, before, stop }
    }

    /// Waits until it has told something new, and has noted that.
    async fn has_told(&self) {
        until("the commands are told", async || {
            (mark(&*self.store).await != self.before).then_some(())
        })
        .await;
    }

    async fn stop(self) {
        self.stop.cancel();
        self.task.await.expect("it ends");
    }
}

async fn mark(store: &dyn Store) -> Option<Bytes> {
    store.kept("commands").await.expect("an answer")
}
