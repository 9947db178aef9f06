//! Servers that are killed while they send: nothing is lost, the order is kept, and only what nobody could know is repeated.

use std::time::Duration;

use tokio::time::sleep;

use crate::support::bot_api::{BotApi, Reply};
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, someone};
use crate::support::world::{World, thanks};

mod two_hundred;

/// Two servers, of which the first gets all updates.
async fn two_on(redis: &RedisServer) -> World {
    let api = BotApi::start();
    let setup = Setup::redis(&api, redis);
    let world = World::raise(api, setup, 2).await;
    world.telegram.turn_to(&world.servers[..1]);
    world
}

async fn send(world: &World, user: i64, captions: &[&str]) {
    for caption in captions {
        world.deliver(Update::photo(user).captioned(caption)).await;
    }
}

/// Kills the first server; the other one goes on, and everything there is to say to this person is said.
async fn told_by_the_other(world: &mut World, user: i64) -> Vec<String> {
    world.servers.remove(0).kill();
    world.telegram.turn_to(&world.servers);
    world.told(user).await
}

#[tokio::test]
async fn killed_before_it_sends_the_message_is_sent_once() {
    let mut world = two_on(RedisServer::shared()).await;
    let user = someone();
    // A message that Telegram did not take waits to be sent.
    world.api.plan_for(user, [Reply::Fail(500)]);
    send(&world, user, &["one", "two"]).await;
    world.api.until_called("sendMessage", 1).await;
    let told = told_by_the_other(&mut world, user).await;
    assert_eq!(told, ["one", "two"].map(thanks));
}

#[tokio::test]
async fn killed_before_the_answer_the_message_is_sent_twice_at_most() {
    let mut world = two_on(RedisServer::shared()).await;
    let user = someone();
    world.api.plan_for(user, [Reply::Hang]);
    send(&world, user, &["one", "two"]).await;
    world.api.until_sent(user, 1).await;
    let told = told_by_the_other(&mut world, user).await;
    assert_eq!(told, ["one", "one", "two"].map(thanks));
}

/// The answer has come, and the store cannot be told of it before the process dies.
#[tokio::test]
async fn killed_before_it_is_noted_the_message_is_sent_twice_at_most() {
    let mut redis = RedisServer::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut world = two_on(&redis).await;
    let user = someone();
    world.api.plan_for(user, [Reply::Held]);
    send(&world, user, &["one", "two"]).await;
    world.api.until_sent(user, 1).await;
    redis.freeze();
    world.api.let_go(user);
    until("it is answered", async || world.api.sent(user)[0].answered.map(drop)).await;
    // So that the server has read it.
    sleep(Duration::from_millis(500)).await;
    world.servers.remove(0).kill();
    // With what lies in its sockets, or it would carry that out when it goes on.
    redis.kill();
    redis.restart();
    world.telegram.turn_to(&world.servers);
    let told = world.told(user).await;
    assert_eq!(told, ["one", "one", "two"].map(thanks));
}

/// What was noted is not sent again.
#[tokio::test]
async fn killed_after_it_is_noted_nothing_is_repeated() {
    let mut world = two_on(RedisServer::shared()).await;
    let user = someone();
    send(&world, user, &["one", "two"]).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
    let told = told_by_the_other(&mut world, user).await;
    assert_eq!(told, ["one", "two"].map(thanks));
}

/// No matter how often it happens to the same message.
#[tokio::test]
async fn killed_again_and_again_in_one_call_the_message_is_sent_once_for_each_kill() {
    const KILLS: usize = 3;
    let mut world = two_on(RedisServer::shared()).await;
    let user = someone();
    let hangs = std::iter::repeat_n(Reply::Hang, KILLS);
    world.api.plan_for(user, hangs);
    send(&world, user, &["one", "two"]).await;
    for kill in 1..=KILLS {
        world.api.until_sent(user, kill).await;
        // Nobody knows which of the two is at it: both go.
        let [one, other] = [world.setup.start().await, world.setup.start().await];
        for server in world.servers.drain(..) {
            server.kill();
        }
        world.servers.extend([one, other]);
    }
    world.telegram.turn_to(&world.servers);
    let told = world.told(user).await;
    let (repeats, rest) = told.split_at(KILLS + 1);
    assert!(repeats.iter().all(|text| *text == thanks("one")));
    assert_eq!(rest, [thanks("two")]);
    until("nothing is left", async || {
        let left = RedisServer::shared().left_in_lanes(world.setup.value("REDIS_PREFIX"));
        left.is_empty().then_some(())
    })
    .await;
}
