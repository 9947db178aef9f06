//! What a bot can change and take back.

use serde_json::{Value, json};

use super::stage::{DAWN, Stage};

const SAME: &str = "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

async fn refusal(stage: &Stage, method: &str, params: Value) -> String {
    let (status, words) = stage.refused(method, params).await;
    assert_eq!(status, 400, "{words}");
    words
}

#[tokio::test]
async fn a_text_is_changed_once_and_the_same_again_is_refused() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let id = stage.ask(anna, "Yes", "y").await;
    stage.advance(5);
    let params = json!({ "chat_id": anna, "message_id": id, "text": "Done" });
    let changed = stage.done("editMessageText", params.clone()).await;
    assert_eq!(
        (&changed["text"], &changed["edit_date"]),
        (&json!("Done"), &json!(DAWN / 1000 + 5))
    );
    assert!(changed.get("reply_markup").is_none(), "buttons that are not said again are gone");
    assert_eq!(refusal(&stage, "editMessageText", params).await, SAME);
    let shown = stage.get(&format!("chats/{anna}")).await.json();
    assert_eq!(
        (&shown["messages"][0]["text"], &shown["messages"][0]["edited"]),
        (&json!("Done"), &json!(true))
    );
}

#[tokio::test]
async fn buttons_alone_are_changed() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let id = stage.ask(anna, "Yes", "y").await;
    let params = json!({ "chat_id": anna, "message_id": id });
    let changed = stage.done("editMessageReplyMarkup", params.clone()).await;
    assert_eq!(changed["text"], "Well?");
    assert_eq!(refusal(&stage, "editMessageReplyMarkup", params).await, SAME);
}

#[tokio::test]
async fn captions_and_pictures_are_changed() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let params = json!({ "chat_id": anna, "photo": "https://example.org/a.png", "caption": "one" });
    let sent = stage.done("sendPhoto", params).await;
    let id = sent["message_id"].clone();
    let text = json!({ "chat_id": anna, "message_id": id, "text": "x" });
    assert_eq!(
        refusal(&stage, "editMessageText", text).await,
        "Bad Request: there is no text in the message to edit"
    );
    let caption = json!({ "chat_id": anna, "message_id": id, "caption": "two" });
    let changed = stage.done("editMessageCaption", caption).await;
    assert_eq!((&changed["caption"], &changed["photo"]), (&json!("two"), &sent["photo"]));
    let media = json!({ "chat_id": anna, "message_id": id, "media": { "type": "photo", "media": "https://example.org/b.png" } });
    let changed = stage.done("editMessageMedia", media).await;
    assert_ne!(changed["photo"], sent["photo"]);
}

#[tokio::test]
async fn what_cannot_be_changed_is_refused_in_telegrams_words() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.say(anna, "mine");
    let theirs = stage.emulator.messages(anna)[0].message_id;
    for (id, words) in [
        (json!(5), "Bad Request: message to edit not found"),
        (json!(theirs), "Bad Request: message can't be edited"),
        (json!(0), "Bad Request: message identifier is not specified"),
    ] {
        let params = json!({ "chat_id": anna, "message_id": id, "text": "x" });
        assert_eq!(refusal(&stage, "editMessageText", params).await, words);
    }
}

#[tokio::test]
async fn what_came_with_a_keyboard_or_was_passed_on_stays_as_it_is() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let keys = json!({ "keyboard": [[{ "text": "Yes" }]] });
    let mut fixed = Vec::new();
    for markup in [keys, json!({ "remove_keyboard": true })] {
        let question = json!({ "chat_id": anna, "text": "?", "reply_markup": markup });
        fixed.push(stage.done("sendMessage", question).await);
    }
    let other =
        json!({ "chat_id": anna, "from_chat_id": anna, "message_id": fixed[0]["message_id"] });
    fixed.push(stage.done("forwardMessage", other).await);
    for message in fixed {
        let params = json!({ "chat_id": anna, "message_id": message["message_id"], "text": "x" });
        let words = "Bad Request: message can't be edited";
        assert_eq!(refusal(&stage, "editMessageText", params).await, words);
    }
}

#[tokio::test]
async fn messages_are_taken_back_within_two_days() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let (one, two, three) = (
        stage.ask(anna, "a", "a").await,
        stage.ask(anna, "b", "b").await,
        stage.ask(anna, "c", "c").await,
    );
    let delete = |id: i64| json!({ "chat_id": anna, "message_id": id });
    stage.done("deleteMessage", delete(one)).await;
    let words = "Bad Request: message to delete not found";
    assert_eq!(refusal(&stage, "deleteMessage", delete(one)).await, words);
    stage.done("deleteMessages", json!({ "chat_id": anna, "message_ids": [one, two] })).await;
    assert_eq!(stage.emulator.messages(anna).len(), 1);
    stage.advance(48 * 3600 + 1);
    assert_eq!(
        refusal(&stage, "deleteMessage", delete(three)).await,
        "Bad Request: message can't be deleted"
    );
    let all = json!({ "chat_id": anna, "message_ids": [three] });
    assert_eq!(
        refusal(&stage, "deleteMessages", all).await,
        "Bad Request: message can't be deleted"
    );
}
