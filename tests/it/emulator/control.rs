//! The control API over HTTP, as people and tests in other languages use it.

use hyper::Method;
use serde_json::{Value, json};
use steadfast::emulator::State;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::stage::{DAWN, Stage};
use crate::support::http;
use crate::support::patience::LONG;

#[tokio::test]
async fn it_tells_what_can_be_asked_for() {
    let stage = Stage::new().await;
    let list = stage.get("").await.json();
    let entries = list["endpoints"].as_array().expect("a list");
    assert!(entries.iter().any(|entry| entry["request"] == "POST /emulator/messages"
        && entry["example"]["text"] == "/start"));
}

#[tokio::test]
async fn a_dialogue_by_http_alone() {
    let stage = Stage::new().await;
    let anna =
        stage.post("people", json!({ "name": "Anna", "language": "ru", "role": "customer" })).await;
    assert_eq!(
        (&anna["language_code"], &anna["role"], &anna["blocked"]),
        (&json!("ru"), &json!("customer"), &json!(false))
    );
    let id = anna["id"].as_i64().expect("an id");
    assert_eq!(anna["chat"], id);
    let sent = stage.post("messages", json!({ "from": id, "text": "/start" })).await;
    assert!(sent["update_id"].is_i64() && sent["message_id"].is_i64(), "{sent}");
    let updates = stage.done("getUpdates", json!({})).await;
    assert_eq!(updates[0]["message"]["text"], "/start");
    let next = updates[0]["update_id"].as_i64().expect("an id") + 1;
    stage.ask(id, "Yes", "y").await;
    let press = stage.post("press", json!({ "from": id, "label": "Yes" })).await;
    stage.advance(4);
    let updates = stage.done("getUpdates", json!({ "offset": next })).await;
    assert_eq!(updates[0]["callback_query"]["id"], press["callback_query_id"]);
    let chat = stage.get(&format!("chats/{id}")).await.json();
    let messages = chat["messages"].as_array().expect("messages");
    assert_eq!(
        (&messages[0]["by"], &messages[0]["delivery"]),
        (&json!("person"), &json!("delivered"))
    );
    assert_eq!(messages[1]["by"], "bot");
    let calls = stage.get("calls?method=sendMessage").await.json();
    assert_eq!(calls["calls"][0]["params"]["text"], "Well?");
    assert_eq!(calls["calls"][0]["answer"]["ok"], true);
    let seen = stage.get("updates").await.json();
    assert_eq!(seen["updates"][0]["state"], "confirmed");
    assert_eq!(seen["updates"][0]["body"]["message"]["text"], "/start");
    let after = stage.get(&format!("updates?after={}", next - 1)).await.json();
    assert_eq!(after["updates"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn people_can_be_changed_and_send_anything() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let path = format!("/emulator/people/{anna}");
    let changed = http::exchange(
        stage.address,
        Method::PATCH,
        &path,
        &[],
        json!({ "name": "Ann", "language": "de" }).to_string().into(),
    )
    .await;
    assert_eq!(changed.expect("an answer").json()["first_name"], "Ann");
    for body in [
        json!({ "from": anna, "photo": true, "caption": "look" }),
        json!({ "from": anna, "contact": true }),
        json!({ "from": anna, "location": { "latitude": 1.5, "longitude": 2.5 } }),
        json!({ "from": anna, "sticker": true }),
        json!({ "from": anna, "voice": true }),
        json!({ "from": anna, "document": { "name": "a.txt", "base64": "aGk=" } }),
    ] {
        stage.post("messages", body).await;
    }
    let album = stage
        .post("messages", json!({ "from": anna, "album": [true, true], "caption": "both" }))
        .await;
    assert_eq!(album["message_id"].as_array().map(Vec::len), Some(2));
    let said = stage.emulator.messages(anna);
    assert!(said[0].content.photo.len() >= 2);
    assert_eq!(said[1].content.contact.as_ref().and_then(|it| it.user_id), Some(anna));
    assert_eq!(said[6].media_group_id, said[7].media_group_id);
    let file = stage
        .get(&format!("files/{}", said[5].content.document.as_ref().expect("a file").file_id))
        .await;
    assert_eq!(file.body, "hi");
    let edited = stage.post("messages", json!({ "from": anna, "text": "one" })).await;
    let edit = json!({ "from": anna, "message_id": edited["message_id"], "text": "two" });
    assert!(stage.post("messages/edit", edit).await["update_id"].is_i64());
}

#[tokio::test]
async fn what_is_wrong_is_said_in_plain_words() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (path, body, status) in [
        ("people", json!({}), 400),
        ("people", json!({ "name": "Anna", "age": 5 }), 400),
        ("messages", json!({ "from": 1, "text": "hi" }), 404),
        ("messages", json!({ "from": anna }), 400),
        ("messages", json!({ "from": anna, "chat": 77, "text": "hi" }), 404),
        ("press", json!({ "from": anna, "label": "Yes" }), 404),
        ("groups", json!({ "title": "Team", "members": [1] }), 404),
        ("clock", json!({ "advance": "soon" }), 400),
        ("clock", json!({ "advance": "367d" }), 400),
        ("clock", json!({ "advance": "18446744073709551615ms" }), 400),
        ("faults", json!({ "kind": "nonsense" }), 400),
        ("faults", json!({ "kind": "slow", "atfer_s": 2 }), 400),
        ("faults", json!({ "kind": "slow", "times": 0 }), 400),
        ("faults", json!({ "kind": "error", "status": 99 }), 400),
        ("messages", json!({ "from": anna, "text": "hi", "fault": "too_many" }), 400),
        (
            "messages",
            json!({ "from": anna, "text": "hi", "fault": { "kind": "truncate", "on": "call" } }),
            400,
        ),
        ("faults", json!({ "kind": "hang", "on": "delivery" }), 400),
        ("updates/5/again", json!({}), 404),
        ("updates/5/again", json!({ "times": 1_000_000 }), 400),
        ("faults", json!({ "kind": "twice", "method": "getMe" }), 400),
        ("faults", json!({ "kind": "twice", "chat": 77 }), 400),
        ("people", json!({ "name": "Anna", "username": "a b" }), 400),
        ("groups", json!({ "title": "Team", "members": [anna], "username": "no" }), 400),
        ("reactions", json!({ "from": anna, "message_id": 1, "emoji": "xx" }), 400),
        ("limits", json!({ "chat": "many" }), 400),
    ] {
        let path = format!("/emulator/{path}");
        let answer =
            http::post(stage.address, &path, &[], body.to_string()).await.expect("an answer");
        assert_eq!(answer.status, status, "{path} {body}: {}", answer.body);
        assert!(answer.json()["error"].is_string(), "{}", answer.body);
    }
}

/// Whatever is wrong with a request, the answer has the same form and says what to do.
#[tokio::test]
async fn what_cannot_even_be_read_is_refused_in_plain_words_too() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (verb, path, body, status, words) in [
        (Method::GET, "nope", json!({}), 404, "GET /emulator/ tells"),
        (Method::GET, "people/1/x", json!({}), 404, "GET /emulator/"),
        (Method::GET, "people", json!({}), 405, "takes POST, not GET"),
        (Method::PUT, "messages", json!({}), 405, "takes POST, not"),
        (Method::PUT, "faults", json!({}), 405, "GET, POST, DELETE"),
        (Method::PUT, "people/5", json!({}), 405, "takes PATCH, not"),
        (Method::PUT, "", json!({}), 405, "takes GET, not PUT"),
        (Method::GET, "chats/abc", json!({}), 400, "`abc` is no number"),
        (Method::DELETE, "faults/x", json!({}), 400, "`x` is no number"),
        (Method::DELETE, "faults/77", json!({}), 404, "no fault 77"),
        (Method::GET, "updates?after=x", json!({}), 400, "after: "),
        (Method::GET, "calls?limit=-1", json!({}), 400, "limit: "),
        (Method::POST, "messages", json!({ "text": "hi" }), 400, "`from` is missing"),
        (Method::POST, "press", json!({ "from": anna }), 400, "`label` or its `data`"),
    ] {
        let (path, body) = (format!("/emulator/{path}"), body.to_string());
        let answer = http::exchange(stage.address, verb, &path, &[], body.into()).await;
        let answer = answer.expect("an answer");
        let error = answer.json()["error"].take();
        let is_said = error.as_str().is_some_and(|error| error.contains(words));
        assert!(is_said && answer.status == status, "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn a_page_from_elsewhere_may_not_play_with_it() {
    let stage = Stage::new().await;
    let own = format!("http://{}", stage.address);
    for (origin, status) in [(own.as_str(), 200), ("https://evil.example", 403)] {
        let headers = [("origin", origin)];
        let body = json!({ "name": "Anna" }).to_string();
        let answer = http::post(stage.address, "/emulator/people", &headers, body).await;
        assert_eq!(answer.expect("an answer").status, status, "{origin}");
    }
}

#[tokio::test]
async fn the_state_shows_who_and_what_there_is() {
    let (stage, _receiver, anna) = Stage::hooked().await;
    let group =
        stage.post("groups", json!({ "title": "Team", "members": [anna], "forum": true })).await;
    let topic =
        stage.post(&format!("groups/{}/topics", group["id"]), json!({ "name": "News" })).await;
    stage.post("faults", json!({ "kind": "slow", "after_s": 2 })).await;
    stage.post(&format!("people/{anna}/block"), json!({ "blocked": true })).await;
    let state = stage.get("state").await.json();
    assert_eq!(state["now"], DAWN);
    assert_eq!(state["bot"]["id"], 9000);
    assert_eq!(state["people"][0]["blocked"], true);
    assert_eq!(state["groups"][0]["topics"], json!([topic]));
    assert_eq!((&state["faults"][0]["on"], &state["limits"]), (&json!("call"), &json!(false)));
    assert!(state["webhook"]["url"].is_string());
    let moved = stage.post("clock", json!({ "advance": "15m" })).await;
    assert_eq!(moved["now"], DAWN + 900_000);
    let removed =
        http::ask(stage.address, Method::DELETE, "/emulator/faults").await.expect("an answer");
    assert_eq!(removed.json()["faults"], json!([]));
    let plain = stage.group(&[anna]).id;
    let new = stage.post(&format!("groups/{plain}/migrate"), json!({})).await;
    assert_ne!(new["id"], plain);
    stage.post("reset", json!({})).await;
    let state = stage.get("state").await.json();
    assert_eq!((&state["pending"], state["people"].as_array().map(Vec::len)), (&json!(0), Some(1)));
    stage.post("reset", json!({ "people": true })).await;
    assert_eq!(stage.get("state").await.json()["people"], json!([]));
}

#[tokio::test]
async fn after_a_reset_nothing_was_said_or_goes_wrong_and_there_are_no_limits() {
    let stage = Stage::new().await;
    let (anna, boris) = (stage.anna(), stage.anna());
    let (say, other) = [anna, boris].map(|it| json!({ "chat_id": it, "text": "hi" })).into();
    stage.say(anna, "hello");
    stage.done("sendMessage", say.clone()).await;
    stage.post("limits", json!({ "chat": "1/m" })).await;
    stage.done("sendMessage", say.clone()).await;
    assert_eq!(stage.call("sendMessage", say.clone()).await.status, 429);
    let fault = json!({ "kind": "error", "status": 502, "chat": boris });
    stage.post("faults", fault).await;
    assert_eq!(stage.call("sendMessage", other.clone()).await.status, 502);
    stage.post("reset", json!({})).await;
    let state = stage.get("state").await.json();
    let left = (&state["faults"], &state["limits"], &state["pending"]);
    assert_eq!(left, (&json!([]), &json!(false), &json!(0)));
    assert_eq!(stage.get("calls").await.json()["calls"], json!([]));
    assert_eq!(stage.get("updates").await.json()["updates"], json!([]));
    assert_eq!(stage.emulator.messages(anna), []);
    for params in [say.clone(), say, other] {
        stage.done("sendMessage", params).await;
    }
}

/// The first guess of many, after `messages` and `reactions`.
#[tokio::test]
async fn presses_are_taken_under_their_plural_too() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.ask(anna, "Yes", "y").await;
    let yes = json!({ "from": anna, "label": "Yes" });
    let one = stage.post("press", yes.clone()).await;
    let two = stage.post("presses", yes).await;
    assert_ne!(one["callback_query_id"], two["callback_query_id"]);
}

type Told = tokio::io::Lines<BufReader<TcpStream>>;

/// What is told from now on.
async fn listen(stage: &Stage) -> Told {
    let stream = TcpStream::connect(stage.address).await;
    let mut stream = stream.expect("a connection");
    let asked = b"GET /emulator/events HTTP/1.1\r\nHost: x\r\n\r\n";
    stream.write_all(asked).await.expect("a request");
    let mut lines = BufReader::new(stream).lines();
    timeout(LONG, async {
        while lines.next_line().await.expect("a line").expect("more") != ": here" {}
    })
    .await
    .expect("a beginning");
    lines
}

#[tokio::test]
async fn what_goes_wrong_is_told_when_it_begins_and_when_it_has_struck() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let mut lines = listen(&stage).await;
    let mut faults = async || {
        let told = event(&mut lines, "faults").await;
        told["faults"].as_array().expect("a list").len()
    };
    let forgotten = json!({ "kind": "drop_ack", "times": 1 });
    stage.post("faults", forgotten).await;
    assert_eq!(faults().await, 1);
    stage.say(anna, "hello");
    assert_eq!(faults().await, 0, "with a delivery");
    receiver.take(2).await;
    let refused = json!({ "kind": "too_many", "times": 1 });
    stage.post("faults", refused).await;
    assert_eq!(faults().await, 1);
    let say = json!({ "chat_id": anna, "text": "hi" });
    assert_eq!(stage.call("sendMessage", say).await.status, 429);
    assert_eq!(faults().await, 0, "with a call");
    for is_on in [true, false] {
        stage.post("limits", json!({ "on": is_on })).await;
        assert_eq!(event(&mut lines, "limits").await["on"], is_on);
    }
}

/// Reads events until one of this type.
async fn event(lines: &mut Told, kind: &str) -> Value {
    let reading = async {
        loop {
            let line = lines.next_line().await.expect("a line").expect("more");
            let event: Option<Value> =
                line.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
            if let Some(event) = event.filter(|event| event["type"] == kind) {
                return event;
            }
        }
    };
    timeout(LONG, reading).await.expect("an event")
}

#[tokio::test]
async fn what_happens_is_told_as_it_happens() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let mut lines = listen(&stage).await;
    let update = stage.say(anna, "hello");
    assert_eq!(event(&mut lines, "update").await["update_id"], update);
    let told = event(&mut lines, "message").await;
    assert_eq!(
        (&told["chat"], &told["message"]["text"], &told["message"]["delivery"]),
        (&json!(anna), &json!("hello"), &json!("sent"))
    );
    receiver.take(1).await;
    stage.became(update, State::Acknowledged).await;
    assert_eq!(event(&mut lines, "message").await["message"]["delivery"], "delivered");
    let id = stage.ask(anna, "Yes", "y").await;
    assert_eq!(event(&mut lines, "message").await["message"]["by"], "bot");
    assert_eq!(event(&mut lines, "call").await["method"], "sendMessage");
    stage.done("editMessageText", json!({ "chat_id": anna, "message_id": id, "text": "x" })).await;
    assert_eq!(event(&mut lines, "edited").await["message"]["text"], "x");
    stage.done("deleteMessage", json!({ "chat_id": anna, "message_id": id })).await;
    assert_eq!(event(&mut lines, "deleted").await["message_id"], id);
    stage.advance(1);
    assert_eq!(event(&mut lines, "clock").await["now"], DAWN + 1000);
}

/// Somebody who cannot do something has not done it: they still block the bot.
#[tokio::test]
async fn what_is_refused_leaves_everything_as_it_was() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.ask(anna, "Yes", "y").await;
    stage.emulator.block(anna, true).expect("a person");
    let before = stage.emulator.updates().len();
    for (path, body) in [
        ("messages", json!({ "from": anna, "text": " " })),
        ("messages", json!({ "from": anna, "photo": true, "reply_to": 5 })),
        ("messages", json!({ "from": anna, "text": "hi", "fault": "no" })),
        ("messages/edit", json!({ "from": anna, "message_id": 5, "text": "hi" })),
        ("press", json!({ "from": anna, "label": "No" })),
        ("race", json!({ "from": anna, "text": "", "label": "Yes" })),
    ] {
        let path = format!("/emulator/{path}");
        let answer = http::post(stage.address, &path, &[], body.to_string()).await;
        let status = answer.expect("an answer").status;
        assert!([400, 404].contains(&status), "{path} {body}: {status}");
    }
    let state = stage.get("state").await.json();
    assert_eq!(state["people"][0]["blocked"], true);
    assert_eq!(stage.emulator.updates().len(), before);
    stage.say(anna, "hi");
    assert_eq!(stage.emulator.updates().len(), before + 2);
}

#[tokio::test]
async fn an_edit_that_changes_nothing_is_none() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let sent = stage.post("messages", json!({ "from": anna, "text": "one" })).await;
    let edit = |text: &str| {
        stage.emulator.edit(anna, anna, sent["message_id"].as_i64().expect("an id"), text)
    };
    assert_eq!(edit("one"), Ok(None));
    assert!(edit(" ").is_err());
    assert_eq!(stage.emulator.updates().len(), 1);
    assert!(matches!(edit("two"), Ok(Some(_))));
}

#[tokio::test]
async fn the_bot_can_be_called_otherwise_and_says_so_itself_later() {
    let stage = Stage::new().await;
    let path = "/emulator/bot";
    let body = json!({ "name": "Shop", "username": "@shop_bot" }).to_string();
    let patched = http::exchange(stage.address, Method::PATCH, path, &[], body.into()).await;
    assert_eq!(patched.expect("an answer").status, 200);
    let me = stage.done("getMe", json!({})).await;
    assert_eq!((&me["first_name"], &me["username"]), (&json!("Shop"), &json!("shop_bot")));
    stage.done("setMyName", json!({ "name": "Store" })).await;
    let me = stage.done("getMe", json!({})).await;
    assert_eq!(me["first_name"], "Store");
    let body = json!({ "name": " " }).to_string();
    let refused = http::exchange(stage.address, Method::PATCH, path, &[], body.into()).await;
    assert_eq!(refused.expect("an answer").status, 400);
}

/// The routes, as they are written.
const ROUTES: &str = include_str!("../../../crates/emulator/src/control.rs");

#[tokio::test]
async fn what_there_is_to_ask_for_is_listed_and_what_is_listed_is_there() {
    let stage = Stage::new().await;
    let listed = stage.get("").await.json();
    let listed = listed["endpoints"].as_array().expect("a list").iter();
    let requests = listed.filter_map(|it| it["request"].as_str());
    let listed: Vec<(String, String)> = requests
        .filter_map(|it| it.split_once(' '))
        .filter(|(_, path)| path.starts_with("/emulator/"))
        .map(|(verb, path)| {
            (verb.to_owned(), path.split('?').next().unwrap_or(path).replace("file_id", "id"))
        })
        .collect();
    for (verb, path) in &listed {
        if path == "/emulator/events" {
            continue;
        }
        let method = hyper::Method::from_bytes(verb.as_bytes()).expect("a verb");
        let answer = http::ask(stage.address, method, &path.replace("{id}", "1")).await;
        let answer = answer.expect("an answer");
        let is_there = answer.status != 405 && !answer.body.contains("tells what there is");
        assert!(is_there, "{verb} {path}: {} {}", answer.status, answer.body);
    }
    for route in ROUTES.split(".route(").skip(1) {
        let path = route.split('"').nth(1).expect("a path");
        if ["/emulator", "/emulator/"].contains(&path) {
            continue;
        }
        for verb in ["get", "post", "patch", "delete"] {
            let route = route.split(".layer(").next().unwrap_or(route);
            if route.contains(&format!("{verb}(")) {
                let asked = (verb.to_uppercase(), path.to_owned());
                assert!(listed.contains(&asked), "{asked:?} is not listed");
            }
        }
    }
}
