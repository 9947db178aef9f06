//! Records that were spoiled under a running server: whoever they belong to is freed, and the bytes are kept.

use std::path::Path;

use steadfast::store::DialogueKey;

use crate::support::back_door::BackDoor;
use crate::support::bed::key;
use crate::support::bot_api::BotApi;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;
use crate::support::updates::{Update, post, someone};
use crate::support::world::World;

/// What is said about it.
const APOLOGY: &str = "Something went wrong on our side, so I have ended this dialogue.";

#[tokio::test]
async fn a_spoiled_record_in_redis_traps_nobody() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    let bot = setup.value("BOT_TOKEN").split(':').next();
    let bot = bot.expect("the number of the bot");
    let prefix = format!("{}:{bot}", setup.value("REDIS_PREFIX"));
    let world = World::raise(api, setup, 2).await;
    traps_nobody(&world, &BackDoor::Redis(RedisServer::shared(), prefix)).await;
}

#[tokio::test]
async fn a_spoiled_record_in_a_file_traps_nobody() {
    let api = BotApi::start();
    let setup = Setup::embedded(&api);
    let path = Path::new(setup.value("DATA_DIR")).join("dialogues.db");
    let world = World::raise(api, setup, 1).await;
    traps_nobody(&world, &BackDoor::File(path)).await;
}

async fn traps_nobody(world: &World, back_door: &BackDoor) {
    world.asked_for_caption(someone()).await;
    for (said, apologies) in [("a caption", 1), ("/start", 0), ("/cancel", 0)] {
        let user = someone();
        world.asked_for_caption(user).await;
        back_door.spoil(&key(user, user), b"R\xff not a record");
        // Taken at the first attempt: nobody has to come again.
        let answer = post(world.servers[0].webhook(), &Update::text(user, said)).await;
        assert_eq!(answer.expect("an answer").status, 200, "{said}");
        let mut told = world.told(user).await;
        told.retain(|text| text.starts_with(APOLOGY));
        assert_eq!(told.len(), apologies, "{said}");
    }
    let user = someone();
    assert_reset(world, back_door, &key(user, user)).await;
    world.until_counted(&[("caption", 1)]).await;
    let unreadable = world.total("steadfast_dead_letters_total", &["kind=\"record\""]);
    let unreadable = unreadable.await;
    assert_eq!(unreadable, 4.0);
    assert_letters(world, 4);
}

/// An operator sees that it cannot be read, and frees the person.
async fn assert_reset(world: &World, back_door: &BackDoor, key: &DialogueKey) {
    world.asked_for_caption(key.user).await;
    back_door.spoil(key, b"R\xff not a record");
    let name = key.to_string();
    let (code, shown) = world.command(&["dialogues", "show", &name]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains(r#"R\\xff not a record"#), "{shown}");
    let (code, list) = world.command(&["dialogues", "list"]);
    assert_eq!((code, list.contains("cannot be read")), (0, true), "{list}");
    let (code, said) = world.command(&["dialogues", "reset", &name]);
    assert_eq!((code, said.contains("applied")), (0, true), "{said}");
}

/// So many letters with the bytes, which can be shown and not retried.
fn assert_letters(world: &World, count: usize) {
    let (_, list) = world.command(&["dead-letters", "list"]);
    let letters: Vec<&str> =
        list.lines().filter(|line| line.contains("unreadable record")).collect();
    assert_eq!(letters.len(), count, "{list}");
    let id = letters[0].split(' ').next().expect("a name");
    let (_, letter) = world.command(&["dead-letters", "show", id]);
    assert!(letter.contains(r#"R\\xff not a record"#), "{letter}");
    let (code, refused) = world.command(&["dead-letters", "retry", id]);
    assert_eq!((code, refused.contains("only be dropped")), (1, true), "{refused}");
    let (code, dropped) = world.command(&["dead-letters", "drop", id]);
    assert_eq!(code, 0, "{dropped}");
}
