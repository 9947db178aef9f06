//! The webhook: what is sent to it, how it is set, and what is known of it.

use std::io::Write as _;
use std::net::SocketAddr;

use serde_json::json;
use steadfast::emulator::{Options, State, Webhook};

use super::receiver::Receiver;
use super::stage::{DAWN, Stage};
use crate::support::patience::until;

#[tokio::test]
async fn the_request_is_telegrams_to_the_byte() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "/start \u{41f}\u{1f600}");
    let visit = receiver.next().await;
    let length = visit.body.len();
    let expected = format!(
        "POST /hook?a=b HTTP/1.1\r\nHost: {}\r\nX-Telegram-Bot-Api-Secret-Token: s-1\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: keep-alive\r\nAccept-Encoding: gzip, deflate\r\n\r\n",
        receiver.address
    );
    assert_eq!(visit.head, expected);
    let date = DAWN / 1000;
    let expected = format!(
        "{{\"update_id\":{update},\n\"message\":{{\"message_id\":1001,\"from\":{{\"id\":{anna},\"is_bot\":false,\"first_name\":\"Anna\",\
         \"language_code\":\"en\"}},\"chat\":{{\"id\":{anna},\"first_name\":\"Anna\",\"type\":\"private\"}},\"date\":{date},\
         \"text\":\"/start \\u041f\\ud83d\\ude00\",\"entities\":[{{\"offset\":0,\"length\":6,\"type\":\"bot_command\"}}]}}}}"
    );
    assert_eq!(visit.body, expected);
}

#[tokio::test]
async fn a_connection_is_used_again_after_any_answer_and_not_after_it_was_told_to_close() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.say(anna, "one");
    let first = receiver.next().await;
    let connection = first.connection;
    first.answer(500);
    let again = receiver.next().await;
    assert_eq!(again.connection, connection);
    again.answer_with(200, &["Connection: close"], "");
    stage.say(anna, "two");
    assert_ne!(receiver.next().await.connection, connection);
}

#[tokio::test]
async fn setting_it_says_what_was_done() {
    let (stage, receiver) = (Stage::new().await, Receiver::start().await);
    let set = stage.hook(&receiver, json!({})).await;
    assert_eq!(set, json!({ "ok": true, "result": true, "description": "Webhook was set" }));
    let same = json!({ "url": receiver.url(), "secret_token": "s-1" });
    let (status, words) = stage.refused("setWebhook", same).await;
    assert_eq!((status, words.as_str()), (429, "Too Many Requests: retry after 1"));
    stage.advance(1);
    let same = stage.hook(&receiver, json!({})).await;
    assert_eq!(same["description"], "Webhook is already set");
    let gone = stage.call("deleteWebhook", json!({})).await.json();
    assert_eq!(gone["description"], "Webhook was deleted");
    let gone = stage.call("setWebhook", json!({ "url": "" })).await.json();
    assert_eq!(gone["description"], "Webhook is already deleted");
}

/// Nor does it end another call that waits for its host.
#[tokio::test]
async fn the_same_once_more_is_not_looked_up() {
    let (stage, receiver) = (Stage::new().await, Receiver::start().await);
    let url = format!("http://telegram.invalid:{}/", receiver.address.port());
    stage.emulator.move_host("telegram.invalid", receiver.address.ip());
    let params = json!({ "url": url });
    stage.done("setWebhook", params.clone()).await;
    stage.emulator.move_host("telegram.invalid", [0, 0, 0, 0].into());
    stage.advance(1);
    let again = stage.call("setWebhook", params).await.json();
    assert_eq!(again["description"], "Webhook is already set");
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["ip_address"], "127.0.0.1");
}

#[tokio::test]
async fn one_that_is_pinned_stays_whatever_the_bot_says() {
    let (stage, mut receiver) = (Stage::new().await, Receiver::start().await);
    let anna = stage.anna();
    stage.emulator.pin_webhook(Webhook::at(&receiver.url()));
    let other = json!({ "url": "http://127.0.0.1:1/elsewhere" });
    for (method, params) in [("setWebhook", other), ("deleteWebhook", json!({}))] {
        let said = stage.call(method, params).await.json();
        assert_eq!(said["ok"], true, "{said}");
    }
    stage.say(anna, "one");
    receiver.next().await.answer(200);
}

#[tokio::test]
async fn one_that_is_refused_leaves_none() {
    let (stage, receiver) = (Stage::new().await, Receiver::start().await);
    for (params, words) in [
        (json!({ "url": "ftp://example.org" }), "Bad Request: invalid webhook URL specified"),
        (
            json!({ "url": receiver.url(), "secret_token": "a b" }),
            "Bad Request: secret token contains unallowed characters",
        ),
        (
            json!({ "url": receiver.url(), "secret_token": "x".repeat(257) }),
            "Bad Request: secret token is too long",
        ),
        (
            json!({ "url": receiver.url(), "ip_address": "nowhere" }),
            "Bad Request: bad webhook: Invalid IP address specified",
        ),
        (
            json!({ "url": "http://255.255.255.255/" }),
            "Bad Request: bad webhook: Can't connect to the webhook",
        ),
        (
            json!({ "url": receiver.url(), "ip_address": "224.0.0.1" }),
            "Bad Request: bad webhook: Can't connect to the webhook",
        ),
    ] {
        stage.advance(1);
        stage.hook(&receiver, json!({})).await;
        stage.advance(1);
        assert_eq!(stage.refused("setWebhook", params).await, (400, words.to_owned()));
        assert_eq!(stage.emulator.webhook(), None);
    }
}

#[tokio::test]
async fn what_is_known_of_it() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.advance(1);
    let more = json!({ "max_connections": 500, "allowed_updates": ["message", "no_such"] });
    stage.hook(&receiver, more).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    let expected = json!({
        "url": receiver.url(), "has_custom_certificate": false, "pending_update_count": 0, "max_connections": 100,
        "ip_address": "127.0.0.1", "allowed_updates": ["message"],
    });
    assert_eq!(info, expected);
    // An error stays, whatever comes after it, until the webhook is set anew.
    let update = stage.say(anna, "hello");
    receiver.next().await.answer(500);
    receiver.next().await.answer(200);
    stage.became(update, State::Acknowledged).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["last_error_message"], "Wrong response from the webhook: 500 Some Reason");
    assert_eq!(info["last_error_date"], DAWN / 1000 + 1);
    assert_eq!(info["pending_update_count"], 0);
    stage.advance(1);
    stage.hook(&receiver, json!({ "max_connections": 1 })).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert!(info.get("last_error_message").is_none());
    stage.done("deleteWebhook", json!({})).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["url"], "");
    assert!(info.get("max_connections").is_none());
}

#[tokio::test]
async fn a_clean_close_is_tried_again_and_not_complained_about() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    drop(receiver.next().await);
    stage.tried(update, 1).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert!(info.get("last_error_message").is_none(), "{info}");
    stage.advance(2);
    receiver.take(1).await;
    stage.became(update, State::Acknowledged).await;
}

/// Whatever is in flight then is sent once more, beside the first.
#[tokio::test]
async fn setting_it_anew_sends_again_what_is_in_flight() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let first = receiver.next().await;
    stage.advance(1);
    stage.hook(&receiver, json!({})).await;
    stage.rests().await;
    assert!(receiver.ready().is_none(), "the same webhook changes nothing");
    stage.advance(1);
    stage.hook(&receiver, json!({ "secret_token": "s-2" })).await;
    let copy = receiver.next().await;
    assert_eq!(copy.body, first.body);
    assert!(copy.head.contains("X-Telegram-Bot-Api-Secret-Token: s-2\r\n"));
    first.answer(200);
    copy.answer(200);
    let done = stage.became(update, State::Acknowledged).await;
    assert_eq!(done.attempts.len(), 1, "the first answer came to nobody");
}

#[tokio::test]
async fn the_same_webhook_is_set_anew_where_what_is_in_flight_is_to_be_dropped() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let visit = receiver.next().await;
    stage.advance(1);
    let set = stage.hook(&receiver, json!({ "drop_pending_updates": true })).await;
    assert_eq!(set["description"], "Webhook was set");
    visit.answer(200);
    stage.remains(update, State::Dropped).await;
    let next = stage.say(anna, "next");
    assert_eq!(receiver.next().await.id(), next);
}

#[tokio::test]
async fn what_waits_can_be_dropped_and_numbers_go_on() {
    let stage = Stage::new().await;
    let receiver = Receiver::start().await;
    let anna = stage.anna();
    let old = stage.say(anna, "old");
    stage.hook(&receiver, json!({ "drop_pending_updates": true })).await;
    stage.became(old, State::Dropped).await;
    assert_eq!(stage.say(anna, "new"), old + 1);
}

#[tokio::test]
async fn only_what_is_allowed_is_numbered() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.advance(1);
    stage.hook(&receiver, json!({ "allowed_updates": ["callback_query"] })).await;
    let sent = stage.emulator.send(&steadfast::emulator::Sending::text(anna, "unheard"));
    assert_eq!(sent.expect("a message").updates, [None]);
    stage.ask(anna, "Yes", "y").await;
    let (press, _) = stage.press(anna, "Yes");
    stage.advance(1);
    // Not said, or not to be read: as before. Nothing: as usual.
    stage.hook(&receiver, json!({ "max_connections": 3 })).await;
    assert_eq!(stage.emulator.allowed(), ["callback_query"]);
    stage.advance(1);
    let unreadable = json!({ "max_connections": 4, "allowed_updates": "oops" });
    stage.hook(&receiver, unreadable).await;
    assert_eq!(stage.emulator.allowed(), ["callback_query"]);
    stage.advance(1);
    stage.hook(&receiver, json!({ "allowed_updates": [] })).await;
    assert_eq!(stage.say(anna, "heard"), press + 1);
    receiver.next().await;
}

#[tokio::test]
async fn what_is_in_the_queue_comes_although_it_is_not_allowed_any_more() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let said = [stage.say(anna, "one"), stage.say(anna, "two")];
    let _first = receiver.next().await;
    stage.advance(1);
    stage.hook(&receiver, json!({ "allowed_updates": ["callback_query"] })).await;
    let came = receiver.take(2).await;
    assert_eq!([&came[0]["update_id"], &came[1]["update_id"]], said);
}

#[tokio::test]
async fn gone_for_23_hours_it_is_deleted() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.say(anna, "hello");
    receiver.next().await.answer(410);
    receiver.next().await.answer(410);
    let update = stage.emulator.updates()[0].update_id;
    let mut tried = 2;
    while stage.emulator.webhook().is_some() {
        stage.tried(update, tried).await;
        stage.advance(3_600);
        receiver.next().await.answer(410);
        tried += 1;
        stage.tried(update, tried).await;
    }
    assert_eq!(tried, 2 + 24, "after more than 23 hours");
    assert_eq!(stage.emulator.pending(), 1, "the update waits for whoever asks");
}

#[tokio::test]
async fn a_method_in_the_answer_is_carried_out() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let method = json!({ "method": "sendMessage", "chat_id": anna, "text": "hi" });
    receiver.next().await.call(&method);
    let done = stage.became(update, State::Acknowledged).await;
    assert_eq!(done.attempts[0].response_method.as_deref(), Some("sendMessage"));
    until("it is sent", async || {
        let said = stage.emulator.messages(anna);
        (said.last()?.content.words() == "hi").then_some(())
    })
    .await;
    // Some are not, and the update is delivered all the same.
    for method in ["setWebhook", "deleteWebhook", "close", "logOut", "getMe", ""] {
        let update = stage.say(anna, "again");
        receiver.next().await.call(&json!({ "method": method, "url": "" }));
        let done = stage.became(update, State::Acknowledged).await;
        assert_eq!(done.attempts[0].response_method, None, "{method}");
    }
    assert!(stage.emulator.webhook().is_some());
    // What is refused is refused without a word.
    let update = stage.say(anna, "again");
    receiver.next().await.call(&json!({ "method": "sendMessage", "chat_id": 1, "text": "hi" }));
    stage.became(update, State::Acknowledged).await;
}

#[tokio::test]
async fn a_restart_sends_again_what_was_not_acknowledged() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let first = receiver.next().await;
    stage.emulator.restart();
    let copy = receiver.next().await;
    assert_eq!(copy.body, first.body);
    copy.answer(200);
    stage.became(update, State::Acknowledged).await;
    stage.emulator.restart_with_lower_ids();
    assert!(stage.say(anna, "next") < update);
    receiver.next().await;
}

/// All that a bot hears of that says nothing.
const USUAL: [&str; 22] = [
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "inline_query",
    "chosen_inline_result",
    "callback_query",
    "shipping_query",
    "pre_checkout_query",
    "my_chat_member",
    "chat_join_request",
    "chat_boost",
    "removed_chat_boost",
    "business_connection",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "purchased_paid_media",
    "guest_message",
    "managed_bot",
    "poll",
    "poll_answer",
];

#[tokio::test]
async fn the_same_kinds_of_update_in_other_words_are_no_other_webhook() {
    let (stage, receiver, _) = Stage::hooked().await;
    for (kinds, words, shown) in [
        (json!(USUAL), "Webhook is already set", None),
        (json!(["poll", "message"]), "Webhook was set", Some(json!(["message", "poll"]))),
        (
            json!(["message", "poll", "message", "no_such"]),
            "Webhook is already set",
            Some(json!(["message", "poll"])),
        ),
        (json!([]), "Webhook was set", None),
    ] {
        stage.advance(1);
        let set = stage.hook(&receiver, json!({ "allowed_updates": kinds })).await;
        assert_eq!(set["description"], words, "{kinds}");
        let info = stage.done("getWebhookInfo", json!({})).await;
        assert_eq!(info.get("allowed_updates"), shown.as_ref(), "{kinds}");
    }
}

#[tokio::test]
async fn kinds_of_update_that_do_not_exist_leave_what_is_usual() {
    let (stage, mut receiver) = (Stage::new().await, Receiver::start().await);
    let anna = stage.anna();
    let more = json!({ "allowed_updates": ["no_such"] });
    stage.hook(&receiver, more).await;
    let update = stage.say(anna, "hello");
    assert_eq!(receiver.take(1).await[0]["update_id"], update);
}

/// A page, or a file that is to be sent: only what asks for a method in words has a limit.
#[tokio::test]
async fn a_large_answer_is_taken_as_any_other() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let large = "x".repeat(2 << 20);
    let part = |name: &str, value: &str| {
        format!("--b\r\nContent-Disposition: form-data; name={name}\r\n\r\n{value}\r\n")
    };
    let form = [
        part("\"method\"", "sendDocument"),
        part("\"chat_id\"", &anna.to_string()),
        part("\"document\"; filename=\"a.txt\"", &large),
        "--b--\r\n".to_owned(),
    ];
    for (kind, body) in
        [("text/html", large.clone()), ("multipart/form-data; boundary=b", form.concat())]
    {
        let update = stage.say(anna, "hello");
        let kind = format!("Content-Type: {kind}");
        receiver.next().await.answer_with(200, &[&kind], &body);
        let done = stage.became(update, State::Acknowledged).await;
        assert_eq!(done.attempts.len(), 1, "{kind}");
    }
    until("the file is there", async || {
        let said = stage.emulator.messages(anna);
        said.iter().any(|it| it.content.document.is_some()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_name_and_a_password_in_the_address_are_sent() {
    let (stage, mut receiver) = (Stage::new().await, Receiver::start().await);
    let anna = stage.anna();
    let url = receiver.url().replace("://", "://me:secret@");
    stage.hook(&receiver, json!({ "url": url })).await;
    stage.say(anna, "hello");
    let visit = receiver.next().await;
    let expected = format!("Host: {}\r\nAuthorization: Basic bWU6c2VjcmV0\r\n", receiver.address);
    assert!(visit.head.contains(&expected), "{}", visit.head);
}

/// The server reads an answer field by field, and only logs where it breaks off.
#[tokio::test]
async fn what_stands_before_an_error_in_the_answer_is_carried_out() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    let body =
        format!(r#"{{"method":"sendMessage","chat_id":{anna},"text":"half","reply_markup":{{oops"#);
    let kind = "Content-Type: application/json";
    receiver.next().await.answer_with(200, &[kind], &body);
    stage.became(update, State::Acknowledged).await;
    said(&stage, anna, "half").await;
}

#[tokio::test]
async fn a_packed_answer_is_read_and_one_that_is_packed_wrongly_is_none() {
    for (encoding, pack) in [("gzip", gzip as fn(&[u8]) -> Vec<u8>), ("deflate", deflate)] {
        let (stage, mut receiver, anna) = Stage::hooked().await;
        let update = stage.say(anna, "hello");
        let asked = json!({ "method": "sendMessage", "chat_id": anna, "text": encoding });
        let packed = pack(asked.to_string().as_bytes());
        let encoding_header = format!("Content-Encoding: {encoding}");
        let headers = ["Content-Type: application/json", &encoding_header];
        let broken = receiver.next().await;
        broken.answer_bytes(200, &headers, b"not packed at all");
        stage.tried(update, 1).await;
        stage.advance(2);
        receiver.next().await.answer_bytes(200, &headers, &packed);
        let done = stage.became(update, State::Acknowledged).await;
        assert_eq!(done.attempts.len(), 2, "{encoding}");
        said(&stage, anna, encoding).await;
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).expect("it is packed");
    packer.finish().expect("it is packed")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).expect("it is packed");
    packer.finish().expect("it is packed")
}

/// Waits until the bot has said so.
async fn said(stage: &Stage, chat: i64, words: &str) {
    until("the bot has said it", async || {
        let said = stage.emulator.messages(chat);
        said.iter().any(|it| it.content.words() == words).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_host_that_cannot_be_found_is_refused_and_leaves_none() {
    let (stage, receiver) = (Stage::new().await, Receiver::start().await);
    stage.hook(&receiver, json!({})).await;
    stage.advance(1);
    let lost = json!({ "url": "https://no-such-host.invalid/hook" });
    let (status, words) = stage.refused("setWebhook", lost).await;
    assert_eq!(status, 400);
    let beginning = "Bad Request: bad webhook: Failed to resolve host: ";
    assert!(words.starts_with(beginning) && words.len() > beginning.len(), "{words}");
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["url"], "");
    stage.advance(1);
    let fixed = json!({ "url": "https://no-such-host.invalid/hook", "ip_address": "127.0.0.1" });
    stage.done("setWebhook", fixed).await;
    stage.advance(1);
    let named = receiver.url().replace("127.0.0.1", "localhost");
    stage.hook(&receiver, json!({ "url": named })).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["ip_address"], "127.0.0.1");
}

#[tokio::test]
async fn updates_go_to_the_address_that_was_asked_for_instead_of_the_hosts() {
    let (stage, mut receiver) = (Stage::new().await, Receiver::start().await);
    let host = format!("no-such-host.invalid:{}", receiver.address.port());
    let fixed = json!({ "url": format!("http://{host}/hook"), "ip_address": "127.0.0.1" });
    stage.done("setWebhook", fixed).await;
    stage.say(stage.anna(), "hello");
    let visit = receiver.next().await;
    let expected = format!("Host: {host}\r\n");
    assert!(visit.head.contains(&expected), "{}", visit.head);
}

/// A connection that is kept leads to where the host was, and is not used again.
#[tokio::test]
async fn a_host_that_moves_is_found_again_after_half_an_hour() {
    let (stage, mut old) = (Stage::new().await, Receiver::start().await);
    let port = old.address.port();
    let mut new = Receiver::at(SocketAddr::from(([127, 0, 0, 2], port))).await;
    let anna = stage.anna();
    stage.emulator.move_host("bot.invalid", old.address.ip());
    let url = format!("http://bot.invalid:{port}/hook");
    stage.done("setWebhook", json!({ "url": url })).await;
    stage.emulator.move_host("bot.invalid", new.address.ip());
    for later in [0, 30 * 60 - 10, 9] {
        stage.advance(later);
        let update = stage.say(anna, "hello");
        assert_eq!(old.take(1).await[0]["update_id"], update);
        stage.became(update, State::Acknowledged).await;
    }
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["ip_address"], "127.0.0.1");
    stage.advance(1);
    let update = stage.say(anna, "where are you?");
    assert_eq!(new.take(1).await[0]["update_id"], update);
    stage.became(update, State::Acknowledged).await;
    let info = stage.done("getWebhookInfo", json!({})).await;
    assert_eq!(info["ip_address"], "127.0.0.2");
}

#[tokio::test]
async fn in_public_only_https_on_four_ports_at_public_addresses_is_taken() {
    let stage = Stage::with(Options { public: true, ..Options::default() }).await;
    for (url, words) in [
        ("http://1.1.1.1/", "An HTTPS URL must be provided for webhook"),
        ("https://1.1.1.1:8080/", "Webhook can be set up only on ports 80, 88, 443 or 8443"),
        ("https://127.0.0.1/", "IP address 127.0.0.1 is reserved"),
        ("https://localhost:8443/", "IP address 127.0.0.1 is reserved"),
        ("https://[::1]/", "IPv6-only addresses are not allowed"),
    ] {
        let (status, said) = stage.refused("setWebhook", json!({ "url": url })).await;
        assert_eq!((status, said), (400, format!("Bad Request: bad webhook: {words}")));
        stage.advance(1);
    }
    stage.done("setWebhook", json!({ "url": "https://1.1.1.1:88/" })).await;
}
