//! What the emulator itself costs: `cargo bench --bench emulator`.
//!
//! Many people write to a webhook that only takes what comes and asks for a reply in its answer, as fast as that goes. Each message
//! is put into a chat and a queue, delivered by HTTP, acknowledged, and answered.
//!
//! `BENCH_PEOPLE` and `BENCH_MESSAGES` change the size.

#![allow(missing_docs, unreachable_pub, reason = "nobody links against a bench")]

#[allow(dead_code, reason = "each bench uses its part of it")]
mod bed;

use std::time::{Duration, Instant};

use axum::routing::post;
use axum::{Json, Router};
use bed::{process, setting, table};
use serde_json::{Value, json};
use steadfast::emulator::{Emulator, Options, Webhook};
use tokio::net::TcpListener;

fn main() {
    if bed::arguments().is_some() {
        measure();
    }
}

#[tokio::main]
async fn measure() {
    let (people, messages) = (setting("BENCH_PEOPLE", 1_000), setting("BENCH_MESSAGES", 20_000));
    let emulator = Emulator::open(Options::default()).expect("an emulator");
    emulator.set_webhook(Some(Webhook::at(&webhook().await)), &[]);
    let people: Vec<i64> =
        (0..people).map(|number| emulator.person(&format!("Person {number}")).id).collect();
    let began = Instant::now();
    for number in 0..messages {
        let from = people[number % people.len()];
        emulator.say(from, "hello").expect("a message");
    }
    let queued = began.elapsed();
    while emulator.pending() > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let (whole, own) = (began.elapsed(), std::process::id());
    let each = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1e6 / messages as f64);
    let row = vec![
        messages.to_string(),
        each(queued),
        each(whole),
        each(process::cpu(own)),
        format!("{:.0}", process::resident_mib(own)),
    ];
    table::print(&["messages", "queued, µs", "taken, µs", "CPU, µs", "MiB"], &[row]);
}

/// Takes everything, and asks to reply.
async fn webhook() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let taken = async |Json(update): Json<Value>| {
        let chat = &update["message"]["chat"]["id"];
        Json(json!({ "method": "sendMessage", "chat_id": chat, "text": "Hello!" }))
    };
    let routes = Router::new().route("/", post(taken));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://{address}/")
}
