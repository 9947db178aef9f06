//! What the alerts watch moves when it should: a rule that nothing can fire is none.

use crate::support::bot_api::{BotApi, Reply};
use crate::support::chain_bot;
use crate::support::patience::until;
use crate::support::redis_server::RedisServer;
use crate::support::server::{Server, Setup};
use crate::support::updates::{Update, post, someone};

/// How often an update is tried, as the webhook answers each time.
const TRIES: [u16; 3] = [503, 503, 200];

/// `SteadfastConfigUnsafe`.
#[tokio::test]
async fn a_redis_that_may_forget_is_shown_as_unsafe() {
    const SET_UP: &str = "steadfast_store_config_ok";
    let settings = ["--maxmemory-policy", "allkeys-lru", "--appendonly", "yes"];
    let (api, redis) = (BotApi::start(), RedisServer::start(&settings));
    let server = Setup::redis(&api, &redis).start().await;
    let metrics = server.metrics().await;
    for (check, ok) in [("eviction", 0.0), ("persistence", 1.0)] {
        let label = format!("check=\"{check}\"");
        assert!(metrics.shows(SET_UP, &[&label]), "{check} is not shown");
        assert_eq!(metrics.sum(SET_UP, &[&label]), ok, "{check}");
    }
}

/// `SteadfastPanics` and `SteadfastDeadLetters`, and the lines that tell what became of the update.
#[tokio::test]
async fn a_step_that_panics_is_counted_and_its_letter_has_the_trace_of_the_update() {
    let api = BotApi::start();
    let server = chain_bot::set_up(Setup::memory(&api)).start().await;
    let poison = Update::text(someone(), "/burst");
    let mut traces = Vec::new();
    for status in TRIES {
        let answer = post(server.webhook(), &poison).await.expect("an answer");
        assert_eq!(answer.status, status);
        traces.push(answer.header("x-trace-id").to_owned());
    }
    let metrics = server.metrics().await;
    let panics = ["steadfast_panics_total", "steadfast_handler_panics_total"];
    for name in panics {
        assert_eq!(metrics.sum(name, &[]), TRIES.len() as f64, "{name}");
    }
    assert_eq!(letters(&server, "update", "failed").await, 1.0);
    let letter = server.until_logged("an update was put aside as a dead letter");
    assert_eq!(traces, [letter.await["trace"].as_str().expect("a trace"); 3]);
}

#[tokio::test]
async fn a_letter_of_a_message_has_the_trace_of_the_update_that_caused_it() {
    let api = BotApi::start();
    let server = Setup::memory(&api).start().await;
    api.plan([Reply::Fail(400)]);
    let answer = post(server.webhook(), &Update::photo(someone())).await;
    let trace = answer.expect("an answer").header("x-trace-id").to_owned();
    let letter = server.until_logged("an effect was put aside as a dead letter");
    assert_eq!(letter.await["trace"], trace.as_str());
    until("it is counted", async || {
        (letters(&server, "effect", "refused").await == 1.0).then_some(())
    })
    .await;
}

/// How many dead letters of this kind were written for this reason.
async fn letters(server: &Server, kind: &str, reason: &str) -> f64 {
    let labels = [format!("kind=\"{kind}\""), format!("reason=\"{reason}\"")];
    let labels = labels.each_ref().map(String::as_str);
    let metrics = server.metrics().await;
    metrics.sum("steadfast_dead_letters_total", &labels)
}
