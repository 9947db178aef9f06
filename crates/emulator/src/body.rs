//! A body in parts, which can break off, or go on for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// A body whose parts come from elsewhere; an error cuts the connection.
#[derive(Debug)]
pub(super) struct Parts(pub(super) mpsc::Receiver<io::Result<Bytes>>);

impl Parts {
    /// These parts, and no more.
    pub(super) fn of<const N: usize>(parts: [io::Result<Bytes>; N]) -> Self {
        let (sender, receiver) = mpsc::channel(N.max(1));
        for part in parts {
            // There is room for each.
            let _ = sender.try_send(part);
        }
        Self(receiver)
    }
}

impl Body for Parts {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let part = self.0.poll_recv(context);
        part.map(|part| part.map(|part| part.map(Frame::data)))
    }
}
