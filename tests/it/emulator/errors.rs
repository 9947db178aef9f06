//! Paths, verbs, tokens, parameters: what a call is before it is a method.

use hyper::Method;
use serde_json::json;

use super::stage::{Stage, TOKEN};
use crate::support::http;

#[tokio::test]
async fn a_path_that_is_none_is_not_found() {
    let stage = Stage::new().await;
    let get = async |path: &str| {
        let answer = http::get(stage.address, path).await.expect("an answer");
        (answer.status, answer.json()["description"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(get("/nowhere").await, (404, "Not Found".to_owned()));
    assert_eq!(
        get(&format!("/bot{TOKEN}/getNothing")).await,
        (404, "Not Found: method not found".to_owned())
    );
    assert_eq!(get("/bot5:other_token/getMe").await, (401, "Unauthorized".to_owned()));
    assert_eq!(get("/bot5:/getMe").await, (401, "Unauthorized".to_owned()));
    let misdirected = "Misdirected Request: unallowed token specified";
    assert_eq!(get("/botabc:def/getMe").await, (421, misdirected.to_owned()));
    for token in ["nonsense", "0:abc", &format!("5:{}", "x".repeat(80))] {
        let answer = get(&format!("/bot{token}/getMe")).await;
        assert_eq!(answer, (401, "Unauthorized: invalid token specified".to_owned()));
    }
}

#[tokio::test]
async fn methods_are_taken_in_any_case_by_get_and_post_alone() {
    let stage = Stage::new().await;
    for path in ["GETME", "getMe", "test/getme", "?method=getMe"] {
        let path = format!("/bot{TOKEN}/{path}");
        let answer = http::get(stage.address, &path).await.expect("an answer");
        assert_eq!(answer.json()["result"]["username"], "emulated_bot", "{path}");
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("connection"), "keep-alive");
    }
    for path in [format!("/bot{TOKEN}/getMe"), format!("/bot{TOKEN}"), "/nowhere".to_owned()] {
        let answer = http::ask(stage.address, Method::PUT, &path).await;
        let answer = answer.expect("an answer");
        assert_eq!((answer.status, answer.body.as_str()), (501, ""), "{path}");
    }
}

#[tokio::test]
async fn parameters_come_in_the_query_and_in_three_kinds_of_bodies() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let path = format!("/bot{TOKEN}/sendMessage?chat_id={anna}&text=query");
    let forms = [
        ("application/json", json!({ "text": "json" }).to_string()),
        ("application/x-www-form-urlencoded", "text=form".to_owned()),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nparts\r\n--b--\r\n"
                .to_owned(),
        ),
    ];
    for (kind, body) in forms {
        let headers = [("content-type", kind)];
        let answer =
            http::post_as(stage.address, &path, &headers, body.clone()).await.expect("an answer");
        assert_eq!(answer.json()["result"]["text"], "query", "the query comes first");
        let bare = format!("/bot{TOKEN}/sendMessage?chat_id={anna}");
        let answer = http::post_as(stage.address, &bare, &headers, body).await.expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let said: Vec<String> =
        stage.emulator.messages(anna).iter().map(|it| it.content.words().to_owned()).collect();
    assert_eq!(said, ["query", "json", "query", "form", "query", "parts"]);
    let headers = [("content-type", "application/json")];
    let bare = format!("/bot{TOKEN}/sendMessage?chat_id={anna}");
    let answer =
        http::post_as(stage.address, &bare, &headers, "{oops".to_owned()).await.expect("an answer");
    assert_eq!(
        answer.json()["description"],
        "Bad Request: message text is empty",
        "malformed is missing"
    );
}

#[tokio::test]
async fn more_than_a_mebibyte_of_parameters_is_not_read() {
    let stage = Stage::new().await;
    let answer = stage.call("sendMessage", json!({ "text": "x".repeat(1 << 20) })).await;
    assert_eq!((answer.status, answer.body.as_str()), (413, ""));
}

#[tokio::test]
async fn a_head_of_more_than_256_kib_is_not_read() {
    let stage = Stage::new().await;
    let path = format!("/bot{TOKEN}/getMe");
    for (size, status) in [(255 << 10, 200), (256 << 10, 431)] {
        let long = "x".repeat(size);
        let headers = [("x-long", long.as_str())];
        let answer = http::post(stage.address, &path, &headers, String::new()).await;
        let answer = answer.expect("an answer");
        assert_eq!((answer.status, answer.body.is_empty()), (status, status == 431));
    }
}

#[tokio::test]
async fn commands_are_kept_by_scope_and_language() {
    let stage = Stage::new().await;
    let start = json!([{ "command": "start", "description": "Begin" }]);
    let begin = json!([{ "command": "start", "description": "\u{41d}\u{430}\u{447}\u{430}\u{442}\u{44c}" }]);
    let chat = json!({ "type": "chat", "chat_id": 5 });
    stage.done("setMyCommands", json!({ "commands": start })).await;
    stage
        .done("setMyCommands", json!({ "commands": begin, "language_code": "ru", "scope": chat }))
        .await;
    assert_eq!(stage.done("getMyCommands", json!({})).await, start);
    assert_eq!(stage.done("getMyCommands", json!({ "language_code": "ru" })).await, json!([]));
    assert_eq!(
        stage.done("getMyCommands", json!({ "language_code": "ru", "scope": chat })).await,
        begin
    );
    assert_eq!(stage.get("state").await.json()["bot"]["commands"], start);
    stage.done("deleteMyCommands", json!({})).await;
    assert_eq!(stage.done("getMyCommands", json!({})).await, json!([]));
    let wrong = json!({ "commands": [{ "command": "no spaces", "description": "x" }] });
    assert_eq!(
        stage.refused("setMyCommands", wrong).await,
        (400, "Bad Request: BOT_COMMAND_INVALID".to_owned())
    );
}

#[tokio::test]
async fn a_bot_can_ask_about_chats_and_who_is_in_them() {
    let stage = Stage::new().await;
    let (anna, boris) = (stage.anna(), stage.anna());
    let group = stage.group(&[anna, boris]).id;
    assert_eq!(stage.done("getChat", json!({ "chat_id": group })).await["title"], "Team");
    let status = async |user: i64| {
        let params = json!({ "chat_id": group, "user_id": user });
        stage.done("getChatMember", params).await["status"].clone()
    };
    assert_eq!(
        [status(anna).await, status(boris).await, status(9000).await],
        ["creator", "member", "member"]
    );
    assert_eq!(stage.done("getChatMemberCount", json!({ "chat_id": group })).await, 3);
}

#[tokio::test]
async fn the_first_token_that_calls_is_the_bot_where_none_was_named() {
    let emulator = steadfast::emulator::Emulator::open(Default::default()).expect("an emulator");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(emulator.serve(listener, emulator.router()));
    let mine = http::get(address, "/bot77:mine/getMe").await.expect("an answer");
    assert_eq!(mine.json()["result"]["id"], 77);
    let other = http::get(address, "/bot78:other/getMe").await.expect("an answer");
    assert_eq!(other.status, 401);
}
