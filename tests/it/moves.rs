//! Groups that become another chat while people are in the middle of something there.

use std::time::Duration;

use serde_json::{Value, json};
use steadfast::dialogue::{Input, Refusal};
use steadfast::store::{After, Cause, DialogueKey, Settle, Token};
use steadfast::turn::OutcomeKind;
use steadfast::turn::migration::{self, Seal};
use steadfast::turn::{Event, Settled};

use crate::support::bed::{item, jobs, messages};
use crate::support::bot_api::Reply;
use crate::support::patience::all_at_once;
use crate::support::redis_server::RedisServer;
use crate::support::stage::{Stage, incoming};
use crate::support::updates::{Update, someone};
use crate::support::world::{ASKED, World, thanks};

/// A group, and the chat that it becomes.
fn group() -> (i64, i64) {
    let group = -someone();
    (group, group - 1_000_000_000_000)
}

/// This person sends a photo in the group and is asked about it.
async fn asked(world: &World, user: i64, group: i64) {
    world.deliver(Update::photo(user).in_group(group)).await;
    world.api.until_said(group, ASKED).await;
}

fn caption(user: i64, group: i64) -> Update {
    Update::text(user, "Roof").in_group(group)
}

#[tokio::test]
async fn a_dialogue_goes_on_in_the_chat_that_its_group_became() {
    let world = World::two().await;
    let (user, (old, new)) = (someone(), group());
    asked(&world, user, old).await;
    world.api.migrate(old, new);
    for update in Update::migration(user, old, new) {
        world.deliver(update).await;
    }
    world.until_counted(&[("caption", 1)]).await;
    world.deliver(caption(user, new)).await;
    world.api.until_said(new, &thanks("Roof")).await;
    world.until_counted(&[]).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    assert_eq!(world.api.texts(old), [ASKED]);
}

/// Answers are on their way when the group becomes another chat, and somebody goes on there at once.
#[tokio::test]
async fn what_was_on_its_way_comes_to_the_new_chat_before_what_is_said_there() {
    let world = World::two().await;
    let (user, (old, new)) = (someone(), group());
    let photo = |caption, group| Update::photo(user).captioned(caption).in_group(group);
    world.api.plan_for(old, [Reply::Held]);
    for caption in ["one", "two", "three"] {
        world.deliver(photo(caption, old)).await;
    }
    world.api.until_sent(old, 1).await;
    world.api.migrate(old, new);
    for update in Update::migration(user, old, new) {
        world.deliver(update).await;
    }
    let lets_go = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        world.api.let_go(old);
    };
    tokio::join!(world.deliver(photo("four", new)), lets_go);
    world.api.until_sent(new, 3).await;
    assert_eq!(world.api.texts(old), [thanks("one")]);
    assert_eq!(world.api.texts(new), ["two", "three", "four"].map(thanks));
}

/// Nobody said that the group became another chat; the next message to it shows it.
#[tokio::test]
async fn a_refused_message_shows_it_as_well() {
    let world = World::two().await;
    let (user, (old, new)) = (someone(), group());
    asked(&world, user, old).await;
    world.api.migrate(old, new);
    let other = Update::text(someone(), "/help").in_group(old);
    world.deliver(other).await;
    world.api.until_sent(new, 1).await;
    world.deliver(caption(user, new)).await;
    world.api.until_said(new, &thanks("Roof")).await;
    world.until_counted(&[]).await;
}

/// What was under way in the old chat, such as a press of an old button, meets the dialogue where it is now.
#[tokio::test]
async fn what_still_comes_from_the_old_chat_finds_the_dialogue() {
    let world = World::two().await;
    let (user, (old, new)) = (someone(), group());
    asked(&world, user, old).await;
    world.api.migrate(old, new);
    for update in Update::migration(user, old, new) {
        world.deliver(update).await;
    }
    // Taken along by a word that is no answer.
    world.deliver(Update::text(user, "/help").in_group(new)).await;
    world.api.until_sent(new, 1).await;
    let late = caption(user, old);
    for _ in 0..3 {
        world.deliver(late.clone()).await;
    }
    world.api.until_said(new, &thanks("Roof")).await;
    world.until_counted(&[]).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let told = world.api.texts(new);
    assert_eq!(told.iter().filter(|text| **text == thanks("Roof")).count(), 1);
}

/// Replicas are killed while many groups move.
#[tokio::test]
async fn a_kill_in_the_middle_loses_no_dialogue() {
    const GROUPS: usize = 24;
    let mut world = World::two().await;
    let plays: Vec<_> = (0..GROUPS).map(|_| (someone(), group())).collect();
    all_at_once(plays.iter().map(|(user, (old, _))| asked(&world, *user, *old))).await;
    for (_, (old, new)) in &plays {
        world.api.migrate(*old, *new);
    }
    let telegram = world.telegram.clone();
    let answers = plays.iter().map(|(user, (old, new))| {
        let telegram = telegram.clone();
        async move {
            for update in Update::migration(*user, *old, *new) {
                telegram.deliver(&update).await;
            }
            telegram.deliver(&caption(*user, *new)).await;
        }
    });
    let kills = async {
        for _ in 0..4 {
            tokio::time::sleep(Duration::from_millis(rand::random_range(1..60))).await;
            world.servers.remove(0).kill();
            world.servers.push(world.setup.start().await);
            world.telegram.turn_to(&world.servers);
        }
    };
    tokio::join!(all_at_once(answers), kills);
    for (_, (_, new)) in &plays {
        world.api.until_said(*new, &thanks("Roof")).await;
    }
    world.until_counted(&[]).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
}

/// Telegram is there to deliver, and takes nothing.
#[tokio::test]
async fn messages_to_the_old_chat_are_waited_for_but_not_for_ever() {
    let stage = Stage::new().await;
    let place = |chat| DialogueKey { chat, user: 5, topic: None };
    let (old, new) = (place(-5), place(-1_000_000_000_005));
    stage.write_at(&old, r#"{"v":1}"#).await;
    let store = &*stage.store;
    migration::note(store, old.chat, new.chat).await.expect("noted");
    let now = stage.now().await;
    let says = |cause, age| Event {
        key: new,
        sent: Some(now - age),
        ..incoming(Cause::Update(cause), Input::Text("a".to_owned()))
    };
    let (lane, unsaid) = (messages(old.chat), item("a"));
    let pushed = stage.bed.push(lane, Token::fresh(), &unsaid);
    pushed.await.expect("pushed");
    stage.deliver(&says(1, 1000)).await.expect_err("it waits");
    stage.deliver(&says(1, 61_000)).await.expect("it is taken");
}

/// A record of the old chat is refused after all: the job is brought to an end, the way stays.
#[tokio::test]
async fn a_refusal_that_comes_too_late_leaves_the_way() {
    let stage = Stage::new().await;
    let old = DialogueKey { chat: -5, user: 5, topic: None };
    let seal = r#"{"moved":-1000000000005}"#;
    stage.write_at(&old, seal).await;
    let (token, job) = (Token::fresh(), item("a"));
    let pushed = stage.bed.push(jobs(old.chat), token, &job).await;
    pushed.expect("pushed");
    let refusal =
        Refusal { flow: "fragile".to_owned(), reason: "taken".to_owned(), command: Value::Null };
    let refused = Event {
        key: old,
        settles: Some(Settled { jobs: Settle { token, ids: vec!["a".to_owned()] }, letter: None }),
        ..incoming(Cause::Order, Input::Refused(refusal))
    };
    let moved = stage.deliver(&refused).await.expect("it is taken in");
    assert_eq!(moved.outcome, OutcomeKind::Applied);
    assert_eq!(stage.bed.done(jobs(old.chat), token, "a").await, Ok(After::Empty));
    let left = stage.bed.peek(&old).await.expect("an answer").expect("a record");
    assert_eq!(Seal::read(Some(&left.body)).map(|seal| seal.moved), Some(-1_000_000_000_005));
    assert_eq!(json!(left.labels), json!([]));
}
