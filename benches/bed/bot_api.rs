//! A Bot API that takes every message and tells whoever waits for it. Not the emulator, which does far more per call than the bot: its
//! cost would be in every figure.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::wire::Wire;

/// Who waits for a message to which chat.
type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Instant>>>>;

/// A Bot API that takes every message.
#[derive(Debug, Clone)]
pub struct BotApi {
    address: SocketAddr,
    waiting: Waiting,
}

impl BotApi {
    /// Starts it on a free port.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let api = Self { address: listener.local_addr()?, waiting: Waiting::default() };
        let waiting = Arc::clone(&api.waiting);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // An error is the end of a bot, which is not the Bot API's concern.
                tokio::spawn(serve(stream, Arc::clone(&waiting)));
            }
        });
        Ok(api)
    }

    /// Its address, as a bot is told it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The moment of the next message to this chat.
    pub fn next_to(&self, chat: u64) -> oneshot::Receiver<Instant> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.waiting).insert(chat, sender);
        receiver
    }
}

async fn serve(stream: TcpStream, waiting: Waiting) -> io::Result<()> {
    let mut wire = Wire::new(stream)?;
    while let Some(call) = wire.next().await? {
        let chat = chat(call.body);
        let came = Instant::now();
        wire.send(&answer(chat.unwrap_or_default())).await?;
        if let Some(waiter) = chat.and_then(|chat| lock(&waiting).remove(&chat)) {
            let _ = waiter.send(came);
        }
    }
    Ok(())
}

/// The chat of a `sendMessage`; none for other calls.
fn chat(body: &[u8]) -> Option<u64> {
    let name = b"\"chat_id\":";
    let at = name.len() + body.windows(name.len()).position(|window| window == name)?;
    let digits = body[at..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

fn answer(chat: u64) -> Vec<u8> {
    let body = format!(
        r#"{{"ok":true,"result":{{"message_id":7,"from":{{"id":1,"is_bot":true,"first_name":"Bench","username":"bench_bot"}},"chat":{{"id":{chat},"first_name":"Anna","type":"private"}},"date":1760000000,"text":"Taken."}}}}"#
    );
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
