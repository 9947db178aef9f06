//! A TCP proxy that can lose what the server answers, after the server has done what it was asked, or what it is asked.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// A proxy before a server on the loopback.
#[derive(Debug)]
pub(crate) struct DeafProxy {
    port: u16,
    plan: Arc<Plan>,
}

/// What it is going to lose.
#[derive(Debug, Default)]
struct Plan {
    loses: AtomicU8,
    /// Where connections go that are made from now on.
    server: AtomicU16,
    /// What the request says whose answer is lost, and how.
    needle: Mutex<Option<(String, Loses)>>,
    has_lost: AtomicBool,
    /// How long it takes to bring a request.
    asks: Mutex<Duration>,
    /// How long it takes to bring an answer.
    takes: Mutex<Duration>,
}

/// What happens to the next answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Loses {
    /// It arrives.
    Nothing,
    /// It is lost, with all that follow on its connection, which stays open: callers wait in vain.
    Answer,
    /// It is lost together with the connection.
    Connection,
    /// There is none: the request is lost, with all that follow on its connection, which stays open.
    Request,
}

impl DeafProxy {
    /// Listens, and passes everything on to this port.
    pub(crate) async fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let plan = Arc::<Plan>::default();
        plan.server.store(server, Ordering::SeqCst);
        tokio::spawn(serve(listener, Arc::clone(&plan)));
        Self { port, plan }
    }

    /// Its port on the loopback.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its address, for Redis.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Passes connections that are made from now on to another port, as a name does that now stands for another server.
    pub(crate) fn leads_to(&self, server: u16) {
        self.plan.server.store(server, Ordering::SeqCst);
    }

    /// Loses the next answer in this way, and no other.
    pub(crate) fn lose_next(&self, what: Loses) {
        self.plan.loses.store(what as u8, Ordering::SeqCst);
    }

    /// Loses the answer to the next request that says this, or the request itself, and no other.
    pub(crate) fn lose_answer_to(&self, needle: &str, what: Loses) {
        self.plan.has_lost.store(false, Ordering::SeqCst);
        *self.plan.needle.lock().expect("the plan") = Some((needle.into(), what));
    }

    /// Takes its time with every request from now on.
    pub(crate) fn asks_after(&self, time: Duration) {
        *self.plan.asks.lock().expect("the plan") = time;
    }

    /// Takes its time with every answer from now on.
    pub(crate) fn takes(&self, time: Duration) {
        *self.plan.takes.lock().expect("the plan") = time;
    }

    /// Whether it was lost.
    pub(crate) fn has_lost(&self) -> bool {
        self.plan.has_lost.load(Ordering::SeqCst)
    }
}

impl Plan {
    /// A request comes; says whether it may pass.
    fn watch(&self, request: &[u8]) -> bool {
        let mut planned = self.needle.lock().expect("the plan");
        let says = |(needle, _): &mut (String, Loses)| {
            let mut windows = request.windows(needle.len());
            windows.any(|window| window == needle.as_bytes())
        };
        match planned.take_if(says) {
            Some((_, Loses::Request)) => {
                self.has_lost.store(true, Ordering::SeqCst);
                return false;
            }
            Some((_, what)) => self.loses.store(what as u8, Ordering::SeqCst),
            None => {}
        }
        true
    }

    /// An answer passes; says whether it may.
    fn next(&self) -> u8 {
        let lost = self.loses.swap(Loses::Nothing as u8, Ordering::SeqCst);
        self.has_lost.fetch_or(lost != Loses::Nothing as u8, Ordering::SeqCst);
        lost
    }
}

async fn serve(listener: TcpListener, plan: Arc<Plan>) {
    while let Ok((client, _)) = listener.accept().await {
        let server = plan.server.load(Ordering::SeqCst);
        let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else {
            continue;
        };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let asks = tokio::spawn(pass_on(from_client, to_server, Arc::clone(&plan)));
        let plan = Arc::clone(&plan);
        tokio::spawn(async move {
            answer(from_server, to_client, &plan).await;
            asks.abort();
        });
    }
}

async fn pass_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, plan: Arc<Plan>) {
    let mut buffer = vec![0; 64 * 1024];
    let mut is_mute = false;
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        is_mute |= !plan.watch(&buffer[..length]);
        dawdle(&plan.asks).await;
        if !is_mute && to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn answer(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, plan: &Plan) {
    let mut buffer = vec![0; 64 * 1024];
    let mut is_deaf = false;
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        dawdle(&plan.takes).await;
        let lost = plan.next();
        if lost == Loses::Connection as u8 {
            return;
        }
        is_deaf |= lost == Loses::Answer as u8;
        if !is_deaf && to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn dawdle(time: &Mutex<Duration>) {
    let time = *time.lock().expect("the plan");
    // Even no time at all takes a millisecond.
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}
