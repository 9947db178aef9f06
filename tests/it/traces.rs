//! Trace ids: the lines about one update are found together, whoever writes them.

use serde_json::{Value, json};
use steadfast::telemetry;

use crate::support::bot_api::BotApi;
use crate::support::ears::Ears;
use crate::support::redis_server::RedisServer;
use crate::support::server::{Setup, logged};
use crate::support::stage::{ANN, Stage};
use crate::support::updates::{Update, post, someone};
use crate::support::world::{ASKED, World};

#[tokio::test]
async fn an_update_its_transition_and_its_reply_have_one_trace() {
    let api = BotApi::start();
    let setup = Setup::memory(&api).with("RUST_LOG", "steadfast=debug");
    let mut world = World::raise(api, setup, 1).await;
    let user = someone();
    let update = Update::photo(user);
    let door = world.servers[0].webhook();
    let answer = post(door, &update).await.expect("an answer");
    let trace = answer.header("x-trace-id").to_owned();
    world.api.until_said(user, ASKED).await;
    let again = post(door, &update).await.expect("an answer");
    assert_eq!(again.header("x-trace-id"), trace, "a redelivery is the same");
    world.deliver(Update::text(user, "a caption")).await;
    world.told(user).await;
    let log = world.servers.remove(0).stop().await;
    let of_trace = |message: &str| {
        let lines = logged(&log, message).filter(|line| line["trace"] == trace.as_str());
        lines.collect::<Vec<Value>>()
    };
    assert_eq!(trace.len(), 16);
    assert_eq!(of_trace("update received").len(), 2);
    let ended = of_trace("update");
    let outcomes: Vec<_> = ended.iter().map(|line| line["outcome"].clone()).collect();
    assert_eq!(outcomes, ["applied", "duplicate"]);
    for line in &ended {
        assert_eq!(line["update.id"], update.number(), "{line}");
        assert_eq!(line["kind"], "message", "{line}");
        assert_eq!((&line["chat.id"], &line["user.id"]), (&user.into(), &user.into()));
        assert!(line["duration_ms"].is_f64(), "{line}");
    }
    let transitions = of_trace("transition");
    assert_eq!(transitions.len(), 1);
    assert_eq!(transitions[0]["known"], true);
    let moved = ["update.id", "flow", "from", "to"].map(|field| &transitions[0][field]);
    assert_eq!(
        moved,
        [&json!(update.number()), &json!("photo"), &json!("start"), &json!("caption")]
    );
    assert!(!of_trace("an effect was carried out").is_empty());
    let left = logged(&log, "transition").find(|line| line["from"] == "caption");
    assert!(left.expect("the caption is left")["stood_ms"].is_u64());
}

/// What an ordinary update costs where nobody has asked for more.
#[tokio::test]
async fn at_info_an_update_has_a_line_in_one_per_transition_and_one_out() {
    let api = BotApi::start();
    let setup = Setup::memory(&api).with("RUST_LOG", "info");
    let mut world = World::raise(api, setup, 1).await;
    let user = someone();
    let update = Update::photo(user);
    world.deliver(update.clone()).await;
    world.api.until_said(user, ASKED).await;
    let log = world.servers.remove(0).stop().await;
    let lines = log.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let lines = lines.filter(|line| line["update.id"] == update.number());
    let lines: Vec<Value> = lines.collect();
    let messages: Vec<&Value> = lines.iter().map(|line| &line["message"]).collect();
    assert_eq!(messages, ["update received", "transition", "update"]);
    let told = |line: &Value| {
        ["trace", "kind", "input", "chat.id", "user.id"].map(|name| line[name].clone())
    };
    assert_eq!(told(&lines[0]), told(&lines[2]));
    assert!(told(&lines[0]).iter().all(|it| !it.is_null()), "{lines:?}");
}

/// No transcript has walked anything of this bot's.
#[tokio::test]
async fn a_transition_that_nobody_has_walked_is_flagged_and_counted() {
    let (ears, recorder) = (Ears::prick(), telemetry::recorder().expect("a recorder"));
    let _scope = metrics::set_default_local_recorder(&recorder);
    let stage = Stage::new().await;
    stage.say(&["/fragile"]).await;
    let lines = ears.lines();
    let mut lines = lines.iter().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let line = lines.find(|line| line["fields"]["message"] == "transition");
    let fields = &line.expect("a transition")["fields"];
    let told = ["chat.id", "user.id", "flow", "from", "to", "known"].map(|name| &fields[name]);
    let [chat, user] = [ANN.chat, ANN.user].map(|id| json!(id));
    let path = ["fragile", "start", "word"].map(|word| json!(word));
    assert_eq!(told[..2], [&chat, &user]);
    assert_eq!(told[2..5], path.each_ref());
    assert_eq!(told[5], &json!(false));
    let page = recorder.handle().render();
    let counted = "steadfast_transitions_unknown_total 1";
    assert!(page.lines().any(|line| line == counted), "{page}");
}

#[tokio::test]
async fn a_reply_that_another_replica_sends_has_the_trace_of_its_update() {
    let api = BotApi::start();
    let setup = Setup::redis(&api, RedisServer::shared());
    let mut world = World::raise(api, setup, 2).await;
    world.api.shut_door();
    let user = someone();
    let first = world.servers.remove(0);
    let answer = post(first.webhook(), &Update::photo(user)).await;
    let trace = answer.expect("an answer").header("x-trace-id").to_owned();
    first.kill();
    world.api.open_door();
    let sent = world.servers[0].until_logged("a reply was sent later").await;
    assert_eq!(sent["trace"], trace.as_str(), "{sent}");
    // It had given the lane back, or not yet.
    let source = &sent["source"];
    assert!(source == "sweep" || source == "takeover", "{sent}");
    world.api.until_said(user, ASKED).await;
}
