//! `steadfast bench`: people lead dialogues with a server, and all of them are replied to.

use std::process::Command;

use crate::support::bot_api::BotApi;
use crate::support::port::Port;
use crate::support::redis_server::RedisServer;
use crate::support::server::{SECRET, Setup, outcome, program};

/// Runs it with nothing of our environment but these variables; answers the exit code, and what was said.
fn bench(arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let output = Command::new(program())
        .arg("bench")
        .args(arguments)
        .env_clear()
        .envs(variables.iter().copied())
        .output();
    outcome(&output.expect("the bench runs"))
}

/// The figure under this heading of the first table.
fn figure(said: &str, heading: &str) -> f64 {
    let mut lines = said.lines();
    let headings = lines.find(|line| line.starts_with("UPDATES")).expect(said);
    let at = headings.find(heading).expect(heading);
    let row = lines.next().expect("a row of figures");
    let cell = row[at..].split_whitespace().next();
    cell.and_then(|cell| cell.parse().ok()).expect(row)
}

#[tokio::test]
async fn people_lead_dialogues_with_a_server_of_its_own_and_nothing_is_lost() {
    let arguments = ["--spawn", "--users", "20", "--seconds", "2", "--pause", "100"];
    let (code, said) = bench(&arguments, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(figure(&said, "UPDATES") > 20.0, "{said}");
    assert_eq!(figure(&said, "LOST"), 0.0, "{said}");
    for words in ["P50", "P99", "acknowledged", "replied", "steadfast (", "MiB"] {
        assert!(said.contains(words), "`{words}` is missing: {said}");
    }
}

#[tokio::test]
async fn two_replicas_on_redis_are_measured_and_leave_no_keys_behind() {
    let redis = RedisServer::start::<&str>(&[]);
    let arguments =
        ["--spawn", "--replicas", "2", "--users", "20", "--seconds", "2", "--pause", "100"];
    let (code, said) = bench(&arguments, &[("REDIS_URL", &redis.url())]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(figure(&said, "LOST"), 0.0, "{said}");
    assert_eq!(said.matches("steadfast (").count(), 2, "{said}");
    assert!(said.contains("redis-server ("), "{said}");
    assert_eq!(redis.command(&["DBSIZE"]).trim(), ":0");
}

#[tokio::test]
async fn a_deployment_that_runs_already_and_replies_to_the_bench_loses_nothing() {
    let listen = format!("127.0.0.1:{}", Port::hold_for_good());
    let server = Setup::redis_for(RedisServer::shared())
        .with("TELEGRAM_API_URL", &format!("http://{listen}"))
        .start()
        .await;
    let door = format!("http://{}/webhook", server.webhook());
    let arguments = [
        "--webhook",
        &door,
        "--listen",
        &listen,
        "--users",
        "10",
        "--seconds",
        "2",
        "--pause",
        "100",
    ];
    let (code, said) = bench(&arguments, &[("WEBHOOK_SECRET", SECRET)]);
    assert_eq!(code, 0, "{said}");
    assert!(figure(&said, "UPDATES") > 10.0, "{said}");
    assert_eq!(figure(&said, "LOST"), 0.0, "{said}");
    let applied = server.metrics().await;
    let applied = applied.sum("steadfast_webhook_requests_total", &["applied"]);
    assert!(applied >= figure(&said, "UPDATES"), "{applied}: {said}");
}

#[tokio::test]
async fn a_deployment_that_runs_already_is_driven_and_one_that_does_not_reply_is_noticed() {
    let api = BotApi::start();
    let server = Setup::memory(&api).start().await;
    let door = format!("http://{}/webhook", server.webhook());
    let pid = std::process::id().to_string();
    // Its replies go to another Bot API, so nobody hears them here.
    let arguments = [
        "--webhook",
        &door,
        "--listen",
        "127.0.0.1:0",
        "--users",
        "2",
        "--seconds",
        "1",
        "--pause",
        "10",
        "--pid",
        &pid,
    ];
    let secret = [("WEBHOOK_SECRET", SECRET)];
    let (code, said) = bench(&arguments, &secret);
    assert_eq!(code, 1, "{said}");
    assert_eq!(figure(&said, "LOST"), 2.0, "{said}");
    assert!(said.contains("Lost, the last of them: nobody said"), "{said}");
    let (code, said) = bench(&arguments, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("WEBHOOK_SECRET"), "{said}");
}

#[test]
fn other_machines_are_left_alone_unless_that_is_meant() {
    for (arguments, variables) in [
        (&["--webhook", "http://192.0.2.1/webhook"][..], &[][..]),
        (&["--webhook", "http://127.0.0.1:1/w", "--webhook", "http://bot.example.org/w"], &[]),
        (&["--spawn"], &[("REDIS_URL", "redis://192.0.2.1:6379")]),
        (&["--spawn"], &[("REDIS_URL", "redis://:p^ss@192.0.2.1:6379")]),
    ] {
        let (code, said) = bench(arguments, variables);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("add --remote"), "{said}");
    }
    let unclear = [("REDIS_URL", "redis://:hunter22@192.0.2.1:port")];
    let (code, said) = bench(&["--spawn"], &unclear);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("REDIS_URL is no Redis address") && !said.contains("hunter22"), "{said}");
    let (code, said) = bench(&["--webhook", "https://127.0.0.1/webhook"], &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("http://"), "{said}");
    let two = ["--webhook", "http://127.0.0.1:1/a", "--webhook", "http://127.0.0.1:1/b"];
    let (code, said) = bench(&two, &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the same path"), "{said}");
    assert_eq!(bench(&[], &[]).0, 2, "a target is needed");
}
