//! What the control API says of itself is so.

use std::collections::{BTreeMap, BTreeSet};

use hyper::Method;
use serde_json::{Map, Value, json};

use super::stage::Stage;
use crate::support::http;

/// The names in backticks behind `expected`, where a field is unknown: those that are read.
fn expected(error: &str) -> Option<BTreeSet<&str>> {
    let (_, names) = error.split_once("unknown field `nonsense`, expected ")?;
    Some(names.split('`').skip(1).step_by(2).collect())
}

#[tokio::test]
async fn the_fields_that_are_listed_are_those_that_are_read() {
    let stage = Stage::new().await;
    let list = stage.get("").await.json();
    let mut known: BTreeMap<&str, &Map<String, Value>> = BTreeMap::new();
    for entry in list["endpoints"].as_array().expect("a list") {
        let request = entry["request"].as_str().expect("a request");
        if let Some(fields) = entry["fields"].as_object() {
            assert!(known.insert(request, fields).is_none(), "{request} twice");
        }
        let Some((verb @ ("POST" | "PATCH"), path)) = request.split_once(' ') else {
            continue;
        };
        let verb = Method::from_bytes(verb.as_bytes()).expect("a verb");
        let (path, body) = (path.replace("{id}", "1"), json!({ "nonsense": 1 }));
        let answer = http::exchange(stage.address, verb, &path, &[], body.to_string().into());
        let answer = answer.await.expect("an answer").json();
        let read = expected(answer["error"].as_str().expect("words"));
        let listed = known.get(request);
        let names = listed.map(|fields| fields.keys().map(String::as_str).collect());
        assert_eq!(names, read, "{request}");
        let example = entry["example"].as_object().expect("an example");
        let mut said = listed.iter().flat_map(|_| example.keys());
        assert!(said.all(|name| known[request].contains_key(name)));
    }
}

/// As they would be tried, one after the other, by whoever reads the list.
#[tokio::test]
async fn what_is_listed_as_an_example_of_a_message_can_be_sent() {
    let stage = Stage::new().await;
    let anna = stage.post("people", json!({ "name": "Anna" })).await;
    let forum = json!({ "title": "Team", "members": [anna["id"]], "forum": true });
    let forum = stage.post("groups", forum).await["id"].clone();
    let path = format!("groups/{forum}/topics");
    let topic = stage.post(&path, json!({ "name": "News" })).await;
    let say = json!({ "chat_id": forum, "message_thread_id": topic["id"], "text": "hi" });
    stage.done("sendMessage", say).await;
    let list = stage.get("").await.json();
    let entries = list["endpoints"].as_array().expect("a list").iter();
    let messages = entries.filter(|entry| entry["request"] == "POST /emulator/messages");
    let examples: Vec<&Value> = messages.map(|entry| &entry["example"]).collect();
    for content in ["text", "photo", "album", "document", "contact", "location", "sticker", "voice"]
    {
        let mut all = examples.iter();
        assert!(all.any(|example| example.get(content).is_some()), "{content}");
    }
    for example in examples {
        stage.post("messages", example.clone()).await;
    }
}
