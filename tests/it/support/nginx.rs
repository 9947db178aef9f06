//! A real nginx on a free port, before servers, with a directory of its own and without root.
//!
//! A small shell holds it on a leash, as with [`super::redis_server`]: when the pipe from the test process closes, the shell ends
//! it with its workers.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::redis_server::free_port;

/// Starts nginx in the foreground, says its process id, and waits for the pipe to close. Only the master is told: it ends its
/// workers.
const LEASH: &str = r#"
"$@" >/dev/null 2>&1 &
echo $!
read -r _
kill -TERM $! 2>/dev/null
wait $! 2>/dev/null
"#;

/// How long it may take to listen.
const START_WITHIN: Duration = Duration::from_secs(15);

/// An nginx that ends with this value.
#[derive(Debug)]
pub(crate) struct Nginx {
    port: u16,
    dir: TempDir,
    pid: Pid,
    shell: Child,
    leash: Option<ChildStdin>,
}

impl Nginx {
    /// One that passes the webhook on to these.
    pub(crate) fn before(upstreams: &[SocketAddr]) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("steadfast-nginx-")
            .tempdir()
            .expect("a directory for nginx");
        let port = free_port();
        let file = dir.path().join("nginx.conf");
        fs::write(&file, configuration(port, upstreams)).expect("a configuration");
        let mut shell = Command::new("sh")
            .args(["-c", LEASH, "sh", program()])
            .arg("-p")
            .arg(dir.path())
            .arg("-c")
            .arg(&file)
            .args(["-e", "error.log"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let leash = shell.stdin.take();
        let mut said = String::new();
        let stdout = shell.stdout.take().expect("a pipe");
        let read = BufReader::new(stdout).read_line(&mut said);
        read.expect("the process id of nginx");
        let nginx = Self {
            port,
            dir,
            pid: Pid::from_raw(said.trim().parse().expect("a process id")),
            shell,
            leash,
        };
        nginx.wait_until_it_listens();
        nginx
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    /// Reads its configuration again: new workers take over, the old ones finish what they have.
    pub(crate) fn reload(&self) {
        kill(self.pid, Signal::SIGHUP).expect("nginx can be signalled");
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("error.log")).unwrap_or_default()
    }

    fn wait_until_it_listens(&self) {
        let started = Instant::now();
        while TcpStream::connect(self.address()).is_err() {
            assert!(
                started.elapsed() < START_WITHIN,
                "nginx does not listen. These tests need one: apt install nginx-light. It says:\n{}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        drop(self.leash.take());
        let _ = self.shell.wait();
    }
}

/// Debian keeps it where only root looks.
fn program() -> &'static str {
    match fs::exists("/usr/sbin/nginx") {
        Ok(true) => "/usr/sbin/nginx",
        _ => "nginx",
    }
}

/// What an operator would write, without TLS and the list of Telegram's addresses.
///
/// An update that was sent already is passed on to the next server too (`non_idempotent`), which is right because of the dedup. No
/// server is ever taken for down (`max_fails=0`): nginx would keep to that for up to two seconds after it is back, and refuse
/// everything by itself where restarts follow each other faster, or where Redis was away and all of them said so.
fn configuration(port: u16, upstreams: &[SocketAddr]) -> String {
    let servers: String = upstreams
        .iter()
        .map(|it| format!("    server {it} max_fails=0;\n"))
        .collect();
    let tries = upstreams.len();
    format!(
        "\
worker_processes 1;
daemon off;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 10000;
  keepalive_timeout 75s;
  upstream bot {{
{servers}    keepalive 64;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    location = /webhook {{
      client_max_body_size 1m;
      client_body_buffer_size 1m;
      client_body_timeout 5s;
      proxy_http_version 1.1;
      proxy_set_header Connection \"\";
      proxy_set_header X-Request-Start \"t=$msec\";
      proxy_connect_timeout 1s;
      proxy_read_timeout 15s;
      proxy_ignore_client_abort on;
      proxy_next_upstream error timeout http_502 http_503 non_idempotent;
      proxy_next_upstream_tries {tries};
      proxy_next_upstream_timeout 20s;
      proxy_pass http://bot;
    }}
    location / {{ return 404; }}
  }}
}}
"
    )
}
