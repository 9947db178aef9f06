//! Chromium's driver, as a process of its own on a free port.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

use tempfile::TempDir;

/// Starts the driver in a group of its own. A guard ends the group, the browser in it, when the pipe closes; then a moment is
/// given to what dies.
const LEASH: &str = r#"
exec 3<&0
setsid "$@" </dev/null &
driver=$!
(read -r _ <&3; kill -9 -$driver) 2>/dev/null >&2 &
guard=$!
wait $driver
kill $guard 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
  kill -0 -$driver 2>/dev/null || break
  sleep 0.1
done
"#;

/// How often it is started, until it has a port.
const TRIES: usize = 5;

/// A driver that ends with this value, and its browser with it.
#[derive(Debug)]
pub(super) struct Driver {
    shell: Child,
    /// Dropping it ends the driver.
    leash: Option<ChildStdin>,
    reader: Option<JoinHandle<()>>,
    pub(super) address: SocketAddr,
    /// The browser that it is for.
    pub(super) browser: PathBuf,
    /// Where both keep what they need.
    pub(super) home: TempDir,
}

impl Driver {
    pub(super) fn start() -> Self {
        let started = (0..TRIES).find_map(|_| Self::try_start());
        started.expect("chromedriver says its port")
    }

    /// Asked for a free port, it takes one that is free by one protocol, and gives up if somebody has it by the other.
    fn try_start() -> Option<Self> {
        let (driver, browser) = (find("chromedriver"), find("chromium"));
        let home = TempDir::with_prefix("steadfast-browser-");
        let home = home.expect("a directory");
        let log = home.path().join("driver.log").display().to_string();
        let mut shell = Command::new("sh")
            .args(["-c", LEASH, "leash"])
            .arg(driver)
            .args(["--port=0", &format!("--log-path={log}")])
            .env("HOME", home.path())
            .env("TMPDIR", home.path())
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let mut said = BufReader::new(shell.stdout.take().expect("its output"));
        let Some(port) = port(&mut said) else {
            drop(shell.stdin.take());
            let _ = shell.wait();
            return None;
        };
        Some(Self {
            leash: shell.stdin.take(),
            shell,
            reader: Some(thread::spawn(move || hear_out(said))),
            address: ([127, 0, 0, 1], port).into(),
            browser,
            home,
        })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.leash.take());
        let _ = self.shell.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// A program on the path. These tests are not passed over where it is missing.
fn find(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|place| place.join(program))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{program} is needed for the tests in a browser: `apt-get install chromium chromium-driver`, or deploy/setup.sh"))
}

/// The port, from the line in which the driver tells it.
fn port(said: &mut BufReader<ChildStdout>) -> Option<u16> {
    let mut lines = said.lines().map_while(Result::ok);
    lines.find_map(|line| {
        let (_, port) = line.split_once("started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    })
}

/// Reads to the end, so that nobody has to wait for a reader.
fn hear_out(mut said: BufReader<ChildStdout>) {
    let _ = io::copy(&mut said, &mut io::sink());
}
