//! What a webhook answers, and what becomes of its connection.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use steadfast::emulator::{State, Webhook};

use super::receiver::Receiver;
use super::stage::Stage;
use crate::support::patience::until;

#[tokio::test]
async fn an_answer_of_more_than_a_mebibyte_of_parameters_brings_the_update_again() {
    let (json, form) = ("application/json", "multipart/form-data; boundary=b");
    for (kind, is_packed) in [(json, false), (form, false), (json, true)] {
        let (stage, mut receiver, anna) = Stage::hooked().await;
        let update = stage.say(anna, "hello");
        let body = asking(kind, anna, &"x".repeat(1 << 20));
        let (body, packing) = match is_packed {
            true => (packed(&body), "Content-Encoding: gzip"),
            false => (body, "X-Packed: no"),
        };
        let headers = [packing, &format!("Content-Type: {kind}")];
        receiver.next().await.answer_bytes(200, &headers, &body);
        stage.tried(update, 1).await;
        stage.advance(2);
        let again = receiver.next().await;
        assert_eq!(again.id(), update, "{kind}, packed: {is_packed}");
        again.answer(200);
        stage.became(update, State::Acknowledged).await;
        assert_eq!(stage.emulator.messages(anna).len(), 1, "nothing was sent");
    }
}

/// An answer that asks for a message of these words, as JSON or as a form.
fn asking(kind: &str, chat: i64, text: &str) -> Vec<u8> {
    let values = [("method", "sendMessage"), ("chat_id", &chat.to_string()), ("text", text)];
    if kind == "application/json" {
        return json!(BTreeMap::from(values)).to_string().into_bytes();
    }
    let part = |(name, value)| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    (values.map(part).concat() + "--b--\r\n").into_bytes()
}

fn packed(body: &[u8]) -> Vec<u8> {
    let mut packing = GzEncoder::new(Vec::new(), Compression::fast());
    packing.write_all(body).expect("it is written to memory");
    packing.finish().expect("it is whole")
}

#[tokio::test]
async fn a_method_may_be_asked_for_in_pieces_and_the_connection_is_kept() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let visit = receiver.next().await;
    let connection = visit.connection;
    let asked = json!({ "method": "sendMessage", "chat_id": anna, "text": "in pieces" });
    let asked = asked.to_string();
    let (one, two) = asked.split_at(10);
    let (length, left) = (one.len(), two.len());
    visit.answer_raw(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\
         {length:x}\r\n{one}\r\n{left:x}\r\n{two}\r\n0\r\n\r\n"
    ));
    until("it is sent", async || {
        let said = stage.emulator.messages(anna);
        (said.last()?.content.words() == "in pieces").then_some(())
    })
    .await;
    stage.became(update, State::Acknowledged).await;
    stage.say(anna, "next");
    assert_eq!(receiver.next().await.connection, connection);
}

/// What comes before an answer is one, and a code ends with a space, also where no words follow.
#[tokio::test]
async fn an_answer_begins_with_a_whole_line_of_its_own() {
    let whole = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    for (first, complaint) in [
        ("HTTP/1.1 100 Continue\r\n\r\n", "Wrong response from the webhook: 100 Continue"),
        ("HTTP/1.1 103 Early Hints\r\n\r\n", "Wrong response from the webhook: 103 Early Hints"),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "Bad Request"),
        ("HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", "invalid HTTP version parsed"),
    ] {
        let (stage, mut receiver, anna) = Stage::hooked().await;
        let update = stage.say(anna, "hello");
        receiver.next().await.answer_raw(format!("{first}{whole}"));
        let failed = stage.tried(update, 1).await;
        assert_eq!(failed.attempts[0].error.as_deref(), Some(complaint));
        stage.advance(2);
        receiver.next().await.answer_raw("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n".to_owned());
        stage.became(update, State::Acknowledged).await;
        let info = stage.done("getWebhookInfo", json!({})).await;
        assert_eq!(info["last_error_message"], complaint);
    }
}

#[tokio::test]
async fn an_address_that_does_not_fit_into_the_head_of_a_request_is_not_asked() {
    let (stage, mut receiver) = (Stage::new().await, Receiver::start().await);
    let anna = stage.anna();
    let long = format!("{}&c={}", receiver.url(), "x".repeat(4_000));
    stage.done("setWebhook", json!({ "url": long })).await;
    let update = stage.say(anna, "hello");
    let failed = stage.tried(update, 1).await;
    assert_eq!(failed.attempts[0].error.as_deref(), Some("URL is too long"));
    stage.rests().await;
    assert!(receiver.ready().is_none());
    stage.advance(1);
    let fits = format!("{}&c={}", receiver.url(), "x".repeat(3_700));
    stage.done("setWebhook", json!({ "url": fits })).await;
    let visit = receiver.next().await;
    assert_eq!(visit.id(), update);
    assert!(visit.head.len() > 3_800, "{}", visit.head.len());
}

#[tokio::test]
async fn more_than_256_kib_of_headers_are_no_answer() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let long = |size: usize| format!("X-Long: {}", "x".repeat(size));
    for headers in [vec!["X-Short: x".to_owned(); 150], vec![long(255 << 10)]] {
        let update = stage.say(anna, "hello");
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        receiver.next().await.answer_with(200, &headers, "");
        let done = stage.became(update, State::Acknowledged).await;
        assert_eq!(done.attempts.len(), 1, "{} lines", headers.len());
    }
    let update = stage.say(anna, "hello");
    let visit = receiver.next().await;
    visit.answer_with(200, &[&long(256 << 10)], "");
    receiver.next().await.answer(200);
    let done = stage.became(update, State::Acknowledged).await;
    let words = "Request Header Fields Too Large";
    assert_eq!(done.attempts[0].error.as_deref(), Some(words));
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
    for method in ["SETWEBHOOK", "deletewebhook", "DeleteWebhook", "CLOSE", "logout", "GETME"] {
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
    assert!(visit.head.contains("X-Telegram-Bot-Api-Secret-Token: s-1\r\n"));
    visit.answer(200);
    stage.advance(1);
    stage.done("setWebhook", json!({ "url": receiver.url() })).await;
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
    let webhook =
        Webhook { gone_since: Some(stage.emulator.now() + 60_000), ..Webhook::at(&receiver.url()) };
    stage.emulator.set_webhook(Some(webhook), &[]);
    let update = stage.say(stage.anna(), "hello");
    receiver.next().await.answer(410);
    receiver.next().await.answer(200);
    stage.became(update, State::Acknowledged).await;
    assert!(stage.emulator.webhook().is_some());
}

#[tokio::test]
async fn gone_is_counted_anew_after_a_success() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    receiver.next().await.answer(410);
    receiver.next().await.answer(410);
    stage.tried(update, 2).await;
    stage.advance(22 * 3_600);
    receiver.next().await.answer(200);
    stage.became(update, State::Acknowledged).await;
    stage.advance(5_400);
    let next = stage.say(anna, "next");
    receiver.next().await.answer(410);
    receiver.next().await.answer(410);
    stage.tried(next, 2).await;
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
