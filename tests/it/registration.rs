//! The webhook's registration: by one replica, repaired when it changes, never taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;
use steadfast::outbox::telegram::Telegram;
use steadfast::replica::{self, Info, Peers};
use steadfast::server::webhook::{self, Registration};
use steadfast::store::{Memory, Store, Token};
use steadfast::telemetry;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::bed::Bed;
use crate::support::bot_api::{BotApi, Call, Registered, Reply, TOKEN};
use crate::support::ears::Ears;
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::{SECRET, Setup, logged};
use crate::support::updates::{Update, someone};
use crate::support::watched::{Fault, Watched};

const URL: &str = "https://bot.example.org/webhook";

fn expected(secret: &str) -> Registered {
    Registered {
        url: URL.to_owned(),
        secret: secret.to_owned(),
        max_connections: 40,
        allowed: ["message", "edited_message", "callback_query"].map(str::to_owned).into(),
    }
}

async fn until_registered(api: &BotApi, registered: &Registered) {
    until(format!("{registered:?} is registered"), async || {
        (api.webhook().as_ref() == Some(registered)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn two_replicas_register_once_and_take_nothing_back() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("WEBHOOK_URL", URL);
    let servers = [setup.start().await, setup.start().await];
    until_registered(&api, &expected(SECRET)).await;
    // Time for the other to find that it is taken care of.
    sleep(Duration::from_secs(2)).await;
    let mut told = 0;
    for server in servers {
        let log = server.stop().await;
        told += logged(&log, "the webhook is registered").count();
    }
    assert_eq!(told, 1, "one of them tells it");
    assert_eq!(api.calls_of("setWebhook").len(), 1);
    assert_eq!(api.calls_of("deleteWebhook").len(), 0);
    assert_eq!(api.webhook(), Some(expected(SECRET)));
}

/// The old secret is accepted by all, the new one only by those that were started since: it is registered when the last of the
/// others is gone.
#[tokio::test]
async fn a_new_secret_is_registered_when_every_replica_accepts_it() {
    const NEW: &str = "another-secret_0123456789";
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    let old = setup.start().await;
    let both = format!("{NEW},{SECRET}");
    let setup = setup.with("WEBHOOK_SECRET", &both).with("WEBHOOK_URL", URL);
    let new = setup.start().await;
    let waits = "the webhook is not registered as it should be";
    new.until_logged(waits).await;
    assert_eq!(api.calls_of("setWebhook").len(), 0);
    old.stop().await;
    until_registered(&api, &expected(NEW)).await;
    assert_eq!(api.calls_of("setWebhook").len(), 1);
}

/// Somebody changes the registration, or deletes it: it is put right.
#[tokio::test]
async fn a_registration_that_was_changed_is_repaired() {
    let api = BotApi::start();
    let registrar = Registrar::start(&api).await;
    until_registered(&api, &expected("s1")).await;
    let wrong = [
        None,
        Some(Registered { url: "https://elsewhere.example.org".to_owned(), ..expected("s1") }),
        Some(Registered { max_connections: 7, ..expected("s1") }),
        Some(Registered { allowed: vec!["message".to_owned()], ..expected("s1") }),
    ];
    let count = wrong.len();
    for wrong in wrong {
        api.set_webhook(wrong);
        until_registered(&api, &expected("s1")).await;
    }
    assert_eq!(api.calls_of("setWebhook").len(), 1 + count);
    registrar.stop.cancel();
}

/// As long as all is well it is only looked at.
#[tokio::test]
async fn a_registration_that_is_right_is_left_alone() {
    let api = BotApi::start();
    let registrar = Registrar::start(&api).await;
    api.until_called("getWebhookInfo", 5).await;
    assert_eq!(api.calls_of("setWebhook").len(), 1);
    registrar.stop.cancel();
}

/// What was registered last is known to the next one that runs, without the secret.
#[tokio::test]
async fn who_comes_next_registers_only_what_is_new() {
    let (api, store) = (BotApi::start(), memory());
    for (secret, calls) in [("s1", 1), ("s1", 1), ("s2", 2), ("s2", 2), ("s1", 3)] {
        let looks = api.calls_of("getWebhookInfo").len();
        let registrar = Registrar::start_on(&api, &store, secret).await;
        api.until_called("getWebhookInfo", looks + 3).await;
        registrar.stop.cancel();
        let mut set = api.calls_of("setWebhook");
        // More than one a second is refused, and tried again.
        set.retain(Call::arrived);
        assert_eq!(set.len(), calls, "{secret}");
        assert_eq!(api.webhook(), Some(expected(secret)));
    }
    let kept = store.kept("webhook").await.expect("an answer");
    let kept = kept.expect("something");
    assert!(kept.iter().all(u8::is_ascii_hexdigit), "{kept:?}");
}

#[tokio::test]
async fn a_delivery_that_failed_is_told_once_in_the_words_of_telegram() {
    let (api, ears) = (BotApi::start(), Ears::prick());
    let registrar = Registrar::start(&api).await;
    until_registered(&api, &expected("s1")).await;
    for (date, words) in [(100, "404 Not Found"), (200, "Connection refused")] {
        let looks = api.calls_of("getWebhookInfo").len();
        api.until_called("getWebhookInfo", looks + 2).await;
        api.complain(date, words);
        let looks = api.calls_of("getWebhookInfo").len();
        api.until_called("getWebhookInfo", looks + 3).await;
        let lines = ears.lines();
        let told = lines.iter().filter(|line| line.contains(words));
        assert_eq!(told.count(), 1, "{words}: {lines:#?}");
    }
    registrar.stop.cancel();
}

/// The one that keeps the registration is killed, and somebody deletes it.
#[tokio::test]
async fn a_killed_keeper_is_followed_soon() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("WEBHOOK_URL", URL);
    let keeper = setup.start().await;
    until_registered(&api, &expected(SECRET)).await;
    let _next = setup.start().await;
    keeper.kill();
    api.set_webhook(None);
    until_registered(&api, &expected(SECRET)).await;
    assert_eq!(api.calls_of("setWebhook").len(), 2);
}

/// Only who keeps the registration tells how many updates wait: two who tell of it at different times make it seem to move.
#[tokio::test]
async fn who_no_longer_keeps_the_registration_tells_nothing_of_it() {
    let recorder = telemetry::recorder().expect("a recorder");
    let _scope = metrics::set_default_local_recorder(&recorder);
    let (api, bed) = (BotApi::start(), Bed::memory().await);
    let registrar = Registrar::start_on(&api, &bed.store, "s1").await;
    api.until_called("getWebhookInfo", 2).await;
    let tells = |what: &str| {
        let line = format!("\nsteadfast_telegram_webhook_pending_updates {what}\n");
        recorder.handle().render().contains(&line)
    };
    assert!(tells("0"));
    api.queue(&Update::photo(someone()).body());
    until("it tells what waits", async || tells("1").then_some(())).await;
    until("another has the lease", async || {
        bed.advance(Duration::from_secs(10));
        let lease = bed.lease("webhook", Token::fresh(), Duration::from_secs(3600));
        lease.await.expect("an answer")
    })
    .await;
    until("it tells nothing", async || tells("NaN").then_some(())).await;
    registrar.stop.cancel();
}

/// Nobody else so much as looks.
#[tokio::test]
async fn one_of_two_looks_after_the_registration() {
    let (api, store) = (BotApi::start(), memory());
    let at = |place: &str| format!("{}/{place}", api.url());
    let first = Registrar::start_at(&at("one"), &store, "s1").await;
    api.until_called("getWebhookInfo", 1).await;
    let second = Registrar::start_at(&at("two"), &store, "s1").await;
    let looks = api.until_called("getWebhookInfo", 20).await;
    assert!(looks.iter().all(|call| call.caller == "one"));
    first.stop.cancel();
    second.stop.cancel();
}

/// It is paused just before it registers, and another does meanwhile. Telegram keeps what arrives last, and shows nobody which secret
/// that was.
#[tokio::test]
async fn what_a_registrar_that_was_paused_has_undone_is_put_right() {
    let (api, bed) = (BotApi::start(), Bed::memory().await);
    let paused = Arc::new(Watched::new(Arc::clone(&bed.store)));
    let store = Arc::clone(&paused) as Arc<dyn Store>;
    api.plan_of("setWebhook", [Reply::Held]);
    let first = Registrar::start_on(&api, &store, "s1").await;
    api.until_called("setWebhook", 1).await;
    paused.fail("lease", Fault::Before, usize::from(u16::MAX));
    bed.advance(Duration::from_secs(10));
    let second = Registrar::start_on(&api, &bed.store, "s2").await;
    until_registered(&api, &expected("s2")).await;
    until_noted(&bed).await;
    api.set_webhook(Some(expected("s1")));
    api.let_go(0);
    until_registered(&api, &expected("s2")).await;
    first.stop.cancel();
    second.stop.cancel();
}

/// A new secret is registered by one that dies before it has noted that. Whoever knows only the old one registers it again: Telegram
/// shows nobody which it has, and would be turned away for good.
#[tokio::test]
async fn what_a_killed_registrar_did_not_note_is_registered_again() {
    const NEW: &str = "another-secret_0123456789";
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("WEBHOOK_URL", URL);
    let old = setup.start().await;
    until_registered(&api, &expected(SECRET)).await;
    old.stop().await;
    // More than one a second is refused, and tried again.
    api.plan_of("setWebhook", [Reply::Hang; 2]);
    let both = format!("{NEW},{SECRET}");
    let new = setup.clone().with("WEBHOOK_SECRET", &both).start().await;
    until_registered(&api, &expected(NEW)).await;
    new.kill();
    let _old = setup.start().await;
    until_registered(&api, &expected(SECRET)).await;
    let set = api.calls_of("setWebhook");
    assert_eq!(set.iter().filter(|call| call.arrived()).count(), 3);
}

/// The answer is lost: perhaps it is registered, perhaps it is not.
#[tokio::test]
async fn what_nobody_knows_to_be_registered_is_registered_again() {
    let (api, bed) = (BotApi::start(), Bed::memory().await);
    let first = Registrar::start_on(&api, &bed.store, "s1").await;
    until_noted(&bed).await;
    first.stop.cancel();
    api.plan_of("setWebhook", [Reply::Reset; 2]);
    let second = Registrar::start_on(&api, &bed.store, "s2").await;
    until_registered(&api, &expected("s2")).await;
    second.stop.cancel();
    let third = Registrar::start_on(&api, &bed.store, "s1").await;
    until_registered(&api, &expected("s1")).await;
    third.stop.cancel();
}

/// Waits until it is kept what is registered.
async fn until_noted(bed: &Bed) {
    until("it is noted", async || {
        let kept = bed.kept("webhook").await.expect("an answer");
        kept.filter(|kept| !kept.starts_with(b"?"))
    })
    .await;
}

fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

/// A registrar that looks often.
struct Registrar {
    stop: CancellationToken,
}

impl Registrar {
    async fn start(api: &BotApi) -> Self {
        Self::start_on(api, &memory(), "s1").await
    }

    async fn start_on(api: &BotApi, store: &Arc<dyn Store>, secret: &'static str) -> Self {
        Self::start_at(&api.url(), store, secret).await
    }

    async fn start_at(url: &str, store: &Arc<dyn Store>, secret: &'static str) -> Self {
        let store = Arc::clone(store);
        let (peers, stop) = (Peers::default(), CancellationToken::new());
        let secret = SecretString::from(secret);
        let info = Info {
            version: String::new(),
            schemas: BTreeMap::new(),
            secrets: BTreeSet::from(["s1", "s2"].map(|secret| webhook::mark(&secret.into()))),
        };
        let beats = replica::beat(Arc::clone(&store), info, peers.clone(), None, stop.clone());
        tokio::spawn(beats);
        let registration = Registration {
            url: URL.to_owned(),
            secret,
            max_connections: 40,
            every: Duration::from_millis(50),
        };
        let telegram = Telegram::new(url, &TOKEN.into());
        let keep = webhook::keep(registration, store, telegram, peers, stop.clone());
        tokio::spawn(keep);
        Self { stop }
    }
}
