//! How an answer opens: Telegram reads its first line more strictly than hyper does. A code ends with a space, and whatever comes
//! before the answer is taken for it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// As far as a first line is looked at.
const MOST_BYTES: usize = 8 * 1024;

/// Whether an answer is waited for of which nothing was read yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Awaited(Arc<AtomicBool>);

impl Awaited {
    /// A request is about to be written.
    pub(super) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A connection whose answers are judged by their first lines.
#[derive(Debug)]
pub(super) struct Opening<S> {
    stream: S,
    awaited: Awaited,
    /// What was read of a first line that is not whole yet.
    line: Option<Vec<u8>>,
}

impl<S> Opening<S> {
    /// This connection, which hears there when an answer is to come.
    pub(super) fn new(stream: S, awaited: Awaited) -> Self {
        Self { stream, awaited, line: None }
    }

    /// Takes what was read; an error once it is a first line that Telegram does not take.
    fn judge(&mut self, read: &[u8]) -> io::Result<()> {
        if self.awaited.0.swap(false, Ordering::Relaxed) {
            self.line = Some(Vec::new());
        }
        let Some(line) = &mut self.line else {
            return Ok(());
        };
        let end = read.iter().position(|it| *it == b'\n');
        line.extend_from_slice(&read[..end.unwrap_or(read.len())]);
        if end.is_none() && line.len() < MOST_BYTES {
            return Ok(());
        }
        let line = self.line.take().unwrap_or_default();
        complaint(&String::from_utf8_lossy(&line)).map_or(Ok(()), |it| Err(io::Error::other(it)))
    }
}

/// What is wrong with a first line, in the words of `getWebhookInfo`. What is no HTTP at all is left to hyper.
fn complaint(line: &str) -> Option<String> {
    let said = line.trim_end_matches('\r').strip_prefix("HTTP/1.")?;
    let (_, said) = said.split_once(' ').unwrap_or_default();
    match said.split_once(' ') {
        None => Some("Bad Request".to_owned()),
        Some((code, _)) if code.starts_with('1') => {
            Some(format!("Wrong response from the webhook: {said}"))
        }
        Some(_) => None,
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Opening<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
        Poll::Ready(self.judge(&into.filled()[before..]))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Opening<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
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
    use super::*;

    #[test]
    fn a_first_line_is_judged_once_it_is_whole_and_nothing_after_it() {
        let awaited = Awaited::default();
        let mut opening = Opening::new((), awaited.clone());
        for _ in 0..2 {
            awaited.begin();
            for read in ["HTTP/1.1 2", "00 OK\r", "\nX: HTTP/1.1 100\n", "HTTP/1.1 100\n"] {
                assert!(opening.judge(read.as_bytes()).is_ok(), "{read}");
            }
        }
        awaited.begin();
        assert!(opening.judge(b"HTTP/1.1 10").is_ok());
        assert!(opening.judge(b"0 Continue\r\n\r\n").is_err());
    }

    #[test]
    fn what_is_no_http_is_left_to_others() {
        for line in ["", "hello", "HTTP/2 200", "HTTP/1.1 200 \r", "HTTP/1.0 404 Not Found"] {
            assert_eq!(complaint(line), None, "{line}");
        }
        for line in ["HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 200", "HTTP/1.0 200\r"] {
            assert_eq!(complaint(line).as_deref(), Some("Bad Request"), "{line}");
        }
    }
}
