//! Files: sent, asked for, downloaded.

use serde_json::{Value, json};
use steadfast::emulator::Sending;

use super::stage::{DOT, Stage, TOKEN, dot};
use crate::support::http::{self, Answer};

/// Posts a form with these values and one file.
async fn upload(
    stage: &Stage,
    method: &str,
    values: &[(&str, &str)],
    file: (&str, &str, &str),
) -> Answer {
    let mut body = String::new();
    for (name, value) in values {
        body.push_str(&format!(
            "--b0\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        ));
    }
    let (field, name, content) = file;
    body.push_str(&format!(
        "--b0\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\nContent-Type: text/plain\r\n\r\n{content}\r\n--b0--\r\n"
    ));
    let path = format!("/bot{TOKEN}/{method}");
    let kind = [("content-type", "multipart/form-data; boundary=b0")];
    http::post_as(stage.address, &path, &kind, body).await.expect("an answer")
}

async fn downloaded(stage: &Stage, file_id: &Value) -> Answer {
    downloaded_by(stage, "", file_id).await
}

/// By one of several replicas, whose address begins so.
async fn downloaded_by(stage: &Stage, caller: &str, file_id: &Value) -> Answer {
    let file = stage.done("getFile", json!({ "file_id": file_id })).await;
    let path = format!("{caller}/file/bot{TOKEN}/{}", file["file_path"].as_str().expect("a path"));
    http::get(stage.address, &path).await.expect("an answer")
}

#[tokio::test]
async fn a_picture_of_a_person_can_be_downloaded_by_the_bot() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let photo = Sending {
        from: anna,
        photo: Some(json!(DOT)),
        caption: Some("receipt".to_owned()),
        ..Sending::default()
    };
    stage.emulator.send(&photo).expect("a photo");
    let said = stage.emulator.messages(anna);
    let sizes = &said[0].content.photo;
    assert_eq!((sizes.len(), said[0].content.words()), (1, "receipt"));
    for caller in ["", "/replica-1"] {
        let answer = downloaded_by(&stage, caller, &json!(sizes[0].file_id)).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, dot().as_str()));
    }
}

#[tokio::test]
async fn what_the_bot_uploads_has_an_id_to_send_it_again() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let chat = anna.to_string();
    let values = [("chat_id", chat.as_str()), ("caption", "mine")];
    let sent = upload(&stage, "sendDocument", &values, ("document", "a.txt", "content"))
        .await
        .json()["result"]
        .clone();
    assert_eq!(sent["document"]["file_name"], "a.txt");
    assert_eq!(sent["caption"], "mine");
    let again = json!({ "chat_id": anna, "document": sent["document"]["file_id"] });
    let again = stage.done("sendDocument", again).await;
    assert_eq!(again["document"]["file_unique_id"], sent["document"]["file_unique_id"]);
    assert_eq!(downloaded(&stage, &again["document"]["file_id"]).await.body, "content");
}

#[tokio::test]
async fn albums_are_sent_with_attached_files() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let chat = anna.to_string();
    let media = r#"[{"type":"photo","media":"attach://one","caption":"both"},{"type":"photo","media":"https://example.org/b.png"}]"#;
    let sent = upload(
        &stage,
        "sendMediaGroup",
        &[("chat_id", &chat), ("media", media)],
        ("one", "a.png", "PNG"),
    )
    .await;
    let sent = sent.json()["result"].clone();
    assert_eq!(sent.as_array().map(Vec::len), Some(2));
    assert_eq!(sent[0]["media_group_id"], sent[1]["media_group_id"]);
    assert_eq!(sent[0]["caption"], "both");
    let one = json!({ "chat_id": anna, "media": [{ "type": "photo", "media": "https://example.org/b.png" }] });
    assert_eq!(stage.refused("sendMediaGroup", one).await.0, 400);
}

#[tokio::test]
async fn files_are_refused_in_telegrams_words() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (method, params, words) in [
        ("sendPhoto", json!({ "chat_id": anna }), "there is no photo in the request"),
        (
            "sendPhoto",
            json!({ "chat_id": anna, "photo": "nonsense" }),
            "wrong file identifier/HTTP URL specified",
        ),
        (
            "sendPhoto",
            json!({ "chat_id": anna, "photo": "https://e.org/a", "caption": "x".repeat(1025) }),
            "message caption is too long",
        ),
        (
            "getFile",
            json!({ "file_id": "nonsense" }),
            "wrong file_id or the file is temporarily unavailable",
        ),
    ] {
        let refused = stage.refused(method, params).await;
        assert_eq!(refused, (400, format!("Bad Request: {words}")));
    }
}

/// Whoever is refused sends it again and again.
#[tokio::test]
async fn nothing_is_kept_of_an_upload_that_is_refused() {
    let stage = Stage::new().await;
    let anna = stage.anna().to_string();
    let photo = ("photo", "a.png", "x");
    let wrong = [("chat_id", &*anna), ("reply_markup", "null")];
    assert_eq!(upload(&stage, "sendPhoto", &wrong, photo).await.status, 400);
    let sent = upload(&stage, "sendPhoto", &wrong[..1], photo).await;
    let id = &sent.json()["result"]["photo"][0]["file_id"];
    let file = stage.done("getFile", json!({ "file_id": id })).await;
    assert_eq!(file["file_path"], "photos/file_1s.jpg", "it is the first");
}

#[tokio::test]
async fn a_picture_is_sent_as_one_alone_and_other_files_as_each_other() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for content in [
        json!({ "from": anna, "photo": true }),
        json!({ "from": anna, "document": { "base64": "aGk=" } }),
        json!({ "from": anna, "voice": true }),
    ] {
        stage.post("messages", content).await;
    }
    let said = stage.emulator.messages(anna);
    let photo = &said[0].content.photo[0].file_id;
    let document = said[1].content.document.as_ref().expect("a file");
    let voice = said[2].content.voice.as_ref().expect("a voice");
    for (method, field, id, words) in [
        ("sendPhoto", "photo", &document.file_id, "Document as Photo"),
        ("sendPhoto", "photo", &voice.file_id, "VoiceNote as Photo"),
        ("sendDocument", "document", photo, "Photo as Document"),
    ] {
        let refused = stage.refused(method, json!({ "chat_id": anna, field: id }));
        let words = format!("Bad Request: can't use file of type {words}");
        assert_eq!(refused.await, (400, words));
    }
    let again = json!({ "chat_id": anna, "photo": photo });
    stage.done("sendPhoto", again).await;
    let other = json!({ "chat_id": anna, "document": voice.file_id });
    stage.done("sendDocument", other).await;
}
