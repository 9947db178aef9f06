//! The limit: a bare handler that does what cannot be left out, and promises nothing.
//!
//! It parses the update with teloxide-core, makes two plain round trips to Redis on a multiplexed connection, and sends the
//! reply with teloxide-core's own client over kept-alive connections. No secret, no duplicates, no races, no retries, no order,
//! no metrics, no log. It works with as many threads as the server it is compared with.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use bytes::Bytes;
use redis::aio::MultiplexedConnection;
use teloxide_core::Bot;
use teloxide_core::payloads::SendMessageSetters as _;
use teloxide_core::requests::Requester as _;
use teloxide_core::types::{
    InlineKeyboardButton, InlineKeyboardMarkup, Message, Update, UpdateKind,
};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use super::contender::{PATH, THREADS, TOKEN};
use super::setting;
use super::update::FILE_ID;

/// The first argument that makes a bench this.
pub const ARGUMENT: &str = "serve-limit";

/// Serves when this process was started to, and does not return then.
pub fn serve_if_asked() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [ARGUMENT, redis, api] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        runtime().block_on(serve(redis, api));
    }
}

/// With so many threads, or one, as the server has it.
fn runtime() -> Runtime {
    let threads = setting(THREADS, 1);
    let mut builder = match threads {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.worker_threads(threads).enable_all().build().expect("a runtime")
}

async fn serve(redis: &str, api: &str) {
    let client = redis::Client::open(redis).expect("an address");
    let redis = client.get_multiplexed_async_connection().await.expect("Redis is there");
    let bot = Bot::new(TOKEN).set_api_url(api.parse().expect("an address"));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    println!("{}", listener.local_addr().expect("its address"));
    let router = Router::new().route(PATH, post(receive)).with_state((redis, bot));
    axum::serve(listener, router).await.expect("served");
}

/// Stores a state for each of so many people.
pub async fn fill(redis: &str, first: u64, people: u64) {
    const AT_ONCE: usize = 1000;
    let client = redis::Client::open(redis).expect("an address");
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.expect("Redis is there");
    for start in (first..first + people).step_by(AT_ONCE) {
        let mut pipeline = redis::pipe();
        for person in start..(first + people).min(start + AT_ONCE as u64) {
            pipeline.set(key(person), caption()).ignore();
        }
        let stored: redis::RedisResult<()> = pipeline.query_async(&mut connection).await;
        stored.expect("it is stored");
    }
}

fn key(chat: impl std::fmt::Display) -> String {
    format!("dialogue:{chat}")
}

/// The state after a photo.
fn caption() -> String {
    format!(r#"{{"at":"caption","photos":["{FILE_ID}"]}}"#)
}

async fn receive(
    State((redis, bot)): State<(MultiplexedConnection, Bot)>,
    body: Bytes,
) -> StatusCode {
    let update = serde_json::from_slice::<Update>(&body).map(|update| update.kind);
    let Ok(UpdateKind::Message(message)) = update else {
        return StatusCode::BAD_REQUEST;
    };
    if step(redis, &message).await.is_err() || reply(&bot, &message).await.is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    StatusCode::OK
}

/// Loads the state and saves another.
async fn step(mut redis: MultiplexedConnection, message: &Message) -> redis::RedisResult<()> {
    let key = key(message.chat.id);
    let _: Option<Vec<u8>> = redis::cmd("GET").arg(&key).query_async(&mut redis).await?;
    let state = match message.photo() {
        Some(_) => caption(),
        None => r#"{"at":"shot"}"#.to_owned(),
    };
    redis::cmd("SET").arg(&key).arg(state).query_async(&mut redis).await
}

async fn reply(bot: &Bot, message: &Message) -> Result<(), teloxide_core::RequestError> {
    let chat = message.chat.id;
    match message.photo() {
        Some(_) => {
            let button = InlineKeyboardButton::callback("No caption", "none");
            bot.send_message(chat, "What shall the caption be?")
                .reply_markup(InlineKeyboardMarkup::new([[button]]))
                .await?
        }
        None => bot.send_message(chat, "Thank you! A photo with a caption.").await?,
    };
    Ok(())
}
