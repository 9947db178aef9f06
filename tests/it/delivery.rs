//! A Telegram that refuses, fails or hangs: messages wait in their order, and nobody else waits with them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use steadfast::dialogue::{Effect, Message};
use steadfast::outbox::Outbox;
use steadfast::records::NoRecords;
use steadfast::replica::Peers;
use steadfast::store::{
    After, Cause, Head, Item, LANE_LEASE, LaneKind, Memory, OPS, Pushed, Store as _, Token,
};
use steadfast::telemetry;
use steadfast::turn::{LeasedQueue, LeasedQueues};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::support::bed::{Bed, key, messages};
use crate::support::bot_api::{BotApi, Reply, TOKEN};
use crate::support::company::Company;
use crate::support::door::{applying, idle_outbox};
use crate::support::patience::{all_at_once, until};
use crate::support::redis_server::RedisServer;
use crate::support::server::{Server, Setup, logged};
use crate::support::updates::{Telegram, Update, someone};
use crate::support::watched::{Fault, Watched};
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
    world.api.plan([Reply::TooMany(1), Reply::Fail(500), Reply::Fail(502)]);
    send(&world, user, &["one", "two", "three"]).await;
    let expected = ["one", "two", "three"].map(thanks);
    assert_eq!(world.told(user).await, expected);
    let tries = world.api.calls();
    let first = tries.iter().filter(|call| call.text() == thanks("one"));
    let first: Vec<_> = first.collect();
    assert_eq!(first.len(), 4, "each of the failures was met once");
    let waited = first[1].at - first[0].at;
    assert!(waited >= Duration::from_secs(1), "Telegram asked for a second");
    let told = "steadfast_telegram_retry_after_seconds_sum";
    assert_eq!(world.total(told, &["scope=\"chat\""]).await, 1.0);
    assert_eq!(world.total(told, &["scope=\"global\""]).await, 0.0);
    let claims = "steadfast_outbox_claims_total";
    let swept = world.total(claims, &["source=\"sweep\""]).await;
    assert!(swept >= 3.0, "{swept}: after each failure");
}

/// An outbox before this Bot API, on a store that tells what it was asked.
fn outbox_at(api: &BotApi) -> (Arc<Watched>, Outbox) {
    let store = Arc::new(Watched::new(Arc::new(Memory::new())));
    let telegram = steadfast::outbox::telegram::Telegram::new(&api.url(), &TOKEN.into());
    let outbox = idle_outbox(Arc::clone(&store) as _, telegram);
    (store, outbox)
}

/// Something to be sent to a chat.
fn a_reply_to(chat: i64) -> Item {
    let message = Message { chat, text: "a reply".to_owned(), ..Message::default() };
    let body = serde_json::to_vec(&Effect::Send(Box::new(message))).expect("an effect");
    Item { id: "1.1.0".to_owned(), body: body.into() }
}

/// Waits until so many lanes were given back.
async fn until_given_back(store: &Watched, lanes: usize) -> Vec<(i64, Duration)> {
    until(format!("{lanes} lanes are given back"), async || {
        let given_back = store.put_off("retry");
        (given_back.len() >= lanes).then_some(given_back)
    })
    .await
}

/// Neither shorter nor longer, for its messages and for its broadcasts, on every replica.
#[tokio::test]
async fn a_chat_waits_for_exactly_as_long_as_it_is_told() {
    let api = BotApi::start();
    let (store, outbox) = outbox_at(&api);
    for seconds in [1, 7, 600] {
        let (chat, wait) = (someone(), Duration::from_secs(seconds));
        api.plan_for(chat, [Reply::TooMany(seconds)]);
        let before = store.put_off("retry").len();
        outbox.push(messages(chat), &a_reply_to(chat)).await.expect("pushed");
        let given_back = until_given_back(&store, before + 1).await;
        assert_eq!(given_back[before..], [(chat, wait)]);
        assert_eq!(store.put_off("hold").last(), Some(&(chat, wait)));
    }
    outbox.close().await;
}

#[tokio::test]
async fn queues_that_arrive_at_the_close_or_later_are_given_back() {
    let (api, store) = (BotApi::start(), Arc::new(Watched::new(Arc::new(Memory::new()))));
    let telegram = steadfast::outbox::telegram::Telegram::new(&api.url(), &TOKEN.into());
    let (queues, leased) = LeasedQueues::channel();
    let (records, peers) = (Arc::new(NoRecords::default()), Peers::default());
    let outbox = Outbox::new(Arc::clone(&store) as _, telegram, records, applying(), peers, leased);
    let send = async |chat| {
        let (lane, token, since) = (messages(chat), Token::fresh(), Instant::now());
        let (item, wait) = (a_reply_to(chat), Duration::ZERO);
        assert_eq!(store.push(lane, token, &item).await, Ok(Pushed::Leased { wait }));
        queues.send(LeasedQueue { lane, token, since, head: Head { item, wait } });
    };
    let (early, late) = (someone(), someone());
    send(early).await;
    outbox.close().await;
    assert_eq!(store.put_off("retry"), [(early, Duration::ZERO)]);
    send(late).await;
    assert_eq!(until_given_back(&store, 2).await[1..], [(late, Duration::ZERO)]);
    assert!(api.calls().is_empty());
}

/// Nobody calls for longer than a second after five calls have failed, then one does. However long it takes until all have been
/// told to wait, there are no more calls than seconds.
#[tokio::test]
async fn while_telegram_fails_for_everybody_one_call_a_second_is_made() {
    const FIRST: usize = 5;
    const MORE: usize = 60;
    let api = BotApi::start();
    let (store, outbox) = outbox_at(&api);
    api.rule(|_| Reply::Fail(500));
    let push = async || {
        let chat = someone();
        let pushed = outbox.push(messages(chat), &a_reply_to(chat)).await;
        pushed.expect("pushed");
    };
    for failed in 1..=FIRST {
        push().await;
        until_given_back(&store, failed).await;
    }
    assert_eq!(api.calls().len(), FIRST, "each was tried");
    let began = Instant::now();
    for _ in 0..MORE {
        push().await;
    }
    until_given_back(&store, FIRST + MORE).await;
    let (calls, passed) = (api.calls().len() - FIRST, began.elapsed());
    println!("{calls} of {MORE} calls were made within {passed:.1?}");
    assert!(calls <= 1 + passed.as_secs() as usize, "{calls} calls");
    outbox.close().await;
}

/// How long it is to wait is decided by whoever has the lane: nobody sleeps inside a call. One that fails is over before another one
/// that Telegram takes its time with.
#[tokio::test]
async fn a_call_that_fails_is_over_at_once() {
    let api = BotApi::start();
    let telegram = steadfast::outbox::telegram::Telegram::new(&api.url(), &TOKEN.into());
    let (failed, slow) = (someone(), someone());
    api.rule(move |call| match call.chat() == slow {
        true => Reply::Slow(Duration::from_secs(8)),
        false => Reply::Fail(500),
    });
    let send = async |chat: i64| {
        let message = serde_json::json!({ "chat_id": chat, "text": "hello" });
        telegram.ask("sendMessage", &message).await
    };
    tokio::select! {
        biased;
        answer = send(failed) => assert!(answer.is_err()),
        _ = send(slow) => panic!("it slept inside the call"),
    }
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
    let known = [Reply::Fail(500), Reply::Fail(503)];
    // A gateway did not get the answer; these were not carried out, but it does not say so.
    let gateway = [Reply::Fail(502), Reply::Fail(504)];
    let unknowable = [Reply::Reset, Reply::Garbage, Reply::Truncated, Reply::Hang, Reply::Reset];
    let replies = known.into_iter().chain(gateway).chain(unknowable);
    let plays = replies.map(async |reply| {
        let user = someone();
        world.api.plan_for(user, [reply]);
        send(&world, user, &["one", "two"]).await;
        (reply, world.told(user).await)
    });
    for (reply, told) in all_at_once(plays).await {
        let expected: &[&str] = match unknowable.contains(&reply) {
            true => &["one", "one", "two"],
            false => &["one", "two"],
        };
        let expected: Vec<String> = expected.iter().map(|caption| thanks(caption)).collect();
        assert_eq!(told, expected, "{reply:?}");
    }
    let ambiguous = world.total("steadfast_outbox_ambiguous_total", &[]).await;
    let repeated = unknowable.len() + gateway.len();
    assert_eq!(ambiguous as usize, repeated);
    let calls = "steadfast_telegram_calls_total";
    let failed = world.total(calls, &["result=\"server_error\""]).await;
    assert_eq!(failed as usize, known.len());
    let told = |message: &str| -> usize {
        let logs = world.servers.iter().map(|server| server.log());
        logs.map(|log| logged(&log, message).count()).sum()
    };
    assert_eq!(told("a call was cut off, and is made again"), repeated);
    assert_eq!(told("a call failed, and is made again"), known.len());
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
    assert!(letter["reason"].as_str().is_some_and(|reason| reason.contains(words)));
    assert_eq!(letter["body"]["text"], thanks("refused"));
    assert_eq!(letter["lane"], format!("lane:{user}"));
}

/// Nothing is put aside because the bot itself is not known: that is for its operator to mend, and people's messages wait.
#[tokio::test]
async fn a_token_that_is_refused_loses_no_message() {
    let world = World::two().await;
    let user = someone();
    let refusals = [Reply::Refuse(401, "Unauthorized"), Reply::Refuse(404, "Not Found")];
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
    assert_eq!(world.total("steadfast_outbox_blocked_total", &[]).await, 1.0);
    let letters = world.total("steadfast_dead_letters_total", &[]).await;
    let blocked = ["kind=\"effect\"", "reason=\"blocked\""];
    let of_them = world.total("steadfast_dead_letters_total", &blocked).await;
    assert!(of_them > 0.0 && of_them == letters, "{of_them} of {letters}");

    world.api.block(user, false);
    send(&world, user, &["back"]).await;
    world.api.until_said(user, "back").await;
}

/// They unblock the bot and write while a refusal is on its way: it shows nothing any more.
#[tokio::test]
async fn what_was_refused_while_the_person_came_back_is_not_put_aside() {
    let (api, bed) = (BotApi::start(), Arc::new(Bed::memory().await));
    let store = Arc::new(Watched::new(Arc::clone(&bed.store)));
    let telegram = steadfast::outbox::telegram::Telegram::new(&api.url(), &TOKEN.into());
    let outbox = idle_outbox(Arc::clone(&store) as _, telegram);
    let user = someone();
    let reply = a_reply_to(user);
    api.block(user, true);
    let (comes_back, home) = (Arc::clone(&bed), key(user, user));
    store.before("block", async move {
        comes_back.turn(&home, Cause::Update(2), |_| {}).await;
    });
    outbox.push(messages(user), &reply).await.expect("pushed");
    api.until_called("sendMessage", 1).await;
    outbox.close().await;
    assert_eq!(bed.dead_letters(9).await, Ok(Vec::new()));
    let waiting = bed.waiting(user, 9).await;
    assert_eq!(waiting, Ok(vec![(LaneKind::Messages, vec![reply])]));
    assert_eq!(bed.blocked(user).await, Ok(false));
}

/// Three messages stand in the lane when the first shows that nobody reads them.
#[tokio::test]
async fn what_stands_behind_a_refused_message_is_put_aside_untried() {
    let company = Company::meet().await;
    let user = someone();
    company.api.block(user, true);
    company.hear(user, "/say long").await;
    until("all of it is put aside", async || {
        let lanes = company.store.backlog().await.expect("a backlog").lanes;
        (lanes == 0).then_some(())
    })
    .await;
    let letters = company.letters().await;
    let mut calls = company.api.calls();
    calls.retain(|call| call.chat() == user);
    assert!(letters.len() > 2, "{letters:?}");
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(letters.iter().all(|letter| letter["reason"].as_str().unwrap().contains("blocked")));
    company.api.block(user, false);
    company.hear(user, "/say back").await;
    company.api.until_said(user, "back").await;
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

/// The chat waits exactly as long as it is told to; its messages then come in order. Others are served meanwhile as before: somebody who
/// has twenty replies in a quarter of that time has as many again before the chat hears the next word.
#[tokio::test]
async fn a_429_delays_its_chat_and_nobody_else() {
    const ROUNDS: usize = 20;
    let world = World::two().await;
    let (slow, other) = (someone(), someone());
    let before = answered(&world, other, ROUNDS).await;
    let seconds = before.as_secs().saturating_mul(4).max(10);
    world.api.plan_for(slow, [Reply::TooMany(seconds)]);
    send(&world, slow, &["one", "two", "three"]).await;
    world.api.until_called("sendMessage", ROUNDS + 1).await;
    let meanwhile = answered(&world, other, ROUNDS).await;
    println!(
        "{ROUNDS} replies took {before:.1?}, and {meanwhile:.1?} while another chat waits for {seconds} s"
    );
    assert_eq!(world.told(slow).await, ["one", "two", "three"].map(thanks));
    let (calls, others) = (world.api.calls(), world.api.sent(other));
    let calls: Vec<_> = calls.iter().filter(|call| call.chat() == slow).collect();
    let (told, again) = (calls[0].at, calls[1].at);
    assert!(again - told >= Duration::from_secs(seconds));
    let served = others.iter().filter(|call| told < call.at && call.at < again);
    assert_eq!(served.count(), ROUNDS, "the others waited as well");
    let lane = format!("lane:{slow}");
    let logs = || -> Vec<String> { world.servers.iter().flat_map(Server::log).collect() };
    // Lines are written a moment after what they tell of.
    let sent = until("the log tells that it was sent", async || {
        let logs = logs();
        logged(&logs, "a reply was sent later").find(|sent| sent["lane"] == lane)
    })
    .await;
    let logs = logs();
    let lines: Vec<_> = logged(&logs, "Telegram tells a chat to wait").collect();
    let [line] = &lines[..] else {
        panic!("one line: {lines:?}");
    };
    assert_eq!(line["lane"], lane);
    assert_eq!((&line["level"], &line["seconds"]), (&"INFO".into(), &seconds.into()));
    assert_eq!(line["trace"], sent["trace"]);
}

/// Somebody writes so many times, each time when the reply is there: how long that took.
async fn answered(world: &World, user: i64, rounds: usize) -> Duration {
    let (had, began) = (world.api.sent(user).len(), Instant::now());
    for round in 1..=rounds {
        send(world, user, &["now"]).await;
        world.api.until_sent(user, had + round).await;
    }
    began.elapsed()
}

/// The reply goes out from memory. Whatever else the server does with its store, it does at any time, whether anybody writes or not.
#[tokio::test]
async fn a_plain_update_is_loaded_committed_granted_and_done_and_nothing_more() {
    const AT_ANY_TIME: [&str; 10] =
        ["active", "backlog", "beat", "due", "inspect", "keep", "kept", "lease", "ping", "renew"];
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    let limited = setup.with("TELEGRAM_LIMITS", "global=30/s,chat=1/s");
    let world = World::raise(api, limited, 1).await;
    let user = someone();
    // Who somebody is gets noted when they first write.
    world.told(user).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let count = async |op: &str| {
        let calls = "steadfast_store_op_duration_seconds_count";
        let label = format!("op=\"{op}\"");
        world.total(calls, &[&label]).await as u64
    };
    let ops = OPS.into_iter().filter(|op| !AT_ANY_TIME.contains(op));
    let mut before = Vec::new();
    for op in ops {
        before.push((op, count(op).await));
    }
    world.told(user).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let mut called = Vec::new();
    for (op, before) in before {
        called.extend(vec![op; (count(op).await - before) as usize]);
    }
    assert_eq!(called, ["load", "commit", "done", "grant"]);
}

/// A chat has a lane for broadcasts beside that of its replies. They are worked by two replicas here.
#[tokio::test]
async fn a_429_of_a_broadcast_delays_the_replies_of_its_chat() {
    let world = World::two_with(&[("TELEGRAM_LIMITS", "chat=10/s")]).await;
    let user = someone();
    world.asked_for_caption(user).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    world.api.plan_for(user, [Reply::TooMany(600)]);
    let (code, said) = world.command(&["broadcast", "--active", "We are back"]);
    assert_eq!(code, 0, "{said}");
    until("the chat is left alone", async || {
        let held = "steadfast_store_op_duration_seconds_count";
        let held = world.total(held, &["op=\"hold\""]).await;
        (held == 1.0).then_some(())
    })
    .await;
    world.telegram.turn_to(&world.servers[1..]);
    world.deliver(Update::text(user, "a caption")).await;
    let other = someone();
    send(&world, other, &["now"]).await;
    assert_eq!(world.told(other).await, [thanks("now")]);
    let mut calls = world.api.calls();
    calls.retain(|call| call.chat() == user);
    assert_eq!(calls.len(), 2, "the question, and what was refused");
}

/// Nobody else is served in between, which would show that it is not the bot. The third must not wait for ten minutes.
#[tokio::test]
async fn two_chats_that_are_told_to_wait_at_once_do_not_stop_the_bot() {
    let world = World::two().await;
    world.telegram.turn_to(&world.servers[..1]);
    let slow = [someone(), someone()];
    for user in slow {
        world.api.plan_for(user, [Reply::TooMany(600)]);
    }
    let both = slow.iter().map(|user| send(&world, *user, &["later"]));
    all_at_once(both).await;
    world.api.until_called("sendMessage", 2).await;
    world.telegram.turn_to(&world.servers);
    let others: Vec<i64> = (0..6).map(|_| someone()).collect();
    for user in others {
        send(&world, user, &["now"]).await;
        assert_eq!(world.told(user).await, [thanks("now")]);
    }
    assert!(slow.iter().all(|user| world.api.sent(*user).is_empty()));
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

/// Everybody is told to wait: after a few calls no replica calls any more, and in the end everything is there. If they went on, each
/// of the chats would be told for itself. They are more than can have been on their way when it was known, however slow the machine.
#[tokio::test]
async fn a_429_of_the_whole_bot_stops_all_replicas() {
    const PEOPLE: usize = 120;
    const SECONDS: u64 = 10;
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("TELEGRAM_LIMITS", "global=20/s");
    let world = World::raise(api, setup, 3).await;
    let first = OnceLock::new();
    world.api.rule(move |call| {
        let past = call.at.duration_since(*first.get_or_init(|| call.at));
        match past.as_secs() {
            past @ 0..SECONDS => Reply::TooMany(SECONDS - past),
            _ => Reply::Ok,
        }
    });
    let people: Vec<i64> = (0..PEOPLE).map(|_| someone()).collect();
    let plays = people.iter().map(|user| send(&world, *user, &["one", "two"]));
    all_at_once(plays).await;
    for user in &people {
        world.api.until_sent(*user, 2).await;
        assert_eq!(world.api.texts(*user), ["one", "two"].map(thanks));
    }
    let calls = world.api.calls();
    let refused = calls.iter().filter(|call| !call.arrived()).count();
    let pauses = calls.windows(2).map(|two| two[1].at - two[0].at);
    let pause = pauses.max().expect("calls");
    println!(
        "a bot-wide 429 of {SECONDS} s: {refused} calls were refused, for {PEOPLE} people and 3 replicas; \
         nobody called for {pause:.1?}"
    );
    assert!(refused < PEOPLE / 2, "{refused} calls were refused");
    let told = "steadfast_telegram_retry_after_seconds_count";
    assert!(world.total(told, &["scope=\"global\""]).await >= 1.0);
}

/// Only one of two replicas is ever told to wait, for three chats one after the other. The other one hears of it by way of the store.
#[tokio::test]
async fn a_replica_that_was_told_nothing_is_silent_while_another_was() {
    const SECONDS: u64 = 15;
    const PAUSES: &str = "Telegram tells several chats to wait: nothing is sent";
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    let at =
        |place: &str| setup.clone().with("TELEGRAM_API_URL", &format!("{}/{place}", api.url()));
    let (told, silent) = (at("told").start().await, at("silent").start().await);
    let start = OnceLock::new();
    api.rule(move |call| {
        let since = call.at.duration_since(*start.get_or_init(|| call.at));
        match &*call.caller == "told" && since.as_secs() < SECONDS {
            true => Reply::TooMany(SECONDS),
            false => Reply::Ok,
        }
    });
    let telegram = Telegram::to(std::slice::from_ref(&told));
    let people: Vec<i64> = (0..3).map(|_| someone()).collect();
    for user in &people[..2] {
        telegram.deliver(&Update::photo(*user).captioned("one")).await;
    }
    let until_paused = async |times| {
        until("it pauses", async || (logged(&told.log(), PAUSES).count() == times).then_some(()))
            .await;
    };
    until_paused(1).await;
    telegram.deliver(&Update::photo(people[2]).captioned("one")).await;
    until_paused(2).await;
    // The store hears of it a moment later than the log.
    until("the store has heard of both pauses", async || {
        let calls = "steadfast_store_op_duration_seconds_count";
        let metrics = told.metrics().await;
        (metrics.sum(calls, &["op=\"freeze\""]) >= 2.0).then_some(())
    })
    .await;
    let other = someone();
    let telegram = Telegram::to(std::slice::from_ref(&silent));
    telegram.deliver(&Update::photo(other).captioned("one")).await;
    api.until_sent(other, 1).await;
    let calls = api.calls();
    let refused = calls.iter().filter(|call| !call.arrived());
    let last = refused.map(|call| call.at).max().expect("a refusal");
    let first =
        calls.iter().find(|call| call.caller == "silent" || call.chat() == other).expect("a call");
    let waited = first.at.duration_since(last);
    println!("a replica that was told nothing was silent for {waited:.1?} of {SECONDS} s");
    assert!(waited >= Duration::from_secs(SECONDS - 1), "{waited:?}");
    for user in people {
        api.until_sent(user, 1).await;
    }
}

/// Each call goes over the connection of the one before.
#[tokio::test]
async fn fifty_messages_one_after_the_other_need_one_connection() {
    let api = BotApi::start();
    let door = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", door.local_addr().expect("its address"));
    let (behind, connections) = (api.url().replace("http://", ""), Arc::<AtomicUsize>::default());
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut caller, _)) = door.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            let mut server = TcpStream::connect(&behind).await.expect("the Bot API");
            tokio::spawn(async move { copy_bidirectional(&mut caller, &mut server).await });
        }
    });
    let user = someone();
    let setup = Setup::memory(&api).with("TELEGRAM_API_URL", &url);
    let server = setup.start().await;
    let sender = Telegram::to(std::slice::from_ref(&server));
    // What it asks and tells at its start may take connections of its own.
    server.until_logged("Telegram knows the commands").await;
    until("it knows its name", async || api.calls_of("getMe").first()?.answered.map(drop)).await;
    let before = connections.load(Ordering::Relaxed);
    for number in 0..50 {
        let photo = Update::photo(user).captioned(&number.to_string());
        sender.deliver(&photo).await;
        api.until_sent(user, number + 1).await;
    }
    let made = connections.load(Ordering::Relaxed) - before;
    println!("50 messages one after the other: {made} connections");
    assert!(made <= 2, "{made} connections");
}

/// The connection is made and reset before a word is read: the message is sent once there is another.
#[tokio::test]
async fn a_connection_that_is_reset_as_soon_as_it_is_made_loses_nothing() {
    let world = World::two().await;
    let user = someone();
    world.api.shut_door();
    let address = world.api.url().replace("http://", "");
    until("the door is shut", async || TcpStream::connect(&address).await.is_err().then_some(()))
        .await;
    world.api.cut_next(2);
    world.api.open_door();
    send(&world, user, &["one", "two"]).await;
    assert_eq!(world.told(user).await, ["one", "two"].map(thanks));
    assert_eq!(world.api.still_to_cut(), 0, "no connection was cut");
}

fn letters(world: &World) -> Vec<serde_json::Value> {
    RedisServer::shared().letters(world.setup.value("REDIS_PREFIX"))
}

/// It wakes up with a message to send that another has sent since, and later ones: it sends nothing.
#[tokio::test]
async fn a_replica_that_was_paused_beyond_its_lease_repeats_nothing() {
    let world = World::two_with(&[("TELEGRAM_LIMITS", "chat=32/m")]).await;
    let user = someone();
    let captions = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
    let [sleeper, _] = &world.servers[..] else {
        panic!("two servers");
    };
    world.telegram.turn_to([sleeper]);
    send(&world, user, &captions).await;
    // Three may go at once; then it waits for almost two seconds before each, with that in hand. It must not sleep in the middle of
    // writing a record: the file of the records would be locked for everybody.
    let has_a_later_one_in_hand = || {
        let (redis, prefix) = (RedisServer::shared(), world.setup.value("REDIS_PREFIX"));
        let (first, sent) = (redis.first_in_lanes(prefix), world.api.texts(user));
        let waits = |item: &str| {
            let mut later = captions[3..7].iter();
            later.any(|it| item.contains(it) && !sent.contains(&thanks(it)))
        };
        !redis.has_records_in_line(prefix) && first.iter().any(|(_, item)| waits(item))
    };
    loop {
        until("a later one is in hand", async || has_a_later_one_in_hand().then_some(())).await;
        sleeper.freeze();
        // What it wrote before is read by now. It may have been about to send just then.
        sleep(Duration::from_millis(100)).await;
        if has_a_later_one_in_hand() {
            break;
        }
        sleeper.thaw();
    }
    world.api.until_sent(user, captions.len()).await;
    sleeper.thaw();
    assert_eq!(world.told(user).await, captions.map(thanks));
    until("the log tells why it sent nothing", async || {
        let tells = |line: &String| line.contains("\"a lane was taken over");
        sleeper.log().iter().any(tells).then_some(())
    })
    .await;
    // It may have held a record as well.
    let stale = world.total("steadfast_outbox_stale_token_total", &[]);
    assert!(stale.await >= 1.0, "it was never paused");
}

/// The store was away for as long as a lease lasts, just when the sender asked it which message to change. Another one has sent the
/// message meanwhile, and perhaps the next.
#[tokio::test]
async fn a_message_that_another_sent_during_a_look_up_is_not_sent_again() {
    let (api, bed) = (BotApi::start(), Bed::memory().await);
    let store = Arc::new(Watched::new(Arc::clone(&bed.store)));
    let telegram = steadfast::outbox::telegram::Telegram::new(&api.url(), &TOKEN.into());
    let outbox = idle_outbox(Arc::clone(&store) as _, telegram);
    let (chat, bed) = (someone(), Arc::new(bed));
    let (looked_up, other) = (Arc::new(Notify::new()), Arc::clone(&bed));
    let overtaken = Arc::clone(&looked_up);
    store.fail("renew", Fault::Before, 1000);
    store.before("named", async move {
        tokio::time::sleep(LANE_LEASE).await;
        other.advance(LANE_LEASE);
        let (token, lanes) = other.claim().await;
        assert_eq!(lanes.len(), 1, "the lease is over");
        let done = other.done(messages(chat), token, "1.0").await;
        assert_eq!(done, Ok(After::Empty));
        overtaken.notify_one();
    });
    let list = Message {
        chat,
        text: "a list".to_owned(),
        name: Some("list".to_owned()),
        in_place: true,
        ..Message::default()
    };
    let body = serde_json::to_vec(&Effect::Send(Box::new(list))).expect("an effect");
    let item = Item { id: "1.0".to_owned(), body: body.into() };
    outbox.push(messages(chat), &item).await.expect("pushed");
    looked_up.notified().await;
    outbox.close().await;
    assert_eq!(api.sent(chat).len(), 0, "it is not its to send any more");
}

/// Whatever a worker dies of, its lane is worked again once its lease has run out.
#[tokio::test]
async fn a_worker_that_panics_lets_go_of_its_lane() {
    let store = Arc::new(Watched::new(Arc::new(Memory::new())));
    let company = Company::meet_at(Arc::clone(&store) as _).await;
    store.before("done", async { panic!("a worker dies") });
    let user = someone();
    company.hear(user, "/say hello").await;
    until("the lane is worked to its end", async || {
        let backlog = company.store.backlog().await.expect("the backlog");
        (backlog.lanes == 0).then_some(())
    })
    .await;
    assert_eq!(company.api.sent(user).len(), 2, "nobody noted the first");
}

/// The first call for it was refused, and another replica may have made the second. What counts is how long the person waited.
#[tokio::test]
async fn a_reply_that_waited_for_a_429_is_measured_with_its_wait() {
    const DELAY: &str = "steadfast_reply_delay_seconds";
    let world = World::two().await;
    let user = someone();
    world.api.plan_for(user, [Reply::TooMany(3)]);
    send(&world, user, &["late"]).await;
    world.api.until_sent(user, 1).await;
    let waited = until("it is measured", async || {
        let waited = world.total(&format!("{DELAY}_sum"), &[]).await;
        (waited > 0.0).then_some(waited)
    })
    .await;
    assert!(waited > 2.5, "{waited}");
    assert_eq!(world.total(&format!("{DELAY}_count"), &[]).await, 1.0);
}

/// The store did not answer this replica for a while, and all leases have run out. Whoever holds a lane has its time to note what was
/// sent before anybody else claims it.
#[tokio::test]
async fn after_an_outage_of_the_store_holders_note_first() {
    let bed = Bed::memory().await;
    let store = Arc::new(Watched::new(Arc::clone(&bed.store)));
    let company = Company::meet_at(Arc::clone(&store) as _).await;
    company.api.rule(|call| match &*call.method {
        "sendmessage" => Reply::Held,
        _ => Reply::Ok,
    });
    let user = someone();
    company.hear(user, "/say hello").await;
    company.api.until_called("sendMessage", 1).await;
    store.fail("renew", Fault::Before, usize::from(u16::MAX));
    // As often as both sweepers look; what was sent can be noted a second later.
    store.fail("due", Fault::Before, 2);
    store.fail("done", Fault::Before, 4);
    until("both sweepers have met the outage", async || {
        (store.still_to_fail("due") == 0).then_some(())
    })
    .await;
    bed.advance(LANE_LEASE);
    company.api.let_go(user);
    until("it is noted", async || {
        let backlog = bed.backlog().await.expect("the backlog");
        (backlog.lanes == 0).then_some(())
    })
    .await;
    assert_eq!(company.api.sent(user).len(), 1, "it was sent again");
}

/// A step says several things, and a refusal is no answer to an update: only the first thing is what somebody waited for.
#[tokio::test]
async fn only_the_first_answer_to_an_update_is_measured() {
    let recorder = telemetry::recorder().expect("a recorder");
    let _scope = metrics::set_default_local_recorder(&recorder);
    let company = Company::meet().await;
    let (reader, writer) = (someone(), someone());
    company.hear(reader, "/say long").await;
    company.hear(reader, "/say over").await;
    company.api.until_said(reader, "over").await;
    assert!(company.api.sent(reader).len() > 2, "it has parts");
    company.hear(writer, "/do forbid").await;
    company.api.until_said(writer, "It could not be done: not today.").await;
    until("all is noted", async || {
        let backlog = company.store.backlog().await.expect("the backlog");
        (backlog.lanes == 0).then_some(())
    })
    .await;
    let page = recorder.handle().render();
    assert!(page.contains("\nsteadfast_reply_delay_seconds_count 2\n"), "{page}");
}

/// It is committed all the same, and somebody may want to know why nothing was said.
#[tokio::test]
async fn what_is_left_out_for_somebody_who_blocked_the_bot_is_told() {
    let recorder = telemetry::recorder().expect("a recorder");
    let _scope = metrics::set_default_local_recorder(&recorder);
    let company = Company::meet().await;
    let user = someone();
    company.ledger.is_away.store(true, Ordering::Relaxed);
    company.hear(user, "/do forbid").await;
    company.store.block(user, None).await.expect("a mark");
    company.ledger.is_away.store(false, Ordering::Relaxed);
    until("it is told", async || {
        let log = company.log();
        let told = "nothing is said to who has blocked the bot";
        log.iter().any(|line| line.contains(told)).then_some(())
    })
    .await;
    let page = recorder.handle().render();
    assert!(page.contains("\nsteadfast_outbox_left_out_total 1\n"), "{page}");
    assert!(company.api.sent(user).is_empty());
}

/// All leases have run out when the store is back. Those who know that their messages were sent note it before anybody else claims them.
#[tokio::test]
async fn a_message_that_was_sent_before_a_long_outage_of_the_store_is_not_sent_again() {
    const CHATS: usize = 20;
    let (api, redis) = (BotApi::start(), RedisServer::start::<&str>(&[]));
    let setup = Setup::redis(&api, &redis);
    let world = World::raise(api, setup, 2).await;
    world.api.rule(|call| match &*call.method {
        "sendmessage" => Reply::Held,
        _ => Reply::Ok,
    });
    let people: Vec<i64> = (0..CHATS).map(|_| someone()).collect();
    all_at_once(people.iter().map(|user| send(&world, *user, &["once"]))).await;
    world.api.until_called("sendMessage", CHATS).await;
    redis.freeze();
    for user in &people {
        world.api.let_go(*user);
    }
    sleep(LANE_LEASE + Duration::from_secs(2)).await;
    redis.thaw();
    world.until_lanes_are_empty(&redis).await;
    for user in people {
        assert_eq!(world.api.texts(user), [thanks("once")]);
    }
}
