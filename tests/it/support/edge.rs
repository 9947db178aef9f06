//! A real nginx with the configuration that is deployed, on a free port, with a directory of its own.
//!
//! A small shell holds it on a leash: when the pipe from the test process closes, by `Drop` or by any kind of death, the shell
//! ends nginx and its workers. Nothing is left behind.

use std::fs;
use std::io::Read as _;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::http;
use super::patience::until;
use super::port::Port;
use super::server::SECRET;

/// Starts nginx and waits for it, or for the pipe to close. It ends on SIGTERM with its workers, which `kill -9` would leave.
const LEASH: &str = r#"
exec 3<&0
nginx "$@" </dev/null &
nginx=$!
(read -r _ <&3; kill $nginx) 2>/dev/null >&2 &
guard=$!
wait $nginx
kill $guard 2>/dev/null
"#;

/// Where the replicas of each variant are, in its files.
const LOCAL: [&str; 3] = ["127.0.0.1:8081", "127.0.0.1:8082", "127.0.0.1:8083"];
const DEPLOYED: [&str; 3] = ["172.31.77.11:8080", "172.31.77.12:8080", "172.31.77.13:8080"];

/// An nginx that ends with this value.
#[derive(Debug)]
pub(crate) struct Edge {
    address: SocketAddr,
    dir: TempDir,
    shell: Child,
    /// Dropping it ends nginx.
    leash: Option<ChildStdin>,
}

/// A copy of `nginx/`, made to fit into a directory.
#[derive(Debug)]
pub(crate) struct Files {
    dir: TempDir,
    main: &'static str,
    port: Port,
}

impl Edge {
    /// The local variant, before these replicas.
    pub(crate) async fn before(replicas: &[SocketAddr]) -> Self {
        Self::start(Files::local(replicas)).await
    }

    /// Starts it and waits until it answers.
    pub(crate) async fn start(files: Files) -> Self {
        let mut shell = Command::new("sh")
            .args(["-c", LEASH, "sh"])
            .args(files.arguments())
            .args(["-g", if files.is_local() { "" } else { "daemon off;" }])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let edge = Self {
            address: files.port.address(),
            dir: files.dir,
            leash: shell.stdin.take(),
            shell,
        };
        edge.until_open().await
    }

    async fn until_open(mut self) -> Self {
        until("nginx listens", async || {
            if let Ok(Some(_)) = self.shell.try_wait() {
                let mut said = String::new();
                let errors = self.shell.stderr.take().expect("a pipe");
                let _ = std::io::BufReader::new(errors).read_to_string(&mut said);
                panic!("nginx ended: {said}{}", self.log());
            }
            tokio::net::TcpStream::connect(self.address).await.ok()
        })
        .await;
        self
    }

    /// Where updates go.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The status of what a peer gets at this path.
    pub(crate) async fn status(&self, path: &str) -> u16 {
        let answer = http::get(self.address, path).await;
        answer.expect("an answer").status
    }

    /// Waits until it has logged these words.
    pub(crate) async fn until_logged(&self, words: &str) {
        until(format!("nginx logs `{words}`"), async || self.log().contains(words).then_some(()))
            .await;
    }

    /// Reads its configuration again: new workers take over, the old ones finish what they have.
    pub(crate) fn reload(&self) {
        let said = fs::read_to_string(self.dir.path().join("nginx.pid"));
        let pid = said.expect("nginx says who it is").trim().parse();
        let pid = Pid::from_raw(pid.expect("a process id"));
        kill(pid, Signal::SIGHUP).expect("nginx can be signalled");
    }

    /// Everything it has logged so far.
    pub(crate) fn log(&self) -> String {
        [self.access_log(), self.read("error.log")].concat()
    }

    /// What it has logged of requests.
    pub(crate) fn access_log(&self) -> String {
        self.read("access.log")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(name)).unwrap_or_default()
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        drop(self.leash.take());
        let _ = self.shell.wait();
        // A test that fails already must be allowed to say why.
        assert!(!self.log().contains(SECRET) || thread::panicking());
    }
}

impl Files {
    /// The local variant, before these replicas.
    pub(crate) fn local(replicas: &[SocketAddr]) -> Self {
        let files = Self::copy("local.conf");
        let listen = files.port.address().to_string();
        files.with("local.conf", "127.0.0.1:8080", &listen).lead("local.conf", LOCAL, replicas)
    }

    /// The one that is deployed, before these replicas, with a certificate of its own making.
    pub(crate) fn deployed(replicas: &[SocketAddr]) -> Self {
        let files = Self::copy("nginx.conf");
        let (here, listen) = (files.path(""), format!("{} ssl", files.port.address()));
        certify(&here);
        let here = here.display().to_string();
        files
            .with("nginx.conf", "/etc/nginx/tls", here.trim_end_matches('/'))
            .with("nginx.conf", "/var/log/nginx/", &here)
            .with("nginx.conf", "/run/", &here)
            .with("nginx.conf", "8443 ssl", &listen)
            .lead("steadfast/replicas.conf", DEPLOYED, replicas)
    }

    /// With other words in one of its files, which has to have the old ones.
    pub(crate) fn with(self, name: &str, old: &str, new: &str) -> Self {
        let (path, text) = (self.path(name), self.text(name));
        assert!(text.contains(old), "{name} does not say `{old}`");
        fs::write(path, text.replace(old, new)).expect("a file");
        self
    }

    /// Asks nginx whether it could start; answers what it says.
    pub(crate) fn test(&self) -> Result<(), String> {
        let mut nginx = Command::new("nginx");
        let tested = nginx.arg("-t").args(self.arguments()).output();
        let tested = tested.expect("nginx: install it");
        let said = String::from_utf8_lossy(&tested.stderr).into_owned();
        match tested.status.success() && !said.contains("[warn]") {
            true => Ok(()),
            false => Err(said),
        }
    }

    fn copy(main: &'static str) -> Self {
        let dir = tempfile::Builder::new().prefix("steadfast-edge-").tempdir();
        let dir = dir.expect("a directory");
        // The workers of one that root starts are nobody in particular.
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
        copy(Path::new("nginx"), dir.path());
        Self { dir, main, port: Port::hold() }
    }

    /// Puts these replicas where the file has others, and leaves out the rest.
    fn lead(self, name: &str, others: [&str; 3], replicas: &[SocketAddr]) -> Self {
        others.iter().enumerate().fold(self, |files, (index, old)| {
            let line = |address: &str| format!("server {address} max_fails=0 fail_timeout=1s;");
            let new = replicas.get(index).map(|it| line(&it.to_string()));
            files.with(name, &line(old), &new.unwrap_or_default())
        })
    }

    fn arguments(&self) -> [String; 6] {
        let path = |name| self.path(name).display().to_string();
        let (prefix, main, errors) = (path(""), path(self.main), path("error.log"));
        ["-p".into(), prefix, "-c".into(), main, "-e".into(), errors]
    }

    fn is_local(&self) -> bool {
        self.main == "local.conf"
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file of nginx/")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let goal = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &goal),
            false => fs::copy(entry.path(), goal).map(drop).expect("a copy"),
        }
    }
}

/// Makes a certificate for `localhost`, which nobody has signed.
fn certify(dir: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-subj", "/CN=localhost"])
        .args(["-keyout", "tls.key", "-out", "tls.crt"])
        .current_dir(dir)
        .output()
        .expect("openssl");
    assert!(made.status.success(), "{made:?}");
}
