//! Servers that are killed while they send: nothing is lost, the order is kept, and only what nobody could know is repeated.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::support::bot_api::{BotApi, Reply};
use crate::support::patience::{all_at_once, until};
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, someone};
use crate::support::world::{World, thanks};

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
    let redis = RedisServer::start::<&str>(&[]);
    let mut world = two_on(&redis).await;
    let user = someone();
    let slow = Reply::Slow(Duration::from_millis(500));
    world.api.plan_for(user, [slow]);
    send(&world, user, &["one", "two"]).await;
    world.api.until_sent(user, 1).await;
    redis.freeze();
    sleep(Duration::from_millis(1000)).await;
    world.servers.remove(0).kill();
    redis.thaw();
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

/// Many people write, and calls take their time, so that kills fall into them. Whatever is repeated was sent once before a kill
/// and once after it.
#[tokio::test]
async fn sixty_kills_under_load_lose_nothing_and_repeat_only_what_was_being_sent() {
    const KILLS: usize = 60;
    const PEOPLE: usize = 12;
    const MOST: Duration = Duration::from_secs(40);
    let redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let setup = Setup::redis(&api, &redis).with("TELEGRAM_LIMITS", "global=100/s");
    let mut world = World::raise(api, setup, 3).await;
    world.telegram.turn_to(&world.servers);
    let slow = Reply::Slow(Duration::from_millis(30));
    world.api.rule(move |_| slow);
    let (over, telegram) = (AtomicBool::new(false), world.telegram.clone());
    let people: Vec<i64> = (0..PEOPLE).map(|_| someone()).collect();
    let scripts = people.iter().map(async |user| {
        let mut rounds = 0;
        while !over.load(Ordering::Relaxed) {
            let photo = Update::photo(*user).captioned(&rounds.to_string());
            telegram.deliver(&photo).await;
            rounds += 1;
            sleep(Duration::from_millis(rand::random_range(20..150))).await;
        }
        (*user, rounds)
    });
    let (killed, began) = (Mutex::new(Vec::new()), Instant::now());
    let kills = async {
        for kill in 0..KILLS {
            if began.elapsed() > MOST {
                break;
            }
            let alive = rand::random_range(0..150);
            sleep(Duration::from_millis(alive)).await;
            let place = kill % world.servers.len();
            world.servers.remove(place).kill();
            killed.lock().expect("the kills").push(Instant::now());
            telegram.turn_to(&world.servers);
            world.servers.insert(place, world.setup.start().await);
            telegram.turn_to(&world.servers);
        }
        over.store(true, Ordering::Relaxed);
    };
    let (outcomes, ()) = tokio::join!(all_at_once(scripts), kills);
    world.until_lanes_are_empty(&redis).await;

    let killed = killed.into_inner().expect("the kills");
    let (mut all, mut lost, mut repeated, mut disordered) = (0, 0, 0, 0);
    for (user, rounds) in outcomes {
        let sent = world.api.sent(user);
        let repeats = sent.windows(2).filter(|two| two[0].text() == two[1].text());
        for two in repeats {
            repeated += 1;
            let between = |kill: &&Instant| (two[0].at..two[1].at).contains(kill);
            assert!(
                killed.iter().find(between).is_some(),
                "nobody was killed in it"
            );
        }
        let mut told = world.api.texts(user);
        told.dedup();
        let expected: Vec<String> = (0..rounds).map(|n| thanks(&n.to_string())).collect();
        lost += expected.iter().filter(|text| !told.contains(text)).count();
        disordered += usize::from(told != expected);
        all += rounds;
    }
    println!(
        "{} kills in {:.0?}, {all} messages to {PEOPLE} people: {lost} lost, {repeated} repeated, \
         {disordered} chats out of order",
        killed.len(),
        began.elapsed()
    );
    assert_eq!((lost, disordered), (0, 0));
    assert!(killed.len() > 10, "the machine is too busy for this");
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
