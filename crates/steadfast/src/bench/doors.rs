//! One address before several servers, as a proxy is: Telegram knows one address only.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

/// An address whose connections go to several servers in turn. It ends with this value.
#[derive(Debug)]
pub struct Doors {
    /// Where it is.
    pub address: SocketAddr,
    _serving: AbortOnDropHandle<()>,
}

impl Doors {
    /// Listens before these servers.
    pub async fn before(servers: Vec<String>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let serving = tokio::spawn(spread(listener, servers));
        Ok(Self { address, _serving: AbortOnDropHandle::new(serving) })
    }
}

/// Leads each connection to the next server.
async fn spread(listener: TcpListener, servers: Vec<String>) {
    let mut led = JoinSet::new();
    for server in servers.iter().cycle() {
        let Ok((mut here, _)) = listener.accept().await else {
            continue;
        };
        let server = server.clone();
        led.spawn(async move {
            let mut there = TcpStream::connect(server).await?;
            here.set_nodelay(true)?;
            there.set_nodelay(true)?;
            copy_bidirectional(&mut here, &mut there).await
        });
        while led.try_join_next().is_some() {}
    }
}
