//! Limits with 429, when they are on.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use steadfast::emulator::{Fault, Kind, Limit};

use super::stage::Stage;
use crate::support::patience::until;

#[tokio::test]
async fn a_chat_takes_a_few_at_once_and_then_one_a_second() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let say = json!({ "chat_id": anna, "text": "hi" });
    for _ in 0..10 {
        stage.done("sendMessage", say.clone()).await;
    }
    stage.emulator.limit(Limit::usual());
    for _ in 0..3 {
        stage.done("sendMessage", say.clone()).await;
    }
    let answer = stage.call("sendMessage", say.clone()).await;
    assert_eq!(answer.status, 429);
    assert_eq!(answer.header("retry-after"), "3");
    assert_eq!(answer.json()["description"], "Too Many Requests: retry after 3");
    assert_eq!(answer.json()["parameters"], json!({ "retry_after": 3 }));
    stage.advance(3);
    stage.done("sendMessage", say).await;
    assert_eq!(stage.emulator.messages(anna).len(), 14);
}

/// Who mistypes a method or a chat is told so, however much they have sent.
#[tokio::test]
async fn what_never_became_a_message_does_not_count() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.emulator.limit([Limit::chat(1, Duration::from_secs(1))]);
    for _ in 0..3 {
        let nobody = json!({ "chat_id": 99, "text": "hi" });
        let (status, words) = stage.refused("sendMessage", nobody).await;
        assert_eq!((status, &*words), (400, "Bad Request: chat not found"));
        let empty = json!({ "chat_id": anna, "text": "" });
        assert_eq!(stage.refused("sendMessage", empty).await.0, 400);
    }
    let say = json!({ "chat_id": anna, "text": "hi" });
    stage.done("sendMessage", say.clone()).await;
    assert_eq!(stage.refused("sendMessage", say.clone()).await.0, 429);
    assert_eq!(stage.refused("sendNothing", say).await.0, 404);
    let empty = json!({ "chat_id": anna, "text": "", "message_id": 1001 });
    for method in ["sendMessage", "editMessageText"] {
        let words = "Bad Request: message text is empty".to_owned();
        assert_eq!(stage.refused(method, empty.clone()).await, (400, words));
    }
    let edit = json!({ "chat_id": anna, "message_id": 1001, "text": "ho" });
    assert_eq!(stage.refused("editMessageText", edit).await.0, 429);
}

#[tokio::test]
async fn who_waits_as_long_as_they_are_told_may_send() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.emulator.limit([Limit::chat(3, Duration::from_secs(3))]);
    let say = json!({ "chat_id": anna, "text": "hi" });
    stage.done("sendMessage", say.clone()).await;
    stage.done("sendMessage", say.clone()).await;
    stage.advance(2);
    let picture = json!({ "type": "photo", "media": "https://example.org/a.jpg" });
    let album = json!({ "chat_id": anna, "media": [picture, picture, picture] });
    stage.done("sendMediaGroup", album).await;
    let refused = stage.refused("sendMessage", say.clone()).await;
    assert_eq!(refused.1, "Too Many Requests: retry after 3");
    stage.advance(3);
    stage.done("sendMessage", say).await;
}

#[tokio::test]
async fn a_group_takes_twenty_a_minute_and_the_bot_thirty_a_second() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let group = stage.group(&[anna]).id;
    let to = |chat: i64| json!({ "chat_id": chat, "text": "hi" });
    let refused = |seconds: u64| (429, format!("Too Many Requests: retry after {seconds}"));
    stage.post("limits", json!({ "group": "20/m" })).await;
    for _ in 0..20 {
        stage.done("sendMessage", to(group)).await;
        stage.done("sendMessage", to(anna)).await;
    }
    assert_eq!(stage.refused("sendMessage", to(group)).await, refused(60));
    stage.done("sendMessage", to(anna)).await;
    stage.post("limits", json!({ "bot": "30/s" })).await;
    for _ in 0..15 {
        stage.done("sendMessage", to(group)).await;
        stage.done("sendMessage", to(anna)).await;
    }
    for chat in [anna, group] {
        assert_eq!(stage.refused("sendMessage", to(chat)).await, refused(1));
    }
    let typing = json!({ "chat_id": anna, "action": "typing" });
    stage.done("sendChatAction", typing).await;
    stage.post("limits", json!({ "on": false })).await;
    stage.done("sendMessage", to(group)).await;
}

/// The server itself refuses them, where limits are on, and takes its time to say so.
#[tokio::test]
async fn no_more_than_310_messages_to_a_chat_wait_to_be_sent() {
    let stage = Arc::new(Stage::new().await);
    let anna = stage.anna();
    let fault = Fault::from(Kind::Hang).of("sendMessage");
    stage.emulator.fault(fault).expect("a fault");
    stage.emulator.limit([Limit::bot(100_000)]);
    let say = || {
        let (stage, params) = (Arc::clone(&stage), json!({ "chat_id": anna, "text": "hi" }));
        tokio::spawn(async move { stage.refused("sendMessage", params).await })
    };
    let waiting: Vec<_> = (0..310).map(|_| say()).collect();
    until("all wait", async || (stage.emulator.calls().len() == 310).then_some(())).await;
    let refused = say();
    until("it is told", async || {
        stage.advance(3);
        refused.is_finished().then_some(())
    })
    .await;
    let words = "Too Many Requests: retry after 60".to_owned();
    assert_eq!(refused.await.expect("an answer"), (429, words));
    assert!(waiting.iter().all(|it| !it.is_finished()));
}
