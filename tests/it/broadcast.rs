//! Broadcasts: everyone in a dialogue hears it once, whatever happens to the command that drives it.

use std::collections::BTreeSet;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use steadfast::store::{Cause, Commit, Token};
use tower::ServiceExt;

use crate::ops::desk;
use crate::support::bed::{Bed, aside, bulk, item, jobs, key, messages};
use crate::support::bot_api::{Call, Reply};
use crate::support::door::applying;
use crate::support::patience::{all_at_once, until};
use crate::support::postgres_server::PostgresServer;
use crate::support::redis_server::RedisServer;
use crate::support::updates::{Update, someone};
use crate::support::world::{ASKED, World};

const NOTICE: &str = "Back at <5> & sorry";
const ARRIVED: &str = "Back at &lt;5&gt; &amp; sorry";

#[tokio::test]
async fn everyone_hears_it_once_although_the_command_is_killed_and_run_again() {
    let mut world = World::two().await;
    let users: Vec<i64> = (0..50).map(|_| someone()).collect();
    all_at_once(users.iter().map(|user| world.asked_for_caption(*user))).await;
    let command = ["broadcast", "--active", "--id", "may-1", NOTICE];
    let killed = world.desk().begin(&command);
    until("somebody has heard it", async || {
        let calls = world.api.calls();
        calls.iter().any(|call| call.text() == ARRIVED).then_some(())
    })
    .await;
    drop(killed);
    let (code, said) = world.command(&command);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("50 queued, 0 have blocked"), "{said}");
    let shows = |line: &str| line.contains("/50  ") && line.contains("/s  ");
    let is_shown = said.lines().any(|line| shows(line) && line.ends_with(" left"));
    assert!(is_shown, "how far it is: {said}");
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for user in users {
        let texts = world.api.texts(user);
        let heard = texts.iter().filter(|text| *text == ARRIVED).count();
        assert_eq!(heard, 1, "{texts:?}");
    }
    for server in world.servers.drain(..) {
        let log = server.stop().await.join("\n");
        assert!(!log.contains("sorry"), "{log}");
    }
}

/// Those who are there when it begins hear it once, also when others come meanwhile and the command is killed.
async fn everyone_who_ever_wrote_hears_it(variables: &[(&str, &str)]) {
    let mut world = World::two_with(variables).await;
    let users: Vec<i64> = (0..40).map(|_| someone()).collect();
    all_at_once(users.iter().map(|user| world.told(*user))).await;
    let stranger = Update::photo(someone()).in_group(-someone());
    world.deliver(stranger).await;
    // People are noted behind what is said to them.
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let command = ["broadcast", "--all", "--id", "june-1", NOTICE];
    let killed = world.desk().begin(&command);
    let is_heard = |call: &Call| call.text() == ARRIVED;
    until("somebody has heard it", async || world.api.calls().iter().any(is_heard).then_some(()))
        .await;
    let late: Vec<i64> = (0..5).map(|_| someone()).collect();
    all_at_once(late.iter().map(|user| world.told(*user))).await;
    drop(killed);
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for _ in 0..2 {
        let (code, said) = world.command(&command);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("45 queued, 0 have blocked"), "{said}");
    }
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for user in users.into_iter().chain(late) {
        let texts = world.api.texts(user);
        let heard = texts.iter().filter(|text| *text == ARRIVED).count();
        assert_eq!(heard, 1, "{texts:?}");
    }
    let heard = world.api.calls().iter().filter(|call| is_heard(call)).count();
    assert_eq!(heard, 45, "nobody else");
    for server in world.servers.drain(..) {
        server.stop().await;
    }
}

#[tokio::test]
async fn everyone_who_ever_wrote_hears_it_once_by_sqlite() {
    everyone_who_ever_wrote_hears_it(&[]).await;
}

#[tokio::test]
async fn everyone_who_ever_wrote_hears_it_once_by_postgres() {
    let url = PostgresServer::shared().await.database().await;
    everyone_who_ever_wrote_hears_it(&[("DATABASE_URL", &url)]).await;
}

#[tokio::test]
async fn those_who_blocked_the_bot_are_counted_and_those_elsewhere_left_alone() {
    let world = World::two().await;
    let (gone, here) = (someone(), someone());
    for user in [gone, here] {
        world.asked_for_caption(user).await;
    }
    world.api.rule(move |call| match call.chat() == gone {
        true => Reply::Blocked,
        false => Reply::Ok,
    });
    world.deliver(Update::text(gone, "/help")).await;
    until("the person is known to be gone", async || {
        let blocked = world.total("steadfast_outbox_blocked_total", &[]).await;
        (blocked == 1.0).then_some(())
    })
    .await;
    let elsewhere = ["broadcast", "--active", "--label", "photo/shot", NOTICE];
    let (code, said) = world.command(&elsewhere);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("0 queued, 0 have blocked"), "{said}");
    let there = ["broadcast", "--active", "--label", "photo/caption", NOTICE];
    let (code, said) = world.command(&there);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 queued, 1 have blocked"), "{said}");
    world.api.until_said(here, ARRIVED).await;
    let refused = world.total("steadfast_broadcast_messages_total", &["result=\"blocked\""]);
    assert_eq!(refused.await, 1.0);
}

#[tokio::test]
async fn those_with_a_role_hear_it() {
    let users: Vec<i64> = (0..6).map(|_| someone()).collect();
    let owners = format!("{},{}", users[0], users[1]);
    let world = World::two_with(&[("OWNER_IDS", &owners), ("DEFAULT_ROLE", "worker")]).await;
    all_at_once(users[1..].iter().map(|user| world.told(*user))).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    world.api.block(users[1], true);
    for (role, queued) in [("owner", 2), ("worker", 4), ("master", 0)] {
        let (code, said) = world.command(&["broadcast", "--role", role, NOTICE]);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains(&format!("{queued} queued, 0 have blocked")), "{said}");
    }
    for user in [users[0], users[2], users[5]] {
        world.api.until_said(user, ARRIVED).await;
    }
    until("the one who blocked the bot is known", async || {
        let (code, said) = world.command(&["broadcast", "--role", "owner", NOTICE]);
        assert_eq!(code, 0, "{said}");
        said.contains("1 queued, 1 have blocked").then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_id_means_one_text_and_one_audience() {
    let world = World::two().await;
    let user = someone();
    world.asked_for_caption(user).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let first = ["broadcast", "--all", "--id", "may-1", NOTICE];
    assert_eq!(world.command(&first).0, 0);
    for other in [
        &["broadcast", "--all", "--id", "may-1", "Back at 6"][..],
        &["broadcast", "--active", "--id", "may-1", NOTICE],
        &["broadcast", "--role", "owner", "--id", "may-1", NOTICE],
        &["broadcast", "--active", "--label", "photo/shot", "--id", "may-1", NOTICE],
    ] {
        let (code, said) = world.command(other);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("`may-1` says something else, or to others"), "{said}");
    }
    assert_eq!(world.command(&first).0, 0);
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let texts = world.api.texts(user);
    assert_eq!(texts.iter().filter(|text| *text == ARRIVED).count(), 1, "{texts:?}");
}

/// The database is away when they first write: they are answered at once, and noted when it is back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_away_silences_nobody() {
    let server = tokio::task::spawn_blocking(PostgresServer::start).await;
    let mut database = server.expect("a server");
    let url = database.database().await;
    let world = World::two_with(&[("DATABASE_URL", &url)]).await;
    tokio::task::block_in_place(|| database.stop());
    let user = someone();
    for word in ["/start", "/help", "/menu"] {
        world.deliver(Update::text(user, word)).await;
    }
    world.api.until_sent(user, 3).await;
    world.asked_for_caption(user).await;
    assert_eq!(world.command(&["broadcast", "--all", NOTICE]).0, 1);
    tokio::task::block_in_place(|| database.restart());
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let (code, said) = world.command(&["broadcast", "--all", NOTICE]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 queued"), "{said}");
    world.api.until_said(user, ARRIVED).await;
}

#[tokio::test]
async fn a_broadcast_that_makes_no_sense_is_refused() {
    let world = World::two().await;
    for (arguments, code) in [
        (&["broadcast", "hello"][..], 2),
        (&["broadcast", "--active", "--id", "two words", "hello"], 1),
        (&["broadcast", "--active", " "], 1),
        (&["broadcast", "--active", "--all", "hello"], 2),
        (&["broadcast", "--all", "--label", "photo/shot", "hello"], 2),
        (&["broadcast", "--role", "king", "hello"], 1),
    ] {
        assert_eq!(world.command(arguments).0, code, "{arguments:?}");
    }
}

async fn page(router: &Router, notice: &Value) -> Value {
    let request = Request::post("/broadcast")
        .header(header::HOST, "127.0.0.1:9100")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(notice.to_string()))
        .unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

async fn crowd(count: i64) -> Bed {
    let bed = Bed::memory().await;
    for chat in 1..=count {
        bed.turn(&key(chat, chat), Cause::Order, |_| {}).await;
    }
    bed
}

#[tokio::test]
async fn the_pages_reach_everyone() {
    let bed = crowd(120).await;
    let router = desk(&bed.store, applying());
    let (mut cursor, mut reached, mut pages) = (Value::Null, BTreeSet::new(), 0);
    loop {
        let sent = page(&router, &json!({ "id": "a", "text": NOTICE, "cursor": cursor })).await;
        assert_eq!(sent["total"], 120);
        let queued = sent["queued"].as_array().unwrap();
        reached.extend(queued.iter().filter_map(Value::as_i64));
        pages += 1;
        cursor = sent["next"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(reached, (1..=120).collect());
    assert!(pages > 4);
    assert_eq!(bed.backlog().await.unwrap().lanes, 120);
}

/// They would see it in both. Others in their group hear it there.
#[tokio::test]
async fn whoever_is_in_a_dialogue_in_private_too_does_not_hear_it_in_their_group() {
    let bed = Bed::memory().await;
    let (both, blocked, elsewhere, other) = (5, 6, 7, 8);
    let homes = [(both, both), (-1, both), (-2, both), (-2, other)];
    let others = [(blocked, blocked), (-3, blocked), (-4, elsewhere)];
    for (chat, user) in homes.into_iter().chain(others) {
        bed.turn(&key(chat, user), Cause::Order, |_| {}).await;
    }
    let at_another = |commit: &mut Commit| commit.next.labels = vec!["photo/shot".into()];
    bed.turn(&key(elsewhere, elsewhere), Cause::Order, at_another).await;
    bed.block(blocked).await.unwrap();
    let router = desk(&bed.store, applying());
    let everyone = json!({ "id": "a", "text": NOTICE });
    let reached = page(&router, &everyone).await;
    assert_eq!(reached["queued"], json!([-3, -2, both, elsewhere]));
    assert_eq!(reached["blocked"], json!([blocked]));
    let some = json!({ "id": "b", "text": NOTICE, "label": "order/phone" });
    let reached = page(&router, &some).await;
    assert_eq!(reached["queued"], json!([-4, -3, -2, both]));
}

/// Neither people who are being answered nor records that wait for a database hold it up.
#[tokio::test]
async fn a_broadcast_waits_while_many_broadcasts_do_and_for_nothing_else() {
    let bed = crowd(1).await;
    let router = desk(&bed.store, applying());
    let notice = json!({ "id": "a", "text": NOTICE });
    for lane in [messages, jobs, aside] {
        for chat in 1000..1301 {
            let token = Token::fresh();
            bed.push(lane(chat), token, &item(chat)).await.unwrap();
        }
    }
    assert_eq!(page(&router, &notice).await["queued"], json!([1]));
    for chat in 1000..1300 {
        let token = Token::fresh();
        bed.push(bulk(chat), token, &item(chat)).await.unwrap();
    }
    let sent = page(&router, &notice).await;
    assert_eq!(
        sent,
        json!({ "queued": [], "blocked": [], "next": "0", "wait_ms": 500, "total": 1 })
    );
}

/// How often a group has heard it, before and after it became another chat.
fn heard(world: &World, (old, new): (i64, i64)) -> usize {
    let texts = [world.api.texts(old), world.api.texts(new)].concat();
    texts.iter().filter(|text| *text == ARRIVED).count()
}

/// Once told, and once found out by the broadcast itself.
#[tokio::test]
async fn a_group_that_becomes_another_chat_hears_it_once() {
    let world = World::two().await;
    let command = ["broadcast", "--active", "--id", "may-1", NOTICE];
    let broadcast = async || {
        let (code, said) = world.command(&command);
        assert_eq!(code, 0, "{said}");
        world.until_lanes_are_empty(RedisServer::shared()).await;
    };
    let groups = [(); 2].map(|()| {
        let old = -someone();
        (old, old - 1_000_000_000_000)
    });
    let user = someone();
    let [told, untold] = groups;
    world.deliver(Update::photo(user).in_group(told.0)).await;
    broadcast().await;
    assert_eq!(heard(&world, told), 1);
    world.deliver(Update::photo(user).in_group(untold.0)).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for (old, new) in groups {
        world.api.migrate(old, new);
    }
    for update in Update::migration(user, told.0, told.1) {
        world.deliver(update).await;
    }
    broadcast().await;
    for (_, new) in groups {
        // What is said there takes the dialogue along.
        let help = Update::text(user, "/help").in_group(new);
        world.deliver(help).await;
        world.api.until_sent(new, 1).await;
    }
    broadcast().await;
    assert_eq!(groups.map(|group| heard(&world, group)), [1, 1]);
    assert_eq!(world.api.texts(untold.0), [ASKED]);
}
