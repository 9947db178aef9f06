//! What one update costs, beside a limit measured in the same run: `cargo bench --bench updates`.
//!
//! Each update moves a dialogue of the photo flow and is replied to. The bots take turns, round by round, so that whatever
//! else the machine does meets all of them; the figures are medians of the rounds. What counts is the processor time per
//! update, the bot's and its Redis's together: updates per second depend on how many cores are free. The last column
//! compares updates per CPU second with those of the bare handler (`bed/limit.rs`) in the same round.
//!
//! The server runs as it is deployed: a JSON line per update and per transition, to a file. `redis-paced` is the same with
//! paces of the chats that are asked for every message but never met, `redis-quiet` the same at `RUST_LOG=warn`, `redis-aof` with Redis
//! writing to disk every second; `redis` has no persistence, as the limit's has none. `limit-cores` is the limit with a thread per core,
//! as `#[tokio::main]` has it; the other one has as many threads as the server.
//!
//! `BENCH_SECONDS` (of one bot in one round), `BENCH_ROUNDS`, `BENCH_PEOPLE` and `BENCH_AT_ONCE` change the size; names after
//! `--` choose the bots: `cargo bench --bench updates -- limit redis`. `BENCH_OTHER` names another build of the server, to be
//! compared with this one as `redis-other`.

#![allow(missing_docs, unreachable_pub, reason = "nobody links against a bench")]

#[allow(dead_code, reason = "each bench uses its part of it")]
mod bed;

use std::sync::Arc;
use std::time::Duration;

use bed::bot_api::BotApi;
use bed::contender::{Contender, OTHER};
use bed::crowd::Crowd;
use bed::redis_server::RedisServer;
use bed::round::Round;
use bed::table::{median, percentiles};
use bed::{limit, setting, table};

/// Paces of the chats that are asked for every message but never met. A pace of the whole bot would hold up what is measured.
const PACES: &str = "chat=1000000/s,group=1000000/m";

/// So many that each says something every other second, which is more than people do. A tenth of them would come to have 256 updates
/// in mind each, as many as are remembered, within the first rounds.
const PEOPLE: u64 = 10_000;

/// What the others are compared with.
const LIMIT: &str = "limit";

/// The bots, in the order of the table.
const BOTS: [&str; 9] = [
    LIMIT,
    "limit-cores",
    "redis",
    "redis-paced",
    "redis-other",
    "redis-quiet",
    "redis-aof",
    "memory",
    "embedded",
];

fn main() {
    limit::serve_if_asked();
    let Some(names) = bed::arguments() else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(run(&names));
}

async fn run(names: &[String]) {
    let api = BotApi::start().await.expect("a free port");
    let crowd = Crowd {
        api: api.clone(),
        people: setting("BENCH_PEOPLE", PEOPLE),
        at_once: setting("BENCH_AT_ONCE", 100),
        next_update: Arc::default(),
    };
    let time = Duration::from_secs_f64(setting("BENCH_SECONDS", 4.0));
    let rounds = setting("BENCH_ROUNDS", 5);
    let mut bots = Vec::new();
    for name in BOTS {
        let can = name != "redis-other" || std::env::var_os(OTHER).is_some();
        if can && (names.is_empty() || names.iter().any(|chosen| chosen == name)) {
            bots.push((start(name, &api).await, Vec::new()));
        }
    }
    println!(
        "{} people, {} at once; {rounds} rounds of {time:?} each\n",
        crowd.people, crowd.at_once
    );
    for (bot, _) in &bots {
        crowd.talk(bot.door, time / 4).await;
    }
    for _ in 0..rounds {
        for (bot, rounds) in &mut bots {
            rounds.push(Round::of(bot, &crowd, time).await);
        }
    }
    report(&bots);
}

async fn start(name: &'static str, api: &BotApi) -> Contender {
    let redis = |settings: &[&str]| Some(RedisServer::start(settings));
    let local = [("STORE", name)];
    let (redis, variables): (_, &[_]) = match name {
        LIMIT | "limit-cores" => {
            return Contender::limit(name, api, RedisServer::start::<&str>(&[]));
        }
        "redis" | "redis-other" => (redis(&[]), &[]),
        "redis-paced" => (redis(&[]), &[("TELEGRAM_LIMITS", PACES)]),
        "redis-quiet" => (redis(&[]), &[("RUST_LOG", "warn")]),
        "redis-aof" => (redis(&["--appendonly", "yes"]), &[]),
        _ => (None, &local),
    };
    Contender::server(name, api, redis, variables).await
}

fn report(bots: &[(Contender, Vec<Round>)]) {
    let limit = bots.iter().find(|(bot, _)| bot.name == LIMIT);
    let rows: Vec<_> = bots
        .iter()
        .map(|(bot, rounds)| row(bot, rounds, limit.map(|(_, rounds)| &rounds[..])))
        .collect();
    let header = [
        "bot",
        "updates/s",
        "CPU µs bot",
        "CPU µs Redis",
        "updates per CPU s",
        "of limit",
        "acknowledged p50 / p95 / p99 / max ms",
        "replied p50 / p95 / p99 / max ms",
        "RSS MiB",
        "ready ms",
        "lost",
    ];
    table::print(&header, &rows);
}

fn row(bot: &Contender, rounds: &[Round], limit: Option<&[Round]>) -> Vec<String> {
    let of = |figure: &dyn Fn(&Round) -> f64| median(rounds.iter().map(figure));
    let ratio = limit.map(|limit| {
        let pairs = rounds.iter().zip(limit);
        median(pairs.map(|(ours, limit)| ours.per_cpu_second() / limit.per_cpu_second()))
    });
    let whole = Round::talk_of(rounds);
    vec![
        bot.name.to_owned(),
        format!("{:.0}", of(&Round::per_second)),
        format!("{:.0}", of(&Round::bot_micros)),
        format!("{:.0}", of(&Round::redis_micros)),
        format!("{:.0}", of(&Round::per_cpu_second)),
        ratio.map_or_else(String::new, |ratio| format!("{:.0} %", ratio * 100.0)),
        percentiles(&whole.acknowledged),
        percentiles(&whole.replied),
        format!("{:.0}", bot.resident_mib()),
        format!("{:.0}", bot.started_in.as_secs_f64() * 1000.0),
        whole.lost.to_string(),
    ]
}
