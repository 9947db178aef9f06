//! Broadcasts: everyone in a dialogue hears it once, whatever happens to the command that drives it.

use std::collections::BTreeSet;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use steadfast::store::{Cause, Token};
use tower::ServiceExt;

use crate::ops::desk;
use crate::support::bed::{Bed, item, key, messages};
use crate::support::bot_api::Reply;
use crate::support::door::applying;
use crate::support::patience::{all_at_once, until};
use crate::support::redis_server::RedisServer;
use crate::support::updates::{Update, someone};
use crate::support::world::World;

const NOTICE: &str = "Back at <5> & sorry";
const ARRIVED: &str = "Back at &lt;5&gt; &amp; sorry";

#[tokio::test]
async fn everyone_hears_it_once_although_the_command_is_killed_and_run_again() {
    let mut world = World::two().await;
    let users: Vec<i64> = (0..50).map(|_| someone()).collect();
    all_at_once(users.iter().map(|user| world.asked_for_caption(*user))).await;
    let command = ["broadcast", "--active", "--id", "may-1", NOTICE];
    let mut killed = world.desk().begin(&command);
    until("somebody has heard it", async || {
        let calls = world.api.calls();
        calls
            .iter()
            .any(|call| call.text() == ARRIVED)
            .then_some(())
    })
    .await;
    killed.kill().expect("the command can be ended");
    killed.wait().expect("its end");
    let (code, said) = world.command(&command);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("50 queued, 0 have blocked"), "{said}");
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
    let refused = world.total(
        "steadfast_broadcast_messages_total",
        &["result=\"blocked\""],
    );
    assert_eq!(refused.await, 1.0);
}

#[tokio::test]
async fn a_broadcast_that_makes_no_sense_is_refused() {
    let world = World::two().await;
    for (arguments, code) in [
        (&["broadcast", "hello"][..], 2),
        (&["broadcast", "--active", "--id", "two words", "hello"], 1),
        (&["broadcast", "--active", " "], 1),
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
        let sent = page(
            &router,
            &json!({ "id": "a", "text": NOTICE, "cursor": cursor }),
        )
        .await;
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

#[tokio::test]
async fn a_broadcast_waits_while_there_is_much_to_send() {
    let bed = crowd(1).await;
    for chat in 1000..1301 {
        let lane = messages(chat);
        bed.push(lane, Token::fresh(), &item(chat)).await.unwrap();
    }
    let router = desk(&bed.store, applying());
    let sent = page(&router, &json!({ "id": "a", "text": NOTICE })).await;
    assert_eq!(
        sent,
        json!({ "queued": [], "blocked": [], "next": "0.0", "wait_ms": 500, "total": 1 })
    );
}
