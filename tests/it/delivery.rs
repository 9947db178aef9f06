//! A Telegram that refuses, fails or hangs: messages wait in their order, and nobody else waits with them.

use std::time::{Duration, Instant};

use crate::support::bot_api::{BotApi, Reply};
use crate::support::patience::{all_at_once, until};
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
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

/// What may pass is tried again; where nobody knows whether it was carried out, it comes twice and is counted.
#[tokio::test]
async fn every_failure_that_may_pass_is_met_by_patience_and_only_the_unknowable_repeats() {
    let world = World::two().await;
    let known = [Reply::Fail(500), Reply::Fail(502), Reply::Fail(504)];
    let unknowable = [
        Reply::Reset,
        Reply::Garbage,
        Reply::Truncated,
        Reply::Hang,
        Reply::Reset,
    ];
    let plays = known.into_iter().chain(unknowable).map(async |reply| {
        let user = someone();
        world.api.plan_for(user, [reply]);
        send(&world, user, &["one", "two"]).await;
        (reply, world.told(user).await)
    });
    for (reply, told) in all_at_once(plays).await {
        let expected: &[&str] = match known.contains(&reply) {
            true => &["one", "two"],
            false => &["one", "one", "two"],
        };
        let expected: Vec<String> = expected.iter().map(|caption| thanks(caption)).collect();
        assert_eq!(told, expected, "{reply:?}");
    }
    let ambiguous = world.total("steadfast_outbox_ambiguous_total", &[]).await;
    assert_eq!(ambiguous as usize, unknowable.len());
    let calls = "steadfast_telegram_calls_total";
    let failed = world.total(calls, &["result=\"server_error\""]).await;
    assert_eq!(failed as usize, known.len());
}

#[tokio::test]
async fn while_telegram_cannot_be_reached_messages_wait_and_then_come_in_order() {
    let world = World::two().await;
    let people: Vec<i64> = (0..10).map(|_| someone()).collect();
    world.api.shut_door();
    for user in &people {
        send(&world, *user, &["one", "two"]).await;
    }
    until("some calls failed", async || {
        let calls = "steadfast_telegram_calls_total";
        let failed = world.total(calls, &["result=\"network\""]).await;
        (failed >= 4.0).then_some(())
    })
    .await;
    world.api.open_door();
    for user in people {
        assert_eq!(world.told(user).await, ["one", "two"].map(thanks));
    }
    let ambiguous = world.total("steadfast_outbox_ambiguous_total", &[]).await;
    assert_eq!(ambiguous, 0.0, "what was never sent is not unknown");
}

/// A refusal is kept with its reason, and what comes after it is sent.
#[tokio::test]
async fn what_telegram_refuses_is_kept_as_a_dead_letter() {
    let world = World::two().await;
    let user = someone();
    let words = "Bad Request: chat not found";
    world.api.plan_for(user, [Reply::Refuse(400, words)]);
    send(&world, user, &["refused", "fine"]).await;
    assert_eq!(world.told(user).await, [thanks("fine")]);
    let letters = letters(&world);
    let [letter] = &letters[..] else {
        panic!("one letter: {letters:?}");
    };
    assert!(
        letter["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains(words))
    );
    assert_eq!(letter["body"]["text"], thanks("refused"));
    assert_eq!(letter["lane"], format!("lane:{user}"));
}

/// Nothing is put aside because the bot itself is not known: that is for its operator to mend, and people's messages wait.
#[tokio::test]
async fn a_token_that_is_refused_loses_no_message() {
    let world = World::two().await;
    let user = someone();
    let refusals = [
        Reply::Refuse(401, "Unauthorized"),
        Reply::Refuse(404, "Not Found"),
    ];
    world.api.plan_for(user, refusals);
    send(&world, user, &["one", "two"]).await;
    assert_eq!(world.told(user).await, ["one", "two"].map(thanks));
    assert!(letters(&world).is_empty());
}

/// The timer of their dialogue runs out while they have blocked the bot: nothing is even tried.
#[tokio::test]
async fn who_blocked_the_bot_is_left_alone_until_they_write_again() {
    let world = World::two_with(&[("STATE_TTL", "2s")]).await;
    let user = someone();
    world.api.block(user, true);
    world.deliver(Update::photo(user)).await;
    until("the dialogue has expired", async || {
        let parked = ["state=\"parked\""];
        let metrics = world.servers[0].metrics().await;
        (metrics.sum("steadfast_dialogues_active", &parked) == 1.0).then_some(())
    })
    .await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let calls = world.api.calls();
    let to_them = calls.iter().filter(|call| call.chat() == user);
    assert_eq!(to_them.count(), 1, "one try, which was refused");
    assert_eq!(
        world.total("steadfast_outbox_blocked_total", &[]).await,
        1.0
    );

    world.api.block(user, false);
    send(&world, user, &["back"]).await;
    world.api.until_said(user, "back").await;
}

#[tokio::test]
async fn messages_to_a_group_that_became_another_chat_go_there_in_order() {
    let world = World::two().await;
    let (user, group) = (someone(), -someone());
    let new = group - 1_000_000_000_000;
    world.api.migrate(group, new);
    for caption in ["one", "two", "three"] {
        let photo = Update::photo(user).captioned(caption);
        world.deliver(photo.in_group(group)).await;
    }
    world.api.until_sent(new, 3).await;
    let expected = ["one", "two", "three"].map(thanks);
    assert_eq!(world.api.texts(new), expected);
    assert!(world.api.texts(group).is_empty());
    assert!(letters(&world).is_empty());
}

#[tokio::test]
async fn a_chat_whose_calls_hang_holds_up_none_of_a_hundred_others() {
    let world = World::two().await;
    let stuck = someone();
    world.api.rule(move |call| match call.chat() == stuck {
        true => Reply::Hang,
        false => Reply::Ok,
    });
    send(&world, stuck, &["never", "ever"]).await;
    world.api.until_sent(stuck, 1).await;
    let people: Vec<i64> = (0..100).map(|_| someone()).collect();
    let plays = people.iter().map(async |user| {
        send(&world, *user, &["now"]).await;
        world.told(*user).await
    });
    for told in all_at_once(plays).await {
        assert_eq!(told, [thanks("now")]);
    }
    let tries = world.api.sent(stuck);
    assert!(tries.iter().all(|call| call.text() == thanks("never")));
}

/// The chat waits exactly as long as it is told to; its messages then come in order, and others came meanwhile.
#[tokio::test]
async fn a_429_delays_its_chat_and_nobody_else() {
    const SECONDS: u64 = 4;
    let world = World::two().await;
    let (slow, other) = (someone(), someone());
    world.api.plan_for(slow, [Reply::TooMany(SECONDS)]);
    send(&world, slow, &["one", "two", "three"]).await;
    for round in 0..20 {
        send(&world, other, &[&round.to_string()]).await;
    }
    world.told(other).await;
    assert!(world.api.sent(slow).is_empty(), "it still waits");
    assert_eq!(world.told(slow).await, ["one", "two", "three"].map(thanks));
    let calls = world.api.calls();
    let calls: Vec<_> = calls.iter().filter(|call| call.chat() == slow).collect();
    assert!(calls[1].at - calls[0].at >= Duration::from_secs(SECONDS));
}

/// Two chats that are told to wait do not make the others wait, as long as others are served.
#[tokio::test]
async fn chats_that_are_told_to_wait_side_by_side_do_not_stop_the_bot() {
    let world = World::two().await;
    let slow = [someone(), someone(), someone()];
    for user in slow {
        world.api.plan_for(user, [Reply::TooMany(600)]);
    }
    for user in slow {
        send(&world, user, &["later"]).await;
        let other = someone();
        send(&world, other, &["now"]).await;
        assert_eq!(world.told(other).await, [thanks("now")]);
    }
}

/// Everybody is told to wait: after a few calls no replica calls any more, and in the end everything is there.
#[tokio::test]
async fn a_429_of_the_whole_bot_stops_all_replicas() {
    const PEOPLE: usize = 60;
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("TELEGRAM_LIMITS", "global=30/s");
    let world = World::raise(api, setup, 3).await;
    let began = Instant::now();
    world.api.rule(move |_| match began.elapsed().as_secs() {
        past @ 0..5 => Reply::TooMany(6 - past),
        _ => Reply::Ok,
    });
    let people: Vec<i64> = (0..PEOPLE).map(|_| someone()).collect();
    let plays = people
        .iter()
        .map(|user| send(&world, *user, &["one", "two"]));
    all_at_once(plays).await;
    for user in &people {
        world.api.until_sent(*user, 2).await;
        assert_eq!(world.api.texts(*user), ["one", "two"].map(thanks));
    }
    let calls = world.api.calls();
    let refused = calls.iter().filter(|call| !call.arrived()).count();
    println!("a bot-wide 429: {refused} calls were refused, for {PEOPLE} people and 3 replicas");
    assert!(refused <= PEOPLE / 3, "{refused} calls were refused");
}

fn letters(world: &World) -> Vec<serde_json::Value> {
    RedisServer::shared().letters(world.setup.value("REDIS_PREFIX"))
}

/// It wakes up with a message to send that another has sent since, and later ones: it sends nothing.
#[tokio::test]
async fn a_replica_that_was_paused_beyond_its_lease_repeats_nothing() {
    let world = World::two_with(&[("TELEGRAM_LIMITS", "chat=1/s")]).await;
    let user = someone();
    let captions = ["one", "two", "three", "four", "five"];
    let [sleeper, _] = &world.servers[..] else {
        panic!("two servers");
    };
    world.telegram.turn_to([sleeper]);
    send(&world, user, &captions).await;
    // Three may go at once; then it waits for a second, with the fourth in hand.
    world.api.until_sent(user, 3).await;
    sleeper.freeze();
    world.api.until_sent(user, 5).await;
    sleeper.thaw();
    assert_eq!(world.told(user).await, captions.map(thanks));
    assert_eq!(
        world.total("steadfast_outbox_stale_token_total", &[]).await,
        1.0
    );
}
