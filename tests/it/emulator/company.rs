//! Whom a bot cannot write to, and how groups are addressed.

use serde_json::{Value, json};
use steadfast::emulator::{Group, Membership, Sending};

use super::stage::Stage;

/// A group of this kind with somebody in it.
fn group(stage: &Stage, kind: &str, bot: Membership) -> i64 {
    let group = Group {
        title: "Team".to_owned(),
        kind: kind.to_owned(),
        members: vec![stage.anna()],
        bot,
        ..Group::default()
    };
    stage.emulator.add_group(group).expect("a group").id
}

/// What the bot was and is, as an update tells it.
fn change(stage: &Stage, update: &Value) -> [Value; 2] {
    let update = stage.emulator.update(update.as_i64().expect("an update"));
    let body: Value = serde_json::from_str(&update.expect("it is there").body).expect("JSON");
    let change = &body["my_chat_member"];
    ["old_chat_member", "new_chat_member"].map(|it| change[it]["status"].clone())
}

#[tokio::test]
async fn a_bot_that_was_thrown_out_or_never_was_there_is_told_so_in_telegrams_words() {
    let stage = Stage::new().await;
    for kind in ["group", "supergroup", "channel"] {
        let id = group(&stage, kind, Membership::Member);
        let say = json!({ "chat_id": id, "text": "hi" });
        stage.done("sendMessage", say.clone()).await;
        let there = if kind == "channel" { "administrator" } else { "member" };
        for (old, new, words) in [
            (there, "kicked", "bot was kicked from the"),
            ("kicked", "left", "bot is not a member of the"),
        ] {
            let path = format!("groups/{id}/bot");
            let became = stage.post(&path, json!({ "status": new })).await;
            assert_eq!(change(&stage, &became["update_id"]), [old, new]);
            let words = (403, format!("Forbidden: {words} {kind} chat"));
            for method in ["sendMessage", "getChat"] {
                assert_eq!(stage.refused(method, say.clone()).await, words);
            }
        }
        let anna = stage.emulator.people().last().expect("Anna").id;
        let unheard = stage.emulator.send(&Sending::text(anna, "?").in_chat(id));
        assert_eq!(unheard.expect("a message").updates, [None]);
        let shown = stage.get(&format!("chats/{id}")).await.json();
        let last = shown["messages"].as_array().and_then(|all| all.last());
        assert_eq!(last.expect("a message")["delivery"], "unheard");
        let back = stage.emulator.bot_becomes(id, Membership::Member);
        let back = json!(back.expect("it is taken in"));
        assert_eq!(change(&stage, &back), ["left", there]);
        stage.done("sendMessage", say).await;
        let updates = stage.emulator.updates().len();
        let strange = json!({ "chat_id": group(&stage, kind, Membership::Left), "text": "hi" });
        let words = format!("Forbidden: bot is not a member of the {kind} chat");
        assert_eq!(stage.refused("sendMessage", strange).await, (403, words));
        assert_eq!(stage.emulator.updates().len(), updates, "it heard nothing");
    }
}

#[tokio::test]
async fn a_bot_is_asked_about_what_it_was_told_to_have_become() {
    let stage = Stage::new().await;
    for (kind, bot, status) in [
        ("group", Membership::Member, "member"),
        ("group", Membership::Administrator, "administrator"),
        ("channel", Membership::Member, "administrator"),
        ("supergroup", Membership::Kicked, "kicked"),
    ] {
        let id = group(&stage, kind, Membership::Left);
        let path = format!("groups/{id}/bot");
        let became = stage.post(&path, json!({ "status": bot })).await;
        assert_eq!(change(&stage, &became["update_id"]), ["left", status]);
        let again = stage.post(&path, json!({ "status": bot })).await;
        assert_eq!(again["update_id"], Value::Null, "nothing changed");
        if bot != Membership::Kicked {
            let me = json!({ "chat_id": id, "user_id": 9000 });
            assert_eq!(stage.done("getChatMember", me).await["status"], status);
            let heads = stage.done("getChatAdministrators", json!({ "chat_id": id })).await;
            let runs_it = heads.as_array().is_some_and(|heads| heads.len() == 2);
            assert_eq!(runs_it, status == "administrator");
        }
    }
}

#[tokio::test]
async fn nobody_comes_into_a_group_that_goes_on_as_another() {
    let stage = Stage::new().await;
    let id = group(&stage, "group", Membership::Member);
    stage.post(&format!("groups/{id}/migrate"), json!({})).await;
    let late = stage.emulator.become_member(id, stage.anna(), "member");
    assert!(late.is_err());
    assert!(stage.emulator.bot_becomes(id, Membership::Left).is_err());
}

#[tokio::test]
async fn somebody_whose_account_is_deleted_cannot_be_written_to() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let path = format!("people/{anna}/deactivate");
    stage.post(&path, json!({ "deactivated": true })).await;
    let say = json!({ "chat_id": anna, "text": "hi" });
    let words = "Forbidden: user is deactivated".to_owned();
    assert_eq!(stage.refused("sendMessage", say.clone()).await, (403, words));
    assert!(stage.emulator.say(anna, "hello").is_err());
    stage.post(&path, json!({ "deactivated": false })).await;
    stage.done("sendMessage", say).await;
}

#[tokio::test]
async fn a_public_group_or_channel_is_addressed_by_its_name() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    for kind in ["supergroup", "channel"] {
        let body = json!({ "title": "Team", "members": [anna], "kind": kind, "username": format!("the_{kind}") });
        let group = stage.post("groups", body).await;
        let say = json!({ "chat_id": format!("@The_{kind}"), "text": "hi" });
        let chat = &stage.done("sendMessage", say).await["chat"];
        assert_eq!((&chat["id"], &chat["username"]), (&group["id"], &group["username"]));
    }
    let person = json!({ "name": "Anna", "username": "anna_t" });
    stage.post("people", person).await;
    for nobody in ["@nobody", "@", "the_channel", "@anna_t"] {
        let say = json!({ "chat_id": nobody, "text": "hi" });
        let words = "Bad Request: chat not found".to_owned();
        assert_eq!(stage.refused("sendMessage", say).await, (400, words));
    }
}
