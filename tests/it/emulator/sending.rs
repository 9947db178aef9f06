//! What a bot can send, and what is refused.

use serde_json::{Value, json};
use steadfast::emulator::Sending;

use super::stage::{DAWN, Stage};

async fn refusal(stage: &Stage, method: &str, params: Value) -> String {
    let (status, words) = stage.refused(method, params).await;
    assert_eq!(status, 400, "{words}");
    words
}

#[tokio::test]
async fn a_message_comes_back_as_it_stands_in_the_chat() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let params = json!({ "chat_id": anna, "text": "<b>Hi</b> &amp; bye", "parse_mode": "HTML" });
    let sent = stage.done("sendMessage", params).await;
    let expected = json!({
        "message_id": 1001, "date": DAWN / 1000, "text": "Hi & bye",
        "from": { "id": 9000, "is_bot": true, "first_name": "Bot", "username": "emulated_bot" },
        "chat": { "id": anna, "first_name": "Anna", "type": "private" },
        "entities": [{ "offset": 0, "length": 2, "type": "bold" }],
    });
    assert_eq!(sent, expected);
    let next = stage.done("sendMessage", json!({ "chat_id": anna.to_string(), "text": 5 })).await;
    assert_eq!((&next["message_id"], &next["text"]), (&json!(1002), &json!("5")));
}

#[tokio::test]
async fn texts_are_refused_in_telegrams_words() {
    let stage = Stage::new().await;
    let chat_id = stage.anna();
    for (params, words) in [
        (json!({ "chat_id": chat_id }), "message text is empty"),
        (json!({ "chat_id": chat_id, "text": "  \n" }), "text must be non-empty"),
        (json!({ "chat_id": chat_id, "text": "x".repeat(4097) }), "message is too long"),
        (json!({ "chat_id": chat_id, "text": "x".repeat(32_769) }), "text is too long"),
        (json!({ "text": "hi" }), "chat_id is empty"),
        (json!({ "chat_id": 42, "text": "hi" }), "chat not found"),
        (json!({ "chat_id": "@nobody", "text": "hi" }), "chat not found"),
        (
            json!({ "chat_id": chat_id, "text": "hi", "parse_mode": "RTF" }),
            "unsupported parse_mode",
        ),
        (
            json!({ "chat_id": chat_id, "text": "a <b", "parse_mode": "HTML" }),
            "can't parse entities: Unclosed start tag at byte offset 2",
        ),
        (
            json!({ "chat_id": chat_id, "text": "a.", "parse_mode": "MarkdownV2" }),
            "can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
        ),
        (
            json!({ "chat_id": chat_id, "text": "hi", "reply_markup": null }),
            "object expected as reply markup",
        ),
        (
            json!({ "chat_id": chat_id, "text": "hi", "message_thread_id": 5 }),
            "message thread not found",
        ),
        (
            json!({ "chat_id": chat_id, "text": "hi", "reply_parameters": { "message_id": 5 } }),
            "message to be replied not found",
        ),
    ] {
        let refused = refusal(&stage, "sendMessage", params).await;
        assert_eq!(refused, format!("Bad Request: {words}"));
    }
    assert_eq!(stage.emulator.messages(chat_id).len(), 0);
    let long = json!({ "chat_id": chat_id, "text": format!("<b>{}</b>", "x".repeat(4096)), "parse_mode": "html" });
    stage.done("sendMessage", long).await;
    let wide = json!({ "chat_id": chat_id, "text": "\u{1f600}".repeat(4096) });
    stage.done("sendMessage", wide).await;
}

#[tokio::test]
async fn blanks_around_a_text_are_left_out_and_what_is_special_moves_along() {
    let stage = Stage::new().await;
    let chat_id = stage.anna();
    for (said, text, offset) in
        [("\n  hi <b>you</b> \n", "hi you", 3), ("<b>  you</b>", "  you", 0)]
    {
        let said = json!({ "chat_id": chat_id, "text": said, "parse_mode": "HTML" });
        let sent = stage.done("sendMessage", said).await;
        assert_eq!((&sent["text"], &sent["entities"][0]["offset"]), (&json!(text), &json!(offset)));
    }
}

#[tokio::test]
async fn who_has_blocked_the_bot_or_never_spoke_to_it_is_not_written_to() {
    let stage = Stage::new().await;
    let (anna, boris) = (stage.anna(), stage.emulator.person("Boris").id);
    let say = |chat: i64| json!({ "chat_id": chat, "text": "hi" });
    let (status, words) = stage.refused("sendMessage", say(boris)).await;
    assert_eq!(
        (status, words.as_str()),
        (403, "Forbidden: bot can't initiate conversation with a user")
    );
    stage.say(boris, "/start");
    stage.done("sendMessage", say(boris)).await;
    stage.emulator.block(anna, true).expect("a person");
    let (status, words) = stage.refused("sendMessage", say(anna)).await;
    assert_eq!((status, words.as_str()), (403, "Forbidden: bot was blocked by the user"));
    stage.emulator.block(anna, false).expect("a person");
    stage.done("sendMessage", say(anna)).await;
    let statuses: Vec<Value> = stage.emulator.updates().iter()
        .filter(|update| update.kind == "my_chat_member")
        .map(|update| serde_json::from_str::<Value>(&update.body).expect("JSON")["my_chat_member"]["new_chat_member"]["status"].clone())
        .collect();
    assert_eq!(statuses, ["kicked", "member"]);
}

#[tokio::test]
async fn a_group_that_went_on_as_another_says_so() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let group = stage.group(&[anna]).id;
    let new = stage.emulator.migrate(group, None).expect("a group").id;
    let answer = stage.call("sendMessage", json!({ "chat_id": group, "text": "hi" })).await;
    assert_eq!(
        answer.json()["description"],
        "Bad Request: group chat was upgraded to a supergroup chat"
    );
    assert_eq!(answer.json()["parameters"]["migrate_to_chat_id"], new);
    let sent = stage.done("sendMessage", json!({ "chat_id": new, "text": "hi" })).await;
    assert_eq!(sent["chat"], json!({ "id": new, "title": "Team", "type": "supergroup" }));
}

#[tokio::test]
async fn a_topic_has_its_thread() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let group = steadfast::emulator::Group {
        title: "Team".to_owned(),
        kind: "supergroup".to_owned(),
        forum: true,
        members: vec![anna],
        ..Default::default()
    };
    let group = stage.emulator.add_group(group).expect("a group").id;
    let topic = stage.emulator.open_topic(group, "News").expect("a topic").id;
    let params = json!({ "chat_id": group, "text": "hi", "message_thread_id": topic });
    let sent = stage.done("sendMessage", params).await;
    assert_eq!(
        (&sent["message_thread_id"], &sent["is_topic_message"]),
        (&json!(topic), &json!(true))
    );
    assert_eq!(sent["chat"]["is_forum"], true);
}

#[tokio::test]
async fn places_and_contacts_and_what_the_bot_is_doing() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let place = json!({ "chat_id": anna, "latitude": 52.5, "longitude": "13.4" });
    let sent = stage.done("sendLocation", place).await;
    assert_eq!(sent["location"], json!({ "latitude": 52.5, "longitude": 13.4 }));
    let contact = json!({ "chat_id": anna, "phone_number": "1", "first_name": "Boris" });
    let sent = stage.done("sendContact", contact).await;
    assert_eq!(sent["contact"], json!({ "phone_number": "1", "first_name": "Boris" }));
    stage.done("sendChatAction", json!({ "chat_id": anna, "action": "typing" })).await;
    let chat = stage.get(&format!("chats/{anna}")).await.json();
    assert_eq!(chat["action"], "typing");
    stage.advance(6);
    let chat = stage.get(&format!("chats/{anna}")).await.json();
    assert_eq!(chat["action"], Value::Null);
    let wrong = json!({ "chat_id": anna, "action": "dancing" });
    assert_eq!(
        refusal(&stage, "sendChatAction", wrong).await,
        "Bad Request: wrong parameter action in request"
    );
}

#[tokio::test]
async fn messages_can_be_copied_forwarded_and_replied_to() {
    let stage = Stage::new().await;
    let (anna, boris) = (stage.anna(), stage.anna());
    let first =
        stage.done("sendMessage", json!({ "chat_id": anna, "text": "hi" })).await["message_id"]
            .clone();
    let params = json!({ "chat_id": boris, "from_chat_id": anna, "message_id": first });
    let copy = stage.done("copyMessage", params.clone()).await;
    assert_eq!(copy, json!({ "message_id": 1001 }));
    let forward = stage.done("forwardMessage", params).await;
    assert_eq!(forward["forward_origin"]["sender_user"]["id"], 9000);
    // Whoever passes it on, it is Anna's.
    let hers = stage.emulator.send(&Sending::text(anna, "mine"));
    let mut message = json!(hers.expect("a message").messages[0]);
    for (from, to) in [(anna, boris), (boris, anna)] {
        let params = json!({ "chat_id": to, "from_chat_id": from, "message_id": message });
        let forward = stage.done("forwardMessage", params).await;
        assert_eq!(forward["forward_origin"]["sender_user"]["id"], anna);
        message = forward["message_id"].clone();
    }
    let reply =
        json!({ "chat_id": anna, "text": "re", "reply_parameters": { "message_id": first } });
    let reply = stage.done("sendMessage", reply).await;
    assert_eq!(reply["reply_to_message"]["text"], "hi");
}

#[tokio::test]
async fn what_is_forwarded_from_a_channel_comes_from_the_channel() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let news = json!({ "title": "News", "kind": "channel", "members": [anna] });
    let news = stage.post("groups", news).await["id"].clone();
    let post = json!({ "chat_id": news, "text": "Hear!" });
    let post = stage.done("sendMessage", post).await;
    let params = json!({ "chat_id": anna, "from_chat_id": news, "message_id": post["message_id"] });
    let forward = stage.done("forwardMessage", params).await;
    let origin = json!({
        "type": "channel", "chat": post["chat"], "message_id": post["message_id"], "date": post["date"],
    });
    assert_eq!(forward["forward_origin"], origin);
}

#[tokio::test]
async fn keyboards_are_checked() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let with = |markup: Value| json!({ "chat_id": anna, "text": "hi", "reply_markup": markup });
    let long =
        with(json!({ "inline_keyboard": [[{ "text": "a", "callback_data": "x".repeat(65) }]] }));
    assert_eq!(refusal(&stage, "sendMessage", long).await, "Bad Request: BUTTON_DATA_INVALID");
    let idle = with(json!({ "inline_keyboard": [[{ "text": "a" }]] }));
    let words = "Bad Request: text buttons are unallowed in the inline keyboard";
    assert_eq!(refusal(&stage, "sendMessage", idle).await, words);
    // As text, as forms bring it.
    let reply = with(json!(
        "{\"keyboard\":[[\"One\",{\"text\":\"Me\",\"request_contact\":true}]],\"one_time_keyboard\":true}"
    ));
    stage.done("sendMessage", reply).await;
    let chat = stage.get(&format!("chats/{anna}")).await.json();
    assert_eq!(chat["keyboard"]["keyboard"][0][0], json!({ "text": "One" }));
    stage.done("sendMessage", with(json!({ "remove_keyboard": true }))).await;
    let chat = stage.get(&format!("chats/{anna}")).await.json();
    assert_eq!(chat["keyboard"], Value::Null);
}
