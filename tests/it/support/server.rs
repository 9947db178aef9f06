//! The server as a process of its own, on free ports, with its log kept.
//!
//! A small shell holds it on a leash: when the pipe from the test process closes, by `Drop` or by any kind of death, the
//! shell ends the server. Nothing is left behind.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::bot_api::{BotApi, TOKEN};
use super::http::{self, Answer};
use super::metrics::Metrics;
use super::patience::{LONG, until};
use super::redis_server::{RedisServer, prefix};
use super::updates::NAME;
use super::whispers;
use super::world::THANKS;

/// What Telegram sends with every update.
pub(crate) const SECRET: &str = "canary-secret_0123456789abcdef";

/// Starts the server, says its process id, and in the end its exit code. A guard ends it when the pipe closes. The server's own input is
/// the same pipe, in which there is never anything: it ends when the test does.
const LEASH: &str = r#"
exec 3<&0
"$@" <&3 {says} &
server=$!
(read -r _ <&3; kill -9 $server) 2>/dev/null >&2 &
guard=$!
echo $server
wait $server
code=$?
kill $guard 2>/dev/null
echo $code
"#;

/// What no log of any server may hold, beside what people [say](whispers): the token and the part of it that counts, the secret, what
/// people are called, and what they are told.
pub(crate) const CANARIES: [&str; 5] = [TOKEN, KEY, SECRET, NAME, THANKS];
const KEY: &str = TOKEN.split_at(8).1;

/// With this variable set, every server of every test logs so much: `TEST_LOG=info`.
const LEVEL: &str = "TEST_LOG";
/// The tests whose servers log everything there is unless they are told otherwise: all that is said, refused, lost or kept is searched
/// for what no log may hold.
const TRACED: [&str; 16] = [
    "broadcast",
    "coupons",
    "crashes",
    "delivery",
    "kills",
    "letters",
    "limits",
    "moves",
    "outages",
    "polling",
    "races",
    "redis_faults",
    "refusals",
    "registration",
    "sayings",
    "stops",
];

/// What a server is started with.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    environment: BTreeMap<String, String>,
    /// The program and what it is told: `serve` or `poll`.
    words: Vec<String>,
    /// Where it runs: without a `.env` of anybody's.
    place: Arc<TempDir>,
}

/// A command under way, which ends with this value.
#[derive(Debug)]
pub(crate) struct Begun(Child);

/// A server that ends with this value.
#[derive(Debug)]
pub(crate) struct Server {
    pid: Pid,
    shell: Child,
    stdout: BufReader<ChildStdout>,
    /// Dropping it ends the server.
    leash: Option<ChildStdin>,
    log: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
    /// It was asked to log what people write.
    logs_texts: bool,
    webhook: SocketAddr,
    ops: SocketAddr,
    /// Where it runs and keeps its files, also when nobody has the set-up any more.
    _place: Arc<TempDir>,
}

impl Setup {
    /// On a store in memory.
    pub(crate) fn memory(api: &BotApi) -> Self {
        Self::new(api).with("STORE", "memory")
    }

    /// On a file of its own.
    pub(crate) fn embedded(api: &BotApi) -> Self {
        Self::new(api).in_a_file()
    }

    /// On a file of its own, with a clock that can be moved, and a Bot API that is told later.
    pub(crate) fn movable() -> Self {
        let mut setup = Self::bare().in_a_file();
        setup.words.extend(["--playground", "0"].map(str::to_owned));
        setup
    }

    /// On this Redis, under a prefix of its own.
    pub(crate) fn redis(api: &BotApi, redis: &RedisServer) -> Self {
        Self::redis_at(api, &redis.url())
    }

    /// On the Redis at this address, under a prefix of its own.
    pub(crate) fn redis_at(api: &BotApi, url: &str) -> Self {
        Self::new(api).with("REDIS_URL", url).with("REDIS_PREFIX", &prefix())
    }

    /// On this Redis, under a prefix of its own, with a Bot API that is told later.
    pub(crate) fn redis_for(redis: &RedisServer) -> Self {
        Self::bare().with("REDIS_URL", &redis.url()).with("REDIS_PREFIX", &prefix())
    }

    fn new(api: &BotApi) -> Self {
        Self::bare().with("TELEGRAM_API_URL", &api.url())
    }

    fn bare() -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let setup = Self {
            environment: BTreeMap::new(),
            words: [program(), "serve"].map(str::to_owned).into(),
            place: Arc::new(place),
        };
        let setup = match level() {
            Some(level) => setup.with("RUST_LOG", &level),
            None => setup,
        };
        setup
            .with("PATH", &std::env::var("PATH").unwrap_or_default())
            .with("BOT_TOKEN", TOKEN)
            .with("WEBHOOK_SECRET", SECRET)
            .with("LISTEN_ADDR", "127.0.0.1:0")
            .with("OPS_ADDR", "127.0.0.1:0")
            .with("LOG_FORMAT", "json")
            .with("DRAIN_DELAY", "0s")
            .with("TELEGRAM_LIMITS", "off")
    }

    fn in_a_file(self) -> Self {
        let directory = self.place.path().join("data").display().to_string();
        self.with("STORE", "embedded").with("DATA_DIR", &directory)
    }

    /// Asks for updates instead of waiting for them.
    pub(crate) fn polling(mut self) -> Self {
        self.words = [program(), "poll"].map(str::to_owned).into();
        self
    }

    /// Another program, which is told this.
    pub(crate) fn of_program(mut self, program: &Path, arguments: &[&str]) -> Self {
        self.words = vec![program.display().to_string()];
        self.words.extend(arguments.iter().map(|it| (*it).into()));
        self
    }

    /// With this variable.
    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.environment.insert(variable.into(), value.into());
        self
    }

    /// The value of a variable.
    pub(crate) fn value(&self, variable: &str) -> &str {
        &self.environment[variable]
    }

    /// Starts a server and waits until it is ready. On a machine so busy that it gives up on its store, it is started once more, as
    /// those do who watch over servers.
    pub(crate) async fn start(&self) -> Server {
        let mut starts = 1;
        loop {
            match self.start_unready().await {
                Ok(server) => return until_ready(server).await,
                Err(log) if starts < 5 && gave_up_on_its_store(&log) => starts += 1,
                Err(log) => panic!("it did not start: {log:#?}"),
            }
        }
    }

    /// As [`start`](Self::start), while somebody may kill what has just begun.
    pub(crate) async fn start_in_a_crowd(&self) -> Server {
        for _ in 0..5 {
            if let Ok(server) = self.start_unready().await {
                return until_ready(server).await;
            }
        }
        self.start().await
    }

    /// Runs a command of the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        whisper(arguments);
        let mut command = Command::new(&self.words[0]);
        self.prepare(&mut command).args(arguments);
        command.stdin(Stdio::null()).output().expect("the program")
    }

    /// Begins a command of the program, in silence.
    pub(crate) fn begin(&self, arguments: &[&str]) -> Begun {
        whisper(arguments);
        let mut command = Command::new(&self.words[0]);
        self.prepare(&mut command).args(arguments);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        Begun(command.stderr(Stdio::null()).spawn().expect("the program"))
    }

    /// Starts a server; where it ends before it is started, answers its log.
    pub(crate) async fn start_unready(&self) -> Result<Server, Vec<String>> {
        let mut command = Command::new("sh");
        let mut shell = self
            .prepare(&mut command)
            .args(["-c", &leash(">/dev/null"), "sh"])
            .args(&self.words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut stdout = BufReader::new(shell.stdout.take().expect("a pipe"));
        let pid = Pid::from_raw(number(&mut stdout));
        let (log, errors) =
            (Arc::<Mutex<Vec<String>>>::default(), shell.stderr.take().expect("a pipe"));
        let book = Arc::clone(&log);
        let reader = thread::spawn(move || {
            for line in BufReader::new(errors).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                book.lock().expect("the log").push(line);
            }
        });
        let mut server = Server {
            pid,
            leash: shell.stdin.take(),
            shell,
            stdout,
            log,
            reader: Some(reader),
            logs_texts: self.environment.get("LOG_TEXTS").is_some_and(|it| it == "true"),
            webhook: ([127, 0, 0, 1], 0).into(),
            ops: ([127, 0, 0, 1], 0).into(),
            _place: Arc::clone(&self.place),
        };
        let started = server.until_line("started", "webhook").await?;
        server.webhook = address(&started, "webhook");
        server.ops = address(&started, "ops");
        Ok(server)
    }

    fn prepare<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env_clear().envs(&self.environment).current_dir(self.place.path())
    }
}

fn gave_up_on_its_store(log: &[String]) -> bool {
    let last = log.last().map(String::as_str).unwrap_or_default();
    last.contains("the store is unavailable")
}

async fn until_ready(server: Server) -> Server {
    until("the server is ready", async || {
        let answer = http::get(server.ops, "/readyz").await.ok()?;
        answer.is_success().then_some(())
    })
    .await;
    server
}

/// An operator tells people something.
fn whisper(arguments: &[&str]) {
    if let ["broadcast", .., text] = arguments {
        whispers::say(text);
    }
}

/// The script that holds a process, whose output goes there.
pub(crate) fn leash(says: &str) -> String {
    LEASH.replace("{says}", says)
}

/// How much a server of this test logs, if that is said anywhere. A test runs in a thread of its own name.
fn level() -> Option<String> {
    let test = thread::current();
    let module = test.name().and_then(|name| name.split("::").next());
    let is_traced = module.is_some_and(|module| TRACED.contains(&module));
    std::env::var(LEVEL).ok().or_else(|| is_traced.then(|| "trace".to_owned()))
}

pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_steadfast")
}

/// The address of this name in a line of the log, be it `name=1.2.3.4:5` or `"name":"1.2.3.4:5"`.
fn address(line: &str, name: &str) -> SocketAddr {
    let (_, rest) = line.split_once(name).expect("the name of an address");
    let rest = rest.trim_start_matches(['"', '=', ':']);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':');
    let text = &rest[..end.unwrap_or(rest.len())];
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}: {line}"))
}

fn number(from: &mut BufReader<ChildStdout>) -> i32 {
    let mut line = String::new();
    from.read_line(&mut line).expect("a line of the shell");
    line.trim().parse().expect("a number of the shell")
}

impl Server {
    /// Where updates go.
    pub(crate) fn webhook(&self) -> SocketAddr {
        self.webhook
    }

    /// Where operators go.
    pub(crate) fn ops(&self) -> SocketAddr {
        self.ops
    }

    /// Its process.
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Ends it at once, as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.end();
        self.join();
    }

    /// As [`kill`](Self::kill), but its log is searched only when this value is dropped.
    pub(crate) fn end(&mut self) {
        self.signal(Signal::SIGKILL);
        drop(self.leash.take());
        let _ = self.shell.wait();
    }

    /// Stops it in its tracks: connections stay, nothing is answered.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Asks it to stop.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Waits for its end; answers the exit code and the log.
    pub(crate) async fn ended(mut self) -> (i32, Vec<String>) {
        let (pid, started) = (self.pid, Instant::now());
        while self.shell.try_wait().expect("the shell").is_none() {
            assert!(started.elapsed() < LONG, "process {pid} does not end");
            sleep(Duration::from_millis(20)).await;
        }
        let code = number(&mut self.stdout);
        self.join();
        (code, self.log())
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(self) -> Vec<String> {
        self.terminate();
        let (code, log) = self.ended().await;
        assert_eq!(code, 0, "{log:#?}");
        log
    }

    /// Its log so far, one line each.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().expect("the log").clone()
    }

    /// Waits for a line with this message, in a log of JSON.
    pub(crate) async fn until_logged(&self, message: &str) -> Value {
        let line = self.until_line(message, "").await;
        let line = line.unwrap_or_else(|log| panic!("`{message}` is not logged: {log:#?}"));
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Waits for a line with these words; where there is none, answers the log.
    async fn until_line(&self, one: &str, other: &str) -> Result<String, Vec<String>> {
        let started = Instant::now();
        loop {
            let ended = self.reader.as_ref().is_none_or(JoinHandle::is_finished);
            let log = self.log();
            let found = log.iter().find(|line| line.contains(one) && line.contains(other));
            if let Some(line) = found {
                return Ok(line.clone());
            }
            if ended || started.elapsed() > LONG {
                return Err(log);
            }
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Asks its operations listener.
    pub(crate) async fn ask(&self, path: &str) -> Answer {
        let answer = http::get(self.ops, path).await;
        answer.unwrap_or_else(|error| panic!("{path}: {error}: {:#?}", self.log()))
    }

    /// Its metrics.
    pub(crate) async fn metrics(&self) -> Metrics {
        Metrics::read(&self.ask("/metrics").await.body)
    }

    fn signal(&self, signal: Signal) {
        kill(self.pid, signal).expect("the server can be signalled");
    }

    /// Waits for the shell and for the end of the log.
    fn join(&mut self) {
        drop(self.leash.take());
        let _ = self.shell.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
            self.assert_discreet();
        }
    }

    /// In whatever test, whatever went wrong.
    fn assert_discreet(&self) {
        let log = self.log();
        let tells = |line: &&String| CANARIES.iter().any(|canary| line.contains(canary));
        let line = log.iter().find(tells);
        let heard = whispers::overheard(&log).filter(|_| !self.logs_texts);
        // A test that fails already must be allowed to say why.
        if !thread::panicking() {
            assert_eq!(line, None, "a secret is in the log");
            assert_eq!(heard, None, "what somebody said is in the log");
        }
    }
}

impl Begun {
    /// Its process id.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_raw(self.0.id() as i32)
    }

    /// Waits until it ends by itself, and answers its exit code.
    pub(crate) async fn ended(mut self) -> Option<i32> {
        let ended = async || self.0.try_wait().expect("a child of ours");
        until("the command has ended", ended).await.code()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.join();
    }
}

/// The lines of a log that have this message.
pub(crate) fn logged<'a>(log: &'a [String], message: &'a str) -> impl Iterator<Item = Value> + 'a {
    log.iter()
        .filter(move |line| line.contains(message))
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(move |line| line["message"] == message)
}

/// The exit code of a command, and what was said.
pub(crate) fn outcome(output: &Output) -> (i32, String) {
    let said = [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said));
    (output.status.code().unwrap_or(-1), said.concat())
}
