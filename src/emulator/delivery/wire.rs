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
