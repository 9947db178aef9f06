//! A machine that is lost: from a backup that was taken under load, dialogues go on where it was taken.

use tempfile::TempDir;

use crate::support::bot_api::BotApi;
use crate::support::patience::all_at_once;
use crate::support::redis_server::RedisServer;
use crate::support::server::{Setup, outcome};
use crate::support::updates::{Update, someone};
use crate::support::world::{ASKED, World, thanks};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dialogues_go_on_from_a_backup_that_was_taken_under_load() {
    let (api, home) = (BotApi::start(), TempDir::new().expect("a directory"));
    let setup = Setup::embedded(&api);
    let mut world = World::raise(api, setup, 1).await;
    let asked = [someone(), someone()];
    for user in asked {
        world.asked_for_caption(user).await;
    }
    let copy = home.path().join("copy").display().to_string();
    let desk = world.desk();
    let taken = tokio::task::spawn_blocking({
        let copy = copy.clone();
        move || outcome(&desk.run(&["backup", &copy]))
    });
    let crowd: Vec<i64> = (0..20).map(|_| someone()).collect();
    let busy = crowd.iter().map(|user| async {
        for _ in 0..5 {
            world.deliver(Update::photo(*user).captioned("under load")).await;
        }
    });
    all_at_once(busy).await;
    let (code, said) = taken.await.expect("a backup");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("dialogues.db") && said.contains("records.db"), "{said}");
    // What comes after it is not in it.
    world.deliver(Update::text(asked[1], "too late")).await;
    world.api.until_said(asked[1], &thanks("too late")).await;
    let (code, said) = world.command(&["restore", &copy]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("in use by another process"), "{said}");
    world.servers.remove(0).kill();

    let (code, said) = outcome(&world.setup.run(&["restore", &copy]));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("is there already"), "{said}");
    let fresh = home.path().join("fresh").display().to_string();
    world.setup = world.setup.clone().with("DATA_DIR", &fresh);
    let (code, said) = outcome(&world.setup.run(&["restore", &copy]));
    assert_eq!(code, 0, "{said}");
    world.servers.push(world.setup.start().await);
    world.telegram.turn_to(&world.servers);
    for user in asked {
        let before = world.api.texts(user).len();
        world.deliver(Update::text(user, "a caption")).await;
        world.api.until_said(user, &thanks("a caption")).await;
        let told = world.api.texts(user);
        assert_eq!(told.last(), Some(&thanks("a caption")), "{told:?}");
        assert!(told.len() > before && told[0] == ASKED, "{told:?}");
    }
}

#[tokio::test]
async fn what_is_kept_elsewhere_is_copied_with_other_tools() {
    let (api, home) = (BotApi::start(), TempDir::new().expect("a directory"));
    let copy = home.path().join("copy").display().to_string();
    let setup = Setup::redis(&api, RedisServer::shared());
    let elsewhere = setup.clone().with("DATABASE_URL", "postgres://bot:secret@127.0.0.1:9/bot");
    let (code, said) = outcome(&elsewhere.run(&["backup", &copy]));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("redis-cli --rdb") && said.contains("pg_dump"), "{said}");
    assert!(!said.contains("secret"), "{said}");

    let world = World::raise(api, setup, 1).await;
    let (code, said) = world.command(&["backup", &copy]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("redis-cli --rdb") && said.contains("records.db"), "{said}");
    let (code, said) = world.command(&["restore", &copy]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("a server runs"), "{said}");
}
