//! Servers that are started for a run: on a file of their own, or on a Redis under a prefix of its own, which is removed again.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode, Uri};
use bytes::Bytes;
use secrecy::SecretString;
use tokio::process::{Child, Command};

use super::super::Failure;
use crate::config::Source;
use crate::ops::client;
use crate::store::Token;

/// How long a server may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(30);
/// How often it is looked whether it is.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How many keys are removed at once.
const AT_ONCE: usize = 500;

/// Servers that end with this value, be it because we are killed.
#[derive(Debug)]
pub(super) struct Spawned {
    /// What opens their webhooks.
    pub(super) secret: SecretString,
    servers: Vec<Server>,
    pids: Vec<u32>,
    keys: Option<Keys>,
    /// Where they keep what they keep.
    dir: PathBuf,
}

#[derive(Debug)]
struct Server {
    /// Killed when it is dropped; it stops by itself when its standard input ends with us.
    child: Child,
    door: SocketAddr,
    ops: SocketAddr,
}

/// What is kept in a Redis for this run alone.
#[derive(Debug)]
struct Keys {
    url: String,
    prefix: String,
}

impl Spawned {
    /// Starts so many, which call the Bot API there, and waits until all are ready.
    pub(super) async fn start(
        count: usize,
        telegram: SocketAddr,
        source: Source<'_>,
    ) -> Result<Self, Failure> {
        let name = format!("steadfast-bench-{}", Token::fresh());
        let redis = source("REDIS_URL").filter(|url| !url.is_empty());
        if count > 1 && redis.is_none() {
            return Err(Failure::plain("more than one replica need a Redis: set REDIS_URL"));
        }
        let dir = std::env::temp_dir().join(&name);
        std::fs::create_dir(&dir).map_err(Failure::plain)?;
        let mut spawned = Self {
            secret: name.clone().into(),
            servers: Vec::new(),
            pids: Vec::new(),
            keys: redis.map(|url| Keys { url, prefix: name.clone() }),
            dir,
        };
        for _ in 0..count {
            let server = spawned.server(telegram, &name, source)?;
            spawned.pids.extend(server.child.id());
            spawned.servers.push(server);
        }
        for server in &mut spawned.servers {
            server.ready().await?;
        }
        if let Some(keys) = &spawned.keys {
            spawned.pids.extend(keys.server().await);
        }
        Ok(spawned)
    }

    /// Where updates are posted to.
    pub(super) fn doors(&self) -> Vec<Uri> {
        let door = |server: &Server| format!("http://{}/webhook", server.door).parse();
        self.servers.iter().filter_map(|server| door(server).ok()).collect()
    }

    /// The servers, and the Redis if it is on this machine.
    pub(super) fn pids(&self) -> &[u32] {
        &self.pids
    }

    /// Ends them, and removes what they kept.
    pub(super) async fn end(mut self) -> Result<(), Failure> {
        for server in &mut self.servers {
            server.child.kill().await.map_err(Failure::plain)?;
        }
        match &self.keys {
            Some(keys) => keys.remove().await.map_err(|error| {
                let prefix = &keys.prefix;
                Failure::plain(format!("the keys under `{prefix}` could not be removed: {error}"))
            }),
            None => Ok(()),
        }
    }

    fn server(
        &self,
        telegram: SocketAddr,
        secret: &str,
        source: Source<'_>,
    ) -> Result<Server, Failure> {
        let (door, ops) = (free_address()?, free_address()?);
        let program = std::env::current_exe().map_err(Failure::plain)?;
        let level = source("RUST_LOG").unwrap_or_else(|| "info".to_owned());
        let data = self.dir.join(door.port().to_string());
        std::fs::create_dir(&data).map_err(Failure::plain)?;
        let log = std::fs::File::create(data.join("log")).map_err(Failure::plain)?;
        let mut command = Command::new(program);
        command
            .args(["serve", "--leashed"])
            .current_dir(&data)
            .env_clear()
            .env("BOT_TOKEN", "123456789:AAF-of-a-bench-and-of-nothing-else_0123")
            .env("WEBHOOK_SECRET", secret)
            .env("TELEGRAM_API_URL", format!("http://{telegram}"))
            .env("TELEGRAM_LIMITS", "off")
            .env("LISTEN_ADDR", door.to_string())
            .env("OPS_ADDR", ops.to_string())
            .env("LOG_FORMAT", "json")
            .env("RUST_LOG", level)
            .env("DATA_DIR", &data)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .kill_on_drop(true);
        if let Some(keys) = &self.keys {
            command.env("REDIS_URL", &keys.url).env("REDIS_PREFIX", &keys.prefix);
        }
        let child = command.spawn().map_err(Failure::plain)?;
        Ok(Server { child, door, ops })
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // What is left behind there is for the system to remove.
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

impl Server {
    async fn ready(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        while start.elapsed() < READY_WITHIN {
            let asked = client::ask(self.ops, Method::GET, "/readyz", None, Bytes::new());
            if matches!(asked.await, Ok((StatusCode::OK, _))) {
                return Ok(());
            }
            if let Some(ended) = self.child.try_wait().map_err(Failure::plain)? {
                return Err(Failure::plain(format!(
                    "the server ended ({ended}): `check` may say why"
                )));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(Failure::plain("the server does not get ready"))
    }
}

impl Keys {
    /// The process of the Redis, where it is one of this machine.
    async fn server(&self) -> Option<u32> {
        let mut redis = self.connect().await.ok()?;
        let info: String = redis::cmd("INFO").arg("server").query_async(&mut redis).await.ok()?;
        let pid = info.lines().find_map(|line| line.strip_prefix("process_id:"));
        let pid = pid?.trim().parse().ok()?;
        let name = crate::bench::process::name(pid).ok()?;
        name.starts_with("redis").then_some(pid)
    }

    async fn remove(&self) -> redis::RedisResult<()> {
        let mut redis = self.connect().await?;
        let mut cursor = 0_u64;
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(cursor)
                .arg("MATCH")
                .arg(format!("{}:*", self.prefix))
                .arg("COUNT")
                .arg(AT_ONCE);
            let (next, keys): (u64, Vec<String>) = scan.query_async(&mut redis).await?;
            if !keys.is_empty() {
                redis::cmd("UNLINK").arg(keys).exec_async(&mut redis).await?;
            }
            if next == 0 {
                return Ok(());
            }
            cursor = next;
        }
    }

    async fn connect(&self) -> redis::RedisResult<redis::aio::MultiplexedConnection> {
        let client = redis::Client::open(self.url.as_str())?;
        client.get_multiplexed_async_connection().await
    }
}

/// An address of this machine where nobody listens.
fn free_address() -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Failure::plain)?;
    listener.local_addr().map_err(Failure::plain)
}
