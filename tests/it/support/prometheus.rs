//! A real Prometheus that scrapes servers, and what it remembers of those that are gone.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::http;
use super::patience::until;
use super::port::Port;

/// Starts it, says so, and waits for the pipe to close.
const LEASH: &str = r#"
cd "$1"; shift
"$@" >prometheus.log 2>&1 &
echo $!
read -r _
kill -TERM $! 2>/dev/null
wait $! 2>/dev/null
"#;

/// Before it was known to have started, it may have seen something already.
const EARLIER: Duration = Duration::from_secs(60);

/// A Prometheus that ends with this value.
#[derive(Debug)]
pub(crate) struct Prometheus {
    address: SocketAddr,
    started: Instant,
    dir: TempDir,
    shell: Child,
    leash: Option<ChildStdin>,
}

/// What was seen of one series: the time in seconds since the epoch, and the value.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// The address that was scraped.
    pub(crate) instance: String,
    /// Oldest first.
    pub(crate) samples: Vec<(f64, f64)>,
}

impl Prometheus {
    /// One that scrapes these twice a second, and has seen each of them.
    pub(crate) async fn over(targets: &[SocketAddr]) -> Self {
        let dir = tempfile::Builder::new()
            .prefix("steadfast-prometheus-")
            .tempdir()
            .expect("a directory for Prometheus");
        let address = SocketAddr::from(([127, 0, 0, 1], Port::hold_for_good()));
        let file = dir.path().join("prometheus.yml");
        fs::write(&file, configuration(targets)).expect("a configuration");
        let (file, data) = (file.display(), dir.path().join("data"));
        let mut shell = Command::new("sh")
            .args(["-c", LEASH, "sh"])
            .arg(dir.path())
            .args(["prometheus", "--log.level=warn"])
            .arg(format!("--config.file={file}"))
            .arg(format!("--storage.tsdb.path={}", data.display()))
            .arg(format!("--web.listen-address={address}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let leash = shell.stdin.take();
        let stdout = shell.stdout.take().expect("a pipe");
        let read = BufReader::new(stdout).read_line(&mut String::new());
        read.expect("it started");
        let prometheus = Self { address, started: Instant::now(), dir, shell, leash };
        until("Prometheus has seen every server", async || {
            let seen = prometheus.series("up").await;
            let is_up = |series: &&Series| series.samples.iter().any(|(_, up)| *up == 1.0);
            (seen.iter().filter(is_up).count() == targets.len()).then_some(())
        })
        .await;
        prometheus
    }

    /// Everything it has seen, however long ago, for this selector, such as `up{job="steadfast"}`.
    pub(crate) async fn series(&self, selector: &str) -> Vec<Series> {
        let range = (self.started.elapsed() + EARLIER).as_secs();
        let query: String =
            format!("{selector}[{range}s]").bytes().map(|byte| format!("%{byte:02x}")).collect();
        let path = format!("/api/v1/query?query={query}");
        let Ok(answer) = http::get(self.address, &path).await else {
            return Vec::new();
        };
        let answer = answer.json();
        let found = answer["data"]["result"].as_array().cloned();
        found.unwrap_or_default().iter().map(Series::read).collect()
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("prometheus.log")).unwrap_or_default()
    }
}

impl Series {
    fn read(value: &Value) -> Self {
        let samples = value["values"].as_array().into_iter().flatten();
        let sample = |it: &Value| Some((it[0].as_f64()?, it[1].as_str()?.parse().ok()?));
        Self {
            instance: value["metric"]["instance"].as_str().unwrap_or_default().to_owned(),
            samples: samples.filter_map(sample).collect(),
        }
    }

    /// How much a counter grew in all, over every process that was behind this address: it falls where a new one begins.
    pub(crate) fn total(&self) -> f64 {
        let values = self.samples.iter().map(|(_, value)| *value);
        let (mut before, mut total) = (0.0, 0.0);
        for value in values {
            total += if value < before { value } else { value - before };
            before = value;
        }
        total
    }

    /// When something was last seen to be up before this moment, where this is the series that tells it.
    pub(crate) fn last_up_before(&self, moment: f64) -> Option<f64> {
        let up = self.samples.iter().filter(|(_, up)| *up == 1.0);
        let times = up.map(|(time, _)| *time);
        times.rev().find(|time| *time <= moment)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        drop(self.leash.take());
        let _ = self.shell.wait();
    }
}

fn configuration(targets: &[SocketAddr]) -> String {
    let targets: Vec<String> = targets.iter().map(|it| format!("'{it}'")).collect();
    let targets = targets.join(", ");
    format!(
        "\
global: {{ scrape_interval: 500ms, scrape_timeout: 500ms }}
scrape_configs:
  - job_name: steadfast
    static_configs: [{{ targets: [{targets}] }}]
"
    )
}
