//! Telegram's limits, kept by all replicas together.

use std::time::Duration;

use tokio::time::sleep;

use crate::support::bot_api::{BotApi, Call, Limit, most_within};
use crate::support::patience::all_at_once;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, someone};
use crate::support::world::{World, thanks};

const SECOND: Duration = Duration::from_secs(1);

async fn three(limits: &str) -> World {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared()).with("TELEGRAM_LIMITS", limits);
    World::raise(api, setup, 3).await
}

fn refused(calls: &[Call]) -> usize {
    calls.iter().filter(|call| !call.arrived()).count()
}

/// Everybody writes twice at once. The Bot API enforces what the replicas are told, and never has to.
#[tokio::test]
async fn three_replicas_and_three_hundred_chats_stay_within_the_limits() {
    const CHATS: usize = 300;
    const BOT: usize = 100;
    let world = three("global=100/s,chat=1/s").await;
    let three_a_second = Limit::chat(3, SECOND);
    world.api.limit([Limit::bot(BOT), three_a_second]);
    let people: Vec<i64> = (0..CHATS).map(|_| someone()).collect();
    let plays = people.iter().map(async |user| {
        for caption in ["one", "two"] {
            world.deliver(Update::photo(*user).captioned(caption)).await;
        }
    });
    all_at_once(plays).await;
    for user in &people {
        world.api.until_sent(*user, 2).await;
        assert_eq!(world.api.texts(*user), ["one", "two"].map(thanks));
    }

    let calls = world.api.calls();
    let most = most_within(&calls, SECOND);
    let last = calls.last().expect("a call").at - calls[0].at;
    println!(
        "{CHATS} chats, {} calls in {last:.1?}, at most {most} of {BOT} within a second, {} refused",
        calls.len(),
        refused(&calls)
    );
    assert_eq!(calls.len(), 2 * CHATS, "each message was sent once");
    assert_eq!(refused(&calls), 0);
    assert!(most <= BOT, "{most} within a second");
}

/// One chat that much is said to takes its time, and nobody waits for it.
#[tokio::test]
async fn a_chat_that_much_is_said_to_keeps_its_pace_and_its_order() {
    const MESSAGES: usize = 8;
    let world = three("global=100/s,chat=1/s").await;
    world.api.limit([Limit::chat(3, SECOND)]);
    let (busy, other) = (someone(), someone());
    let captions: Vec<String> = (0..MESSAGES).map(|number| number.to_string()).collect();
    for caption in &captions {
        world.deliver(Update::photo(busy).captioned(caption)).await;
    }
    world
        .deliver(Update::photo(other).captioned("at once"))
        .await;
    world.api.until_sent(other, 1).await;
    assert!(world.api.sent(busy).len() < MESSAGES, "it is still at it");
    world.api.until_sent(busy, MESSAGES).await;
    let expected: Vec<String> = captions.iter().map(|caption| thanks(caption)).collect();
    assert_eq!(world.api.texts(busy), expected);
    let calls = world.api.calls();
    assert_eq!(refused(&calls), 0);
    assert!(most_within(&world.api.sent(busy), SECOND) <= 3);
}

#[tokio::test]
async fn a_group_keeps_to_its_own_limit() {
    const MESSAGES: usize = 12;
    let world = three("global=100/s,chat=50/s,group=5/s").await;
    world.api.limit([Limit::group(5, SECOND)]);
    let (user, group) = (someone(), -someone());
    for number in 0..MESSAGES {
        let photo = Update::photo(user).captioned(&number.to_string());
        world.deliver(photo.in_group(group)).await;
    }
    world.api.until_sent(group, MESSAGES).await;
    let expected: Vec<String> = (0..MESSAGES).map(|n| thanks(&n.to_string())).collect();
    assert_eq!(world.api.texts(group), expected);
    assert_eq!(refused(&world.api.calls()), 0);
    assert!(most_within(&world.api.sent(group), SECOND) <= 5);
}

/// A replica that sent nothing for a while has nothing saved up.
#[tokio::test]
async fn replicas_that_wake_up_together_do_not_burst() {
    const BOT: usize = 20;
    let world = three("global=20/s").await;
    world.api.limit([Limit::bot(BOT)]);
    let greet = async |count: usize| {
        let people: Vec<i64> = (0..count).map(|_| someone()).collect();
        let plays = people.iter().map(async |user| {
            world.deliver(Update::photo(*user).captioned("hello")).await;
            world.api.until_sent(*user, 1).await;
        });
        all_at_once(plays).await;
    };
    for _ in 0..3 {
        greet(3).await;
    }
    sleep(SECOND).await;
    greet(60).await;
    let calls = world.api.calls();
    let most = most_within(&calls, SECOND);
    println!("after a rest: at most {most} of {BOT} within a second");
    assert_eq!(refused(&calls), 0);
    assert!(most <= BOT, "{most} within a second");
}

/// A server that is stopped while many lanes wait for the limit does not wait with them; the next one goes on.
#[tokio::test]
async fn a_stop_does_not_wait_for_the_limit() {
    let mut world = three("global=4/s").await;
    let people: Vec<i64> = (0..60).map(|_| someone()).collect();
    for user in &people {
        world.deliver(Update::photo(*user).captioned("hello")).await;
    }
    let before = world.api.calls().len();
    assert!(before < people.len(), "the limit does not hold");
    for server in world.servers.drain(..) {
        server.stop().await;
    }
    let meanwhile = world.api.calls().len() - before;
    assert!(meanwhile < 30, "{meanwhile} messages were waited for");
    let setup = world.setup.clone().with("TELEGRAM_LIMITS", "global=100/s");
    world.servers.push(setup.start().await);
    for user in people {
        world.api.until_sent(user, 1).await;
        assert_eq!(world.api.texts(user), [thanks("hello")]);
    }
}
