//! A webhook that answers what a test tells it, and shows what came to the byte.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::support::patience::LONG;

/// A webhook on the loopback.
#[derive(Debug)]
pub(super) struct Receiver {
    pub(super) address: SocketAddr,
    visits: mpsc::UnboundedReceiver<Visit>,
}

/// A request that waits for its answer; dropped, the connection is closed.
#[derive(Debug)]
pub(super) struct Visit {
    /// The request line and the headers.
    pub(super) head: String,
    pub(super) body: String,
    /// Which connection it came by.
    pub(super) connection: usize,
    answer: oneshot::Sender<(Vec<u8>, Then)>,
}

/// What becomes of a connection after an answer.
#[derive(Debug, PartialEq, Eq)]
enum Then {
    Stays,
    Closes,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    pub(super) async fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let (sender, visits) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            for connection in 0.. {
                let Ok((stream, _)) = listener.accept().await else {
                    return;
                };
                tokio::spawn(serve(stream, connection, sender.clone()));
            }
        });
        Self { address, visits }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook?a=b", self.address)
    }

    /// The next request.
    pub(super) async fn next(&mut self) -> Visit {
        let next = timeout(LONG, self.visits.recv()).await;
        next.expect("a request").expect("a receiver")
    }

    /// The next request that is already there.
    pub(super) fn ready(&mut self) -> Option<Visit> {
        self.visits.try_recv().ok()
    }

    /// Takes the next so many and answers each with 200; answers their updates.
    pub(super) async fn take(&mut self, count: usize) -> Vec<Value> {
        let mut taken = Vec::new();
        for _ in 0..count {
            let visit = self.next().await;
            taken.push(visit.json());
            visit.answer(200);
        }
        taken
    }
}

impl Visit {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("an update")
    }

    pub(super) fn id(&self) -> i64 {
        self.json()["update_id"].as_i64().expect("its number")
    }

    pub(super) fn answer(self, status: u16) {
        self.answer_with(status, &[], "");
    }

    pub(super) fn answer_with(self, status: u16, headers: &[&str], body: &str) {
        self.answer_bytes(status, headers, body.as_bytes());
    }

    pub(super) fn answer_bytes(self, status: u16, headers: &[&str], body: &[u8]) {
        let mut head =
            format!("HTTP/1.1 {status} Some Reason\r\nContent-Length: {}\r\n", body.len());
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        let whole = [head.as_bytes(), b"\r\n", body].concat();
        let _ = self.answer.send((whole, Then::Stays));
    }

    pub(super) fn answer_raw(self, answer: String) {
        let _ = self.answer.send((answer.into_bytes(), Then::Stays));
    }

    /// Says this, whole or not, and closes the connection.
    pub(super) fn break_off(self, answer: &str) {
        let _ = self.answer.send((answer.into(), Then::Closes));
    }

    /// Answers that it was taken, and asks for a method.
    pub(super) fn call(self, method: &Value) {
        let kind = "Content-Type: application/json";
        self.answer_with(200, &[kind], &method.to_string());
    }
}

async fn serve(
    mut stream: TcpStream,
    connection: usize,
    visits: mpsc::UnboundedSender<Visit>,
) -> Option<()> {
    let mut read = Vec::new();
    loop {
        let end = loop {
            if let Some(at) = read.windows(4).position(|it| it == b"\r\n\r\n") {
                break at + 4;
            }
            more(&mut stream, &mut read).await?;
        };
        let head = String::from_utf8_lossy(&read[..end]).into_owned();
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
        let length: usize = length?.parse().ok()?;
        while read.len() < end + length {
            more(&mut stream, &mut read).await?;
        }
        let body = String::from_utf8_lossy(&read[end..end + length]).into_owned();
        read.drain(..end + length);
        let (answer, answered) = oneshot::channel();
        let visit = Visit { head, body, connection, answer };
        visits.send(visit).ok()?;
        let (answer, then) = answered.await.ok()?;
        stream.write_all(&answer).await.ok()?;
        if then == Then::Closes {
            return None;
        }
    }
}

async fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<()> {
    let count = stream.read_buf(read).await.ok()?;
    (count > 0).then_some(())
}
