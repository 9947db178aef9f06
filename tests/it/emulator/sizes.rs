//! How large something may be.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use steadfast::emulator::Sending;

use super::stage::{Stage, TOKEN};
use crate::support::http::{self, Answer};

/// Posts a form with files of so many bytes.
async fn upload(stage: &Stage, method: &str, chat: i64, field: &str, sizes: &[usize]) -> Answer {
    let mut body = String::new();
    for (number, size) in sizes.iter().enumerate() {
        let name = if number == 0 { field.to_owned() } else { format!("{field}{number}") };
        body.push_str(&format!(
            "--b\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"a\"\r\n\r\n{}\r\n",
            "x".repeat(*size)
        ));
    }
    body.push_str("--b--\r\n");
    let path = format!("/bot{TOKEN}/{method}?chat_id={chat}");
    let kind = [("content-type", "multipart/form-data; boundary=b")];
    let answer = http::post_as(stage.address, &path, &kind, body).await;
    answer.expect("an answer")
}

#[tokio::test]
async fn a_picture_has_ten_megabytes_and_a_file_fifty() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (method, field, most) in [("sendPhoto", "photo", 10), ("sendDocument", "document", 50)] {
        let sent = upload(&stage, method, anna, field, &[most << 20]).await;
        assert_eq!(sent.status, 200, "{method}");
        let sent = upload(&stage, method, anna, field, &[(most << 20) + 1]).await;
        let words = format!("is too big for a {field}; the maximum size is {most} MB");
        assert_eq!(sent.status, 400, "{method}");
        assert!(sent.body.contains(&words), "{}", sent.body);
    }
}

#[tokio::test]
async fn twenty_megabytes_can_be_downloaded_and_no_more() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for (size, is_given) in [(20 << 20, true), ((20 << 20) + 1, false)] {
        let content = STANDARD.encode(vec![0_u8; size]);
        let sending = Sending {
            from: anna,
            document: Some(json!({ "name": "a.bin", "base64": content })),
            ..Sending::default()
        };
        stage.emulator.send(&sending).expect("a file");
        let said = stage.emulator.messages(anna).pop().expect("a message");
        let file = said.content.document.expect("a file").file_id;
        let answer = stage.call("getFile", json!({ "file_id": file })).await;
        assert_eq!(answer.status == 200, is_given, "{}", answer.body);
        let words = "Bad Request: file is too big";
        assert!(is_given || answer.json()["description"] == words);
    }
}

#[tokio::test]
async fn more_than_fifty_files_are_not_read() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let sent = upload(&stage, "sendDocument", anna, "document", &[1; 50]).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let sent = upload(&stage, "sendDocument", anna, "document", &[1; 51]).await;
    assert_eq!((sent.status, sent.body.as_str()), (413, ""));
}

#[tokio::test]
async fn the_answer_to_a_press_has_two_hundred_characters() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    stage.ask(anna, "Yes", "y").await;
    let (_, press) = stage.press(anna, "Yes");
    let answer = |length| json!({ "callback_query_id": press, "text": "\u{44f}".repeat(length) });
    let refused = stage.refused("answerCallbackQuery", answer(201)).await;
    assert_eq!(refused, (400, "Bad Request: MESSAGE_TOO_LONG".to_owned()));
    stage.done("answerCallbackQuery", answer(200)).await;
}
