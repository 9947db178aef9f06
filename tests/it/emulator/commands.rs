//! Which commands somebody is offered.

use serde_json::{Value, json};
use steadfast::emulator::Person;

use super::stage::Stage;

/// A list of one command, for this scope and this language.
async fn set(stage: &Stage, name: &str, scope: &Value, language: &str) {
    let commands = json!([{ "command": name, "description": "What it does" }]);
    let params = json!({ "commands": commands, "scope": scope, "language_code": language });
    stage.done("setMyCommands", params).await;
}

/// The command that somebody is offered in a chat.
async fn offered(stage: &Stage, chat: i64, person: i64) -> Value {
    let shown = stage.get(&format!("chats/{chat}")).await.json();
    shown["commands"][person.to_string()][0]["command"].clone()
}

fn ivan(stage: &Stage) -> i64 {
    let person = Person { language_code: "ru".to_owned(), ..Person::named("Иван") };
    stage.emulator.add_person(person).id
}

#[tokio::test]
async fn each_person_is_offered_the_commands_of_their_chat_and_language() {
    let stage = Stage::new().await;
    let (anna, ivan) = (stage.anna(), ivan(&stage));
    assert_eq!(offered(&stage, anna, anna).await, Value::Null);
    let own = json!({ "type": "chat", "chat_id": ivan });
    let private = json!({ "type": "all_private_chats" });
    let default = json!({ "type": "default" });
    // From the widest to the narrowest: each covers those before it, for whom it is meant.
    for (scope, language, name, of_anna) in [
        (&default, "", "any", "any"),
        (&default, "ru", "any_ru", "any"),
        (&private, "", "private", "private"),
        (&private, "ru", "private_ru", "private"),
        (&own, "", "own", "private"),
        (&own, "ru", "own_ru", "private"),
    ] {
        set(&stage, name, scope, language).await;
        assert_eq!(offered(&stage, ivan, ivan).await, name);
        assert_eq!(offered(&stage, anna, anna).await, of_anna, "after {name}");
    }
    let params = json!({ "scope": own, "language_code": "ru" });
    stage.done("deleteMyCommands", params).await;
    assert_eq!(offered(&stage, ivan, ivan).await, "own");
}

#[tokio::test]
async fn in_a_group_each_member_is_offered_their_own_and_its_head_what_heads_can_do() {
    let stage = Stage::new().await;
    let (head, ivan) = (stage.anna(), ivan(&stage));
    let group = stage.group(&[head, ivan]).id;
    let of = |kind: &str| json!({ "type": kind, "chat_id": group, "user_id": ivan });
    // From the widest to the narrowest, with what the head and Ivan see then.
    for (kind, name, of_head, of_ivan) in [
        ("all_private_chats", "private", None, None),
        ("default", "any", Some("any"), Some("any")),
        ("all_group_chats", "groups", Some("groups"), Some("groups")),
        ("all_chat_administrators", "heads", Some("heads"), Some("groups")),
        ("chat", "here", Some("here"), Some("here")),
        ("chat_administrators", "head", Some("head"), Some("here")),
        ("chat_member", "ivan", Some("head"), Some("ivan")),
    ] {
        set(&stage, name, &of(kind), "").await;
        assert_eq!(offered(&stage, group, head).await, json!(of_head), "{name}");
        assert_eq!(offered(&stage, group, ivan).await, json!(of_ivan), "{name}");
    }
}
