//! Servers that are killed: what was acknowledged is there, what was not comes again, and the next one finishes the rest.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::support::bot_api::{BotApi, Call, Reply};
use crate::support::deaf_proxy::{DeafProxy, Loses};
use crate::support::patience::all_at_once;
use crate::support::redis_server::RedisServer;
use crate::support::server::{Setup, logged};
use crate::support::updates::{Update, someone};
use crate::support::world::{ASKED, World, thanks};

/// How often a server is killed.
const KILLS: usize = 20;
/// How many people write meanwhile.
const PEOPLE: usize = 6;

#[tokio::test]
async fn nothing_is_lost_or_doubled_while_two_servers_on_redis_are_killed_in_turn() {
    let redis = RedisServer::start(&["--appendonly", "yes"]);
    let api = BotApi::start();
    let setup = Setup::redis(&api, &redis);
    let world = World::raise(api, setup, 2).await;
    let world = killed_again_and_again(world).await;
    world.until_lanes_are_empty(&redis).await;
}

#[tokio::test]
async fn nothing_is_lost_or_doubled_while_a_server_on_a_file_is_killed() {
    let api = BotApi::start();
    let setup = Setup::embedded(&api);
    let world = World::raise(api, setup, 1).await;
    killed_again_and_again(world).await;
}

/// People send photos and captions, each when the one before is acknowledged, while servers are killed. In the end every
/// person was asked and thanked once for each, in order. A message may be there twice, but only if a kill fell between its
/// sending and the note of it: once per chat and kill.
async fn killed_again_and_again(mut world: World) -> World {
    world.api.rule(|_| Reply::Slow(Duration::from_millis(5)));
    let (over, telegram) = (AtomicBool::new(false), world.telegram.clone());
    let people: Vec<i64> = (0..PEOPLE).map(|_| someone()).collect();
    let scripts = people.iter().enumerate().map(async |(place, user)| {
        let (mut rounds, mut again) = (0, 0);
        while !over.load(Ordering::Relaxed) {
            let caption = format!("{user} {rounds}");
            for update in [Update::photo(*user), Update::text(*user, &caption)] {
                again += telegram.deliver(&update).await.again;
                sleep(Duration::from_millis(10 + 5 * place as u64)).await;
            }
            rounds += 1;
        }
        if place % 2 == 1 {
            again += telegram.deliver(&Update::photo(*user)).await.again;
        }
        (*user, rounds, place % 2 == 1, again)
    });
    let kills = async {
        for kill in 0..KILLS {
            let alive = rand::random_range(100..400);
            sleep(Duration::from_millis(alive)).await;
            let place = kill % world.servers.len();
            world.servers.remove(place).kill();
            telegram.turn_to(&world.servers);
            let server = world.setup.start().await;
            world.servers.insert(place, server);
            telegram.turn_to(&world.servers);
        }
        over.store(true, Ordering::Relaxed);
    };
    let (outcomes, ()) = tokio::join!(all_at_once(scripts), kills);

    let again: u32 = outcomes.iter().map(|(.., again)| again).sum();
    assert!(again > 0, "no update ever met a kill");
    for (user, rounds, asked_once_more, _) in outcomes {
        let mut expected: Vec<String> = (0..rounds)
            .flat_map(|round| [ASKED.to_owned(), thanks(&format!("{user} {round}"))])
            .collect();
        expected.extend(asked_once_more.then(|| ASKED.to_owned()));
        world.told(user).await;
        let (sent, doubled) = without_repeats(world.api.sent(user));
        let told: Vec<&str> = sent.iter().map(Call::text).collect();
        assert_eq!(told[..told.len() - 1], expected);
        assert!(doubled <= KILLS, "{doubled} messages came twice");
    }
    world.until_counted(&[("caption", PEOPLE / 2)]).await;
    world
}

/// The messages without those that repeat the one before, and how many did. Each of them is unlike all others, by its text
/// or by its button.
fn without_repeats(mut calls: Vec<Call>) -> (Vec<Call>, usize) {
    let all = calls.len();
    calls.dedup_by(|one, before| one.params == before.params);
    let repeats = all - calls.len();
    (calls, repeats)
}

/// What a dead server had in hand is finished by the other, although nobody writes any more.
#[tokio::test]
async fn what_a_killed_server_had_to_say_is_said_by_the_other() {
    let mut world = World::two().await;
    let people: Vec<i64> = (0..8).map(|_| someone()).collect();
    world.api.rule(|_| Reply::Hang);
    world.telegram.turn_to(&world.servers[..1]);
    for user in &people {
        world.deliver(Update::photo(*user)).await;
        world.api.until_sent(*user, 1).await;
    }
    let killed = Instant::now();
    let mut dead = world.servers.remove(0);
    dead.end();
    // Before its log is searched, which takes its time: the other must not be left without an answer as well.
    world.api.rule(|_| Reply::Ok);
    drop(dead);
    let mut last = killed;
    for user in &people {
        let sent = world.api.until_sent(*user, 2).await;
        last = last.max(sent[1].at);
    }
    println!("what it had to say was said {:.1?} later", last - killed);
    let taken_over = claims(&world, "takeover").await;
    assert!(taken_over >= people.len() as f64, "{taken_over}");
    world.telegram.turn_to(&world.servers);
    for user in people {
        assert_eq!(world.told(user).await, [ASKED, ASKED], "once by each");
    }
    world.until_lanes_are_empty(RedisServer::shared()).await;
}

#[tokio::test]
async fn a_restart_keeps_dialogues_on_redis() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    let told = after_a_kill(World::raise(api, setup, 1).await).await;
    assert_eq!(told, [ASKED.to_owned(), thanks("after the restart")]);
}

#[tokio::test]
async fn a_restart_keeps_dialogues_on_a_file() {
    let api = BotApi::start();
    let setup = Setup::embedded(&api);
    let told = after_a_kill(World::raise(api, setup, 1).await).await;
    assert_eq!(told, [ASKED.to_owned(), thanks("after the restart")]);
}

#[tokio::test]
async fn a_restart_loses_dialogues_in_memory_and_the_log_says_so_before() {
    let api = BotApi::start();
    let setup = Setup::memory(&api);
    let world = World::raise(api, setup, 1).await;
    let warning =
        "everything is lost when the process ends; set STORE to embedded or redis to keep it";
    let log = world.servers[0].log();
    let said = logged(&log, warning).next().expect("a warning");
    assert_eq!(said["level"], "WARN");
    let told = after_a_kill(world).await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].starts_with("I did not understand"), "{told:?}");
}

/// Answers a question after the server was killed and started again; what was said in all.
async fn after_a_kill(mut world: World) -> Vec<String> {
    let user = someone();
    world.asked_for_caption(user).await;
    world.servers.remove(0).kill();
    world.servers.push(world.setup.start().await);
    world.telegram.turn_to(&world.servers);
    world.deliver(Update::text(user, "after the restart")).await;
    let mut told = world.told(user).await;
    // What was in hand at the kill is said once more.
    told.dedup();
    told
}

/// The commit is repeated on a new connection, and the turn gets the lane it had been given: nobody waits for a lease.
#[tokio::test]
async fn a_commit_whose_answer_was_lost_with_its_connection_is_repeated_and_gets_its_lane() {
    let (world, proxy) = behind_a_proxy().await;
    let user = someone();
    world.asked_for_caption(user).await;
    proxy.lose_answer_to("needle", Loses::Connection);
    let answer = Update::text(user, "needle");
    let delivered = world.telegram.deliver(&answer).await;
    assert!(proxy.has_lost(), "the commit was not met");
    assert_eq!(delivered.again, 0);
    let told = world.told(user).await;
    assert_eq!(told, [ASKED.to_owned(), thanks("needle")]);
    for source in ["sweep", "takeover"] {
        assert_eq!(claims(&world, source).await, 0.0, "{source}");
    }
    assert!(claims(&world, "commit").await >= 2.0);
}

/// How many lanes were taken up from there.
async fn claims(world: &World, source: &str) -> f64 {
    let label = format!("source=\"{source}\"");
    world.total("steadfast_outbox_claims_total", &[&label]).await
}

/// No answer ever comes on that connection again: the update is asked for once more, and is then a copy.
#[tokio::test]
async fn a_commit_that_is_never_answered_counts_once() {
    let (world, proxy) = behind_a_proxy().await;
    let user = someone();
    world.asked_for_caption(user).await;
    proxy.lose_answer_to("needle", Loses::Answer);
    world.deliver(Update::text(user, "needle")).await;
    assert!(proxy.has_lost(), "the commit was not met");
    let told = world.told(user).await;
    assert_eq!(told, [ASKED.to_owned(), thanks("needle")]);
    world.until_counted(&[]).await;
    world.until_lanes_are_empty(RedisServer::shared()).await;
}

async fn behind_a_proxy() -> (World, DeafProxy) {
    let proxy = DeafProxy::before(RedisServer::shared().port()).await;
    let api = BotApi::start();
    let setup = Setup::redis_at(&api, &proxy.url());
    (World::raise(api, setup, 1).await, proxy)
}
