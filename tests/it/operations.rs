//! What those who run the bot see: probes, metrics, logs without secrets, and the command line.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use steadfast::telemetry::{CATALOGUE, Kind};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::support::bot_api::{BotApi, Reply, TOKEN};
use crate::support::http;
use crate::support::patience::until;
use crate::support::port::Port;
use crate::support::redis_server::RedisServer;
use crate::support::server::{SECRET, Setup, outcome, program};
use crate::support::updates::{Update, post_with, someone};
use crate::support::world::{ASKED, World};

#[tokio::test]
async fn each_listener_shows_what_is_meant_for_its_side() {
    let world = alone_in_memory().await;
    let server = &world.servers[0];
    for path in
        ["/health", "/livez", "/readyz", "/servingz", "/metrics", "/dialogues", "/dead-letters"]
    {
        assert_eq!(server.ask(path).await.status, 200, "{path}");
        let outside = http::get(server.webhook(), path).await.expect("an answer");
        let expected = if path == "/health" { 200 } else { 404 };
        assert_eq!(outside.status, expected, "{path} for everyone");
    }
    let health = server.ask("/health").await.json();
    assert_eq!(health["status"], "ok");
    assert_eq!(health["store"]["kind"], "memory");
    assert_eq!(health["store"]["ok"], true);
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(health["degraded"], false);
    assert_eq!(health["draining"], false);
    assert!(health["uptime_seconds"].is_u64(), "{health}");
    assert!(health["store"]["latency_ms"].is_f64(), "{health}");
    let get = http::get(server.webhook(), "/webhook").await;
    assert_eq!(get.expect("an answer").status, 405);
}

#[tokio::test]
async fn every_metric_is_there_from_the_start() {
    let world = World::two().await;
    let metrics = world.servers[0].metrics().await;
    for metric in CATALOGUE.iter() {
        let name = match metric.kind {
            Kind::Histogram(_) => format!("{}_count", metric.name),
            Kind::Counter | Kind::Gauge => metric.name.to_owned(),
        };
        assert!(metrics.has(&name), "{name} is not there");
        // Where the values of a label are known only while running, nothing of it is.
        let is_known = metric.labels.iter().all(|(_, values)| !values.is_empty());
        for (label, values) in metric.labels.iter().filter(|_| is_known) {
            for value in *values {
                let shown = metrics.shows(&name, &[&format!("{label}=\"{value}\"")]);
                assert!(shown, "{name} of {label} {value} is not there");
            }
        }
    }
    for (from, to) in [
        ("caption", "done"),
        ("caption", "cancelled"),
        ("caption", "failed"),
        ("shot", "parked"),
        ("parked", "shot"),
        ("parked", "cancelled"),
        ("parked", "forgotten"),
        ("parked", "replaced"),
    ] {
        let labels = [format!("from=\"{from}\""), format!("to=\"{to}\"")];
        let labels = [PHOTO, &labels[0], &labels[1]];
        let shown = metrics.shows("steadfast_transitions_total", &labels);
        assert!(shown, "{from} -> {to} is not there");
    }
    for flow in [PHOTO, "flow=\"none\""] {
        assert!(metrics.shows(STEPS, &[flow]), "{flow} is not there");
    }
}

const PHOTO: &str = "flow=\"photo\"";
const STEPS: &str = "steadfast_handler_duration_seconds_count";

#[tokio::test]
async fn steps_are_measured_by_flow() {
    let world = alone_in_memory().await;
    let user = someone();
    world.deliver(Update::photo(user).captioned("over at once")).await;
    world.deliver(Update::photo(user)).await;
    world.deliver(Update::text(user, "a caption")).await;
    world.deliver(Update::text(user, "/help")).await;
    assert_eq!(world.total(STEPS, &[PHOTO]).await, 3.0);
    assert_eq!(world.total(STEPS, &["flow=\"none\""]).await, 1.0);
}

#[tokio::test]
async fn what_people_write_is_logged_only_where_it_is_asked_for() {
    for (texts, expected) in [("true", true), ("false", false)] {
        let api = BotApi::start();
        let setup = Setup::memory(&api).with("LOG_TEXTS", texts);
        let mut world = World::raise(api, setup, 1).await;
        let user = someone();
        world.asked_for_caption(user).await;
        world.deliver(Update::text(user, WORDS)).await;
        world.told(user).await;
        let log = world.servers.remove(0).stop().await;
        let with_words = |line: &&String| line.contains(WORDS);
        let lines: Vec<_> = log.iter().filter(with_words).collect();
        assert_eq!(lines.len(), usize::from(expected), "{lines:#?}");
        for line in lines {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let text = line.get("text").or_else(|| line["fields"].get("text"));
            assert_eq!(text, Some(&WORDS.into()), "{line}");
        }
    }
}

#[tokio::test]
async fn every_command_explains_itself() {
    let setup = Setup::memory(&BotApi::start());
    let ask = |arguments: &[&str]| outcome(&setup.run(arguments));
    let (code, all) = ask(&["--help"]);
    assert_eq!(code, 0);
    let listed = all.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names: Vec<_> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 6, "{all}");
    for name in names {
        let arguments = match name {
            "help" => vec!["help"],
            name => vec![name, "--help"],
        };
        let (code, said) = ask(&arguments);
        assert_eq!(code, 0, "{name}: {said}");
        assert!(said.contains("Usage: "), "{name}: {said}");
    }
    for wrong in [&["nonsense"][..], &["serve", "--nonsense"]] {
        assert_eq!(ask(wrong).0, 2, "{wrong:?}");
    }
}

#[tokio::test]
async fn prometheus_finds_nothing_wrong_with_the_metrics() {
    let world = alone_in_memory().await;
    let user = someone();
    world.deliver(Update::photo(user).captioned("seen")).await;
    world.told(user).await;
    let metrics = world.servers[0].ask("/metrics").await;
    assert!(metrics.header("content-type").starts_with("text/plain"));
    let output = promtool(&metrics.body);
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(output.status.success(), "{said:?}");
    assert_eq!(said, ["", ""]);
}

fn promtool(metrics: &str) -> Output {
    let child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child
        .expect("promtool does not run. This test needs it on the PATH: apt install prometheus");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(metrics.as_bytes()).expect("room");
    drop(input);
    child.wait_with_output().expect("an answer")
}

const WORDS: &str = "canary-words-of-a-person";
const PHONE: &str = "79995550123";
const PASSWORD: &str = "canary-password-of-redis";
const OPS_TOKEN: &str = "canary-token-of-the-operator";

#[tokio::test]
async fn no_secret_and_no_word_of_a_person_is_ever_logged_as_json() {
    canary("json").await;
}

#[tokio::test]
async fn no_secret_and_no_word_of_a_person_is_ever_logged_as_text() {
    canary("text").await;
}

/// All that can go wrong and right, with everything logged that there is.
async fn canary(format: &str) {
    let redis = RedisServer::start(&["--requirepass", PASSWORD]);
    let api = BotApi::start();
    let url = format!("redis://:{PASSWORD}@127.0.0.1:{}", redis.port());
    let setup = Setup::redis_at(&api, &url)
        .with("OPS_TOKEN", OPS_TOKEN)
        .with("TELEGRAM_LIMITS", "off")
        .with("RUST_LOG", "trace")
        .with("LOG_FORMAT", format);
    let mut world = World::raise(api, setup, 1).await;
    let user = play(&world).await;
    let dead = "steadfast_dead_letters_total";
    let unreadable = world.total(dead, &["kind=\"unreadable\""]).await;
    assert_eq!(unreadable, 2.0);
    let shown =
        [world.servers[0].ask("/metrics").await.body, world.servers[0].ask("/health").await.body];
    let log = world.servers.remove(0).stop().await;
    let whole = log.join("\n");
    for words in [
        "transition",
        "an effect was put aside as a dead letter",
        "an update was put aside as a dead letter",
        "an operator retried a dead letter",
        "a broadcast has reached its end",
        "stopped",
    ] {
        assert!(whole.contains(words), "`{words}` was not met: {whole}");
    }
    assert!(!shown[0].contains(&user.to_string()), "{}", shown[0]);
    for line in log.iter().chain(&shown) {
        for canary in [TOKEN, SECRET, WORDS, PHONE, PASSWORD, OPS_TOKEN] {
            assert!(!line.contains(canary), "{line}");
        }
    }
}

/// Answers who was there.
async fn play(world: &World) -> i64 {
    let (user, server) = (someone(), &world.servers[0]);
    world.asked_for_caption(user).await;
    world.deliver(Update::contact(user, PHONE)).await;
    world.deliver(Update::text(user, WORDS)).await;
    world.deliver(Update::text(user, WORDS)).await;
    world.deliver(Update::text(user, &format!("/start {WORDS}"))).await;
    world.deliver(Update::press(user, WORDS)).await;
    world.deliver(Update::photo(user).of_album(WORDS).captioned(WORDS)).await;
    world.api.until_said(user, WORDS).await;
    world.api.plan([Reply::Fail(400), Reply::Fail(500), Reply::TooMany(1)]);
    for _ in 0..2 {
        world.deliver(Update::photo(user).captioned(WORDS)).await;
    }
    let secret = [("x-telegram-bot-api-secret-token", SECRET)];
    let broken = format!("{{\"update_id\":1,\"message\":{{\"text\":\"{WORDS} {PHONE}\"}}}}");
    let answer = http::post(server.webhook(), "/webhook", &secret, broken).await;
    assert_eq!(answer.expect("an answer").status, 200);
    let torn = format!("{{\"update_id\":1,\"{WORDS}");
    let answer = http::post(server.webhook(), "/webhook", &secret, torn).await;
    assert_eq!(answer.expect("an answer").status, 200);
    let wrong = [("x-telegram-bot-api-secret-token", WORDS)];
    let answer = http::post(server.webhook(), "/webhook", &wrong, WORDS.into()).await;
    assert_eq!(answer.expect("an answer").status, 401);
    let old = Update::text(user, WORDS);
    let answer =
        post_with(server.webhook(), &old, &[("x-request-start", "t=1700000000.000")]).await;
    assert_eq!(answer.expect("an answer").status, 503);
    world.told(user).await;
    let (_, listed) = world.command(&["dead-letters", "list"]);
    for id in listed.lines().skip(1).filter_map(|line| line.split(' ').next()) {
        assert_eq!(world.command(&["dead-letters", "show", id]).0, 0, "{listed}");
        world.command(&["dead-letters", "retry", id]);
    }
    world.asked_for_caption(user).await;
    let (code, said) = world.command(&["broadcast", "--active", WORDS]);
    assert_eq!(code, 0, "{said}");
    world.api.until_said(user, WORDS).await;
    user
}

#[tokio::test]
async fn an_operator_sees_people_and_frees_one() {
    let world = World::two().await;
    let users = [someone(), someone()];
    for user in users {
        world.asked_for_caption(user).await;
    }
    let at = |arguments: &[&str]| world.command(arguments);
    let [stuck, other] = users.map(|user| format!("{user}:{user}"));

    let (code, listed) = at(&["dialogues", "list"]);
    assert_eq!(code, 0);
    assert!(listed.starts_with("DIALOGUE"), "{listed}");
    for key in [&stuck, &other] {
        let line = listed.lines().find(|line| line.starts_with(key));
        let line = line.unwrap_or_else(|| panic!("{key} is not in {listed}"));
        assert!(
            line.contains("photo/caption") && line.contains("s ago") && line.contains("in "),
            "{line}"
        );
    }
    let (_, none) = at(&["dialogues", "list", "--label", "photo/shot"]);
    assert_eq!(none.lines().count(), 1, "{none}");

    let (code, shown) = at(&["dialogues", "show", &stuck]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((code, &shown["dialogue"]), (0, &stuck.clone().into()));
    assert_eq!(shown["body"]["live"]["state"]["at"], "caption");

    let (code, reset) = at(&["dialogues", "reset", &stuck]);
    assert_eq!((code, reset.trim()), (0, &*format!("{stuck}: applied")));
    let told = world.told(users[0]).await;
    assert!(told[1].starts_with("You have been freed"), "{told:?}");
    let (_, listed) = at(&["dialogues", "list", "--label", "photo/caption"]);
    assert!(listed.contains(&other) && !listed.contains(&stuck), "{listed}");
    assert_eq!(world.told(users[1]).await, [ASKED]);

    let (code, said) = at(&["dialogues", "show", "1:1"]);
    assert_eq!((code, said.trim()), (1, "error: nothing is kept of 1:1"));
    let (code, _) = at(&["dialogues", "show", "nobody"]);
    assert_eq!(code, 2);
}

#[tokio::test]
async fn a_person_has_a_dialogue_in_each_topic_where_that_is_said() {
    for (scope, names) in [("topic", 2), ("chat", 1)] {
        let world = World::two_with(&[("DIALOGUE_SCOPE", scope)]).await;
        let (user, group) = (someone(), -someone());
        for topic in [12, 13] {
            let photo = Update::photo(user).in_group(group).in_topic(topic);
            world.deliver(photo).await;
        }
        world.until_counted(&[("caption", names)]).await;
        let (_, listed) = world.command(&["dialogues", "list"]);
        let named = |topic: &str| listed.contains(&format!("{group}:{user}{topic}"));
        assert_eq!(named(":12") && named(":13"), scope == "topic", "{listed}");
        assert!(named(""), "{listed}");
    }
}

/// Redis counts what it is asked.
#[tokio::test]
async fn nobody_searches_through_the_keys_of_redis() {
    let redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let setup = Setup::redis(&api, &redis);
    let world = World::raise(api, setup, 2).await;
    world.asked_for_caption(someone()).await;
    world.until_counted(&[("caption", 1)]).await;
    assert_eq!(world.command(&["dialogues", "list"]).0, 0);
    assert_eq!(world.command(&["dead-letters", "list"]).0, 0);
    let asked = redis.command(&["INFO", "commandstats"]);
    assert!(asked.contains("cmdstat_evalsha:"), "{asked}");
    for command in ["keys", "scan"] {
        assert!(!asked.contains(&format!("cmdstat_{command}:")), "{asked}");
    }
}

#[tokio::test]
async fn the_health_command_asks_the_running_server() {
    let world = World::two().await;
    let (code, said) = world.command(&["health"]);
    let health: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, &health["status"]), (0, &"ok".into()));

    let nobody = Port::hold();
    let setup = world.setup.clone();
    let setup = setup.with("OPS_ADDR", &nobody.address().to_string());
    let (code, said) = outcome(&setup.run(&["health"]));
    assert_eq!(code, 1);
    assert!(said.starts_with("error: no server answers at"), "{said}");
}

/// An answer is not yet health: what is asked for is its status.
#[tokio::test]
async fn the_health_command_fails_while_the_store_is_away() {
    let mut redis = RedisServer::start::<&str>(&[]);
    let api = BotApi::start();
    let setup = Setup::redis(&api, &redis);
    let world = World::raise(api, setup, 1).await;
    assert_eq!(world.command(&["health"]).0, 0);
    redis.kill();
    until("the server says that it is not healthy", async || {
        let answer = world.servers[0].ask("/health").await;
        (answer.status == 503).then_some(())
    })
    .await;
    let (code, said) = world.command(&["health"]);
    let health: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((code, &health["store"]["ok"]), (1, &false.into()));
}

#[tokio::test]
async fn the_check_command_says_what_is_unsafe() {
    let api = BotApi::start();
    let (code, said) = outcome(&Setup::embedded(&api).run(&["check"]));
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("ok       store: embedded answers"), "{said}");

    let (code, said) = outcome(&Setup::memory(&api).run(&["check"]));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("warning  durability"), "{said}");

    let careless = Setup::embedded(&api)
        .with("STORE", "embedded")
        .with("REDIS_URL", "redis://:hunter22@127.0.0.1:9")
        .with("WEBHOOK_SECRET", "short");
    let (code, said) = outcome(&careless.run(&["check"]));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("warning  secret: WEBHOOK_SECRET"), "{said}");
    assert!(said.contains("warning  ignored: REDIS_URL"), "{said}");
    assert!(!said.contains("hunter22"), "{said}");

    let redis = RedisServer::start(&["--maxmemory-policy", "allkeys-lru"]);
    let (code, said) = outcome(&Setup::redis(&api, &redis).run(&["check"]));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("ok       store: redis answers"), "{said}");
    assert!(said.contains("warning  eviction"), "{said}");
    for mend in ["maxmemory-policy noeviction", "maxmemory", "appendonly yes"] {
        assert!(said.contains(&format!("set `{mend}`")), "{said}");
    }

    let setup = Setup::memory(&api).with("LISTEN_ADDR", "nowhere").with("BOT_TOKEN", "");
    let (code, said) = outcome(&setup.run(&["check"]));
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("LISTEN_ADDR") && said.contains("BOT_TOKEN"), "{said}");
}

#[tokio::test]
async fn the_check_command_says_what_the_server_could_not_use() {
    let api = BotApi::start();
    let port = Port::hold_for_good();
    let unreachable = format!("postgres://bot:hunter22@127.0.0.1:{port}/records");
    let setup = Setup::embedded(&api).with("DATABASE_URL", &unreachable);
    let (code, said) = outcome(&setup.run(&["check"]));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("see DATABASE_URL"), "{said}");
    assert!(!said.contains("hunter22"), "{said}");

    let setup = Setup::embedded(&api).with("MEDIA_DIR", "/etc/passwd");
    let (code, said) = outcome(&setup.run(&["check"]));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("ok       records: sqlite answers"), "{said}");
    assert!(said.contains("warning  media"), "{said}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named_at_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("records.db");
    std::fs::write(&file, "no database, by far ".repeat(500)).expect("written");
    let file = file.display().to_string();
    let setup =
        Setup::embedded(&BotApi::start()).with("DATA_DIR", &dir.path().display().to_string());
    for command in ["check", "serve"] {
        let (code, said) = outcome(&setup.run(&[command]));
        assert_eq!(code, 1, "{command}: {said}");
        assert!(said.contains(&file), "{command}: {said}");
        assert!(!said.contains("not reached yet"), "{command}: {said}");
    }
}

/// Silent peers take all the descriptors there are, until the time for their headers is over.
#[tokio::test]
async fn a_server_out_of_descriptors_says_so_now_and_then() {
    let few = r#"ulimit -n 64; exec "$0" "$@""#;
    let api = BotApi::start();
    let server = Setup::memory(&api)
        .of_program(Path::new("sh"), &["-c", few, program(), "serve"])
        .start()
        .await;
    let mut silent = Vec::new();
    for _ in 0..80 {
        silent.push(TcpStream::connect(server.webhook()).await.expect("a place in line"));
    }
    server.until_logged("a connection was not accepted").await;
    assert!(silent[0].read_u8().await.is_err(), "it is given up");
    drop(silent);
    let log = server.stop().await;
    let told = log.iter().filter(|line| line.contains("was not accepted")).count();
    assert!(told < 10, "{told} lines in a few seconds");
}

#[tokio::test]
async fn the_flows_command_draws_the_dialogues() {
    let (code, drawn) = outcome(&Setup::memory(&BotApi::start()).run(&["flows"]));
    assert_eq!(code, 0);
    assert!(drawn.contains("stateDiagram-v2"), "{drawn}");
    assert!(drawn.contains("caption --> "), "{drawn}");
}

/// As in `steadfast flows | head -1`.
#[test]
fn whoever_has_read_enough_is_no_failure_and_a_full_disk_is_one() {
    let flows = |out: Stdio| {
        let mut command = Command::new(program());
        command.arg("flows").stdout(out);
        outcome(&command.output().expect("the command"))
    };
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    assert_eq!(flows(writer.into()), (0, String::new()));
    let full = File::options().write(true).open("/dev/full");
    let (code, said) = flows(full.expect("a full disk").into());
    assert_eq!(code, 1);
    assert!(said.contains("error: standard output: No space left"), "{said}");
}

async fn alone_in_memory() -> World {
    let api = BotApi::start();
    let setup = Setup::memory(&api);
    World::raise(api, setup, 1).await
}
