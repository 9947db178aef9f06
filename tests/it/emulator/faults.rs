//! What goes wrong on command.

use serde_json::json;
use steadfast::emulator::{Fault, Kind, Pressing, Sending, State};

use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::receiver::Receiver;
use super::stage::{Stage, TOKEN};
use crate::support::http;
use crate::support::patience::{LONG, until};

/// Somebody writes, and this goes wrong with it alone.
fn say(stage: &Stage, anna: i64, fault: &str) -> i64 {
    let sending = Sending { fault: Some(json!(fault)), ..Sending::text(anna, "hello") };
    let sent = stage.emulator.send(&sending).expect("a message");
    sent.updates[0].expect("an update")
}

#[tokio::test]
async fn the_connection_is_closed_before_the_bot_has_the_update() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = say(&stage, anna, "close_before");
    stage.tried(update, 1).await;
    stage.rests().await;
    assert!(receiver.ready().is_none());
    stage.advance(2);
    assert_eq!(receiver.take(1).await[0]["update_id"], update);
    assert_eq!(stage.became(update, State::Acknowledged).await.attempts.len(), 2);
}

#[tokio::test]
async fn the_answer_is_lost_in_three_ways_and_the_update_comes_again() {
    for fault in ["close_after", "truncate", "drop_ack"] {
        let (stage, mut receiver, anna) = Stage::hooked().await;
        let update = say(&stage, anna, fault);
        assert_eq!(receiver.take(1).await[0]["update_id"], update, "{fault}");
        until("it was lost", async || {
            let update = stage.emulator.update(update)?;
            (!update.attempts.is_empty()).then_some(())
        })
        .await;
        stage.advance(2);
        assert_eq!(receiver.take(1).await[0]["update_id"], update, "{fault}");
        stage.became(update, State::Acknowledged).await;
    }
}

#[tokio::test]
async fn an_answer_that_is_held_back_for_a_minute_brings_a_copy() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = say(&stage, anna, "delay");
    receiver.take(1).await;
    stage.advance(60);
    assert_eq!(receiver.take(1).await[0]["update_id"], update);
    let done = stage.became(update, State::Acknowledged).await;
    assert_eq!(done.attempts[0].error.as_deref(), Some("Read timeout expired"));
}

#[tokio::test]
async fn an_answer_that_is_held_back_for_a_while_comes_after_it() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let fault = json!({ "kind": "delay", "after_s": 10 });
    let body = json!({ "from": anna, "text": "hello", "fault": fault });
    let sent = stage.post("messages", body).await;
    let update = sent["update_id"].as_i64().expect("an update");
    receiver.take(1).await;
    stage.rests().await;
    stage.advance(9);
    assert_eq!(stage.remains(update, State::InFlight).await.attempts, []);
    let done = until("it is over", async || {
        stage.advance(1);
        let update = stage.emulator.update(update)?;
        (!update.attempts.is_empty()).then_some(update)
    })
    .await;
    let attempt = &done.attempts[0];
    assert_eq!((attempt.status, done.state), (Some(200), State::Acknowledged));
    assert!(attempt.duration_ms >= 10_000, "{attempt:?}");
}

#[tokio::test]
async fn an_update_is_sent_twice_at_once() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = say(&stage, anna, "twice");
    let both = [receiver.next().await, receiver.next().await];
    assert_eq!(both[0].body, both[1].body);
    assert_ne!(both[0].connection, both[1].connection);
    both.into_iter().for_each(|visit| visit.answer(200));
    assert_eq!(stage.tried(update, 2).await.state, State::Acknowledged);
    let next = stage.say(anna, "next");
    assert_eq!(receiver.take(1).await[0]["update_id"], next);
}

#[tokio::test]
async fn an_update_that_was_taken_can_be_sent_again() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let update = stage.say(anna, "hello");
    receiver.take(1).await;
    stage.became(update, State::Acknowledged).await;
    stage.post(&format!("updates/{update}/again"), json!({ "times": 2 })).await;
    let both = [receiver.next().await, receiver.next().await];
    assert!(both.iter().all(|visit| visit.id() == update));
}

#[tokio::test]
async fn an_app_sends_a_press_again_under_new_ids() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.ask(anna, "Yes", "y").await;
    let pressing = Pressing {
        from: anna,
        label: Some("Yes".to_owned()),
        fault: Some(json!("resend_press")),
        ..Pressing::default()
    };
    stage.emulator.press(&pressing).expect("a press");
    let both = receiver.take(2).await;
    assert_ne!(both[0]["update_id"], both[1]["update_id"]);
    let (one, two) = (&both[0]["callback_query"], &both[1]["callback_query"]);
    assert_ne!(one["id"], two["id"]);
    assert_eq!(
        (&one["data"], &one["message"]["message_id"]),
        (&two["data"], &two["message"]["message_id"])
    );
}

#[tokio::test]
async fn a_fault_of_deliveries_strikes_so_often_and_in_its_chat() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let boris = stage.anna();
    let fault = Fault::from(Kind::DropAck).in_chat(anna).times(1);
    stage.emulator.fault(fault).expect("a fault");
    let other = stage.say(boris, "hello");
    receiver.take(1).await;
    assert_eq!(stage.became(other, State::Acknowledged).await.attempts.len(), 1);
    let update = stage.say(anna, "hello");
    receiver.take(2).await;
    stage.became(update, State::Acknowledged).await;
    assert_eq!(stage.get("faults").await.json()["faults"], json!([]));
}

#[tokio::test]
async fn calls_fail_as_they_are_told_to() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let say = json!({ "chat_id": anna, "text": "hi" });
    stage.emulator.fault(Fault::too_many(7).of("sendMessage").times(1)).expect("a fault");
    let answer = stage.call("sendMessage", say.clone()).await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, "7"));
    stage.emulator.fault(Fault::error(502, "Bad Gateway").times(1)).expect("a fault");
    assert_eq!(stage.refused("sendMessage", say.clone()).await, (502, "Bad Gateway".to_owned()));
    assert_eq!(stage.emulator.messages(anna).len(), 0);
    // Done, although nobody is told.
    let path = format!("/bot{TOKEN}/sendMessage");
    for (kind, fails) in [(Kind::Reset, true), (Kind::Truncate, true), (Kind::Garbage, false)] {
        stage.emulator.fault(Fault::from(kind).times(1)).expect("a fault");
        let answer = http::post(stage.address, &path, &[], say.to_string()).await;
        assert_eq!(answer.is_err(), fails, "{kind:?}");
        assert!(answer.is_err() || answer.is_ok_and(|answer| answer.body.starts_with("<html>")));
    }
    assert_eq!(stage.emulator.messages(anna).len(), 3);
}

/// As by what stands before the server.
#[tokio::test]
async fn an_answer_that_is_no_json_may_have_any_status() {
    let stage = Stage::new().await;
    let fault = json!({ "kind": "garbage", "status": 502, "times": 1 });
    stage.post("faults", fault).await;
    let answer = stage.call("getMe", json!({})).await;
    assert_eq!(answer.status, 502);
    assert!(answer.body.starts_with("<html>"), "{}", answer.body);
}

#[tokio::test]
async fn a_restart_refuses_the_calls_that_wait_for_their_answers() {
    let stage = std::sync::Arc::new(Stage::new().await);
    let fault = Fault::from(Kind::Hang).of("getMe");
    stage.emulator.fault(fault).expect("a fault");
    for method in ["getMe", "getUpdates"] {
        let before = stage.emulator.calls().len();
        let waits = tokio::spawn({
            let stage = std::sync::Arc::clone(&stage);
            async move { stage.refused(method, json!({ "timeout": 50 })).await }
        });
        until("it is called", async || (stage.emulator.calls().len() > before).then_some(())).await;
        stage.emulator.restart();
        let words = "Internal Server Error: restart".to_owned();
        assert_eq!(waits.await.expect("an answer"), (500, words));
        let call = stage.emulator.calls().pop().expect("a call");
        assert_eq!(call.status, 500);
    }
}

#[tokio::test]
async fn a_slow_call_takes_its_time_by_the_clock_and_one_that_hangs_for_ever() {
    let stage = std::sync::Arc::new(Stage::new().await);
    let anna = stage.anna();
    stage
        .emulator
        .fault(Fault::slow(std::time::Duration::from_secs(30)).times(1))
        .expect("a fault");
    stage.emulator.fault(Fault::from(Kind::Hang).times(1)).expect("a fault");
    let calls: Vec<_> = (0..2)
        .map(|_| {
            let stage = std::sync::Arc::clone(&stage);
            tokio::spawn(async move {
                stage.call("sendMessage", json!({ "chat_id": anna, "text": "hi" })).await
            })
        })
        .collect();
    until("both are done", async || (stage.emulator.messages(anna).len() == 2).then_some(())).await;
    stage.rests().await;
    assert!(calls.iter().all(|call| !call.is_finished()));
    until("the slow one is answered", async || {
        stage.advance(30);
        calls.iter().any(|call| call.is_finished()).then_some(())
    })
    .await;
    assert_eq!(calls.iter().filter(|call| call.is_finished()).count(), 1);
    calls.iter().for_each(|call| call.abort());
}

#[tokio::test]
async fn a_message_and_a_press_come_about_at_the_same_instant() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    stage.say(anna, "warm");
    receiver.take(1).await;
    stage.ask(anna, "Yes", "y").await;
    // Somebody who reads the page for a while finds a webhook that nothing goes to side by side any more.
    stage.advance(11);
    let raced = stage.post("race", json!({ "from": anna, "text": "wait", "label": "Yes" })).await;
    // Neither is answered before both are there.
    let both = [receiver.next().await, receiver.next().await];
    for id in [&raced["message"]["update_id"], &raced["press"]["update_id"]] {
        assert!(both.iter().any(|visit| visit.id() == *id));
    }
}

#[tokio::test]
async fn a_race_takes_no_more_connections_than_there_may_be() {
    let (stage, mut receiver) = (Stage::new().await, Receiver::start().await);
    let anna = stage.anna();
    let one = json!({ "max_connections": 1 });
    stage.hook(&receiver, one).await;
    stage.ask(anna, "Yes", "y").await;
    let race = json!({ "from": anna, "text": "wait", "label": "Yes" });
    stage.post("race", race).await;
    let first = receiver.next().await;
    stage.rests().await;
    assert!(receiver.ready().is_none());
    first.answer(200);
    receiver.next().await.answer(200);
}

#[tokio::test]
async fn a_race_stays_in_its_topic_and_under_its_message() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let forum = json!({ "title": "Team", "members": [anna], "forum": true });
    let group = stage.post("groups", forum).await["id"].clone();
    let topic = json!({ "name": "News" });
    let topic = stage.post(&format!("groups/{group}/topics"), topic).await["id"].clone();
    let group = group.as_i64().expect("a group");
    let (asked, _) = (stage.ask(group, "Yes", "y").await, stage.ask(group, "Yes", "y").await);
    let race = json!({
        "from": anna, "chat": group, "thread": topic, "text": "wait", "message_id": asked, "data": "y",
    });
    stage.post("race", race).await;
    let updates = stage.done("getUpdates", json!({})).await;
    let [.., press, message] = &updates.as_array().expect("updates")[..] else {
        panic!("{updates}");
    };
    assert_eq!(press["callback_query"]["message"]["message_id"], asked);
    assert_eq!(message["message"]["message_thread_id"], topic);
}

/// Nobody there could let it go.
#[tokio::test]
async fn what_is_held_is_not_for_those_who_ask_over_http() {
    let stage = Stage::new().await;
    let hold = json!({ "kind": "hold" }).to_string();
    let refused = http::post(stage.address, "/emulator/faults", &[], hold).await;
    let refused = refused.expect("an answer");
    assert_eq!(refused.status, 400);
    let (_, kinds) = refused.body.split_once("expected").expect("the kinds");
    assert!(kinds.contains("`slow`") && !kinds.contains("`hold`"));
    assert_eq!(stage.get("faults").await.json()["faults"], json!([]));
}

#[tokio::test]
async fn a_number_of_times_without_end_is_cut_short() {
    let (stage, mut receiver, anna) = Stage::hooked().await;
    let fault = json!({ "kind": "twice", "times": 4_000_000_000_u32 });
    let body = json!({ "from": anna, "text": "hello", "fault": fault });
    let sent = stage.post("messages", body).await;
    for visit in [receiver.next().await, receiver.next().await] {
        assert_eq!(visit.id(), sent["update_id"]);
        visit.answer(200);
    }
}

#[tokio::test]
async fn a_call_is_shown_with_the_time_it_took_and_the_answer_it_got() {
    let stage = std::sync::Arc::new(Stage::new().await);
    let anna = stage.anna();
    let slow = Fault::slow(std::time::Duration::from_secs(2));
    for fault in [slow, Kind::Hang.into(), Kind::Reset.into()] {
        stage.emulator.fault(fault.times(1)).expect("a fault");
    }
    for seen in 1..=3 {
        let address = stage.address;
        let path = format!("/bot{TOKEN}/sendMessage?chat_id={anna}&text=hi");
        tokio::spawn(async move { http::get(address, &path).await });
        until("it came", async || (stage.emulator.calls().len() == seen).then_some(())).await;
    }
    let took = until("the slow one is answered", async || {
        stage.advance(2);
        let call = stage.emulator.calls().swap_remove(0);
        (call.duration_ms > 0).then_some((call.duration_ms, call.status))
    })
    .await;
    assert!(took.0 >= 2_000 && took.1 == 200, "{took:?}");
    let calls = stage.emulator.calls();
    assert_eq!(calls[1..].iter().map(|it| it.status).collect::<Vec<_>>(), [0, 0]);
}

#[tokio::test]
async fn what_goes_wrong_with_a_method_leaves_the_others_alone() {
    let stage = Stage::new().await;
    let anna = stage.anna();
    let params = json!({ "chat_id": anna, "text": "hi", "action": "typing" });
    let fault = Fault::too_many(7).of("sendMessage");
    let fault = stage.emulator.fault(fault);
    for (method, status) in
        [("sendChatAction", 200), ("sendMessage", 429), ("getChat", 200), ("SENDMESSAGE", 429)]
    {
        let answer = stage.call(method, params.clone()).await;
        assert_eq!(answer.status, status, "{method}");
    }
    let path = format!("/emulator/faults/{}", fault.expect("a fault"));
    let gone = http::ask(stage.address, hyper::Method::DELETE, &path).await;
    assert_eq!(gone.expect("an answer").status, 200);
    stage.done("sendMessage", params).await;
}

/// What the bot's server sees is a request as any other, as far as it goes.
#[tokio::test]
async fn what_breaks_off_is_telegrams_own_request() {
    let stage = Stage::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let url = json!({ "url": format!("http://me:secret@{address}/hook?a=b") });
    stage.done("setWebhook", url).await;
    let update = say(&stage, stage.anna(), "close_before");
    let (mut stream, _) =
        timeout(LONG, listener.accept()).await.expect("a connection").expect("a connection");
    let mut read = String::new();
    stream.read_to_string(&mut read).await.expect("half a request");
    let body = stage.emulator.update(update).expect("an update").body;
    let (length, half) = (body.len(), &body[..body.len() / 2]);
    let expected = format!(
        "POST /hook?a=b HTTP/1.1\r\nHost: {address}\r\nAuthorization: Basic bWU6c2VjcmV0\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: keep-alive\r\nAccept-Encoding: gzip, deflate\r\n\r\n{half}"
    );
    assert_eq!(read, expected);
}
