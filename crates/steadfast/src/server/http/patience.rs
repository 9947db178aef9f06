//! A stream that loses patience with a peer that is slow to send a header, or does not read what is sent to it.
//!
//! hyper's own `header_read_timeout` also runs while a kept-alive connection waits for its next request, so it cannot
//! be short for slow headers and long for idle connections at once. It is the long one; this is the short one.
//! For writing hyper has no limit at all.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

const READING: u8 = 0;
const SERVING: u8 = 1;
const IDLE: u8 = 2;

/// What a connection is doing: reading a header (as it does when new), serving a request, or idle.
#[derive(Debug, Clone, Default)]
pub(super) struct Phase(Arc<AtomicU8>);

/// As long as this lives, a request is being served.
#[derive(Debug)]
pub(super) struct Serving(Phase);

impl Phase {
    /// A header is complete.
    pub(super) fn serving(&self) -> Serving {
        self.set(SERVING);
        Serving(self.clone())
    }

    fn set(&self, phase: u8) {
        self.0.store(phase, Ordering::Relaxed);
    }

    fn get(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.set(IDLE);
    }
}

/// The stream.
#[derive(Debug)]
pub(super) struct Patient<I> {
    inner: I,
    phase: Phase,
    limit: Duration,
    deadline: Pin<Box<Sleep>>,
    write_limit: Duration,
    /// Until when the peer has to take something: there while it takes nothing.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<I> Patient<I> {
    /// Gives the first header `limit` from now, and each later one from its first byte; gives what is written `write_limit`
    /// to get on.
    pub(super) fn new(inner: I, phase: Phase, limit: Duration, write_limit: Duration) -> Self {
        Self { inner, phase, limit, deadline: Box::pin(sleep(limit)), write_limit, stuck: None }
    }

    /// What became of writing, unless the peer has taken nothing for too long.
    fn hurry<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let limit = self.write_limit;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(stuck.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Patient<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.inner).poll_read(cx, buf);
        match (self.phase.get(), read) {
            (READING, Poll::Pending) => {
                ready!(self.deadline.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            (IDLE, Poll::Ready(done)) => {
                let deadline = Instant::now() + self.limit;
                self.deadline.as_mut().reset(deadline);
                self.phase.set(READING);
                Poll::Ready(done)
            }
            (_, read) => read,
        }
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Patient<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, buf);
        self.hurry(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, bufs);
        self.hurry(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.inner).poll_flush(cx);
        self.hurry(written, cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let written = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.hurry(written, cx)
    }
}
