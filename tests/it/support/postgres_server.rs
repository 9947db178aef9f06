//! A real PostgreSQL server on a free port, with a directory of its own.
//!
//! A small shell holds it on a leash, as with [`super::redis_server`]: when the pipe from the test process closes, the shell
//! ends the server and removes the directory. PostgreSQL refuses to run as root and then runs as the user `postgres`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sqlx::{Connection as _, Executor as _, PgConnection};

use super::port::Port;

/// Makes the cluster where there is none, starts the server, says so, and waits for the pipe to close or to say `keep`.
/// The signal ends the server at once, with its children and its shared memory.
const LEASH: &str = r#"
bin=$1; dir=$2; shift 2
cd "$dir"
run() { exec "$@"; }
if [ "$(id -u)" = 0 ]; then
  chown postgres "$dir"
  run() { exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
fi
[ -d data ] || (run "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C --no-sync) >initdb.log 2>&1
(run "$bin/postgres" -D "$dir/data" "$@") >postgres.log 2>&1 &
echo started
read -r word
kill -QUIT $! 2>/dev/null
wait $! 2>/dev/null
[ "$word" = keep ] || rm -rf "$dir"
"#;

/// Room for the pools of all tests at once; nothing here must survive the machine.
const SETTINGS: [&str; 4] =
    ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300", "fsync=off"];

/// How long a server may take to answer.
const START_WITHIN: Duration = Duration::from_secs(60);

/// A PostgreSQL server that ends with this value.
#[derive(Debug)]
pub(crate) struct PostgresServer {
    port: Port,
    dir: PathBuf,
    process: Option<(Child, ChildStdin)>,
}

impl PostgresServer {
    /// The one that tests share; each takes a database of its own.
    pub(crate) async fn shared() -> &'static Self {
        static SHARED: OnceLock<PostgresServer> = OnceLock::new();
        let start = || SHARED.get_or_init(Self::start);
        tokio::task::spawn_blocking(start).await.expect("started")
    }

    /// A server of one's own.
    pub(crate) fn start() -> Self {
        let dir = tempfile::Builder::new().prefix("steadfast-postgres").tempdir();
        let mut server = Self {
            port: Port::hold(),
            dir: dir.expect("a directory for PostgreSQL").keep(),
            process: None,
        };
        server.run();
        server
    }

    /// Its port on the loopback.
    pub(crate) fn port(&self) -> u16 {
        self.port.number()
    }

    /// Makes a database and answers its address.
    pub(crate) async fn database(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let sql = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        let mut connection = self.connect("postgres").await;
        connection.execute(sql).await.expect("a database");
        self.url(&name)
    }

    /// Ends every connection to the database of this address, as an administrator does.
    pub(crate) async fn end_connections(&self, url: &str) {
        let (_, name) = url.rsplit_once('/').expect("a name");
        let sql =
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1";
        let mut connection = self.connect("postgres").await;
        let ended = sqlx::query(sql).bind(name).execute(&mut connection).await;
        ended.expect("ended");
    }

    /// Ends it at once, with every connection.
    pub(crate) fn stop(&mut self) {
        if let Some((mut shell, mut leash)) = self.process.take() {
            let _ = leash.write_all(b"keep\n");
            drop(leash);
            let _ = shell.wait();
        }
    }

    /// Starts it again, on the same port and directory, and waits until it answers.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.run();
    }

    /// What it logged.
    pub(crate) fn said(&self) -> String {
        self.log("postgres.log")
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port())
    }

    async fn connect(&self, database: &str) -> PgConnection {
        let connection = PgConnection::connect(&self.url(database)).await;
        connection.expect("PostgreSQL answers")
    }

    fn run(&mut self) {
        let mut shell = Command::new("sh")
            .args(["-c", LEASH, "sh"])
            .args([&*programs(), &*self.dir])
            .args(["-p", &self.port().to_string()])
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let leash = shell.stdin.take().expect("a pipe to the shell");
        let mut stdout = BufReader::new(shell.stdout.take().expect("a pipe from the shell"));
        stdout.read_line(&mut String::new()).expect("it started");
        self.process = Some((shell, leash));
        self.wait_until_it_answers();
    }

    fn wait_until_it_answers(&self) {
        let started = Instant::now();
        while !self.is_ready() {
            assert!(
                started.elapsed() < START_WITHIN,
                "PostgreSQL does not answer. It says:\n{}{}",
                self.log("initdb.log"),
                self.log("postgres.log"),
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn is_ready(&self) -> bool {
        let mut ask = Command::new(programs().join("pg_isready"));
        let ask = ask.args(["-q", "-h", "127.0.0.1", "-p", &self.port().to_string()]);
        ask.status().is_ok_and(|status| status.success())
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.dir.join(name)).unwrap_or_default()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if let Some((mut shell, leash)) = self.process.take() {
            drop(leash);
            let _ = shell.wait();
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// Where Debian puts the programs of the newest version; elsewhere they are looked for beside `postgres` on the PATH.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let bins = versions.flatten().map(|version| version.path().join("bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<_> = std::env::split_paths(&path).collect();
    let found = bins.chain(path).filter(|bin| has_server(bin)).max();
    found.expect("These tests need a PostgreSQL server: apt install postgresql")
}

fn has_server(bin: &Path) -> bool {
    ["postgres", "initdb", "pg_isready"].iter().all(|name| bin.join(name).exists())
}
