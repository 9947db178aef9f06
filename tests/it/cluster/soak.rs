//! The same load for a while: nothing grows.
//!
//! Connections are kept for the next call, as many as the busiest moment needed, so a count of descriptors in the middle of work
//! rises with every new peak and says nothing of what is lost. Therefore the crowd is largest at the beginning, and what is open is
//! counted once more at rest, before and after: there it must be the same.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyper::Uri;
use tokio::time::sleep;

use crate::support::patience::until;
use crate::support::server::Setup;

use super::bed::Bed;
use super::length;
use super::people::{self, Done};
use super::replica::Replica;
use super::rolling::{judge, scripted};

/// Who write.
const PEOPLE: usize = 150;
/// How long each of them thinks between two dialogues.
const PAUSE: Duration = Duration::from_millis(1000);
/// How often it is measured.
const EVERY: Duration = Duration::from_millis(500);

/// How many more descriptors the replicas may have at rest than before: each may be scraped at this very moment.
const AT_REST: usize = 3;

/// Keys that come and go with what is under way: lanes, and what a partition has only while somebody is in a dialogue.
const PASSING: [&str; 6] = ["active", "behind", "claims", "lanes", "pace", "timers"];

/// What must not grow, and by how much its median may be higher in the last third than in the second: so many parts of it, and so
/// much more.
const MEASURES: [(&str, f64, f64); 5] = [
    ("open descriptors", 0.05, 8.0),
    // The allocator keeps what bursts have needed, and buffers of connections come and go.
    ("resident memory, KiB", 0.03, 2048.0),
    // Threads for blocking work are made at need and end ten seconds after it.
    ("threads", 0.0, 3.0),
    ("connections of Redis", 0.0, 2.0),
    // Everybody has a record by then.
    ("lasting keys in Redis", 0.0, 2.0),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the machine for itself: deploy/prove.sh runs it"]
async fn under_a_steady_load_nothing_grows() {
    let bed = Bed::make(|setup: Setup| setup).await;
    let third = length() / 3;
    let mut people = bed.let_write(third / 3, Duration::ZERO).await;
    let before = bed.open_at_rest().await;

    let (steady, rush) =
        tokio::join!(bed.measure_for(3 * third), bed.let_write(third, Duration::ZERO));
    let (samples, steady) = steady;
    people.extend(rush);
    people.extend(steady);
    let after = bed.open_at_rest().await;

    let third = samples.len() / 3;
    let mut grown = Vec::new();
    println!("\n| median | second third | last third | may be |\n|---|---|---|---|");
    for (place, (name, parts, more)) in MEASURES.into_iter().enumerate() {
        let of = |samples: &[[f64; 5]]| median(samples.iter().map(|it| it[place]).collect());
        let (second, last) = (of(&samples[third..2 * third]), of(&samples[2 * third..]));
        let most = second * (1.0 + parts) + more;
        println!("| {name} | {second:.0} | {last:.0} | {most:.0} |");
        if last > most {
            grown.push(name);
        }
    }
    println!(
        "\n| open descriptors at rest | before | after |\n|---|---|---|\n| of all replicas | {before} | {after} |"
    );
    let verdict = judge(&people, &bed.telegram);
    assert!(verdict.is_well(), "{verdict:#?}");
    assert!(verdict.effects > 10 * PEOPLE, "hardly anybody wrote: {verdict:?}");
    assert!(grown.is_empty(), "these grew: {grown:?}");
    assert!(after <= before + AT_REST, "not closed: {before} became {after}");
    bed.assert_discreet();
}

impl Bed {
    /// Lets people write for so long, thinking for so long between two dialogues, until all is done.
    async fn let_write(&self, long: Duration, pause: Duration) -> Vec<Done> {
        let over = Arc::new(AtomicBool::new(false));
        let crowd = scripted(&self.telegram, PEOPLE);
        let busy = tokio::spawn(people::busy(crowd, pause, Arc::clone(&over)));
        sleep(long).await;
        over.store(true, Ordering::Relaxed);
        busy.await.expect("people")
    }

    /// Lets people write steadily for so long, and measures meanwhile.
    async fn measure_for(&self, long: Duration) -> (Vec<[f64; 5]>, Vec<Done>) {
        let measures = async {
            let (until, mut samples) = (Instant::now() + long, Vec::new());
            while Instant::now() < until {
                samples.push(self.measure());
                sleep(EVERY).await;
            }
            samples
        };
        tokio::join!(measures, self.let_write(long, PAUSE))
    }

    /// How many descriptors the replicas have open, but those to the database, when all is done and nobody is connected to it or has it connected.
    async fn open_at_rest(&self) -> usize {
        self.until_drained().await;
        self.telegram.emulator.shut_door();
        self.nginx.reload();
        let mut doors: Vec<_> = self.replicas.iter().map(|it| it.webhook.port()).collect();
        doors.push(self.telegram.port());
        until("no connection is kept", async || (connections_at(&doors) == 0).then_some(())).await;
        let open = self.replicas.iter().map(Replica::open_descriptors);
        let open: usize = open.sum();
        self.telegram.emulator.open_door();
        // Each connection has two ends here, and is counted at both.
        open - connections_at(&[self.database_port()]) / 2
    }

    /// Where the database listens: its pool fills as it is needed, and is not counted.
    fn database_port(&self) -> u16 {
        let url: Uri = self.database.parse().expect("an address");
        url.port_u16().expect("a port")
    }

    /// What there is at this moment, of all replicas together.
    fn measure(&self) -> [f64; 5] {
        let mut sum = [0.0; 3];
        for replica in &self.replicas {
            let pid = replica.server().pid();
            let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
            sum[0] += replica.open_descriptors() as f64;
            sum[1] += field(&status, "VmRSS:");
            sum[2] += field(&status, "Threads:");
        }
        let clients = self.redis.command(&["INFO", "clients"]);
        let connected = clients.split("connected_clients:").nth(1).expect("a count");
        let connected = connected.lines().next().and_then(|it| it.trim().parse().ok());
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

impl Replica {
    fn open_descriptors(&self) -> usize {
        let open = fs::read_dir(format!("/proc/{}/fd", self.server().pid()));
        open.expect("a process").count()
    }
}

/// How many connections there are to or from one of these ports that somebody holds open still, be it at one end.
fn connections_at(ports: &[u16]) -> usize {
    let table = fs::read_to_string("/proc/net/tcp").expect("the connections of this machine");
    let port = |address: &str| u16::from_str_radix(address.rsplit(':').next()?, 16).ok();
    let held = |line: &&str| {
        let mut fields = line.split_whitespace().skip(1);
        let ends = [fields.next(), fields.next()].map(|it| it.and_then(port));
        // Established, or closed by the other side alone.
        let held = matches!(fields.next(), Some("01" | "08"));
        held && ends.into_iter().flatten().any(|it| ports.contains(&it))
    };
    table.lines().filter(held).count()
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
