//! Dead letters: listed, shown, retried and dropped by an operator.

use std::sync::Arc;

use axum::http::StatusCode;
use bytes::Bytes;
use serde_json::{Value, json};
use steadfast::dialogue::{Effect, Message, Record};
use steadfast::letter::Letter;
use steadfast::ops::metrics;
use steadfast::store::{Cause, Item, LANE_LEASE, Memory, Store as _, Token};
use steadfast::telemetry;
use steadfast::turn::Event;
use steadfast::turn::{MAX_TRIES, OutcomeKind};

use crate::ops::{desk, json as ask};
use crate::support::bed::{Bed, bulk, jobs, messages};
use crate::support::bot_api::{BotApi, Reply};
use crate::support::company::{Company, OFFICE};
use crate::support::door::applying;
use crate::support::http;
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::{SECRET, Setup};
use crate::support::stage::Stage;
use crate::support::updates::{Update, someone};
use crate::support::watched::{Fault, Watched};
use crate::support::world::{World, thanks};

/// The words of the letters that a command lists: name, age in two words, kind, whose, tries, why.
fn listed(world: &World) -> Vec<Vec<String>> {
    let (code, said) = world.command(&["dead-letters", "list"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("ID"), "{said}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    said.lines().skip(1).map(words).collect()
}

/// Waits until there are letters.
async fn until_listed(world: &World, count: usize) -> Vec<Vec<String>> {
    until(format!("there are {count} letters"), async || {
        Some(listed(world)).filter(|letters| letters.len() == count)
    })
    .await
}

/// How many letters of this kind were written for this reason.
async fn written(world: &World, kind: &str, reason: &str) -> f64 {
    let labels = [format!("kind=\"{kind}\""), format!("reason=\"{reason}\"")];
    let labels = labels.each_ref().map(String::as_str);
    world.total("steadfast_dead_letters_total", &labels).await
}

#[tokio::test]
async fn a_message_that_was_refused_is_listed_shown_retried_and_dropped() {
    const CAPTION: &str = "canary-of-a-letter";
    let mut world = World::two().await;
    let user = someone();
    world.api.plan([Reply::Fail(400)]);
    world.deliver(Update::photo(user).captioned(CAPTION)).await;
    let letters = until_listed(&world, 1).await;
    let [id, _, _, kind, lane, ..] = &letters[0][..] else {
        panic!("{letters:?}");
    };
    assert_eq!((&**kind, &**lane), ("effect", &*format!("lane:{user}")), "{letters:?}");
    assert!(letters[0].join(" ").contains("400"), "{letters:?}");

    let (code, shown) = world.command(&["dead-letters", "show", id]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((code, &shown["body"]["text"]), (0, &thanks(CAPTION).into()));
    assert_eq!(written(&world, "effect", "refused").await, 1.0);

    world.api.plan([Reply::Fail(400)]);
    let (code, said) = world.command(&["dead-letters", "retry", id]);
    assert_eq!((code, said.trim()), (0, &*format!("{id}: queued")));
    let again = until("the failed retry is a new letter", async || match &listed(&world)[..] {
        [letter] if letter[0] != *id => Some(letter[0].clone()),
        _ => None,
    })
    .await;
    assert!(world.api.sent(user).is_empty());

    assert_eq!(world.command(&["dead-letters", "retry", &again]).0, 0);
    world.api.until_said(user, &thanks(CAPTION)).await;
    assert!(listed(&world).is_empty());
    assert_eq!(world.told(user).await, [thanks(CAPTION)]);

    world.api.plan([Reply::Fail(400)]);
    world.deliver(Update::photo(user).captioned(CAPTION)).await;
    let letters = until_listed(&world, 1).await;
    let (code, said) = world.command(&["dead-letters", "drop", &letters[0][0]]);
    assert_eq!((code, said.trim()), (0, &*format!("{}: dropped", letters[0][0])));
    for (what, code) in [("drop", 1), ("retry", 1), ("show", 1)] {
        let (ended, said) = world.command(&["dead-letters", what, &letters[0][0]]);
        assert_eq!(ended, code);
        assert!(said.starts_with("error: there is no dead letter"), "{said}");
    }
    assert_eq!(world.told(user).await, [thanks(CAPTION)]);
    for server in world.servers.drain(..) {
        let log = server.stop().await.join("\n");
        assert!(!log.contains(CAPTION), "{log}");
    }
}

#[tokio::test]
async fn a_letter_says_how_often_its_message_was_tried() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    let world = World::raise(api, setup, 1).await;
    let user = someone();
    let fails = [Reply::Fail(502), Reply::Reset, Reply::Fail(400)];
    world.api.plan_for(user, fails);
    world.deliver(Update::photo(user).captioned("often")).await;
    let letters = until_listed(&world, 1).await;
    assert_eq!(letters[0][5], "3", "{letters:?}");
    world.api.plan_for(user, [Reply::Fail(400)]);
    world.deliver(Update::photo(user).captioned("once")).await;
    let letters = until_listed(&world, 2).await;
    assert_eq!(letters[0][5], "1", "{letters:?}");
}

#[tokio::test]
async fn a_body_that_is_no_update_is_listed_and_its_retry_refused() {
    let world = World::two().await;
    let secret = [("x-telegram-bot-api-secret-token", SECRET)];
    let door = world.servers[0].webhook();
    let answer = http::post(door, "/webhook", &secret, "{\"update_id\":".into()).await;
    assert_eq!(answer.expect("an answer").status, 200);
    let letters = until_listed(&world, 1).await;
    assert_eq!(&letters[0][3..5], ["unreadable", "-"]);
    let (code, said) = world.command(&["dead-letters", "retry", &letters[0][0]]);
    assert_eq!(code, 1);
    assert!(said.contains("cannot be read") && said.contains("dropped"), "{said}");
    assert_eq!(listed(&world).len(), 1);
    assert_eq!(written(&world, "unreadable", "unreadable").await, 1.0);
    until("the letter is counted", async || {
        let counted = world.total("steadfast_outbox_dead_letters", &[]).await;
        (counted == 2.0).then_some(())
    })
    .await;
}

/// What ANN types, with the body it came in.
fn typed(stage: &Stage, text: &str) -> Event {
    let mut update = stage.update(text);
    let ann = json!({ "id": 5, "is_bot": false, "first_name": "Ann", "type": "private" });
    let message =
        json!({ "message_id": 1, "from": ann, "chat": ann, "date": 1_800_000_000, "text": text });
    update.raw =
        json!({ "update_id": update.cause.number(), "message": message }).to_string().into();
    update
}

/// The name of the only letter.
async fn only(stage: &Stage) -> String {
    let letters = stage.letters().await;
    assert_eq!(letters.len(), 1, "{letters:?}");
    letters[0]["id"].as_str().expect("a name").to_owned()
}

async fn retry(stage: &Stage, id: &str) -> (StatusCode, Value) {
    let router = desk(&(Arc::clone(&stage.store) as _), stage.pipeline.clone());
    ask(&router, "POST", &format!("/dead-letters/{id}/retry")).await
}

#[tokio::test]
async fn an_update_of_which_only_the_beginning_is_kept_says_so_and_its_retry_is_refused() {
    let stage = Stage::new().await;
    let mut poison = typed(&stage, "boom");
    let mut body: Value = serde_json::from_slice(&poison.raw).expect("JSON");
    body["message"]["quote"] = "x".repeat(512 * 1024).into();
    poison.raw = body.to_string().into();
    for _ in 1..MAX_TRIES {
        stage.deliver(&poison).await.expect_err("it panics");
    }
    let moved = stage.deliver(&poison).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::DeadLetter);
    let id = only(&stage).await;
    let router = desk(&(Arc::clone(&stage.store) as _), stage.pipeline.clone());
    let (_, shown) = ask(&router, "GET", &format!("/dead-letters/{id}")).await;
    assert_eq!(shown["cut"], poison.raw.len(), "{}", shown["cut"]);
    let (status, refused) = retry(&stage, &id).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    let (bytes, error) = (poison.raw.len(), refused["error"].as_str().expect("a line"));
    let says = [&format!("{bytes} bytes")[..], "beginning", "dropped"];
    assert!(says.iter().all(|part| error.contains(part)), "{error}");
    assert_eq!(only(&stage).await, id, "it is still there");
}

/// As long as any that Telegram sends.
#[tokio::test]
async fn a_long_update_is_kept_whole_and_can_be_tried_again() {
    let stage = Stage::new().await;
    let mut poison = typed(&stage, "boom");
    let mut body: Value = serde_json::from_slice(&poison.raw).expect("JSON");
    body["padding"] = "x".repeat(500 * 1024).into();
    poison.raw = body.to_string().into();
    for _ in 1..MAX_TRIES {
        stage.deliver(&poison).await.expect_err("it panics");
    }
    let moved = stage.deliver(&poison).await.unwrap();
    assert_eq!(moved.outcome, OutcomeKind::DeadLetter);
    let (status, said) = retry(&stage, &only(&stage).await).await;
    assert_ne!(status, StatusCode::UNPROCESSABLE_ENTITY, "{said}");
}

#[tokio::test(start_paused = true)]
async fn an_update_that_killed_the_process_is_played_as_a_new_one() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let deadly = typed(&stage, "a");
    for _ in 0..MAX_TRIES {
        stage.die(&deadly).await;
    }
    assert_eq!(stage.deliver(&deadly).await.unwrap().outcome, OutcomeKind::DeadLetter);
    let (status, done) = retry(&stage, &only(&stage).await).await;
    assert_eq!(
        (status, done),
        (StatusCode::OK, json!({ "outcome": "applied", "kept": false, "warning": null }))
    );
    assert_eq!(stage.said(), ["Word 1?"]);
    assert!(stage.letters().await.is_empty());
    let commits = stage.store.commits();
    let (_, last) = commits.last().unwrap();
    assert_eq!(last.cause, Cause::Order);
    assert!(last.messages[0].id.starts_with("0."));
}

/// The letter was to go once the update was played, and the store was away just then. So it is retried once more.
#[tokio::test]
async fn a_retried_update_whose_letter_could_not_be_removed_writes_its_records_once() {
    let store = Arc::new(Watched::new(Arc::new(Memory::new())));
    let company = Company::meet_at(Arc::clone(&store) as _).await;
    let user = someone();
    let ann = json!({ "id": user, "is_bot": false, "first_name": "Ann", "type": "private" });
    let text = json!({ "message_id": 1, "from": ann, "chat": ann, "date": 1_800_000_000, "text": "/take this",
        "entities": [{ "type": "bot_command", "offset": 0, "length": 5 }] });
    let update = json!({ "update_id": 7, "message": text }).to_string();
    let letter = Letter::of_body(update.as_bytes(), "it was read by another build");
    store.entomb(letter.write()).await.expect("a letter");
    let router = desk(&company.store, company.pipeline());
    let path = format!("/dead-letters/{}/retry", letter.id);
    store.fail("remove_letter", Fault::Before, 1);
    let (status, said) = ask(&router, "POST", &path).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{said}");
    company.api.until_said(OFFICE, "this is taken").await;
    let (status, said) = ask(&router, "POST", &path).await;
    assert_eq!((status, &said["outcome"]), (StatusCode::OK, &json!("applied")));
    company.hear(user, "/do over").await;
    company.api.until_said(user, "It is done.").await;
    assert_eq!(company.api.texts(user), ["It is yours.", "It is done."]);
    let written = [json!({ "do": "take", "what": "this" }), json!({ "do": "over" })];
    assert_eq!(company.ledger.written(), written);
    assert_eq!(company.api.texts(OFFICE), ["this is taken"]);
    assert!(company.letters().await.is_empty());
}

#[tokio::test]
async fn a_retry_in_a_dialogue_that_moved_on_is_made_with_a_warning() {
    let stage = Stage::new().await;
    stage.say(&["/fragile", "last"]).await;
    let poison = typed(&stage, "a");
    for _ in 1..MAX_TRIES {
        stage.deliver(&poison).await.unwrap_err();
    }
    stage.deliver(&poison).await.unwrap();
    stage.say(&["/fragile"]).await;
    let (status, done) = retry(&stage, &only(&stage).await).await;
    assert_eq!((status, &done["outcome"]), (StatusCode::OK, &json!("applied")));
    assert!(done["warning"].as_str().unwrap().contains("moved on"));
    assert_eq!(stage.said(), ["Word 1?"]);
    assert!(stage.letters().await.is_empty());
}

#[tokio::test]
async fn a_retry_that_fails_keeps_the_letter_or_puts_another_in_its_place() {
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let poison = typed(&stage, "boom");
    for _ in 1..MAX_TRIES {
        stage.deliver(&poison).await.unwrap_err();
    }
    stage.deliver(&poison).await.unwrap();
    let id = only(&stage).await;
    for _ in 1..MAX_TRIES {
        let (status, said) = retry(&stage, &id).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{said}");
        assert_eq!(only(&stage).await, id);
    }
    let (status, done) = retry(&stage, &id).await;
    assert_eq!(
        (status, &done["outcome"], &done["kept"]),
        (StatusCode::OK, &json!("dead_letter"), &json!(false))
    );
    assert_ne!(only(&stage).await, id);
}

#[tokio::test]
async fn a_timer_that_failed_cannot_be_retried_and_says_so() {
    let stage = Stage::new().await;
    stage.say(&["/fragile", "bomb"]).await;
    stage.bed.advance(std::time::Duration::from_secs(61));
    let timer = Event { raw: Bytes::new(), ..stage.timer().await };
    while stage.deliver(&timer).await.is_err() {}
    let (status, said) = retry(&stage, &only(&stage).await).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{said}");
    assert!(said["error"].as_str().unwrap().contains("a timer"));
}

#[tokio::test]
async fn letters_are_listed_newest_first_without_what_they_hold() {
    let bed = Bed::memory().await;
    for (at, words) in [(1, "one"), (3, "three"), (2, "two")] {
        let letter = Letter { at, ..Letter::of_body(words.as_bytes(), words) };
        bed.entomb(letter.write()).await.unwrap();
    }
    bed.entomb("of another build".into()).await.unwrap();
    let router = desk(&bed.store, applying());
    let (_, page) = ask(&router, "GET", "/dead-letters").await;
    let letters = page["letters"].as_array().unwrap();
    let reasons: Vec<_> = letters.iter().map(|letter| &letter["reason"]).collect();
    assert_eq!(reasons[..3], ["three", "two", "one"]);
    assert_eq!((letters.len(), &page["total"]), (4, &json!(4)));
    assert!(letters.iter().all(|letter| letter["body"].is_null()));
    for letter in letters {
        let path = format!("/dead-letters/{}/drop", letter["id"].as_str().unwrap());
        assert_eq!(ask(&router, "POST", &path).await.0, StatusCode::OK);
    }
    assert_eq!(bed.dead_letters(9).await, Ok(vec![]));
}

#[tokio::test]
async fn an_effect_goes_into_its_lane_once_although_its_retry_is_repeated() {
    let bed = Bed::memory().await;
    let record = Record {
        flow: "fragile".to_owned(),
        user: 5,
        topic: None,
        home: None,
        command: json!({ "take": 1 }),
        last: 4,
        aside: false,
    };
    let item = Item {
        id: "7.1760.2".to_owned(),
        body: serde_json::to_vec(&Effect::Record(record)).unwrap().into(),
    };
    let letter = Letter::of_effect(jobs(5), &item, "broken", 1);
    let router = desk(&bed.store, applying());
    // Somebody works on the lane, so that what is put into it stays there.
    let holder = Token::fresh();
    let first = crate::support::bed::item("first");
    bed.push(bulk(5), Token::fresh(), &first).await.unwrap();
    bed.advance(std::time::Duration::from_secs(1));
    bed.push(jobs(5), holder, &first).await.unwrap();
    for _ in 0..2 {
        bed.entomb(letter.write()).await.unwrap();
        let path = format!("/dead-letters/{}/retry", letter.id);
        let (status, done) = ask(&router, "POST", &path).await;
        assert_eq!((status, &done["outcome"]), (StatusCode::OK, &json!("queued")));
    }
    bed.advance(LANE_LEASE);
    let (token, claimed) = bed.claim().await;
    assert_eq!(claimed[0].1.id, "first");
    let steadfast::store::After::Next(head) = bed.done(jobs(5), token, "first").await.unwrap()
    else {
        panic!("the retried effect follows");
    };
    assert_eq!(head.item.id, format!("r:{}.0", letter.id));
    let effect: Value = serde_json::from_slice(&head.item.body).unwrap();
    assert_eq!(effect["last"], 0, "there is no rest of its step any more");
    let after = bed.done(jobs(5), token, &head.item.id).await.unwrap();
    assert_eq!(after, steadfast::store::After::Empty);
}

/// Telegram counts each photo, and so does the pace of the chat.
#[tokio::test]
async fn a_retried_album_counts_as_many_as_it_has_photos() {
    let bed = Bed::memory().await;
    let album = Message {
        chat: 5,
        photos: ["p1", "p2", "p3"].map(str::to_owned).into(),
        ..Message::default()
    };
    let body = serde_json::to_vec(&Effect::Send(Box::new(album))).unwrap();
    let item = Item { id: "7.1760.0~3".to_owned(), body: body.into() };
    let letter = Letter::of_effect(messages(5), &item, "refused", 1);
    bed.entomb(letter.write()).await.unwrap();
    // Somebody works on the lane, so that what is put into it stays there.
    let first = crate::support::bed::item("first");
    bed.push(messages(5), Token::fresh(), &first).await.unwrap();
    let path = format!("/dead-letters/{}/retry", letter.id);
    let (status, said) = ask(&desk(&bed.store, applying()), "POST", &path).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    let waiting = bed.waiting(5, 9).await.unwrap();
    assert_eq!(waiting[0].1[1].id, format!("r:{}.0~3", letter.id));
}

#[tokio::test]
async fn an_effect_for_somebody_who_blocked_the_bot_waits_for_them() {
    let bed = Bed::memory().await;
    let item = Item { id: "7.1760.0".to_owned(), body: r#"{"do":"typing","chat":5}"#.into() };
    let letter = Letter::of_effect(messages(5), &item, "blocked", 1);
    bed.entomb(letter.write()).await.unwrap();
    bed.block(5).await.unwrap();
    let path = format!("/dead-letters/{}/retry", letter.id);
    let (status, said) = ask(&desk(&bed.store, applying()), "POST", &path).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{said}");
    assert_eq!(bed.dead_letters(9).await.map(|all| all.len()), Ok(1));
}

#[tokio::test]
async fn lanes_and_letters_are_shown_without_asking_at_the_scrape() {
    let recorder = telemetry::recorder().unwrap();
    let _scope = ::metrics::set_default_local_recorder(&recorder);
    let bed = Bed::memory().await;
    bed.entomb(Letter::of_body(b"hello", "no").write()).await.unwrap();
    let first = crate::support::bed::item("first");
    bed.push(bulk(5), Token::fresh(), &first).await.unwrap();
    bed.advance(std::time::Duration::from_secs(1));
    bed.push(messages(5), Token::fresh(), &first).await.unwrap();
    let second = crate::support::bed::item("second");
    bed.push(messages(5), Token::fresh(), &second).await.unwrap();
    bed.advance(std::time::Duration::from_secs(7));
    metrics::show_backlog(&*bed).await;
    let page = recorder.handle().render();
    for line in [
        "steadfast_outbox_lanes 2",
        "steadfast_outbox_depth 3",
        "steadfast_outbox_oldest_age_seconds{lane=\"replies\"} 7",
        "steadfast_outbox_oldest_age_seconds{lane=\"broadcasts\"} 8",
        "steadfast_outbox_dead_letters 1",
        "steadfast_dead_letters_dropped_total 0",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
}
