//! How strangers become people of the company, and newcomers known: over HTTP, with real servers and a real Redis.

use crate::support::bot_api::{BotApi, Call};
use crate::support::patience::{all_at_once, until};
use crate::support::postgres_server::PostgresServer;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, someone};
use crate::support::world::World;

/// Does something, and answers what the person is told with these words then, and not before.
async fn told_with(world: &World, user: i64, part: &str, update: Update) -> Call {
    let said = || {
        let sent = world.api.sent(user).into_iter();
        sent.filter(|call| call.text().contains(part))
    };
    let before = said().count();
    world.deliver(update).await;
    until(format!("{user} is told `{part}`"), async || said().nth(before)).await
}

/// Makes an invitation for this role; answers its code.
async fn invitation(world: &World, owner: i64, role: &str) -> String {
    let invite = Update::text(owner, "/invite");
    let asked = told_with(world, owner, "What shall the newcomer be?", invite).await;
    let press = Update::press(owner, &asked.button(role));
    let link = told_with(world, owner, "It works once", press).await;
    // A bot that knows its own name makes a link of it, any other says what to type.
    let last = link.text().split([' ', '\n', '=']).next_back();
    last.expect("a code").to_owned()
}

#[tokio::test]
async fn of_two_strangers_with_one_invitation_one_is_in_and_the_other_is_told() {
    const ROUNDS: usize = 10;
    let owner = someone();
    let world =
        World::two_with(&[("OWNER_IDS", &owner.to_string()), ("TELEGRAM_LIMITS", "off")]).await;
    for _ in 0..ROUNDS {
        let code = invitation(&world, owner, "Master").await;
        let strangers = [someone(), someone()];
        let start = format!("/start {code}");
        all_at_once(
            strangers.into_iter().map(|stranger| world.deliver(Update::text(stranger, &start))),
        )
        .await;
        let mut welcomed = 0;
        for stranger in strangers {
            let told = world.told(stranger).await;
            let is_in = told.iter().any(|text| text.starts_with("Welcome!"));
            let is_late = told.iter().any(|text| text.contains("used already"));
            assert!(is_in != is_late, "{told:?}");
            welcomed += usize::from(is_in);
        }
        assert_eq!(welcomed, 1);
    }
}

#[tokio::test]
async fn who_has_joined_sees_the_menu_and_the_commands_of_the_role() {
    let (owner, newcomer) = (someone(), someone());
    let world =
        World::two_with(&[("OWNER_IDS", &owner.to_string()), ("TELEGRAM_LIMITS", "off")]).await;
    world.deliver(Update::text(newcomer, "/invite")).await;
    world.api.until_said(newcomer, "I do not know you yet").await;
    let code = invitation(&world, owner, "Owner").await;
    world.deliver(Update::text(newcomer, &format!("/start {code}"))).await;
    world.api.until_said(newcomer, "Welcome!").await;
    world.api.until_said(owner, "has accepted your invitation").await;
    world.deliver(Update::text(newcomer, "/invite")).await;
    world.api.until_said(newcomer, "What shall the newcomer be?").await;
    until("Telegram knows what they can do", async || {
        let calls = world.api.calls_of("setMyCommands");
        let own = calls.iter().find(|call| call.params["scope"]["chat_id"] == newcomer);
        let commands = own?.params["commands"].to_string();
        commands.contains("invite").then_some(())
    })
    .await;
    let (code, said) = world.command(&["roles", "take", &newcomer.to_string(), "owner"]);
    assert_eq!(code, 0, "{said}");
    until("Telegram knows that they cannot any more", async || {
        let calls = world.api.calls_of("deleteMyCommands");
        let mut own = calls.iter().filter(|call| call.params["scope"]["chat_id"] == newcomer);
        own.next().map(|_| ())
    })
    .await;
    world.deliver(Update::text(newcomer, "/invite")).await;
    until("they are a stranger again", async || {
        let said = world.api.texts(newcomer);
        let is_refused = |text: &&String| text.contains("I do not know you yet");
        (said.iter().filter(is_refused).count() == 2).then_some(())
    })
    .await;
}

/// Waits until Telegram was last told the commands of this person in these words.
async fn commands_say(world: &World, user: i64, words: &str) {
    until(format!("Telegram is told `{words}`"), async || {
        let calls = world.api.calls_of("setMyCommands");
        let own = calls.iter().rfind(|call| call.params["scope"]["chat_id"] == user);
        let commands = own?.params["commands"].to_string();
        commands.contains(words).then_some(())
    })
    .await;
}

/// They only write something: that is enough to be notified, and told the commands, in the language that their app speaks by now.
#[tokio::test]
async fn whose_app_speaks_another_language_is_notified_in_that_one_from_then_on() {
    let (owner, newcomer) = (someone(), someone());
    let world =
        World::two_with(&[("OWNER_IDS", &owner.to_string()), ("TELEGRAM_LIMITS", "off")]).await;
    let code = invitation(&world, owner, "Master").await;
    commands_say(&world, owner, "Cancel what is under way").await;
    let writes = Update::text(owner, "Well?").in_language("ru");
    told_with(&world, owner, "не понял", writes).await;
    commands_say(&world, owner, "Отменить начатое").await;
    let joins = Update::text(newcomer, &format!("/start {code}"));
    world.deliver(joins).await;
    world.api.until_said(owner, "приглашение").await;
}

/// What was chosen is kept in the records: it is spoken after the dialogue was lost, and Telegram is told the commands in it.
#[tokio::test]
async fn the_language_that_was_chosen_is_spoken_also_after_the_dialogue_was_lost() {
    let (api, redis, worker) = (BotApi::start(), RedisServer::start::<&str>(&[]), someone());
    let setup = Setup::redis(&api, &redis).with("WORKER_IDS", &worker.to_string());
    let world = World::raise(api, setup.with("TELEGRAM_LIMITS", "off"), 1).await;
    let asks = Update::text(worker, "/language");
    let asked = told_with(&world, worker, "Which language", asks).await;
    commands_say(&world, worker, "Cancel what is under way").await;
    let press = Update::press(worker, &asked.button("Русский"));
    told_with(&world, worker, "по-русски", press).await;
    commands_say(&world, worker, "Отменить начатое").await;
    assert_eq!(redis.command(&["flushall"]), "+OK");
    let menu = Update::text(worker, "/menu");
    told_with(&world, worker, "Что вы хотите сделать?", menu).await;
}

#[tokio::test]
async fn a_lost_dialogue_goes_on_at_the_right_question_and_one_that_is_there_asks_no_database() {
    let (api, redis, worker) = (BotApi::start(), RedisServer::start::<&str>(&[]), someone());
    let setup = Setup::redis(&api, &redis).with("WORKER_IDS", &worker.to_string());
    let world = World::raise(api, setup.with("TELEGRAM_LIMITS", "off"), 1).await;
    let reads = async || world.total("steadfast_records_reads_total", &[]).await as u64;
    world.deliver(Update::text(worker, "/onboarding")).await;
    world.api.until_said(worker, "(1/7)").await;
    let asked = reads().await;
    world.deliver(Update::text(worker, "Anna Petrova")).await;
    world.api.until_said(worker, "(2/7)").await;
    world.deliver(Update::text(worker, "+7 999 123-45-67")).await;
    world.api.until_said(worker, "(3/7)").await;
    assert_eq!(reads().await, asked, "the state was there");
    assert_eq!(redis.command(&["flushall"]), "+OK");
    world.deliver(Update::text(worker, "Kazan")).await;
    world.api.until_said(worker, "(4/7)").await;
    assert!(reads().await > asked, "the state was gone");
    let back = Update::text(worker, "/back");
    told_with(&world, worker, "(3/7)", back).await;
    // What was asked last is in the records before it is said.
    assert_eq!(redis.command(&["flushall"]), "+OK");
    let town = Update::text(worker, "Omsk");
    told_with(&world, worker, "(4/7)", town).await;
}

/// Both are gone: where the dialogue was, and the database that would tell. The person is answered all the same, and nothing of what
/// they said before is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_dialogue_waits_for_the_database_and_the_person_does_not() {
    let start = || PostgresServer::start();
    let mut postgres = tokio::task::spawn_blocking(start).await.expect("a server");
    let (api, redis, worker) = (BotApi::start(), RedisServer::start::<&str>(&[]), someone());
    let setup = Setup::redis(&api, &redis)
        .with("WORKER_IDS", &worker.to_string())
        .with("DATABASE_URL", &postgres.database().await);
    let world = World::raise(api, setup.with("TELEGRAM_LIMITS", "off"), 1).await;
    for (words, heard) in [("/onboarding", "(1/7)"), ("Anna Petrova", "(2/7)")] {
        world.deliver(Update::text(worker, words)).await;
        world.api.until_said(worker, heard).await;
    }
    assert_eq!(redis.command(&["flushall"]), "+OK");
    tokio::task::block_in_place(|| postgres.stop());
    world.deliver(Update::text(worker, "hello?")).await;
    world.api.until_said(worker, "did not understand").await;
    tokio::task::block_in_place(|| postgres.restart());
    until("it goes on at the right question", async || {
        let number = Update::text(worker, "+7 999 123-45-67");
        world.deliver(number).await;
        let said = world.api.texts(worker);
        let goes_on = said.iter().any(|text| text.contains("(3/7)"));
        goes_on.then_some(())
    })
    .await;
}
