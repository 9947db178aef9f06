//! A place among the replicas: always the same addresses, and one process after the other.

use std::net::SocketAddr;

use crate::support::port::Port;
use crate::support::server::{Server, Setup};

use super::telegram::Telegram;

/// A place among the replicas.
#[derive(Debug)]
pub(super) struct Replica {
    place: usize,
    setup: Setup,
    /// Which process this is.
    life: usize,
    pub(super) webhook: SocketAddr,
    pub(super) ops: SocketAddr,
    server: Option<Server>,
}

impl Replica {
    /// A place nobody is in yet.
    pub(super) fn new(place: usize, setup: &Setup) -> Self {
        let [webhook, ops] = [(); 2].map(|()| Port::hold_for_good());
        let [webhook, ops] = [webhook, ops].map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        Self {
            place,
            setup: setup
                .clone()
                .with("LISTEN_ADDR", &webhook.to_string())
                .with("OPS_ADDR", &ops.to_string()),
            life: 0,
            webhook,
            ops,
            server: None,
        }
    }

    /// The name by which Telegram knows this process.
    pub(super) fn name(&self) -> String {
        format!("replica-{}-{}", self.place, self.life)
    }

    /// Starts the next process and waits until it is ready.
    pub(super) async fn start(&mut self, telegram: &Telegram) {
        self.life += 1;
        let url = telegram.url(&self.name());
        let setup = self.setup.clone().with("TELEGRAM_API_URL", &url);
        self.server = Some(setup.start_in_a_crowd().await);
    }

    /// The process, which runs.
    pub(super) fn server(&self) -> &Server {
        self.server.as_ref().expect("a process")
    }

    /// Takes the process away, to be ended.
    pub(super) fn leave(&mut self) -> Server {
        self.server.take().expect("a process")
    }
}
