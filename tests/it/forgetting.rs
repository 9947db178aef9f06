//! A person who asks to be forgotten: afterwards nothing of what they have said is anywhere, on either store.

use std::fs;
use std::path::Path;

use redis::Value;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::support::bot_api::{BotApi, Reply};
use crate::support::http;
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::{SECRET, Setup};
use crate::support::updates::{NAME, Update, someone};
use crate::support::world::World;

const WORDS: &str = "words-that-are-nobodys-business";
const FULL_NAME: &str = "Petronella Quisling";
const PHONE: &str = "+79995550123";

#[tokio::test]
async fn who_is_forgotten_has_left_nothing_in_redis() {
    let (api, redis) = (BotApi::start(), RedisServer::start::<&str>(&[]));
    let setup = Setup::redis(&api, &redis);
    nothing_is_left(api, setup, || all_of_redis(&redis)).await;
}

#[tokio::test]
async fn who_is_forgotten_has_left_nothing_in_the_file() {
    let api = BotApi::start();
    let setup = Setup::embedded(&api);
    let file = Path::new(setup.value("DATA_DIR")).join("dialogues.db");
    nothing_is_left(api, setup, || rows(&file)).await;
}

async fn nothing_is_left(api: BotApi, setup: Setup, store: impl Fn() -> String) {
    let (user, other, records) = (someone(), someone(), TempDir::new().expect("a directory"));
    let records = records.path().join("records.db");
    let url = format!("sqlite://{}", records.display());
    let setup = setup.with("DATABASE_URL", &url).with("DEFAULT_ROLE", "worker");
    let world = World::raise(api, setup, 1).await;
    world.asked_for_caption(other).await;
    leave_traces(&world, user).await;
    let everything = || store() + &rows(&records);
    until("everything of theirs is kept", async || {
        let kept = everything();
        let is_kept = [WORDS, FULL_NAME, PHONE, NAME].iter().all(|it| kept.contains(it));
        is_kept.then_some(())
    })
    .await;

    let (code, said) = world.command(&["forget", &user.to_string()]);
    assert_eq!(code, 0, "{said}");
    for what in ["dialogues 2", "messages 1", "letters 3", "users 1"] {
        assert!(said.contains(what), "no `{what}` in {said}");
    }
    let left = everything();
    for canary in [WORDS, FULL_NAME, PHONE] {
        assert!(!left.contains(canary), "{canary} is left in {left}");
    }
    assert_eq!(left.matches(NAME).count(), 1, "the other's alone: {left}");
    world.until_counted(&[("caption", 1)]).await;
    let (code, said) = world.command(&["forget", &user.to_string()]);
    assert_eq!((code, said.trim()), (0, &*format!("{user}: nothing was kept")));

    // Whoever comes back is a stranger who is met anew.
    world.deliver(Update::text(user, "/privacy")).await;
    until("they are known again", async || {
        (rows(&records).matches(NAME).count() == 2).then_some(())
    })
    .await;
}

/// Nobody is in a dialogue there, and all the same it is kept for long which language they have chosen.
#[tokio::test]
async fn who_is_forgotten_has_left_no_language_in_a_group_in_redis() {
    let (api, redis) = (BotApi::start(), RedisServer::start::<&str>(&[]));
    let mut others = redis::pipe();
    for n in 0..10_000 {
        others.set(format!("another's:{n}"), n).ignore();
    }
    let set: redis::RedisResult<()> = others.query(&mut redis.connection());
    set.expect("more than can be looked at in one trip");
    let setup = Setup::redis(&api, &redis);
    no_language_is_left(api, setup, || all_of_redis(&redis)).await;
}

#[tokio::test]
async fn who_is_forgotten_has_left_no_language_in_a_group_in_the_file() {
    let api = BotApi::start();
    let setup = Setup::embedded(&api);
    let file = Path::new(setup.value("DATA_DIR")).join("dialogues.db");
    no_language_is_left(api, setup, || rows(&file)).await;
}

async fn no_language_is_left(api: BotApi, setup: Setup, store: impl Fn() -> String) {
    const CHOSEN: &str = "\"speaks\":\"ru\"";
    let (user, other) = (someone(), someone());
    let group = -1_000_000 - user;
    let world = World::raise(api, setup, 1).await;
    for (count, user) in [(1, user), (3, other)] {
        let asks = Update::text(user, "/language").in_group(group);
        world.deliver(asks).await;
        let asked = world.api.until_sent(group, count).await;
        let russian = asked[count - 1].button("Русский");
        let chooses = Update::press(user, &russian).in_group(group);
        world.deliver(chooses).await;
        world.api.until_sent(group, count + 1).await;
    }
    assert_eq!(store().matches(CHOSEN).count(), 2, "{}", store());
    let (code, said) = world.command(&["forget", &user.to_string()]);
    assert!(code == 0 && said.contains("dialogues 1"), "{said}");
    assert_eq!(store().matches(CHOSEN).count(), 1, "the other's alone");
}

/// A half-told story about themselves, photos in a group, what cannot be sent, what is no update, and what waits.
async fn leave_traces(world: &World, user: i64) {
    world.deliver(Update::text(user, "/onboarding")).await;
    world.deliver(Update::text(user, FULL_NAME)).await;
    world.deliver(Update::text(user, PHONE)).await;
    world.api.until_said(user, "(3/7)").await;
    world.deliver(Update::photo(user).in_group(-1_000_000 - user)).await;
    world.api.until_sent(-1_000_000 - user, 1).await;
    world.deliver(Update::text(user, "/start")).await;
    world.api.until_said(user, "Continue where you stopped?").await;
    world.api.plan_for(user, [Reply::Fail(400), Reply::Fail(400)]);
    for _ in 0..2 {
        world.deliver(Update::photo(user).captioned(WORDS)).await;
    }
    until("two are dead letters", async || {
        let (_, listed) = world.command(&["dead-letters", "list"]);
        (listed.lines().count() == 3).then_some(())
    })
    .await;
    let secret = [("x-telegram-bot-api-secret-token", SECRET)];
    let torn =
        format!("{{\"update_id\":1,\"message\":{{\"from\":{{\"id\":{user}}},\"text\":\"{WORDS}");
    let answer = http::post(world.servers[0].webhook(), "/webhook", &secret, torn).await;
    assert_eq!(answer.expect("an answer").status, 200);
    world.api.rule(move |call| match call.chat() == user {
        true => Reply::TooMany(600),
        false => Reply::Ok,
    });
    world.deliver(Update::photo(user).captioned(WORDS)).await;
}

/// Every key of Redis with its value, as far as it is text.
fn all_of_redis(redis: &RedisServer) -> String {
    let mut connection = redis.connection();
    let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(&mut connection).expect("keys");
    let mut all = String::new();
    for key in keys {
        let kind: String = redis::cmd("TYPE").arg(&key).query(&mut connection).expect("a type");
        let (command, range) = match kind.as_str() {
            "string" => ("GET", &[][..]),
            "list" => ("LRANGE", &["0", "-1"][..]),
            "zset" => ("ZRANGE", &["0", "-1"][..]),
            "hash" => ("HGETALL", &[][..]),
            "set" => ("SMEMBERS", &[][..]),
            // It has gone since.
            "none" => continue,
            other => panic!("a key is a {other}"),
        };
        let value = redis::cmd(command).arg(&key).arg(range).query(&mut connection);
        all += &String::from_utf8_lossy(&key);
        all.push('\n');
        tell(&value.expect("a value"), &mut all);
    }
    all
}

fn tell(value: &Value, all: &mut String) {
    match value {
        Value::BulkString(bytes) => {
            all.push_str(&String::from_utf8_lossy(bytes));
            all.push('\n');
        }
        Value::Array(values) | Value::Set(values) => {
            values.iter().for_each(|value| tell(value, all));
        }
        Value::Map(pairs) => pairs.iter().for_each(|(name, value)| {
            tell(name, all);
            tell(value, all);
        }),
        _ => {}
    }
}

/// Every row of every table of a file, as far as it is text.
fn rows(file: &Path) -> String {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = Connection::open_with_flags(file, flags).expect("opened");
    let names = "SELECT name FROM sqlite_master WHERE type = 'table'";
    let mut names = connection.prepare(names).expect("prepared");
    let names = names.query_map([], |row| row.get::<_, String>(0)).expect("names");
    let names: Vec<String> = names.collect::<Result<_, _>>().expect("names");
    let mut all = String::new();
    for name in names {
        let mut table = connection.prepare(&format!("SELECT * FROM {name}")).expect("prepared");
        let width = table.column_count();
        let mut rows = table.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            for column in 0..width {
                if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) =
                    row.get_ref(column).expect("a value")
                {
                    all.push_str(&String::from_utf8_lossy(bytes));
                    all.push('\n');
                }
            }
        }
    }
    all
}

/// Nobody has to ask for it, and nobody has to run anything: a server that starts sees to it.
#[tokio::test]
async fn a_running_server_forgets_what_is_too_old() {
    let (api, user) = (BotApi::start(), someone());
    let setup = Setup::embedded(&api).with("WORKER_IDS", &user.to_string());
    let records = Path::new(setup.value("DATA_DIR")).join("records.db");
    let mut world = World::raise(api, setup, 1).await;
    for (words, heard) in [("/onboarding", "(1/7)"), (FULL_NAME, "(2/7)")] {
        world.deliver(Update::text(user, words)).await;
        world.api.until_said(user, heard).await;
    }
    assert!(rows(&records).contains(FULL_NAME));
    world.servers.remove(0).stop().await;
    let file = Connection::open(&records).expect("the records");
    let aged = file.execute("UPDATE onboarding SET changed_at = 1", []);
    assert_eq!(aged, Ok(1));
    drop(file);
    let server = world.setup.start().await;
    server.until_logged("old personal data was forgotten").await;
    assert!(!rows(&records).contains(FULL_NAME));
}

/// Its line in the records stays, so that the pay still shows how many there were.
#[tokio::test]
async fn a_downloaded_photo_goes_when_it_is_too_old() {
    let (api, media) = (BotApi::start(), TempDir::new().expect("a directory"));
    let media = media.path();
    let setup = Setup::embedded(&api).with("MEDIA_DIR", &media.display().to_string());
    let records = Path::new(setup.value("DATA_DIR")).join("records.db");
    setup.start().await.stop().await;
    let names = ["shift-000001/one.jpg", "shift-000002/two.jpg", "shift-000002/three.jpg"];
    let file = Connection::open(&records).expect("the records");
    let shifts = "INSERT INTO objects VALUES ('d', 'Depot', 1, 'UTC', 1, 0); \
                  INSERT INTO shifts (id, no, worker, object, rate, status, opened_at, touched_at) \
                  VALUES ('s', 1, 7, 'd', 1, 'open', 1, 1)";
    file.execute_batch(shifts).expect("a shift");
    for (place, name) in names.iter().enumerate() {
        let path = media.join(name);
        fs::create_dir_all(path.parent().expect("its place")).expect("made");
        fs::write(&path, b"a picture").expect("written");
        // But for the last one, they are from 1970.
        let added = if place < 2 { 1 } else { i64::MAX };
        let sql = "INSERT INTO shift_media VALUES ('s', 't', ?1, 'f', ?2, ?3, NULL, 0)";
        let added = file.execute(sql, (place as i64, added, name));
        added.expect("a photo");
    }
    let _server = setup.start().await;
    let mut noted = file
        .prepare("SELECT coalesce(path, lost) FROM shift_media ORDER BY place")
        .expect("prepared");
    until("the old ones are noted as gone", async || {
        let noted = noted.query_map([], |row| row.get(0)).expect("photos");
        let noted: Vec<String> = noted.collect::<Result<_, _>>().expect("photos");
        (noted == ["expired", "expired", names[2]]).then_some(())
    })
    .await;
    let is_there = |name: &str| media.join(name).exists();
    assert!(!is_there(names[0]) && !is_there(names[1]) && is_there(names[2]));
    assert!(!is_there("shift-000001"), "nor its place");
}

#[tokio::test]
async fn a_server_that_downloads_photos_says_so() {
    let (api, user, media) = (BotApi::start(), someone(), TempDir::new().expect("a directory"));
    let media = media.path().display().to_string();
    let setup = Setup::embedded(&api).with("MEDIA_DIR", &media);
    let world = World::raise(api, setup, 1).await;
    world.deliver(Update::text(user, "/privacy")).await;
    let said = world.api.until_said(user, "What I keep of you").await;
    assert!(said.text().contains("are downloaded"), "{}", said.text());
}

#[tokio::test]
async fn a_server_says_for_how_long_it_keeps_photos_and_numbers() {
    let (api, user) = (BotApi::start(), someone());
    let setup = Setup::embedded(&api).with("PHOTO_RETENTION", "off").with("PHONE_RETENTION", "30d");
    let world = World::raise(api, setup, 1).await;
    world.deliver(Update::text(user, "/privacy")).await;
    let said = world.api.until_said(user, "What I keep of you").await;
    for words in ["captions: for good.", "numbers: for 30 days."] {
        assert!(said.text().contains(words), "{}", said.text());
    }
}
