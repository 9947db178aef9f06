//! The bots that are measured: the real server as it is deployed, and the bare handler beside it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::bot_api::BotApi;
use super::process;
use super::redis_server::RedisServer;
use super::wire::Wire;

/// Where updates are posted to.
pub const PATH: &str = "/webhook";
/// What opens the webhook.
pub const SECRET: &str = "correct-horse-battery-staple";
/// The token of the bot.
pub const TOKEN: &str = "123456789:AAF-abcdefghijklmnopqrstuvwxyz_0123";

/// The variable that names another build of the server, which bots whose name ends in `other` are.
pub const OTHER: &str = "BENCH_OTHER";
/// The variable that says how many threads a bot works with.
pub const THREADS: &str = "WORKER_THREADS";
/// How long a bot may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// A bot in a process of its own, with the Redis that is its own.
#[derive(Debug)]
pub struct Contender {
    /// What it is called in the table.
    pub name: &'static str,
    /// Where updates are posted to.
    pub door: SocketAddr,
    /// Where the operations listen, of the real server.
    pub ops: Option<SocketAddr>,
    /// From start to ready.
    pub started_in: Duration,
    /// Its Redis, if it has one.
    pub redis: Option<RedisServer>,
    child: Child,
    _dir: TempDir,
}

impl Contender {
    /// The real server, with these variables on top. Its log is JSON at level `info`, written to a file.
    pub async fn server(
        name: &'static str,
        api: &BotApi,
        redis: Option<RedisServer>,
        variables: &[(&str, &str)],
    ) -> Self {
        let dir = tempfile::tempdir().expect("a directory for the server");
        let (door, ops) = (free_address(), free_address());
        let mut command = serve(name, dir.path());
        command
            .env("TELEGRAM_API_URL", api.url())
            .env("LISTEN_ADDR", door.to_string())
            .env("OPS_ADDR", ops.to_string())
            .envs(redis.iter().map(|redis| ("REDIS_URL", redis.url())))
            .envs(variables.iter().copied());
        let start = Instant::now();
        let mut contender = Self {
            name,
            door,
            ops: Some(ops),
            started_in: Duration::ZERO,
            redis,
            child: command.spawn().expect("the server starts"),
            _dir: dir,
        };
        while !is_ready(ops).await {
            let exit = contender.child.try_wait().expect("the server can be asked");
            assert!(exit.is_none(), "{name} ended: {exit:?}");
            assert!(start.elapsed() < READY_WITHIN, "{name} is not ready");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        contender.started_in = start.elapsed();
        contender
    }

    /// The bare handler of [`super::limit`]: this program once more. It logs nothing, and has a thread per core if its name says so.
    pub fn limit(name: &'static str, api: &BotApi, redis: RedisServer) -> Self {
        let dir = tempfile::tempdir().expect("a directory for the limit");
        let start = Instant::now();
        let mut child = Command::new(std::env::current_exe().expect("this program's own path"))
            .args([super::limit::ARGUMENT, &redis.url(), &api.url()])
            .envs(name.ends_with("cores").then(|| (THREADS, cores())))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the limit starts");
        let stdout = child.stdout.take().expect("a pipe from the limit");
        let mut address = String::new();
        let read = BufReader::new(stdout).read_line(&mut address);
        read.expect("the address of the limit");
        Self {
            name,
            door: address.trim().parse().expect("an address"),
            ops: None,
            started_in: start.elapsed(),
            redis: Some(redis),
            child,
            _dir: dir,
        }
    }

    /// The processor time used so far, by the bot and by its Redis.
    pub fn cpu(&self) -> (Duration, Duration) {
        let redis = self.redis.as_ref().map(|redis| process::cpu(pid(redis)));
        (process::cpu(self.child.id()), redis.unwrap_or_default())
    }

    /// MiB of memory the bot has at the moment.
    pub fn resident_mib(&self) -> f64 {
        process::resident_mib(self.child.id())
    }
}

impl Drop for Contender {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command that serves from this directory, with what is the same for every server.
fn serve(name: &str, dir: &Path) -> Command {
    let other = std::env::var(OTHER).ok();
    let other = other.filter(|_| name.ends_with("other"));
    let program = other.unwrap_or_else(|| env!("CARGO_BIN_EXE_steadfast").to_owned());
    let log = File::create(dir.join("log")).expect("a file for the log");
    let threads = std::env::var(THREADS);
    let mut command = Command::new(program);
    command
        .arg("serve")
        .current_dir(dir)
        .env_clear()
        .env("BOT_TOKEN", TOKEN)
        .env("WEBHOOK_SECRET", SECRET)
        .env("WEBHOOK_PATH", PATH)
        .env("LOG_FORMAT", "json")
        .env("RUST_LOG", "info")
        .env("TELEGRAM_LIMITS", "off")
        .envs(threads.iter().map(|threads| (THREADS, threads)))
        .stderr(log);
    command
}

fn cores() -> String {
    let cores = std::thread::available_parallelism();
    cores.expect("a number of cores").to_string()
}

/// The process of a Redis.
fn pid(redis: &RedisServer) -> u32 {
    let info = redis.command(&["INFO", "server"]);
    let pid = info.lines().find_map(|line| line.strip_prefix("process_id:"));
    pid.and_then(|pid| pid.trim().parse().ok()).expect("Redis knows its process id")
}

async fn is_ready(ops: SocketAddr) -> bool {
    get(ops, "/readyz").await.is_ok_and(|status| status == 200)
}

/// Gets a page, for its status.
pub async fn get(address: SocketAddr, path: &str) -> std::io::Result<u16> {
    let mut wire = Wire::new(tokio::net::TcpStream::connect(address).await?)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    wire.send(request.as_bytes()).await?;
    let answer = wire.next().await?;
    Ok(answer.map_or(0, |answer| answer.status()))
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its address")
}
