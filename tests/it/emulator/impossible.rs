//! What nobody could do on Telegram cannot be done here either, and is refused in plain words.

use serde_json::{Value, json};

use super::stage::Stage;
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
        (
            json!({ "document": { "base64": "?" } }),
            r#""base64":"aGk=""#,
        ),
    ] {
        let error = unsent(&stage, anna, &content).await;
        assert!(error.contains(words), "{content}: {error}");
    }
}

/// What somebody cannot send; answers the words that it is refused in.
async fn unsent(stage: &Stage, from: i64, message: &Value) -> String {
    let mut body = message.clone();
    body["from"] = from.into();
    let path = "/emulator/messages";
    let answer = http::post(stage.address, path, &[], body.to_string()).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.status, 400, "{message}: {}", answer.body);
    let error = answer.json()["error"].take();
    error.as_str().expect("words").to_owned()
}
