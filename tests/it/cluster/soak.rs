//! The same load for a while: nothing grows.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::support::server::Setup;

use super::bed::Bed;
use super::people;
use super::rolling::{judge, scripted};
use super::setting;

/// How long.
const SECONDS: u64 = 55;
/// Who write.
const PEOPLE: usize = 150;
/// How long each of them thinks between two dialogues.
const PAUSE: Duration = Duration::from_millis(1000);
/// How often it is measured.
const EVERY: Duration = Duration::from_millis(500);

/// Keys that come and go with what is under way: lanes, and what a partition has only while somebody is in a dialogue.
const PASSING: [&str; 9] = [
    "active", "aside", "bulk", "holders", "lane", "pace", "ready", "rec", "timers",
];

/// What must not grow, and by how much its median may be higher in the last third than in the second: so many parts of it, and so
/// much more.
const MEASURES: [(&str, f64, f64); 5] = [
    // Connections come and go with the moment's load: nginx has up to a hundred to the three and keeps 64 of them, and the calls to
    // Telegram have theirs. One that is lost with every tenth update shows nevertheless.
    ("open descriptors", 0.2, 40.0),
    // The allocator keeps what bursts have needed, and buffers of connections come and go.
    ("resident memory, KiB", 0.03, 2048.0),
    // Threads for blocking work are made at need and end ten seconds after it.
    ("threads", 0.0, 3.0),
    ("connections of Redis", 0.0, 2.0),
    // Everybody has a record by then.
    ("lasting keys in Redis", 0.0, 2.0),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the machine for itself: deploy/check.sh runs it with `cargo test --test it cluster:: -- --ignored --test-threads=1`"]
async fn under_a_steady_load_nothing_grows() {
    let bed = Bed::make(|setup: Setup| setup).await;
    let over = Arc::new(AtomicBool::new(false));
    let crowd = scripted(&bed.telegram, PEOPLE);
    let busy = tokio::spawn(people::busy(crowd, PAUSE, Arc::clone(&over)));
    let until = Instant::now() + Duration::from_secs(setting("SOAK_SECONDS", SECONDS));
    let mut samples = Vec::new();
    while Instant::now() < until {
        samples.push(bed.measure());
        sleep(EVERY).await;
    }
    over.store(true, Ordering::Relaxed);
    let people = busy.await.expect("people");
    bed.until_drained().await;

    let third = samples.len() / 3;
    let mut grown = Vec::new();
    println!("| median | second third | last third | may be |\n|---|---|---|---|");
    for (place, (name, parts, more)) in MEASURES.into_iter().enumerate() {
        let of = |samples: &[[f64; 5]]| median(samples.iter().map(|it| it[place]).collect());
        let (second, last) = (of(&samples[third..2 * third]), of(&samples[2 * third..]));
        let most = second * (1.0 + parts) + more;
        println!("| {name} | {second:.0} | {last:.0} | {most:.0} |");
        if last > most {
            grown.push(name);
        }
    }
    let verdict = judge(&people, &bed.telegram);
    assert!(verdict.is_well(), "{verdict:#?}");
    assert!(
        verdict.effects > 10 * PEOPLE,
        "hardly anybody wrote: {verdict:?}"
    );
    assert!(grown.is_empty(), "these grew: {grown:?}");
    bed.assert_discreet();
}

impl Bed {
    /// What there is at this moment, of all replicas together.
    fn measure(&self) -> [f64; 5] {
        let mut sum = [0.0; 3];
        for replica in &self.replicas {
            let pid = replica.server().pid();
            let open = fs::read_dir(format!("/proc/{pid}/fd")).expect("a process");
            let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
            sum[0] += open.count() as f64;
            sum[1] += field(&status, "VmRSS:");
            sum[2] += field(&status, "Threads:");
        }
        let clients = self.redis.command(&["INFO", "clients"]);
        let connected = clients.split("connected_clients:").nth(1).expect("a count");
        let connected = connected
            .lines()
            .next()
            .and_then(|it| it.trim().parse().ok());
        let [open, memory, threads] = sum;
        let keys = self.lasting_keys() as f64;
        [open, memory, threads, connected.expect("a number"), keys]
    }

    fn lasting_keys(&self) -> usize {
        let mut connection = self.redis.connection();
        let keys = redis::cmd("KEYS").arg("*").query(&mut connection);
        let keys: Vec<String> = keys.expect("keys");
        let lasts = |key: &&String| {
            let name = key.split("}:").nth(1).and_then(|it| it.split(':').next());
            !name.is_some_and(|name| PASSING.contains(&name))
        };
        keys.iter().filter(lasts).count()
    }
}

fn field(status: &str, name: &str) -> f64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|it| it.parse().ok()).expect("a number")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
