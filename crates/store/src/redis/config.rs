//! How to reach a Redis.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{
    Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, RedisResult, TlsCertificates,
};

use super::fault::Fault;
use crate::Limits;

/// When a silent peer is asked whether it is still there, and when it counts as gone.
const TCP_PATIENCE: Duration = Duration::from_secs(5);

/// How to reach a Redis, and under which names to keep things there. Never prints the password.
#[derive(Clone)]
pub struct RedisConfig {
    /// `redis://` or `rediss://`, with user, password and database as needed.
    pub url: String,
    /// The authority that signed the server's certificate, as PEM. None: one that browsers trust.
    pub root_cert: Option<Vec<u8>>,
    /// What all keys begin with; tells bots apart.
    pub prefix: String,
    /// The longest time a call may take, reconnecting included.
    pub call_timeout: Duration,
    /// The paces to keep to; all replicas should have the same.
    pub limits: Limits,
    /// Moves the store's clock, in ms. For tests.
    pub clock_offset: Arc<AtomicI64>,
}

impl RedisConfig {
    /// The usual settings for this server and prefix.
    pub fn new(url: impl Into<String>, prefix: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            root_cert: None,
            prefix: prefix.into(),
            call_timeout: Duration::from_secs(2),
            limits: Limits::default(),
            clock_offset: Arc::default(),
        }
    }

    /// Whether this is the address of a Redis, as far as can be told without asking there.
    pub fn is_address(url: &str) -> bool {
        Self::new(url, "").info().is_ok()
    }

    /// A client for this server; does not connect yet.
    pub(super) fn client(&self) -> Result<Client, Fault> {
        let info = self.info()?.set_tcp_settings(tcp_settings());
        let client = match info.addr() {
            ConnectionAddr::TcpTls { .. } => self.tls_client(info),
            _ => Client::open(info),
        };
        client.map_err(|error| Fault::of(&error))
    }

    fn tls_client(&self, info: ConnectionInfo) -> RedisResult<Client> {
        // Fails only where one is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let certificates = TlsCertificates { client_tls: None, root_cert: self.root_cert.clone() };
        Client::build_with_tls(info, certificates)
    }

    fn info(&self) -> Result<ConnectionInfo, Fault> {
        let schemes = ["redis://", "rediss://"];
        if !schemes.iter().any(|scheme| self.url.starts_with(scheme)) {
            let advice = "the address of Redis must begin with redis:// or rediss://";
            return Err(Fault::new("config", advice));
        }
        // The library's own words might quote the address, and with it the password.
        let advice =
            "the address of Redis must read redis://[user:password@]host[:port][/database]";
        self.url.as_str().into_connection_info().map_err(|_| Fault::new("config", advice))
    }
}

fn tcp_settings() -> TcpSettings {
    let keepalive = TcpKeepalive::new().with_time(TCP_PATIENCE).with_interval(TCP_PATIENCE / 5);
    TcpSettings::default().set_nodelay(true).set_keepalive(keepalive).set_user_timeout(TCP_PATIENCE)
}

impl fmt::Debug for RedisConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = self.info().map(|info| info.addr().to_string());
        f.debug_struct("RedisConfig")
            .field("address", &address.unwrap_or_else(|_| "unreadable".into()))
            .field("prefix", &self.prefix)
            .field("call_timeout", &self.call_timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_never_printed() {
        for url in [
            "redis://ann:s3cret@example.org:6380/2",
            "rediss://:s3cret@example.org",
            "redis://:s3cret@:bad:port",
            "redis+sentinel://:s3cret@host",
        ] {
            let config = RedisConfig::new(url, "sf");
            let shown = format!("{config:?} {:?}", config.client().map(|_| ()));
            assert!(!shown.contains("s3cret"), "{shown}");
        }
    }

    /// Small writes are not held back for more of them, which costs 40 ms each.
    #[test]
    fn every_client_sends_at_once_and_notices_a_silent_peer() {
        for url in ["redis://example.org", "rediss://example.org"] {
            let client = RedisConfig::new(url, "sf").client().expect("a client");
            let settings = client.get_connection_info().tcp_settings();
            assert!(settings.nodelay(), "{url}");
            assert!(settings.keepalive().is_some(), "{url}");
            assert_eq!(settings.user_timeout(), Some(TCP_PATIENCE), "{url}");
        }
    }

    #[test]
    fn other_schemes_are_refused_with_advice() {
        let fault = RedisConfig::new("http://example.org", "sf").client();
        assert_eq!(fault.err().map(|fault| fault.kind), Some("config"));
    }

    #[test]
    fn a_tls_address_is_understood() {
        assert!(RedisConfig::new("rediss://example.org", "sf").client().is_ok());
    }
}
