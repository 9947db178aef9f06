//! Which updates go side by side, and which one after the other.

use serde_json::json;
use steadfast::emulator::{Group, Sending, State};

use super::stage::Stage;

/// The webhook is well once it has taken something; until then there is one connection.
async fn warm(stage: &Stage, receiver: &mut super::receiver::Receiver, who: i64) {
    let first = stage.say(who, "first");
    receiver.take(1).await;
    stage.became(first, State::Acknowledged).await;
}

#[tokio::test]
async fn messages_of_a_chat_go_one_by_one() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    warm(&stage, &mut receiver, anna).await;
    let (one, two) = (stage.say(anna, "one"), stage.say(anna, "two"));
    let visit = receiver.next().await;
    assert_eq!(visit.id(), one);
    assert_eq!(stage.remains(two, State::Waiting).await.attempts, []);
    assert!(receiver.ready().is_none());
    visit.answer(200);
    assert_eq!(receiver.next().await.id(), two);
}

#[tokio::test]
async fn an_edit_waits_for_the_messages_of_its_chat() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    warm(&stage, &mut receiver, anna).await;
    let sent = stage.emulator.send(&Sending::text(anna, "one")).expect("a message");
    let edit = stage.emulator.edit(anna, anna, sent.messages[0], "two");
    let edit = edit.expect("an edit").expect("an update");
    let visit = receiver.next().await;
    assert_eq!(Some(visit.id()), sent.updates[0]);
    assert_eq!(stage.remains(edit, State::Waiting).await.attempts, []);
    visit.answer(200);
    let visit = receiver.next().await;
    assert_eq!(visit.json()["edited_message"]["text"], "two");
}

#[tokio::test]
async fn messages_in_two_topics_of_a_forum_go_one_by_one() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let forum = Group {
        title: "Team".to_owned(),
        kind: "supergroup".to_owned(),
        forum: true,
        members: vec![anna],
        ..Group::default()
    };
    let group = stage.emulator.add_group(forum).expect("a forum").id;
    let open = |name| stage.emulator.open_topic(group, name).expect("a topic").id;
    let topics = ["Doors", "Roofs"].map(open);
    receiver.take(3).await;
    warm(&stage, &mut receiver, anna).await;
    let said = topics.map(|topic| {
        let sending =
            Sending { thread: Some(topic), ..Sending::text(anna, "hello").in_chat(group) };
        let sent = stage.emulator.send(&sending).expect("a message");
        sent.updates[0].expect("an update")
    });
    let visit = receiver.next().await;
    assert_eq!(visit.id(), said[0]);
    assert_eq!(visit.json()["message"]["message_thread_id"], topics[0]);
    let second = stage.remains(said[1], State::Waiting).await;
    assert_eq!((second.attempts, second.queue), (vec![], group));
    assert!(receiver.ready().is_none());
    visit.answer(200);
    assert_eq!(receiver.next().await.id(), said[1]);
}

#[tokio::test]
async fn a_message_and_a_press_of_the_same_person_go_side_by_side() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    warm(&stage, &mut receiver, anna).await;
    stage.ask(anna, "Yes", "y").await;
    let message = stage.say(anna, "wait");
    let (press, _) = stage.press(anna, "Yes");
    let mut both = [receiver.next().await, receiver.next().await].map(|visit| visit.id());
    both.sort();
    assert_eq!(both, [message, press]);
}

#[tokio::test]
async fn presses_of_one_person_go_one_by_one_and_of_two_side_by_side() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let boris = stage.emulator.person("Boris").id;
    let group = stage.group(&[anna, boris]).id;
    receiver.take(1).await;
    stage.ask(group, "Yes", "y").await;
    let press = |from| {
        let pressing = steadfast::emulator::Pressing {
            from,
            chat: Some(group),
            label: Some("Yes".to_owned()),
            ..Default::default()
        };
        stage.emulator.press(&pressing).expect("a press");
    };
    press(anna);
    press(anna);
    press(boris);
    let visits = [receiver.next().await, receiver.next().await];
    let who = visits.each_ref().map(|visit| visit.json()["callback_query"]["from"]["id"].as_i64());
    assert!(who.contains(&Some(anna)) && who.contains(&Some(boris)), "{who:?}");
    stage.rests().await;
    assert!(receiver.ready().is_none());
}

#[tokio::test]
async fn what_waits_together_goes_by_its_line_and_not_by_its_number() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let group = stage.group(&[anna]).id;
    receiver.take(1).await;
    stage.ask(anna, "Yes", "y").await;
    stage.advance(1);
    stage.hook(&receiver, json!({ "max_connections": 3 })).await;
    warm(&stage, &mut receiver, anna).await;
    // All connections are taken while three more lines come to wait.
    for _ in 0..3 {
        stage.say(stage.anna(), "hold");
    }
    let mut held = vec![receiver.next().await, receiver.next().await, receiver.next().await];
    let (press, _) = stage.press(anna, "Yes");
    let message = stage.say(anna, "hello");
    let sent = stage.emulator.send(&Sending::text(anna, "hi").in_chat(group));
    let in_group = sent.expect("a message").updates[0].expect("an update");
    for expected in [in_group, message, press] {
        held.pop().expect("a connection").answer(200);
        let visit = receiver.next().await;
        assert_eq!(visit.id(), expected);
        held.push(visit);
    }
}

#[tokio::test]
async fn one_connection_until_the_first_success_and_then_many() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let boris = stage.anna();
    let (one, two) = (stage.say(anna, "one"), stage.say(boris, "two"));
    let visit = receiver.next().await;
    assert_eq!(visit.id(), one);
    assert_eq!(stage.remains(two, State::Waiting).await.attempts, []);
    assert!(receiver.ready().is_none());
    visit.answer(200);
    let held = receiver.next().await;
    assert_eq!(held.id(), two);
    let (three, four) = (stage.say(anna, "three"), stage.anna());
    stage.say(four, "four");
    let visits = [receiver.next().await, receiver.next().await];
    assert!(visits.iter().any(|visit| visit.id() == three));
    assert!(visits.iter().all(|visit| visit.connection != held.connection));
}

#[tokio::test]
async fn never_more_than_max_connections() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.advance(1);
    stage.hook(&receiver, json!({ "max_connections": 2 })).await;
    warm(&stage, &mut receiver, anna).await;
    let said = [1, 2, 3].map(|_| stage.say(stage.anna(), "hello"));
    let [one, two] = [receiver.next().await, receiver.next().await];
    assert_eq!([one.id(), two.id()], said[..2]);
    assert_eq!(stage.remains(said[2], State::Waiting).await.attempts, []);
    assert!(receiver.ready().is_none());
    one.answer(200);
    assert_eq!(receiver.next().await.id(), said[2]);
}

/// Twice as many lines as connections are read ahead; if all of them fail, nothing else is sent.
#[tokio::test]
async fn lines_that_all_fail_hold_up_everybody_else() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.advance(1);
    stage.hook(&receiver, json!({ "max_connections": 1 })).await;
    let boris = stage.anna();
    let bad = [stage.say(anna, "bad"), stage.say(boris, "bad")];
    for _ in 0..4 {
        receiver.next().await.answer(500);
    }
    for update in bad {
        stage.tried(update, 2).await;
    }
    let good = stage.say(stage.anna(), "good");
    stage.advance(1);
    assert_eq!(stage.remains(good, State::Waiting).await.attempts, []);
    assert!(receiver.ready().is_none());
    stage.advance(1);
    for expected in [bad[0], bad[1], good] {
        let visit = receiver.next().await;
        assert_eq!(visit.id(), expected);
        visit.answer(200);
    }
}

#[tokio::test]
async fn a_block_and_a_message_of_the_same_person_go_side_by_side() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    warm(&stage, &mut receiver, anna).await;
    let message = stage.say(anna, "bye");
    let block = stage.emulator.block(anna, true).expect("she blocks it");
    let mut both = [receiver.next().await, receiver.next().await].map(|visit| visit.id());
    both.sort();
    assert_eq!(both, [message, block.expect("an update")]);
}
