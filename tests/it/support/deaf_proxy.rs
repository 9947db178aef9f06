//! A TCP proxy that can lose what the server answers, after the server has done what it was asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// A proxy before a server on the loopback.
#[derive(Debug)]
pub(crate) struct DeafProxy {
    port: u16,
    loses: Arc<AtomicU8>,
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
}

impl DeafProxy {
    /// Listens, and passes everything on to this port.
    pub(crate) async fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let loses = Arc::new(AtomicU8::new(Loses::Nothing as u8));
        tokio::spawn(serve(listener, server, loses.clone()));
        Self { port, loses }
    }

    /// Its address, for Redis.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Loses the next answer in this way, and no other.
    pub(crate) fn lose_next(&self, what: Loses) {
        self.loses.store(what as u8, Ordering::SeqCst);
    }
}

async fn serve(listener: TcpListener, server: u16, loses: Arc<AtomicU8>) {
    while let Ok((client, _)) = listener.accept().await {
        let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else {
            continue;
        };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let asks = tokio::spawn(pass_on(from_client, to_server));
        let loses = loses.clone();
        tokio::spawn(async move {
            answer(from_server, to_client, &loses).await;
            asks.abort();
        });
    }
}

async fn pass_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    let _ = tokio::io::copy(&mut from, &mut to).await;
}

async fn answer(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, loses: &AtomicU8) {
    let mut buffer = vec![0; 64 * 1024];
    let mut is_deaf = false;
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let lost = loses.swap(Loses::Nothing as u8, Ordering::SeqCst);
        if lost == Loses::Connection as u8 {
            return;
        }
        is_deaf |= lost == Loses::Answer as u8;
        if !is_deaf && to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
