//! Kinds of update beside messages and presses: whom they tell of, in which line, and whether they must be asked for.

use serde_json::{Value, json};
use steadfast::emulator::{Group, Membership, Reacting, Sending};

use super::receiver::Receiver;
use super::stage::{DAWN, Stage};

const KIND: i64 = 1 << 33;

/// A channel of these people; the bot has heard of that.
fn channel(stage: &Stage, members: &[i64]) -> i64 {
    let group = Group {
        title: "News".to_owned(),
        kind: "channel".to_owned(),
        members: members.to_vec(),
        ..Group::default()
    };
    stage.emulator.add_group(group).expect("a channel").id
}

/// The line of an update, and for how many seconds it is kept.
fn line(stage: &Stage, update: i64) -> (i64, u64) {
    let update = stage.emulator.update(update).expect("an update");
    (update.queue, (update.expires - DAWN) / 1000)
}

async fn asked_for(kinds: &[&str]) -> (Stage, Receiver, i64) {
    let (stage, receiver) = (Stage::new().await, Receiver::start().await);
    let anna = stage.anna();
    let more = json!({ "allowed_updates": kinds });
    stage.hook(&receiver, more).await;
    (stage, receiver, anna)
}

#[tokio::test]
async fn a_message_is_kept_for_a_day_from_its_date_on_and_not_told_of_after_that() {
    let stage = Stage::new().await;
    let told = |kind: &str, mut payload: Value| {
        payload["chat"] = json!({ "id": 7 });
        stage.emulator.tell(&json!({ kind: payload }))
    };
    let date = |ago: u64| DAWN / 1000 - ago;
    let kept = |update: Result<Option<i64>, _>| {
        let update = update.expect("it is told").expect("an update");
        line(&stage, update).1
    };
    assert_eq!(kept(told("message", json!({ "date": date(3_600) }))), 82_800);
    assert_eq!(kept(told("message", json!({ "date": date(86_400) }))), 0);
    assert!(told("message", json!({ "date": date(86_401) })).is_err());
    let edited = json!({ "date": date(90_000), "edit_date": date(60) });
    assert_eq!(kept(told("edited_message", edited)), 86_340);
    let business = json!({ "date": date(90_000) });
    assert_eq!(kept(told("business_message", business)), 86_400);
}

#[tokio::test]
async fn what_is_written_in_a_channel_is_the_channels() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let news = channel(&stage, &[anna]);
    let joined = &receiver.take(1).await[0]["my_chat_member"];
    assert_eq!(joined["new_chat_member"]["status"], "administrator");
    let post = Sending::text(anna, "Hear!").in_chat(news);
    let sent = stage.emulator.send(&post).expect("a post");
    let update = sent.updates[0].expect("an update");
    let post = &receiver.take(1).await[0]["channel_post"];
    let chat = json!({ "id": news, "title": "News", "type": "channel" });
    assert_eq!((&post["chat"], &post["sender_chat"]), (&chat, &chat));
    assert_eq!((&post["from"], &post["text"]), (&Value::Null, &json!("Hear!")));
    assert_eq!(line(&stage, update), (news, 86_400));
    let edited = stage.emulator.edit(anna, news, sent.messages[0], "Hear, hear!");
    let edited = edited.expect("an edit").expect("an update");
    let body = &receiver.take(1).await[0]["edited_channel_post"];
    assert_eq!(body["text"], "Hear, hear!");
    assert_eq!(line(&stage, edited).0, news, "one line for both");
    let own = json!({ "chat_id": news, "text": "From the bot" });
    let own = stage.done("sendMessage", own).await;
    assert_eq!((&own["from"], &own["sender_chat"]["id"]), (&Value::Null, &json!(news)));
}

/// A group in which the bot is an administrator: nobody else hears who comes and goes.
fn run_by_the_bot(stage: &Stage, members: &[i64]) -> i64 {
    let team = stage.group(members).id;
    let became = stage.emulator.bot_becomes(team, Membership::Administrator);
    became.expect("it runs the group");
    team
}

#[tokio::test]
async fn a_mere_member_hears_and_may_less_than_an_administrator() {
    let (stage, mut receiver, anna) = asked_for(&["chat_member", "message"]).await;
    let team = stage.group(&[anna]).id;
    let said = Sending::text(anna, "Hear!").in_chat(team);
    let said = stage.emulator.send(&said).expect("a message").messages[0];
    receiver.take(1).await;
    let boris = stage.emulator.person("Boris").id;
    let came = stage.emulator.become_member(team, boris, "member");
    assert_eq!(came, Ok(None), "nobody tells the bot");
    let asked = stage.emulator.ask_to_join(team, stage.anna());
    assert_eq!(asked, Ok(None));
    let params =
        json!({ "chat_id": team, "message_id": said, "message_ids": [said], "user_id": boris });
    for (method, words) in [
        ("deleteMessage", "message can't be deleted"),
        ("deleteMessages", "message can't be deleted"),
        ("pinChatMessage", "not enough rights to manage pinned messages in the chat"),
        ("approveChatJoinRequest", "not enough rights to manage chat join requests"),
    ] {
        let refused = stage.refused(method, params.clone()).await;
        assert_eq!(refused, (400, format!("Bad Request: {words}")));
    }
    let became = stage.emulator.bot_becomes(team, Membership::Administrator);
    became.expect("it runs the group");
    for method in ["pinChatMessage", "deleteMessages"] {
        stage.done(method, params.clone()).await;
    }
}

#[tokio::test]
async fn who_comes_and_goes_is_told_if_it_was_asked_for() {
    let (stage, mut receiver, anna) = asked_for(&["chat_member", "message"]).await;
    let team = run_by_the_bot(&stage, &[anna]);
    let boris = stage.emulator.person("Boris").id;
    let come = stage.emulator.become_member(team, boris, "member");
    let come = come.expect("he came").expect("an update");
    let mut bodies = receiver.take(2).await;
    bodies.sort_by_key(|body| body["update_id"].as_i64());
    assert_eq!(bodies[0]["message"]["new_chat_members"][0]["id"], boris);
    let change = &bodies[1]["chat_member"];
    assert_eq!(change["old_chat_member"]["status"], "left");
    let member = json!({ "user": change["from"], "status": "member" });
    assert_eq!((&change["new_chat_member"], &change["from"]["id"]), (&member, &json!(boris)));
    assert_eq!(line(&stage, come), (boris + 6 * KIND, 86_400));
    let again = stage.emulator.become_member(team, boris, "member");
    assert_eq!(again, Ok(None), "nothing changes");
    stage.emulator.become_member(team, boris, "kicked").expect("he is out");
    let mut bodies = receiver.take(2).await;
    bodies.sort_by_key(|body| body["update_id"].as_i64());
    assert_eq!(bodies[0]["message"]["left_chat_member"]["id"], boris);
    assert_eq!(bodies[1]["chat_member"]["from"]["id"], anna);
    let said = stage.emulator.send(&Sending::text(boris, "But!").in_chat(team));
    assert!(said.is_err(), "he is no longer there");
    let asked = json!({ "chat_id": team, "user_id": boris });
    let banned = stage.done("getChatMember", asked.clone()).await;
    assert_eq!(banned, bodies[1]["chat_member"]["new_chat_member"]);
    assert_eq!((&banned["status"], &banned["until_date"]), (&json!("kicked"), &json!(0)));
    let forgiven = stage.emulator.become_member(team, boris, "left");
    assert!(forgiven.expect("he may come").is_some());
    let change = &receiver.take(1).await[0]["chat_member"];
    assert_eq!(change["old_chat_member"], banned, "nobody reads of it");
    let gone = stage.done("getChatMember", asked).await;
    assert_eq!(gone["status"], "left");
}

/// What is read in the group and what the bot is told agree on who did it.
#[tokio::test]
async fn who_is_thrown_out_or_taken_back_is_so_by_somebody_else() {
    let (stage, mut receiver, anna) = asked_for(&["chat_member", "message"]).await;
    let boris = stage.emulator.person("Boris").id;
    let team = run_by_the_bot(&stage, &[anna, boris]);
    let mut by = async |person, status| {
        let changed = stage.emulator.become_member(team, person, status);
        assert!(changed.expect("it can be").is_some());
        let count = if status == "left" { 1 } else { 2 };
        let bodies = receiver.take(count).await;
        let from = |body: &Value| {
            let told = [&body["message"], &body["chat_member"]];
            told.into_iter().find_map(|it| it["from"]["id"].as_i64())
        };
        bodies.iter().map(from).collect::<Vec<_>>()
    };
    assert_eq!(by(boris, "kicked").await, [Some(anna); 2]);
    assert_eq!(by(boris, "left").await, [Some(anna)]);
    assert_eq!(by(boris, "member").await, [Some(boris); 2]);
    assert_eq!(by(anna, "kicked").await, [Some(boris); 2], "the founder");
    assert_eq!(by(anna, "member").await, [Some(boris); 2]);
    let bot = stage.done("getMe", json!({})).await["id"].as_i64();
    by(boris, "kicked").await;
    assert_eq!(by(anna, "kicked").await, [bot; 2], "nobody else is there");
}

#[tokio::test]
async fn who_was_thrown_out_cannot_ask_to_be_let_in() {
    let (stage, _receiver, anna) = Stage::hooked().await;
    let news = channel(&stage, &[anna]);
    let boris = stage.emulator.person("Boris").id;
    stage.emulator.ask_to_join(news, boris).expect("he asks");
    let out = stage.emulator.become_member(news, boris, "kicked");
    out.expect("he is out");
    let asked = json!({ "chat_id": news, "user_id": boris });
    let late = stage.refused("approveChatJoinRequest", asked).await;
    assert_eq!(late.1, "Bad Request: HIDE_REQUESTER_MISSING");
    assert!(stage.emulator.ask_to_join(news, boris).is_err());
    let forgiven = stage.emulator.become_member(news, boris, "left");
    forgiven.expect("he may come");
    stage.emulator.ask_to_join(news, boris).expect("he asks");
}

#[tokio::test]
async fn somebody_who_asks_is_let_in_by_the_bot() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let news = channel(&stage, &[anna]);
    receiver.take(1).await;
    let boris = stage.emulator.person("Boris").id;
    let update = stage.emulator.ask_to_join(news, boris);
    let update = update.expect("he asks").expect("an update");
    let request = &receiver.take(1).await[0]["chat_join_request"];
    assert_eq!((&request["chat"]["id"], &request["user_chat_id"]), (&json!(news), &json!(boris)));
    assert_eq!(line(&stage, update), (boris + 6 * KIND, 86_400));
    let answer = json!({ "chat_id": news, "user_id": boris });
    stage.done("approveChatJoinRequest", answer.clone()).await;
    let member = stage.done("getChatMember", answer.clone()).await;
    assert_eq!(member["status"], "member");
    let again = stage.refused("declineChatJoinRequest", answer).await;
    assert_eq!(again.1, "Bad Request: HIDE_REQUESTER_MISSING");
}

#[tokio::test]
async fn what_somebody_thinks_of_a_message_is_told_if_it_was_asked_for() {
    let (stage, mut receiver, anna) = asked_for(&["message_reaction"]).await;
    let message = stage.ask(anna, "Yes", "y").await;
    let mut reacting = Reacting {
        from: anna,
        message_id: message,
        emoji: Some("👍".to_owned()),
        ..Reacting::default()
    };
    let update = stage.emulator.react(&reacting).expect("a reaction");
    let update = update.expect("an update");
    let thumb = json!([{ "type": "emoji", "emoji": "👍" }]);
    let body = &receiver.take(1).await[0]["message_reaction"];
    assert_eq!((&body["old_reaction"], &body["new_reaction"]), (&json!([]), &thumb));
    assert_eq!((&body["message_id"], &body["user"]["id"]), (&json!(message), &json!(anna)));
    assert_eq!(line(&stage, update), (anna + 8 * KIND, 86_400));
    assert_eq!(stage.emulator.react(&reacting), Ok(None), "nothing changes");
    reacting.emoji = None;
    stage.emulator.react(&reacting).expect("none any more");
    let body = &receiver.take(1).await[0]["message_reaction"];
    assert_eq!((&body["old_reaction"], &body["new_reaction"]), (&thumb, &json!([])));
    let own = json!({ "chat_id": anna, "message_id": message, "reaction": thumb });
    stage.done("setMessageReaction", own).await;
    let shown = stage.get(&format!("chats/{anna}")).await.json();
    assert_eq!(shown["messages"][0]["reactions"], json!({ "9000": "👍" }));
}

#[tokio::test]
async fn what_was_not_asked_for_is_not_told() {
    let (stage, _receiver, anna) = Stage::hooked().await;
    let team = stage.group(&[anna]).id;
    let boris = stage.emulator.person("Boris").id;
    let came = stage.emulator.become_member(team, boris, "member");
    assert_eq!(came, Ok(None));
    let reacting = Reacting {
        from: anna,
        message_id: stage.ask(anna, "Yes", "y").await,
        emoji: Some("👍".to_owned()),
        ..Reacting::default()
    };
    assert_eq!(stage.emulator.react(&reacting), Ok(None));
}

#[tokio::test]
async fn an_update_of_any_kind_can_be_written_by_hand() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let first = stage.say(anna, "hello");
    receiver.take(1).await;
    let from = json!({ "id": anna, "is_bot": false, "first_name": "Anna" });
    let asked = json!({ "id": "1", "from": from, "query": "\u{41f}", "offset": "" });
    let told = stage.post("updates", json!({ "inline_query": asked })).await;
    assert_eq!(told["update_id"], first + 1);
    let visit = receiver.next().await;
    assert_eq!(visit.json()["inline_query"], asked);
    assert!(visit.body.contains("\\u041f"), "{}", visit.body);
    visit.answer(200);
    assert_eq!(line(&stage, first + 1), (anna + KIND, 30));
    let unasked = json!({ "message_reaction_count": { "chat": { "id": anna } } });
    assert_eq!(stage.post("updates", unasked).await["update_id"], Value::Null);
    let cannot = stage.emulator.tell(&json!({ "nonsense": {} }));
    assert_eq!(cannot.expect_err("it is none").status, 400);
}

#[tokio::test]
async fn what_is_asked_inline_is_answered_in_time_or_not_at_all() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let from = json!({ "id": anna, "is_bot": false, "first_name": "Anna" });
    let asked = json!({ "id": "77", "from": from, "query": "a", "offset": "" });
    stage.post("updates", json!({ "inline_query": asked })).await;
    receiver.take(1).await;
    let answer = |id: &str| json!({ "inline_query_id": id, "results": [] });
    assert_eq!(stage.done("answerInlineQuery", answer("77")).await, true);
    let late = "Bad Request: query is too old and response timeout expired or query ID is invalid";
    let late = (400, late.to_owned());
    for unknown in ["78", ""] {
        let refused = stage.refused("answerInlineQuery", answer(unknown)).await;
        assert_eq!(refused, late, "{unknown}");
    }
    stage.advance(31);
    assert_eq!(stage.refused("answerInlineQuery", answer("77")).await, late);
}

#[tokio::test]
async fn every_kind_of_update_can_be_asked_for_by_its_name() {
    let (stage, _receiver, anna) = asked_for(&["guest_message", "managed_bot"]).await;
    assert_eq!(stage.emulator.allowed(), ["guest_message", "managed_bot"]);
    let guest = json!({ "guest_message": { "chat": { "id": anna } } });
    assert!(stage.emulator.tell(&guest).expect("an update").is_some());
}
