//! The socket to the webhook, which knows whether all that it was given is on its way.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Whether what was written last went out whole.
#[derive(Debug, Clone, Default)]
pub(super) struct Flushed(Arc<AtomicBool>);

impl Flushed {
    /// Whether it did.
    pub(super) fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Something is about to be written.
    pub(super) fn begin(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A socket.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    flushed: Flushed,
}

impl Wire {
    /// This socket, which says there how it fares.
    pub(super) fn new(stream: TcpStream, flushed: Flushed) -> Self {
        Self { stream, flushed }
    }
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        self.stream.connected()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        let is_whole = matches!(&written, Poll::Ready(Ok(count)) if *count == bytes.len());
        self.flushed.0.store(is_whole, Ordering::Relaxed);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    /// More than any system keeps for somebody who does not read.
    const MUCH: usize = 64 << 20;

    #[tokio::test]
    async fn what_is_written_to_somebody_who_does_not_read_has_not_gone_out() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let socket = TcpSocket::new_v4().expect("a socket");
        let (near, far) = tokio::join!(socket.connect(address), listener.accept());
        let flushed = Flushed::default();
        let mut wire = Wire::new(near.expect("a connection"), flushed.clone());
        flushed.begin();
        assert!(!flushed.is());
        wire.write_all(b"a request").await.expect("it is small");
        assert!(flushed.is());
        let much = vec![0; MUCH];
        let stuck =
            tokio::time::timeout(std::time::Duration::from_millis(50), wire.write_all(&much));
        assert!(stuck.await.is_err(), "nobody reads it");
        assert!(!flushed.is());
        let (mut far, _) = far.expect("a connection");
        tokio::spawn(
            async move { while far.read(&mut [0; 65_536]).await.is_ok_and(|it| it > 0) {} },
        );
        wire.write_all(b"the rest").await.expect("it is read now");
        assert!(flushed.is());
    }
}
