//! One side of a kept-alive HTTP/1.1 connection, just enough for peers that are known. It is made for costing little: what
//! measures shares its cores with what is measured.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One side of a connection.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// How much of the buffer was given out by the last [`Wire::next`].
    given: usize,
}

/// A request or an answer.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// The first line and the headers.
    pub head: &'a str,
    /// What follows them.
    pub body: &'a [u8],
}

impl Wire {
    /// Speaks over this stream.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(4096), given: 0 })
    }

    /// Sends a whole message.
    pub async fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.stream.write_all(message).await
    }

    /// The next message; none when the peer has closed.
    pub async fn next(&mut self) -> io::Result<Option<Message<'_>>> {
        self.buffer.drain(..self.given);
        self.given = 0;
        loop {
            if let Some((head, whole)) = measure(&self.buffer)
                && self.buffer.len() >= whole
            {
                self.given = whole;
                let (head, body) = self.buffer[..whole].split_at(head);
                let head = std::str::from_utf8(head).map_err(io::Error::other)?;
                return Ok(Some(Message { head, body }));
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

impl Message<'_> {
    /// The status of an answer.
    pub fn status(&self) -> u16 {
        let status = self.head.split(' ').nth(1);
        status.and_then(|status| status.parse().ok()).unwrap_or(0)
    }
}

/// The length of the header, once it is complete, and of the whole message.
fn measure(bytes: &[u8]) -> Option<(usize, usize)> {
    let head = 4 + bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let lines = std::str::from_utf8(&bytes[..head]).ok()?.lines();
    let body = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, length)| length.trim().parse::<usize>().ok());
    Some((head, head + body.unwrap_or(0)))
}
