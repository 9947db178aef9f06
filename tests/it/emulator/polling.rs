//! Polling: one at a time, confirmed by offset, and never beside a webhook.

use serde_json::{Value, json};
use steadfast::emulator::State;

use super::receiver::Receiver;
use super::stage::Stage;
use crate::support::patience::until;

const TERMINATED: &str = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const ACTIVE: &str = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

async fn ids(stage: &Stage, params: Value) -> Vec<i64> {
    // Not so soon after the last one that it counts as the same question.
    stage.advance(4);
    let updates = stage.done("getUpdates", params).await;
    let updates = updates.as_array().expect("a list").iter();
    updates.filter_map(|update| update["update_id"].as_i64()).collect()
}

#[tokio::test]
async fn an_offset_confirms_what_is_below_it() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let all = [1, 2, 3, 4].map(|_| stage.say(anna, "hello"));
    assert_eq!(ids(&stage, json!({})).await, all);
    assert_eq!(ids(&stage, json!({ "limit": 2 })).await, all[..2]);
    assert_eq!(ids(&stage, json!({ "offset": all[1] })).await, all[1..]);
    stage.became(all[0], State::Confirmed).await;
    assert_eq!(
        ids(&stage, json!({ "offset": -1 })).await,
        all[3..],
        "the last one, and the others are forgotten"
    );
    assert_eq!(stage.emulator.pending(), 1);
    assert_eq!(
        ids(&stage, json!({ "offset": i64::MIN })).await,
        all[3..],
        "no more than all can be kept"
    );
}

#[tokio::test]
async fn a_poll_waits_as_long_as_it_is_asked_to() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let poll = tokio::spawn({
        let address = stage.address;
        let path = format!("/bot{}/getUpdates?timeout=20", super::stage::TOKEN);
        async move { crate::support::http::get(address, &path).await.expect("an answer") }
    });
    until("it polls", async || (!stage.emulator.calls().is_empty()).then_some(())).await;
    let update = stage.say(anna, "hello");
    let answer = poll.await.expect("a poll").json();
    assert_eq!(answer["result"][0]["update_id"], update);
}

#[tokio::test]
async fn a_poll_that_nothing_comes_to_ends_with_nothing() {
    let stage = std::sync::Arc::new(Stage::new().await);
    let poll = tokio::spawn({
        let stage = std::sync::Arc::clone(&stage);
        async move { stage.done("getUpdates", json!({ "timeout": 20 })).await }
    });
    until("it polls", async || (!stage.emulator.calls().is_empty()).then_some(())).await;
    until("it waits by the clock", async || {
        stage.advance(20);
        poll.is_finished().then_some(())
    })
    .await;
    assert_eq!(poll.await.expect("a poll"), json!([]));
}

#[tokio::test]
async fn the_older_of_two_polls_is_told_to_go() {
    let stage = std::sync::Arc::new(Stage::new().await);
    let anna = stage.anna();
    let poll = |offset: i64| {
        let stage = std::sync::Arc::clone(&stage);
        tokio::spawn(async move {
            let params = json!({ "timeout": 50, "offset": offset });
            stage.call("getUpdates", params).await
        })
    };
    let old = poll(1);
    until("the old one polls", async || (stage.emulator.calls().len() == 1).then_some(())).await;
    let new = poll(2);
    let told = old.await.expect("a poll");
    assert_eq!((told.status, told.json()["description"].as_str()), (409, Some(TERMINATED)));
    let update = stage.say(anna, "hello");
    assert_eq!(new.await.expect("a poll").json()["result"][0]["update_id"], update);
    assert_eq!(stage.emulator.conflicts(), 1);
}

#[tokio::test]
async fn never_beside_a_webhook() {
    let stage = std::sync::Arc::new(Stage::new().await);
    let receiver = Receiver::start().await;
    let waits = tokio::spawn({
        let stage = std::sync::Arc::clone(&stage);
        async move { stage.refused("getUpdates", json!({ "timeout": 50 })).await }
    });
    until("it polls", async || (!stage.emulator.calls().is_empty()).then_some(())).await;
    stage.hook(&receiver, json!({})).await;
    let told = waits.await.expect("a poll");
    assert_eq!(told, (409, "Conflict: terminated by setWebhook request".to_owned()));
    stage.advance(3);
    assert_eq!(stage.refused("getUpdates", json!({})).await, (409, ACTIVE.to_owned()));
}

/// What is in flight to a webhook that is deleted is had by polling.
#[tokio::test]
async fn a_webhook_that_is_deleted_leaves_its_updates() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let _visit = receiver.next().await;
    stage.done("deleteWebhook", json!({})).await;
    assert_eq!(ids(&stage, json!({})).await, [update]);
}

#[tokio::test]
async fn a_webhook_that_is_deleted_can_take_its_updates_along() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let _visit = receiver.next().await;
    let along = json!({ "drop_pending_updates": true });
    stage.done("deleteWebhook", along).await;
    assert!(ids(&stage, json!({})).await.is_empty());
    stage.became(update, State::Dropped).await;
}

/// Somebody who asks the same at once is given one update at a time.
#[tokio::test]
async fn haste_is_answered_with_one() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let all = [1, 2].map(|_| stage.say(anna, "hello"));
    assert_eq!(ids(&stage, json!({})).await, all);
    let hasty = stage.done("getUpdates", json!({})).await;
    assert_eq!(hasty.as_array().map(Vec::len), Some(1));
}

/// A poller that will not learn is slowed down: of two conflicts within three seconds the second is told late.
#[tokio::test]
async fn a_second_conflict_is_answered_late() {
    let (stage, _receiver, _) = Stage::hooked().await;
    let stage = std::sync::Arc::new(stage);
    let told = (409, ACTIVE.to_owned());
    assert_eq!(stage.refused("getUpdates", json!({})).await, told);
    let second = tokio::spawn({
        let stage = std::sync::Arc::clone(&stage);
        async move { stage.refused("getUpdates", json!({})).await }
    });
    until("it conflicts", async || (stage.emulator.conflicts() == 2).then_some(())).await;
    stage.rests().await;
    assert!(!second.is_finished());
    until("three seconds are over", async || {
        stage.advance(3);
        second.is_finished().then_some(())
    })
    .await;
    assert_eq!(second.await.expect("a poll"), told);
}

/// The same question again, with no patience, waits for three seconds all the same.
#[tokio::test]
async fn who_asks_the_same_again_and_again_waits() {
    let stage = std::sync::Arc::new(Stage::new().await);
    assert_eq!(stage.done("getUpdates", json!({})).await, json!([]));
    let again = tokio::spawn({
        let stage = std::sync::Arc::clone(&stage);
        async move { stage.done("getUpdates", json!({})).await }
    });
    until("it polls", async || (stage.emulator.calls().len() == 2).then_some(())).await;
    stage.rests().await;
    assert!(!again.is_finished());
    let update = stage.say(stage.anna(), "hello");
    assert_eq!(again.await.expect("a poll")[0]["update_id"], update);
}

/// An offset from when numbers were higher says nothing of the new ones.
#[tokio::test]
async fn updates_with_lower_numbers_are_not_lost() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let old = stage.say(anna, "old");
    assert_eq!(ids(&stage, json!({})).await, [old]);
    stage.emulator.restart_with_lower_ids();
    let new = stage.say(anna, "new");
    assert!(new < old);
    assert_eq!(ids(&stage, json!({ "offset": old + 1 })).await, [new]);
    stage.became(old, State::Confirmed).await;
    assert_eq!(ids(&stage, json!({ "offset": old + 1 })).await, [new]);
    assert!(ids(&stage, json!({ "offset": new + 1 })).await.is_empty());
    stage.became(new, State::Confirmed).await;
}

#[tokio::test]
async fn an_update_that_is_sent_once_more_is_polled_once_more() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let update = stage.say(anna, "hello");
    assert_eq!(ids(&stage, json!({})).await, [update]);
    let next = json!({ "offset": update + 1 });
    assert!(ids(&stage, next.clone()).await.is_empty());
    stage.emulator.again(update, 1).expect("an update");
    assert_eq!(ids(&stage, next.clone()).await, [update]);
    assert!(ids(&stage, next).await.is_empty());
}
