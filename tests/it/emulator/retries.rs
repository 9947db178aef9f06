//! What fails is sent again, later and later.

use serde_json::json;
use steadfast::emulator::{Sending, State, Webhook};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::stage::Stage;

#[tokio::test]
async fn the_pauses_are_0_2_4_8_16_32_and_then_a_minute_or_two() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let first = receiver.next().await;
    let body = first.body.clone();
    first.answer(500);
    let second = receiver.next().await;
    assert_eq!(second.body, body, "the same to the byte");
    second.answer(500);
    for (tried, pause) in [(2, 2), (3, 4), (4, 8), (5, 16), (6, 32)] {
        stage.tried(update, tried).await;
        stage.advance(pause - 1);
        stage.remains(update, State::Waiting).await;
        assert!(receiver.ready().is_none(), "{pause} s are not over");
        stage.advance(1);
        receiver.next().await.answer(500);
    }
    stage.tried(update, 7).await;
    stage.advance(59);
    stage.remains(update, State::Waiting).await;
    assert!(receiver.ready().is_none());
    stage.advance(5);
    receiver.next().await.answer(200);
    stage.became(update, State::Acknowledged).await;
}

/// As with Telegram, where a new webhook is a new actor, which knows nothing of what failed before it.
#[tokio::test]
async fn with_another_webhook_the_pauses_begin_anew() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    receiver.next().await.answer(500);
    receiver.next().await.answer(500);
    for (tried, pause) in [(2, 2), (3, 4), (4, 8)] {
        stage.tried(update, tried).await;
        stage.advance(pause);
        receiver.next().await.answer(500);
    }
    stage.tried(update, 5).await;
    stage.hook(&receiver, json!({ "secret_token": "another" })).await;
    receiver.next().await.answer(500);
    receiver.next().await.answer(500);
    stage.tried(update, 7).await;
    stage.advance(2);
    receiver.next().await.answer(200);
    stage.became(update, State::Acknowledged).await;
}

#[tokio::test]
async fn the_webhook_says_when_to_come_again() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let visit = receiver.next().await;
    visit.answer_with(503, &["Retry-After: 30"], "");
    stage.tried(update, 1).await;
    stage.advance(29);
    stage.remains(update, State::Waiting).await;
    assert!(receiver.ready().is_none());
    stage.advance(1);
    let visit = receiver.next().await;
    visit.answer_with(503, &["Retry-After: Wed, 21 Oct 2026 07:28:00 GMT"], "");
    stage.tried(update, 2).await;
    stage.advance(1);
    stage.remains(update, State::Waiting).await;
    stage.advance(1);
    receiver.next().await.answer(200);
}

#[tokio::test]
async fn what_would_be_too_old_by_then_is_dropped_at_once() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.ask(anna, "Yes", "y").await;
    let (press, _) = stage.press(anna, "Yes");
    let visit = receiver.next().await;
    visit.answer_with(503, &["Retry-After: 200"], "");
    stage.became(press, State::Dropped).await;
    assert_eq!(stage.emulator.pending(), 0);
}

/// The copy is there while the first is still being dealt with.
#[tokio::test]
async fn no_answer_within_a_minute_brings_a_copy_at_once() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let first = receiver.next().await;
    stage.advance(59);
    assert_eq!(stage.remains(update, State::InFlight).await.attempts, []);
    stage.advance(1);
    let copy = receiver.next().await;
    assert_eq!(copy.body, first.body);
    assert_ne!(copy.connection, first.connection);
    let next = stage.say(anna, "next");
    copy.answer(200);
    let done = stage.became(update, State::Acknowledged).await;
    assert_eq!(done.attempts[0].error.as_deref(), Some("Read timeout expired"));
    assert_eq!(receiver.next().await.id(), next, "beside the first, which is still there");
    first.answer(200);
}

#[tokio::test]
async fn only_2xx_is_success_and_nothing_is_followed() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    for status in [302, 404, 500] {
        let update = stage.say(anna, "hello");
        let elsewhere = "Location: http://127.0.0.1:1/";
        receiver.next().await.answer_with(status, &[elsewhere], "");
        let visit = receiver.next().await;
        assert_eq!(visit.id(), update, "again after {status}");
        visit.answer(204);
        stage.became(update, State::Acknowledged).await;
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_none() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let visit = receiver.next().await;
    visit.answer_with(200, &["Content-Encoding: br"], "");
    let tried = stage.tried(update, 1).await;
    let words = "Unsupported \"content-encoding\": br";
    assert_eq!(tried.attempts[0].error.as_deref(), Some(words));
    // The connection is closed in the middle, whether anybody would read the answer or not.
    for (tried, kind) in [(2, "text/plain"), (3, "application/json")] {
        stage.advance(4);
        let half =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: 9\r\n\r\n{{}} ");
        receiver.next().await.break_off(&half);
        let update = stage.tried(update, tried).await;
        assert_eq!(update.state, State::Waiting, "{kind}");
        let last = update.attempts.last().expect("an attempt");
        assert_eq!((last.status, last.error.as_deref()), (None, Some("Connection closed")));
    }
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["last_error_message"], "Connection closed");
}

/// Neither is it said how long the answer is, nor does it come in parts: nothing is read, and what it says is not done.
#[tokio::test]
async fn an_answer_that_does_not_say_where_it_ends_is_empty() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let method = json!({ "method": "sendMessage", "chat_id": anna, "text": "unheard" });
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
    let visit = receiver.next().await;
    visit.answer_raw(format!("{head}{method}"));
    let done = stage.became(update, State::Acknowledged).await;
    assert_eq!(done.attempts[0].response_method, None);
    let next = stage.say(anna, "next");
    assert_eq!(receiver.take(1).await[0]["update_id"], next);
    stage.became(next, State::Acknowledged).await;
    assert_eq!(stage.emulator.messages(anna).len(), 2);
}

/// Refused connections are failures too, and to a webhook that is not there one attempt is made in two seconds.
#[tokio::test]
async fn nobody_at_home_is_tried_every_two_seconds() {
    let (stage, receiver, anna) = Stage::hooked().await;
    drop(receiver);
    let gone = "http://127.0.0.1:9/".to_owned();
    stage.advance(1);
    stage.done("setWebhook", serde_json::json!({ "url": gone })).await;
    let update = stage.say(anna, "hello");
    stage.tried(update, 1).await;
    stage.advance(1);
    let tried = stage.remains(update, State::Waiting).await;
    assert_eq!(tried.attempts.len(), 1);
    stage.advance(1);
    let tried = stage.tried(update, 2).await;
    assert_eq!(tried.attempts[0].error.as_deref(), Some("Connection refused"));
    let info = stage.done("getWebhookInfo", serde_json::json!({})).await;
    assert_eq!(info["last_error_message"], "Connection refused");
    assert_eq!(info["pending_update_count"], 1);
}

#[tokio::test]
async fn what_is_sent_again_is_as_it_was_whatever_changed_meanwhile() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let sent = stage.emulator.send(&Sending::text(anna, "before"));
    let message = sent.expect("a message").messages[0];
    let first = receiver.next().await;
    stage.emulator.edit(anna, anna, message, "after").expect("an edit");
    let path = format!("/emulator/people/{anna}");
    let renamed = crate::support::http::exchange(
        stage.address,
        hyper::Method::PATCH,
        &path,
        &[("content-type", "application/json")],
        json!({ "name": "Hanna" }).to_string().into(),
    );
    assert_eq!(renamed.await.expect("an answer").status, 200);
    let body = first.body.clone();
    first.answer(500);
    let again = receiver.next().await;
    assert_eq!(again.body, body);
    again.answer(200);
    let edit = &receiver.take(1).await[0]["edited_message"];
    assert_eq!(edit["text"], "after");
}

#[tokio::test]
async fn a_connection_that_is_reset_is_told_in_telegrams_words() {
    let stage = Stage::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let url = json!({ "url": format!("http://{address}/") });
    stage.done("setWebhook", url).await;
    let update = stage.say(stage.anna(), "hello");
    let (mut stream, _) = listener.accept().await.expect("a connection");
    stream.read_u8().await.expect("a request");
    stream.set_zero_linger().expect("it is reset when it is closed");
    drop(stream);
    stage.tried(update, 1).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["last_error_message"], "Connection reset by peer");
}

#[tokio::test]
async fn a_place_that_nobody_can_be_at_is_told_in_telegrams_words() {
    let stage = Stage::new().await;
    let nowhere = Webhook::at("http://255.255.255.255/");
    stage.emulator.set_webhook(Some(nowhere), &[]);
    let update = stage.say(stage.anna(), "hello");
    stage.tried(update, 1).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["last_error_message"], "Can't connect to the webhook");
}
