//! A real redis-server on a free port, with a directory of its own.
//!
//! A small shell holds it on a leash: when the pipe from the test process closes, by `Drop` or by any kind of death, the
//! shell ends the server and removes the directory. Nothing is left behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::port::Port;

/// Starts the server, says its process id, and waits for the pipe to close or to say `keep`.
const LEASH: &str = r#"
dir=$1; shift
redis-server "$@" >/dev/null 2>&1 &
echo $!
read -r word
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
[ "$word" = keep ] || rm -rf "$dir"
"#;

/// What a server is started with that [loads slowly](RedisServer::load_slowly).
pub(crate) const SLOW_TO_LOAD: [&str; 6] = [
    "--enable-debug-command",
    "local",
    "--loading-process-events-interval-bytes",
    "1024",
    "--rdbcompression",
    "no",
];

/// How long a server may take to answer.
const START_WITHIN: Duration = Duration::from_secs(15);

/// A redis-server that ends with this value.
#[derive(Debug)]
pub(crate) struct RedisServer {
    port: Port,
    dir: PathBuf,
    settings: Vec<String>,
    process: Option<Process>,
}

/// The running server and the shell that holds it.
#[derive(Debug)]
struct Process {
    shell: Child,
    leash: ChildStdin,
    pid: Pid,
}

impl RedisServer {
    /// The one that tests share; each takes a [`prefix`] of its own.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<RedisServer> = OnceLock::new();
        SHARED.get_or_init(|| Self::start::<&str>(&[]))
    }

    /// One that refuses scripts whose keys are of several slots, or are not named: a cluster of one.
    pub(crate) fn by_slots() -> &'static Self {
        static SHARED: OnceLock<RedisServer> = OnceLock::new();
        SHARED.get_or_init(|| {
            let bus = Port::hold_for_good().to_string();
            let server = Self::start(&["--cluster-enabled", "yes", "--cluster-port", &bus]);
            server.command(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
            let started = Instant::now();
            while !server.command(&["CLUSTER", "INFO"]).contains("cluster_state:ok") {
                assert!(started.elapsed() < START_WITHIN, "it never has its slots");
                std::thread::sleep(Duration::from_millis(20));
            }
            server
        })
    }

    /// A server of one's own, with these settings on top, such as `--appendonly yes`.
    pub(crate) fn start<S: AsRef<str>>(settings: &[S]) -> Self {
        let dir = tempfile::tempdir().expect("a directory for Redis").keep();
        let mut server = Self {
            port: Port::hold(),
            dir,
            settings: settings.iter().map(|it| it.as_ref().to_owned()).collect(),
            process: None,
        };
        server.run();
        server
    }

    /// Its port on the loopback.
    pub(crate) fn port(&self) -> u16 {
        self.port.number()
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port())
    }

    /// Ends it at once, as `kill -9` does. What it has not written is lost.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.leash.write_all(b"keep\n");
            drop(process.leash);
            let _ = process.shell.wait();
        }
    }

    /// Starts it again, on the same port and directory.
    pub(crate) fn restart(&mut self) {
        self.kill();
        self.run();
    }

    /// Stops it in its tracks: connections stay, nothing is answered.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Has it load all it holds anew, which it [ends](Self::load_quickly) when told to: until then it answers every call, and
    /// refuses it. It must be [`SLOW_TO_LOAD`].
    pub(crate) fn load_slowly(&self) {
        const FILL: &str =
            "for at = 1, 4000 do redis.call('SET', 'filler:' .. at, string.rep('x', 1024)) end";
        self.command(&["EVAL", FILL, "0"]);
        self.command(&["CONFIG", "SET", "key-load-delay", "50000"]);
        let port = self.port();
        // It is answered when all is loaded.
        std::thread::spawn(move || ask(port, &["DEBUG", "RELOAD"]));
        let started = Instant::now();
        while !self.command(&["PING"]).starts_with("-LOADING") {
            assert!(started.elapsed() < START_WITHIN, "it never loads");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lets it have the rest at once.
    pub(crate) fn load_quickly(&self) {
        self.command(&["CONFIG", "SET", "key-load-delay", "0"]);
    }

    /// Sends a command, one word per argument, and answers the first line of the reply.
    pub(crate) fn command(&self, words: &[&str]) -> String {
        ask(self.port(), words).unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    /// The dead letters under this prefix.
    pub(crate) fn letters(&self, prefix: &str) -> Vec<serde_json::Value> {
        let mut connection = self.connection();
        let keys: Vec<String> = redis::cmd("KEYS")
            .arg(format!("{prefix}:*:dead"))
            .query(&mut connection)
            .expect("keys");
        let of = |key: String| -> Vec<Vec<u8>> {
            let mut range = redis::cmd("LRANGE");
            range.arg(key).arg(0).arg(-1);
            range.query(&mut connection).expect("letters")
        };
        let letters = keys.into_iter().flat_map(of);
        letters.map(|letter| serde_json::from_slice(&letter).expect("a letter is JSON")).collect()
    }

    /// How many lanes under this prefix are somebody's. One that is nobody's has zeros for the token of its holder.
    pub(crate) fn owned_lanes(&self, prefix: &str) -> usize {
        let lanes = self.lanes(prefix).into_iter();
        lanes.filter(|(_, lane)| lane[8..16] != [0; 8]).count()
    }

    /// What is kept of each lane under this prefix: since when it has had work, whose it is, whether there is more, and its head.
    fn lanes(&self, prefix: &str) -> Vec<(String, Vec<u8>)> {
        let mut connection = self.connection();
        let keys: Vec<String> = redis::cmd("KEYS")
            .arg(format!("{prefix}:*:lanes"))
            .query(&mut connection)
            .expect("keys");
        let of = |key: String| -> Vec<(String, Vec<u8>)> {
            let lanes = redis::cmd("HGETALL").arg(key).query(&mut connection);
            lanes.expect("lanes")
        };
        keys.into_iter().flat_map(of).collect()
    }

    /// A connection to it.
    pub(crate) fn connection(&self) -> redis::Connection {
        let client = redis::Client::open(self.url()).expect("an address");
        client.get_connection().expect("Redis is there")
    }

    /// What lanes hold under this prefix: their items, owners, and the times they may be worked at.
    pub(crate) fn left_in_lanes(&self, prefix: &str) -> Vec<String> {
        let mut connection = self.connection();
        let keys: Vec<String> =
            redis::cmd("KEYS").arg(format!("{prefix}:*")).query(&mut connection).expect("keys");
        let names = ["claims", "lanes", "behind"];
        let of_lanes = |key: &String| {
            let name = key.split("}:").nth(1);
            let name = name.and_then(|rest| rest.split(':').next());
            name.is_some_and(|name| names.contains(&name))
        };
        keys.into_iter().filter(of_lanes).collect()
    }

    /// The first item of every lane of messages under this prefix, with its chat.
    pub(crate) fn first_in_lanes(&self, prefix: &str) -> Vec<(i64, String)> {
        const HEAD_AT: usize = 17;
        let of = |(name, lane): (String, Vec<u8>)| {
            let chat = name.strip_prefix("lane:")?.parse().ok()?;
            Some((chat, String::from_utf8_lossy(&lane[HEAD_AT..]).into_owned()))
        };
        self.lanes(prefix).into_iter().filter_map(of).collect()
    }

    /// Whether any record under this prefix waits to be written.
    pub(crate) fn has_records_in_line(&self, prefix: &str) -> bool {
        let lanes = self.lanes(prefix);
        lanes.iter().any(|(name, _)| name.starts_with("rec:"))
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.dir.join("redis.log")).unwrap_or_default()
    }

    fn signal(&self, signal: Signal) {
        let process = self.process.as_ref().expect("redis-server runs");
        kill(process.pid, signal).expect("redis-server can be signalled");
    }

    fn run(&mut self) {
        let (port, dir) = (self.port().to_string(), self.dir.display().to_string());
        let mut shell = Command::new("sh")
            .args(["-c", LEASH, "sh", &dir, "--port", &port, "--dir", &dir])
            .args(["--bind", "127.0.0.1", "--save", "", "--logfile", "redis.log"])
            .args(&self.settings)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let leash = shell.stdin.take().expect("a pipe to the shell");
        let stdout = shell.stdout.take().expect("a pipe from the shell");
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        read.expect("the process id of redis-server");
        let pid = Pid::from_raw(line.trim().parse().expect("a process id"));
        self.process = Some(Process { shell, leash, pid });
        self.wait_until_it_answers();
    }

    fn wait_until_it_answers(&self) {
        let started = Instant::now();
        // One that wants a password first is there, too.
        let is_there = |answer: &String| answer == "+PONG" || answer.starts_with("-NOAUTH");
        while !ask(self.port(), &["PING"]).is_ok_and(|answer| is_there(&answer)) {
            assert!(
                started.elapsed() < START_WITHIN,
                "redis-server does not answer. These tests need one on the PATH: apt install redis-server"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        if let Some(Process { mut shell, leash, .. }) = self.process.take() {
            drop(leash);
            let _ = shell.wait();
        }
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// A prefix nobody else uses.
pub(crate) fn prefix() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("sf:{}-{number}", std::process::id())
}

fn ask(port: u16, words: &[&str]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut request = format!("*{}\r\n", words.len());
    for word in words {
        request += &format!("${}\r\n{word}\r\n", word.len());
    }
    stream.write_all(request.as_bytes())?;
    let mut reply = BufReader::new(stream);
    let mut line = String::new();
    reply.read_line(&mut line)?;
    let line = line.trim_end().to_owned();
    match line.strip_prefix('$').and_then(|length| length.parse().ok()) {
        Some(length) => bulk(&mut reply, length),
        None => Ok(line),
    }
}

fn bulk(reply: &mut impl Read, length: u64) -> std::io::Result<String> {
    let mut text = String::new();
    reply.take(length).read_to_string(&mut text)?;
    Ok(text)
}
