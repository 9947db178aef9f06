//! Buttons that people press, and the answers to that.

use serde_json::json;
use steadfast::emulator::{Options, Pressed, Pressing};

use super::stage::Stage;

const LATE: &str =
    "Bad Request: query is too old and response timeout expired or query ID is invalid";

#[tokio::test]
async fn a_press_tells_the_bot_which_button_of_which_message() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let message = stage.ask(anna, "Yes", "ok:17").await;
    let (update, press) = stage.press(anna, "Yes");
    let update = stage.emulator.update(update).expect("an update");
    let body: serde_json::Value = serde_json::from_str(&update.body).expect("JSON");
    let query = &body["callback_query"];
    assert_eq!((&query["id"], &query["data"]), (&json!(press), &json!("ok:17")));
    assert_eq!(query["from"]["id"], anna);
    assert_eq!(query["message"]["message_id"], message);
    assert_eq!(query["message"]["reply_markup"]["inline_keyboard"][0][0]["text"], "Yes");
    assert!(query["chat_instance"].is_string());
    assert_eq!(update.queue, anna + (3 << 33));
    assert!(
        update.body.contains("{\"text\":\"Yes\",\"callback_data\":\"ok:17\"}"),
        "{}",
        update.body
    );
}

#[tokio::test]
async fn a_press_is_answered_once_and_in_time() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.ask(anna, "Yes", "y").await;
    let (_, press) = stage.press(anna, "Yes");
    let answer = json!({ "callback_query_id": press, "text": "Thanks", "show_alert": true });
    stage.done("answerCallbackQuery", answer.clone()).await;
    let shown = stage.get(&format!("callbacks/{press}")).await.json();
    assert_eq!(
        shown,
        json!({ "answered": true, "text": "Thanks", "show_alert": true, "url": null })
    );
    assert_eq!(stage.refused("answerCallbackQuery", answer).await, (400, LATE.to_owned()));
    let (_, late) = stage.press(anna, "Yes");
    stage.advance(31);
    let refused = stage.refused("answerCallbackQuery", json!({ "callback_query_id": late })).await;
    assert_eq!(refused, (400, LATE.to_owned()));
    let unknown = json!({ "callback_query_id": "1" });
    assert_eq!(stage.refused("answerCallbackQuery", unknown).await, (400, LATE.to_owned()));
}

#[tokio::test]
async fn a_stale_button_can_be_pressed_by_its_message() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let old = stage.ask(anna, "Yes", "old").await;
    stage.ask(anna, "Yes", "new").await;
    let press = |message_id| {
        let pressing = Pressing {
            from: anna,
            message_id,
            label: Some("Yes".to_owned()),
            ..Pressing::default()
        };
        stage.emulator.press(&pressing).expect("a press");
        let body = stage.emulator.updates().pop().expect("an update").body;
        serde_json::from_str::<serde_json::Value>(&body).expect("JSON")["callback_query"]["data"]
            .clone()
    };
    assert_eq!(press(None), "new");
    assert_eq!(press(Some(old)), "old");
}

#[tokio::test]
async fn a_reply_keyboard_sends_its_text_or_the_phone_number() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let keyboard =
        json!({ "keyboard": [[{ "text": "One" }, { "text": "Me", "request_contact": true }]] });
    stage
        .done("sendMessage", json!({ "chat_id": anna, "text": "hi", "reply_markup": keyboard }))
        .await;
    for label in ["One", "Me"] {
        let pressing =
            Pressing { from: anna, label: Some(label.to_owned()), ..Pressing::default() };
        let pressed = stage.emulator.press(&pressing).expect("a button");
        assert!(matches!(pressed, Pressed::Reply(_)));
    }
    let said = stage.emulator.messages(anna);
    assert_eq!(said[1].content.words(), "One");
    let contact = said[2].content.contact.as_ref().expect("a contact");
    assert_eq!(contact.user_id, Some(anna));
}

#[tokio::test]
async fn a_button_that_is_not_there_is_told_with_those_that_are() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.ask(anna, "Yes", "y").await;
    let pressing = Pressing { from: anna, label: Some("No".to_owned()), ..Pressing::default() };
    let cannot = stage.emulator.press(&pressing).expect_err("there is none");
    assert_eq!(cannot.status, 404);
    assert!(cannot.words.contains("`Yes`"), "{cannot}");
}

#[tokio::test]
async fn how_long_a_press_can_be_answered_is_as_it_was_set_up() {
    for (seconds, is_late) in [(5, false), (6, true)] {
        let options =
            Options { answer_within: std::time::Duration::from_secs(5), ..Options::default() };
        let stage = Stage::with(options).await;
        let anna = stage.anna();
        stage.ask(anna, "Yes", "y").await;
        let (_, press) = stage.press(anna, "Yes");
        stage.advance(seconds);
        let answer = json!({ "callback_query_id": press });
        let answer = stage.call("answerCallbackQuery", answer).await;
        assert_eq!(answer.status == 400, is_late, "after {seconds} s");
    }
}

#[tokio::test]
async fn a_button_can_be_pressed_by_its_data_over_http() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.ask(anna, "Yes", "ok:17").await;
    let body = json!({ "from": anna, "data": "ok:17" });
    let pressed = stage.post("press", body).await;
    let update = stage.emulator.updates().pop().expect("an update");
    assert_eq!(pressed["update_id"], update.update_id);
    assert!(update.body.contains("\"data\":\"ok:17\""), "{}", update.body);
}

/// The app shows it still, and of the message the bot learns nothing but where it was.
#[tokio::test]
async fn a_press_under_a_message_that_is_gone_tells_of_one_that_cannot_be_had() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let message = stage.ask(anna, "Yes", "y").await;
    stage.emulator.forget(anna, message);
    let pressing = Pressing {
        from: anna,
        message_id: Some(message),
        label: Some("Yes".to_owned()),
        ..Pressing::default()
    };
    stage.emulator.press(&pressing).expect("a press");
    let body = stage.emulator.updates().pop().expect("an update").body;
    let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let chat = json!({ "id": anna, "first_name": "Anna", "type": "private" });
    assert_eq!(
        body["callback_query"]["message"],
        json!({ "message_id": message, "chat": chat, "date": 0 })
    );
    let newest = Pressing { message_id: None, ..pressing };
    assert!(stage.emulator.press(&newest).is_err(), "nobody finds it");
}
