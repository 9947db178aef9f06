//! A port that nobody else is given.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// Bound, and never listened on: whoever knows its number may listen there, the system gives it to nobody, and as long as nobody
/// listens, who connects is refused at once. A child that was just forked has it too, and is in nobody's way.
#[derive(Debug)]
pub(crate) struct Port {
    number: u16,
    _socket: TcpSocket,
}

impl Port {
    /// Holds one for as long as this lives.
    pub(crate) fn hold() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("a socket");
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        socket.bind(loopback).expect("a free port");
        Self { number: socket.local_addr().expect("its address").port(), _socket: socket }
    }

    /// Holds one for as long as this process lives.
    pub(crate) fn hold_for_good() -> u16 {
        let port = Self::hold();
        let number = port.number;
        std::mem::forget(port);
        number
    }

    pub(crate) fn number(&self) -> u16 {
        self.number
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.number).into()
    }
}
