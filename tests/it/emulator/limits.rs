//! Limits with 429, when they are on.

use serde_json::json;
use steadfast::emulator::Limit;

use super::stage::Stage;

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
    assert_eq!(
        answer.json()["description"],
        "Too Many Requests: retry after 3"
    );
    assert_eq!(answer.json()["parameters"], json!({ "retry_after": 3 }));
    stage.advance(3);
    stage.done("sendMessage", say).await;
    assert_eq!(stage.emulator.messages(anna).len(), 14);
}

#[tokio::test]
async fn a_group_takes_twenty_a_minute_and_the_bot_thirty_a_second() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let group = stage.group(&[anna]).id;
    stage
        .post("limits", json!({ "group": "20/m", "bot": "30/s" }))
        .await;
    for _ in 0..20 {
        stage
            .done("sendMessage", json!({ "chat_id": group, "text": "hi" }))
            .await;
    }
    let (status, words) = stage
        .refused("sendMessage", json!({ "chat_id": group, "text": "hi" }))
        .await;
    assert_eq!(
        (status, words.as_str()),
        (429, "Too Many Requests: retry after 60")
    );
    for _ in 0..10 {
        stage
            .done("sendMessage", json!({ "chat_id": anna, "text": "hi" }))
            .await;
    }
    let (status, words) = stage
        .refused("sendMessage", json!({ "chat_id": anna, "text": "hi" }))
        .await;
    assert_eq!(
        (status, words.as_str()),
        (429, "Too Many Requests: retry after 1")
    );
    stage
        .done(
            "sendChatAction",
            json!({ "chat_id": anna, "action": "typing" }),
        )
        .await;
    stage.post("limits", json!({ "on": false })).await;
    stage
        .done("sendMessage", json!({ "chat_id": group, "text": "hi" }))
        .await;
}
