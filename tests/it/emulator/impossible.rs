//! What nobody could do on Telegram cannot be done here either, and is refused in plain words.

use serde_json::{Value, json};

use super::stage::{DOT, Stage};
use crate::support::http;

#[tokio::test]
async fn a_file_that_is_written_otherwise_is_refused_with_how_it_is_written() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (content, words) in [
        (json!({ "photo": "x.jpg" }), "`true`"),
        (json!({ "photo": false }), "`true`"),
        (json!({ "album": [true, 5] }), "`true`"),
        (json!({ "document": "aGk=" }), r#""base64":"aGk=""#),
        (json!({ "document": { "base64": "?" } }), r#""base64":"aGk=""#),
    ] {
        let error = unsent(&stage, anna, &content).await;
        assert!(error.contains(words), "{content}: {error}");
    }
}

#[tokio::test]
async fn a_photo_is_a_picture() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for photo in ["", "aGVsbG8=", "iVBORw0KGgo="] {
        let error = unsent(&stage, anna, &json!({ "photo": photo })).await;
        assert!(error.contains("no picture"), "{photo}: {error}");
        unsent(&stage, anna, &json!({ "album": [true, photo] })).await;
    }
    let dot = json!({ "from": anna, "photo": DOT });
    stage.post("messages", dot).await;
}

#[tokio::test]
async fn a_place_is_on_earth() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (latitude, longitude) in [(90.1, 0.0), (-91.0, 0.0), (0.0, 180.1), (0.0, -181.0)] {
        let place = json!({ "location": { "latitude": latitude, "longitude": longitude } });
        let error = unsent(&stage, anna, &place).await;
        assert!(error.contains("-90 to 90"), "{place}: {error}");
    }
    let pole = json!({ "latitude": -90.0, "longitude": 180.0 });
    let pole = json!({ "from": anna, "location": pole });
    stage.post("messages", pole).await;
}

#[tokio::test]
async fn a_message_has_one_content_of_which_nothing_is_lost() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (message, words) in [
        (json!({ "text": "hi", "photo": true }), "`text` and `photo`"),
        (json!({ "photo": true, "album": [true, true] }), "`photo` and `album`"),
        (json!({ "sticker": true, "voice": true }), "`sticker` and `voice`"),
        (json!({ "text": "hi", "caption": "lost" }), "a `caption` goes with"),
        (json!({ "sticker": true, "caption": "lost" }), "a `caption` goes with"),
    ] {
        let error = unsent(&stage, anna, &message).await;
        assert!(error.contains(words), "{message}: {error}");
    }
    assert_eq!(stage.emulator.messages(anna), []);
    let one = json!({ "from": anna, "text": "hi", "sticker": false });
    stage.post("messages", one).await;
}

#[tokio::test]
async fn nobody_writes_in_a_topic_that_is_not_there() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let forum = json!({ "title": "Team", "members": [anna], "forum": true });
    let forum = stage.post("groups", forum).await["id"].clone();
    let path = format!("groups/{forum}/topics");
    let topic = stage.post(&path, json!({ "name": "News" })).await["id"].clone();
    for (chat, thread) in [(&json!(anna), &topic), (&forum, &json!(77))] {
        let message = json!({ "chat": chat, "thread": thread, "text": "hi" });
        let error = unsent(&stage, anna, &message).await;
        assert!(error.contains("there is no topic"), "{message}: {error}");
    }
    let there = json!({ "from": anna, "chat": forum, "thread": topic, "text": "hi" });
    stage.post("messages", there).await;
}

#[tokio::test]
async fn only_a_supergroup_has_topics() {
    let stage = Stage::new().await;
    for kind in ["group", "channel"] {
        let body = json!({ "title": "Team", "members": [], "kind": kind, "forum": true });
        let error = refused(&stage, "groups", &body).await;
        assert_eq!(error, "only a `supergroup` has topics");
    }
}

#[tokio::test]
async fn only_a_group_becomes_a_supergroup() {
    let stage = Stage::new().await;
    for kind in ["supergroup", "channel"] {
        let body = json!({ "title": "Team", "members": [], "kind": kind });
        let path = format!("groups/{}/migrate", stage.post("groups", body).await["id"]);
        let error = refused(&stage, &path, &json!({})).await;
        assert!(error.ends_with(&format!("that is a `{kind}`")), "{error}");
    }
}

/// What somebody cannot send; answers the words that it is refused in.
async fn unsent(stage: &Stage, from: i64, message: &Value) -> String {
    let mut body = message.clone();
    body["from"] = from.into();
    refused(stage, "messages", &body).await
}

/// What cannot be done; answers the words that it is refused in.
async fn refused(stage: &Stage, path: &str, body: &Value) -> String {
    let path = format!("/emulator/{path}");
    let answer = http::post(stage.address, &path, &[], body.to_string()).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.status, 400, "{path} {body}: {}", answer.body);
    let error = answer.json()["error"].take();
    error.as_str().expect("words").to_owned()
}
