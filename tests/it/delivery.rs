//! A Telegram that refuses, fails or hangs: messages wait in their order, and nobody else waits with them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use steadfast::dialogue::{Effect, Message};
use steadfast::outbox::Outbox;
use steadfast::records::NoRecords;
use steadfast::store::{Cause, Item};
use steadfast::telegram::Telegram;

use crate::support::bed::{Bed, key, plain, seconds};
use crate::support::bot_api::{BotApi, Reply, TOKEN};
use crate::support::updates::{Update, someone};
use crate::support::world::{World, thanks};

async fn send(world: &World, user: i64, captions: &[&str]) {
    for caption in captions {
        world.deliver(Update::photo(user).captioned(caption)).await;
    }
}

#[tokio::test]
async fn a_message_that_was_refused_or_failed_is_sent_again_and_none_overtakes_it() {
    let world = World::two().await;
    let user = someone();
    world
        .api
        .plan([Reply::TooMany(1), Reply::Fail(500), Reply::Fail(502)]);
    send(&world, user, &["one", "two", "three"]).await;
    let expected = ["one", "two", "three"].map(thanks);
    assert_eq!(world.told(user).await, expected);
    let tries = world.api.calls();
    let first = tries.iter().filter(|call| call.text() == thanks("one"));
    let first: Vec<_> = first.collect();
    assert_eq!(first.len(), 4, "each of the failures was met once");
    let waited = first[1].at - first[0].at;
    assert!(
        waited >= Duration::from_secs(1),
        "Telegram asked for a second"
    );
}

#[tokio::test]
async fn a_chat_that_must_wait_holds_up_nobody_else() {
    let world = World::two().await;
    let (slow, other) = (someone(), someone());
    world.api.rule(move |call| match call.chat() == slow {
        true => Reply::TooMany(600),
        false => Reply::Ok,
    });
    send(&world, slow, &["later"]).await;
    send(&world, other, &["now"]).await;
    assert_eq!(world.told(other).await, [thanks("now")]);
    assert!(world.api.sent(slow).is_empty());
}

#[tokio::test]
async fn a_message_that_never_works_is_put_aside_and_the_next_one_goes_on() {
    let world = World::two().await;
    let user = someone();
    world.api.plan([Reply::Fail(400)]);
    send(&world, user, &["refused", "fine"]).await;
    assert_eq!(world.told(user).await, [thanks("fine")]);
}

/// Whether it was sent cannot be known, so it is sent again.
#[tokio::test]
async fn a_message_that_was_never_confirmed_is_sent_again() {
    let world = World::two().await;
    let user = someone();
    world.api.plan([Reply::Hang]);
    send(&world, user, &["one", "two"]).await;
    let told = world.told(user).await;
    assert_eq!(told, ["one", "one", "two"].map(thanks));
    let calls = "steadfast_telegram_calls_total";
    let ambiguous = world.total(calls, &["result=\"ambiguous\""]).await;
    assert_eq!(ambiguous, 1.0);
}

/// A replica that stood still between its commit and the first word may find that another has spoken meanwhile.
#[tokio::test]
async fn nothing_is_sent_under_a_lease_that_is_someone_elses_by_now() {
    assert_eq!(sent_after_a_pause(true).await, 0);
}

#[tokio::test]
async fn a_lease_that_outlived_a_pause_is_still_good() {
    assert_eq!(sent_after_a_pause(false).await, 1);
}

/// How many calls are made for a commit that is ten seconds old, whose lane another replica has taken or not.
async fn sent_after_a_pause(taken: bool) -> usize {
    let (api, bed) = (BotApi::start(), Bed::memory().await);
    let (home, cause) = (key(5, 5), Cause::Update(1));
    let message = Effect::Send(Box::new(Message {
        chat: home.chat,
        text: "late".to_owned(),
        ..Message::default()
    }));
    let mut commit = plain(&bed.fresh(&home, cause).await, cause);
    commit.messages.push(Item {
        id: "1".to_owned(),
        body: serde_json::to_vec(&message).expect("JSON").into(),
    });
    let receipt = bed.pass(&home, &commit).await;
    bed.advance(seconds(10));
    if taken {
        assert_eq!(bed.claim().await.1.len(), 1, "the lease was over");
    }
    let outbox = Outbox::new(
        Arc::clone(&bed.store),
        Telegram::new(&api.url(), &TOKEN.into()),
        Arc::new(NoRecords),
    );
    let received = Instant::now().checked_sub(seconds(10)).expect("a time");
    outbox.committed(home.chat, commit, &receipt, received);
    match taken {
        // Time enough for a call, if there were one.
        true => tokio::time::sleep(Duration::from_millis(500)).await,
        false => drop(api.until_sent(home.chat, 1).await),
    }
    outbox.close().await;
    api.calls().len()
}
