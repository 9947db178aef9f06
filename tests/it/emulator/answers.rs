//! What a webhook answers, and what becomes of its connection.

use serde_json::json;
use steadfast::emulator::{State, Webhook};

use super::receiver::Receiver;
use super::stage::Stage;
use crate::support::patience::until;

#[tokio::test]
async fn an_answer_of_more_than_a_mebibyte_of_json_brings_the_update_again() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let large = json!({ "method": "sendMessage", "chat_id": anna, "text": "x".repeat(1 << 20) });
    receiver.next().await.call(&large);
    stage.tried(update, 1).await;
    stage.advance(2);
    let again = receiver.next().await;
    assert_eq!(again.id(), update);
    again.answer(200);
    stage.became(update, State::Acknowledged).await;
    assert_eq!(stage.emulator.messages(anna).len(), 1, "nothing was sent");
}

#[tokio::test]
async fn a_method_may_be_asked_for_by_a_form() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.say(anna, "hello");
    let form = format!("method=SENDMESSAGE&chat_id={anna}&text=by+form");
    let kind = "Content-Type: application/x-www-form-urlencoded";
    receiver.next().await.answer_with(200, &[kind], &form);
    until("it is sent", async || {
        let said = stage.emulator.messages(anna);
        (said.last()?.content.words() == "by form").then_some(())
    })
    .await;
}

#[tokio::test]
async fn methods_that_are_not_carried_out_are_so_in_any_case() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    for method in [
        "SETWEBHOOK",
        "deletewebhook",
        "DeleteWebhook",
        "CLOSE",
        "logout",
        "GETME",
    ] {
        let update = stage.say(anna, "hello");
        let asked = json!({ "method": method, "url": "" });
        receiver.next().await.call(&asked);
        let done = stage.became(update, State::Acknowledged).await;
        assert_eq!(done.attempts[0].response_method, None, "{method}");
    }
    assert!(stage.emulator.webhook().is_some());
}

#[tokio::test]
async fn a_connection_is_not_used_after_an_answer_of_http_1_0_nor_after_a_minute_of_rest() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let old = stage.say(anna, "one");
    let first = receiver.next().await;
    let mut last = first.connection;
    first.answer_raw("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned());
    stage.became(old, State::Acknowledged).await;
    for (rest, is_kept) in [(0, false), (59, true), (60, false)] {
        stage.advance(rest);
        let update = stage.say(anna, "next");
        let visit = receiver.next().await;
        assert_eq!(visit.connection == last, is_kept, "after {rest} s");
        last = visit.connection;
        visit.answer(200);
        stage.became(update, State::Acknowledged).await;
    }
}

#[tokio::test]
async fn no_secret_is_sent_where_none_is_set_any_more() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.say(anna, "one");
    let visit = receiver.next().await;
    assert!(
        visit
            .head
            .contains("X-Telegram-Bot-Api-Secret-Token: s-1\r\n")
    );
    visit.answer(200);
    stage.advance(1);
    stage
        .done("setWebhook", json!({ "url": receiver.url() }))
        .await;
    stage.say(anna, "two");
    let visit = receiver.next().await;
    assert!(!visit.head.contains("Secret"), "{}", visit.head);
}

#[tokio::test]
async fn one_that_is_refused_has_dropped_what_it_was_told_to() {
    let stage = Stage::new().await;
    let update = stage.say(stage.anna(), "hello");
    let wrong = json!({ "url": "ftp://example.org", "drop_pending_updates": true });
    assert_eq!(stage.refused("setWebhook", wrong).await.0, 400);
    stage.became(update, State::Dropped).await;
}

#[tokio::test]
async fn so_many_connections_as_were_asked_for_within_their_range() {
    let stage = Stage::new().await;
    for (asked, expected) in [(None, 40), (Some(0), 1), (Some(-5), 1), (Some(500), 100)] {
        stage.advance(1);
        let mut params = json!({ "url": "http://127.0.0.1:9/" });
        if let Some(asked) = asked {
            params["max_connections"] = json!(asked);
        }
        stage.done("setWebhook", params).await;
        let info = stage.done("getWebhookInfo", json!({})).await;
        assert_eq!(info["max_connections"], expected, "{asked:?}");
    }
}

/// A machine's clock may be set back, by hand or by its time server.
#[tokio::test]
async fn a_webhook_that_is_gone_since_a_time_to_come_stays() {
    let (stage, mut receiver) = (Stage::new().await, Receiver::start().await);
    let webhook = Webhook {
        gone_since: Some(stage.emulator.now() + 60_000),
        ..Webhook::at(&receiver.url())
    };
    stage.emulator.set_webhook(Some(webhook), &[]);
    let update = stage.say(stage.anna(), "hello");
    receiver.next().await.answer(410);
    receiver.next().await.answer(200);
    stage.became(update, State::Acknowledged).await;
    assert!(stage.emulator.webhook().is_some());
}

#[tokio::test]
async fn gone_is_counted_anew_after_another_answer_and_not_after_none() {
    for is_answered in [true, false] {
        let (stage, mut receiver, anna) = Stage::hooked().await;
        let update = stage.say(anna, "hello");
        receiver.next().await.answer(410);
        receiver.next().await.answer(410);
        stage.tried(update, 2).await;
        stage.advance(22 * 3_600);
        let visit = receiver.next().await;
        match is_answered {
            true => visit.answer(500),
            false => drop(visit),
        }
        stage.tried(update, 3).await;
        stage.advance(5_400);
        receiver.next().await.answer(410);
        stage.tried(update, 4).await;
        assert_eq!(stage.emulator.webhook().is_some(), is_answered);
    }
}
