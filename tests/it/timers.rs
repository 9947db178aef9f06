//! What time does, with two servers that both look for what is due: once, and never to those who answered in time.

use std::time::Duration;

use tokio::time::sleep;

use crate::support::bot_api::BotApi;
use crate::support::patience::{all_at_once, until};
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, now, someone};
use crate::support::world::{ASKED, World, thanks};

const PUT_ASIDE: &str = "I have put this aside: 📷 Photo. Continue where you stopped?";

/// Whoever says nothing is told once that their draft was put aside. Whoever answers is thanked once, whether the answer was
/// before the sweepers or after them: it was given in time.
#[tokio::test]
async fn two_sweepers_and_an_answer_at_one_due_dialogue_come_to_one_outcome() {
    let world = World::two_with(&[("STATE_TTL", "2s")]).await;
    let silent: Vec<i64> = (0..12).map(|_| someone()).collect();
    let answering: Vec<(i64, u64)> = (0..24).map(|place| (someone(), 40 * place)).collect();
    let say_nothing = silent.iter().map(async |user| {
        world.deliver(Update::photo(*user)).await;
        world.api.until_said(*user, PUT_ASIDE).await;
        assert_eq!(world.told(*user).await, [ASKED, PUT_ASIDE]);
        1
    });
    let answer = answering.iter().map(async |(user, late)| {
        // It bears the date at which it is made.
        let answer = Update::text(*user, "in time");
        world.deliver(Update::photo(*user)).await;
        sleep(Duration::from_millis(1600 + late)).await;
        world.deliver(answer).await;
        match &world.told(*user).await[..] {
            [asked, thanked] if *asked == ASKED && *thanked == thanks("in time") => 0,
            [asked, aside, thanked]
                if *asked == ASKED && *aside == PUT_ASIDE && *thanked == thanks("in time") =>
            {
                1
            }
            told => panic!("{told:?}"),
        }
    });
    let (silent_ones, answered) = tokio::join!(all_at_once(say_nothing), all_at_once(answer));

    let put_aside: usize = silent_ones.iter().chain(&answered).sum();
    let parked = world.total("steadfast_transitions_total", &["to=\"parked\""]).await;
    assert_eq!(parked as usize, put_aside, "each of them was put aside once");
    world.until_counted(&[("parked", silent.len())]).await;
    until("it is measured how late each of them was", async || {
        let lags = "steadfast_dialogue_timeout_lag_seconds_count";
        (world.total(lags, &[]).await >= silent.len() as f64).then_some(())
    })
    .await;
}

/// The parts of an album push the end of the pause ahead, while two sweepers look for it.
#[tokio::test]
async fn the_parts_of_an_album_that_come_as_the_pause_ends_are_asked_about_once() {
    let world = World::two().await;
    let people: Vec<(i64, u64)> = (0..24).map(|place| (someone(), 20 * place)).collect();
    let plays = people.iter().map(async |(user, late)| {
        let album = user.to_string();
        let part = || Update::photo(*user).of_album(&album);
        world.deliver(part()).await;
        sleep(Duration::from_millis(1300 + late)).await;
        world.deliver(part()).await;
        world.api.until_said(*user, ASKED).await;
        world.deliver(Update::text(*user, "Both")).await;
        let told = world.told(*user).await;
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[1], "Thank you! 2 photos: “Both”.");
    });
    all_at_once(plays).await;
    world.until_counted(&[]).await;
}

/// Both servers are killed, and back after a silence that counts as an outage.
async fn is_away_for_a_while(world: &mut World) {
    world.until_lanes_are_empty(RedisServer::shared()).await;
    for server in world.servers.drain(..) {
        server.kill();
    }
    sleep(Duration::from_secs(12)).await;
    world.servers = vec![world.setup.start().await, world.setup.start().await];
    world.telegram.turn_to(&world.servers);
}

/// The wait ends while nobody is there to take the answer. Telegram brings it when the servers are back.
#[tokio::test]
async fn an_answer_given_in_time_is_taken_after_a_long_outage() {
    let mut world = World::two_with(&[("STATE_TTL", "8s")]).await;
    let user = someone();
    world.asked_for_caption(user).await;
    let answer = Update::text(user, "in time").dated(now());
    is_away_for_a_while(&mut world).await;
    // Sweepers that did not know of the outage would have put it aside by now.
    sleep(Duration::from_secs(2)).await;
    world.deliver(answer).await;
    assert_eq!(world.told(user).await, [ASKED.to_owned(), thanks("in time")]);
    world.until_counted(&[]).await;
}

/// The wait ends soon after the servers are back, and before Telegram brings the press, which carries no date.
#[tokio::test]
async fn a_press_in_time_is_taken_although_the_wait_ended_just_after_an_outage() {
    let mut world = World::two_with(&[("STATE_TTL", "18s")]).await;
    let user = someone();
    let asked = world.asked_for_caption(user).await;
    let press = Update::press(user, &asked.button("No caption"));
    is_away_for_a_while(&mut world).await;
    // Sweepers that held back only what fell into the outage would have put it aside by now.
    sleep(Duration::from_secs(9)).await;
    world.deliver(press).await;
    let told = world.told(user).await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].starts_with("Thank you!"), "{told:?}");
    world.until_counted(&[]).await;
}

#[tokio::test]
async fn an_answer_given_in_time_is_taken_although_the_draft_was_put_aside() {
    let world = World::two_with(&[("STATE_TTL", "1s")]).await;
    let user = someone();
    let answer = Update::text(user, "in time").dated(now());
    world.asked_for_caption(user).await;
    world.api.until_said(user, PUT_ASIDE).await;
    world.deliver(answer).await;
    let told = world.told(user).await;
    assert_eq!(told, [ASKED.to_owned(), PUT_ASIDE.to_owned(), thanks("in time")]);
    world.until_counted(&[]).await;
}

/// An answer given after the end is no answer: the draft waits until it is asked for.
#[tokio::test]
async fn an_answer_given_too_late_leaves_the_draft_alone() {
    let world = World::two_with(&[("STATE_TTL", "1s")]).await;
    let user = someone();
    world.asked_for_caption(user).await;
    world.api.until_said(user, PUT_ASIDE).await;
    world.deliver(Update::text(user, "late").dated(now() + 2)).await;
    let told = world.told(user).await;
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[2].starts_with("I did not understand"), "{told:?}");
    world.until_counted(&[("parked", 1)]).await;
}

#[tokio::test]
async fn a_draft_put_aside_goes_on_at_a_press_on_redis() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    a_draft_goes_on(api, setup, 2).await;
}

#[tokio::test]
async fn a_draft_put_aside_goes_on_at_a_press_on_a_file() {
    let api = BotApi::start();
    let setup = Setup::embedded(&api);
    a_draft_goes_on(api, setup, 1).await;
}

/// The wait ends, the server too, and the draft goes on where it stopped.
async fn a_draft_goes_on(api: BotApi, setup: Setup, servers: usize) {
    let mut world = World::raise(api, setup.with("STATE_TTL", "1s"), servers).await;
    let user = someone();
    world.asked_for_caption(user).await;
    let offer = world.api.until_said(user, PUT_ASIDE).await;
    world.until_counted(&[("parked", 1)]).await;

    for server in world.servers.drain(..) {
        server.kill();
    }
    world.setup = world.setup.with("STATE_TTL", "10m");
    for _ in 0..servers {
        world.servers.push(world.setup.start().await);
    }
    world.telegram.turn_to(&world.servers);

    let resume = Update::press(user, &offer.button("Continue"));
    world.deliver(resume).await;
    world.api.until_said(user, ASKED).await;
    world.until_counted(&[("caption", 1)]).await;
    world.deliver(Update::text(user, "after all")).await;
    let mut told = world.told(user).await;
    // What was in hand at the kill is said once more.
    told.dedup();
    assert_eq!(told, [ASKED, PUT_ASIDE, ASKED, &thanks("after all")]);
    world.until_counted(&[]).await;
}
