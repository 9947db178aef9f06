//! What a call of the Bot API costs, by three clients: `cargo bench --bench clients`.
//!
//! `bot` is teloxide-core's own client, `reqwest` its payloads over a shared reqwest client, `ours` the same payloads over hyper, as
//! the server sends them. Each is this program once more, so that what is measured is the client's alone; the Bot API is here. They
//! take turns, round by round, and the figures are medians.
//!
//! `BENCH_SECONDS` (of one client in one round), `BENCH_ROUNDS` and `BENCH_AT_ONCE` change the size.

#![allow(missing_docs, unreachable_pub, reason = "nobody links against a bench")]

#[allow(dead_code, reason = "each bench uses its part of it")]
mod bed;

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bed::bot_api::BotApi;
use bed::contender::TOKEN;
use bed::table::median;
use bed::{process, setting, table};
use serde::Deserialize;
use steadfast::outbox::telegram::Telegram;
use teloxide_core::Bot;
use teloxide_core::payloads::SendMessage;
use teloxide_core::requests::{JsonRequest, Request as _};
use teloxide_core::types::ChatId;
use tokio::task::JoinSet;

/// The clients, in the order of the table.
const CLIENTS: [&str; 3] = ["bot", "reqwest", "ours"];

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [client, api, seconds, at_once] = &arguments[..]
        && let Ok(at_once) = at_once.parse()
    {
        let time = Duration::from_secs(seconds.parse().expect("a number of seconds"));
        return call_for(client, api, time, at_once);
    }
    if bed::arguments().is_some() {
        measure();
    }
}

#[tokio::main]
async fn measure() {
    let api = BotApi::start().await.expect("a free port");
    let mut costs = [const { Vec::new() }; CLIENTS.len()];
    for _ in 0..setting("BENCH_ROUNDS", 3) {
        for (costs, client) in costs.iter_mut().zip(CLIENTS) {
            costs.push(cost(client, &api.url()).await);
        }
    }
    let costs = costs.map(median);
    let row = |(client, cost): (&str, f64)| {
        let times = cost / costs[CLIENTS.len() - 1];
        vec![client.to_owned(), format!("{cost:.0}"), format!("{times:.1}")]
    };
    let rows: Vec<_> = CLIENTS.into_iter().zip(costs).map(row).collect();
    table::print(&["client", "CPU µs per call", "times ours"], &rows);
}

/// The processor time of one call by this client, in microseconds.
async fn cost(client: &str, api: &str) -> f64 {
    let mut program = Command::new(std::env::current_exe().expect("this program's own path"));
    let (seconds, at_once) = (setting("BENCH_SECONDS", 2), setting("BENCH_AT_ONCE", 64));
    program.args([client, api, &seconds.to_string(), &at_once.to_string()]);
    let run = tokio::task::spawn_blocking(move || program.output()).await;
    let output = run.expect("it runs").expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.trim().parse().expect("what a call costs")
}

/// Calls as often as it can, so many calls at once, and says what one of them costs.
#[tokio::main]
async fn call_for(client: &str, api: &str, time: Duration, at_once: u64) {
    let client = Arc::new(Client::new(client, api));
    client.call(1).await;
    let (start, before) = (Instant::now(), process::cpu(std::process::id()));
    let mut callers = JoinSet::new();
    for chat in 0..at_once {
        let client = Arc::clone(&client);
        callers.spawn(async move {
            let mut calls = 0_u32;
            while start.elapsed() < time {
                client.call(chat).await;
                calls += 1;
            }
            calls
        });
    }
    let calls: u32 = callers.join_all().await.into_iter().sum();
    let spent = process::cpu(std::process::id()) - before;
    println!("{}", spent.as_secs_f64() * 1e6 / f64::from(calls));
}

enum Client {
    Bot(Bot),
    Reqwest(reqwest::Client, String),
    Ours(Telegram),
}

impl Client {
    fn new(name: &str, api: &str) -> Self {
        match name {
            "bot" => Self::Bot(Bot::new(TOKEN).set_api_url(api.parse().expect("an address"))),
            "reqwest" => {
                let url = format!("{api}/bot{TOKEN}/SendMessage");
                Self::Reqwest(reqwest::Client::new(), url)
            }
            _ => Self::Ours(Telegram::new(api, &TOKEN.into())),
        }
    }

    /// Sends a message, and sees that it was taken.
    async fn call(&self, chat: u64) {
        #[derive(Deserialize)]
        struct Envelope {
            ok: bool,
        }
        let chat = ChatId(i64::try_from(chat).expect("a chat"));
        let payload = SendMessage::new(chat, "What shall the caption be?");
        let taken = match self {
            Self::Bot(bot) => JsonRequest::new(bot.clone(), payload).send().await.is_ok(),
            Self::Reqwest(client, url) => {
                let body = serde_json::to_vec(&payload).expect("a payload is plain data");
                let post = client.post(url).header("content-type", "application/json");
                let answer = post.body(body).send().await.expect("an answer");
                let body = answer.bytes().await.expect("a body");
                serde_json::from_slice::<Envelope>(&body).is_ok_and(|envelope| envelope.ok)
            }
            Self::Ours(telegram) => telegram.call(&payload).await.is_ok(),
        };
        assert!(taken, "the message was taken");
    }
}
