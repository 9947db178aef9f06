//! `bench`: how much a deployment bears.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use axum::http::Uri;
use clap::{ArgGroup, Args};
use redis::ConnectionAddr;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::net::TcpListener;

use super::Failure;
use super::say;
use crate::bench::telegram::Somebody;
use crate::bench::{Doors, Plan, Tally, Telegram, talk};
use crate::bot::Playground;
use crate::config::Source;
use crate::emulator::Webhook;
use crate::server::Signals;

mod progress;
mod report;
mod spawn;

use report::{Process, Report};
use spawn::Spawned;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("target").required(true).args(["webhook", "spawn"]))]
pub(super) struct Bench {
    /// Where a running deployment takes updates; several are taken in turn.
    #[arg(long, value_name = "URL")]
    webhook: Vec<Uri>,
    /// What opens it [default: the first of WEBHOOK_SECRET]
    #[arg(long)]
    secret: Option<SecretString>,
    /// Start a server for this, which ends with it.
    #[arg(long)]
    spawn: bool,
    /// How many servers to start; more than one need a Redis.
    #[arg(long, value_name = "COUNT", default_value_t = 1, requires = "spawn")]
    replicas: usize,
    /// Where the bench is the Bot API [default: 127.0.0.1:8081, or any free port with --spawn]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// How many people.
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    users: u32,
    /// For how long.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// How long a person thinks between a reply and the next message, on average; 0 for as fast as it goes.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000)]
    pause: u64,
    /// Over how many connections updates come; Telegram uses WEBHOOK_MAX_CONNECTIONS.
    #[arg(long, value_name = "COUNT", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=1000))]
    connections: u16,
    /// A process of this machine to measure as well; those that are started here are anyway.
    #[arg(long)]
    pid: Vec<u32>,
    /// Allow targets that are not on this machine.
    #[arg(long)]
    remote: bool,
}

pub(super) async fn run(
    bench: Bench,
    source: Source<'_>,
    playground: &Playground,
) -> Result<ExitCode, Failure> {
    bench.check(source)?;
    let mut signals = Signals::new().map_err(Failure::plain)?;
    let (telegram, people) = bench.telegram().await?;
    let spawned = match bench.spawn {
        true => Some(Spawned::start(bench.replicas, telegram.address, source).await?),
        false => None,
    };
    let mut processes = Vec::new();
    for pid in bench.pid.iter().chain(spawned.iter().flat_map(Spawned::pids)) {
        processes.push(Process::new(*pid)?);
    }
    let tally = Tally::default();
    let (webhook, _doors) = bench.webhook(spawned.as_ref(), source).await?;
    telegram.deliver(webhook, tally.clone());
    let talk = talk(people, bench.plan(playground), &tally);
    let time = Duration::from_secs(bench.seconds);
    let begun = std::time::Instant::now();
    tokio::select! {
        () = talk => {}
        never = progress::show(&tally, time) => match never {},
        _ = signals.next() => progress::clear(),
    }
    progress::clear();
    let report = Report::new(tally.counts(), begun.elapsed(), &processes);
    say::text(&report)?;
    if let Some(spawned) = spawned {
        spawned.end().await?;
    }
    Ok(match report.is_well() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

impl Bench {
    /// Nothing but this machine is loaded by mistake.
    fn check(&self, source: Source<'_>) -> Result<(), Failure> {
        for door in &self.webhook {
            if door.scheme_str() != Some("http") {
                let advice = "--webhook must begin with http://: measure behind what ends TLS";
                return Err(Failure::plain(advice));
            }
            self.check_host("--webhook", door.host().unwrap_or_default())?;
        }
        let mut paths = self.webhook.windows(2);
        if paths.any(|doors| doors[0].path() != doors[1].path()) {
            let advice = "several --webhook must have the same path, as behind a proxy";
            return Err(Failure::plain(advice));
        }
        let redis = source("REDIS_URL").filter(|url| self.spawn && !url.is_empty());
        match redis {
            Some(url) => self.check_host("REDIS_URL", &redis_host(&url)?),
            None => Ok(()),
        }
    }

    fn check_host(&self, named_by: &str, host: &str) -> Result<(), Failure> {
        match self.remote || is_loopback(host) {
            true => Ok(()),
            false => Err(Failure::plain(format!(
                "{named_by} is not on this machine: a bench can bring others down; if that is meant, add --remote"
            ))),
        }
    }

    async fn telegram(&self) -> Result<(Telegram, Vec<Somebody>), Failure> {
        let usual = if self.spawn { 0 } else { 8081 };
        let listen = self.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], usual)));
        let bound = TcpListener::bind(listen).await;
        let bound = bound.map_err(|error| {
            Failure::plain(format!(
                "cannot listen on {listen}: {error}; choose another address with --listen"
            ))
        })?;
        Telegram::start(bound, self.users as usize).map_err(Failure::plain)
    }

    fn plan(&self, playground: &Playground) -> Plan {
        Plan {
            time: Duration::from_secs(self.seconds),
            pause: Duration::from_millis(self.pause),
            scripts: playground.scripts(),
        }
    }

    /// Where updates go: to the one server, or to what stands before several.
    async fn webhook(
        &self,
        spawned: Option<&Spawned>,
        source: Source<'_>,
    ) -> Result<(Webhook, Option<Doors>), Failure> {
        let (doors, secret) = match spawned {
            Some(spawned) => (spawned.doors(), spawned.secret.clone()),
            None => (self.webhook.clone(), self.secret(source)?),
        };
        let (url, before) = match &doors[..] {
            [one] => (one.to_string(), None),
            several => {
                let servers = several.iter().filter_map(authority).collect();
                let before = Doors::before(servers).await.map_err(Failure::plain)?;
                let path = several.first().map_or("/", Uri::path);
                (format!("http://{}{path}", before.address), Some(before))
            }
        };
        let webhook = Webhook {
            secret: secret.expose_secret().to_owned(),
            max_connections: self.connections.into(),
            ..Webhook::at(&url)
        };
        Ok((webhook, before))
    }

    fn secret(&self, source: Source<'_>) -> Result<SecretString, Failure> {
        let set = source("WEBHOOK_SECRET").unwrap_or_default();
        let first = set.split(',').next().unwrap_or_default().trim();
        match (&self.secret, first) {
            (Some(secret), _) => Ok(secret.clone()),
            (None, "") => Err(Failure::plain(
                "the webhook does not open without its secret: set WEBHOOK_SECRET, or add --secret",
            )),
            (None, first) => Ok(first.into()),
        }
    }
}

/// The host of a door with its port.
fn authority(door: &Uri) -> Option<String> {
    let (host, port) = (door.host()?, door.port_u16().unwrap_or(80));
    Some(format!("{host}:{port}"))
}

/// Where a Redis is, in the words of who connects to it: another reader may understand the address otherwise. It is not repeated, since it
/// may hold a password.
fn redis_host(url: &str) -> Result<String, Failure> {
    let client = redis::Client::open(url).map_err(|_| {
        let advice =
            "REDIS_URL is no Redis address: expected `redis://host:6379/0` or `rediss://…`";
        Failure::plain(advice)
    })?;
    Ok(match client.get_connection_info().addr() {
        ConnectionAddr::Tcp(host, _) | ConnectionAddr::TcpTls { host, .. } => host.clone(),
        // Not an address that a server is given: `check_host` refuses it.
        _ => String::new(),
    })
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_the_loopback() {
        for host in ["127.0.0.1", "127.1.2.3", "localhost", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["10.0.0.1", "localhost.example.org", "0.0.0.0", "", "[2001:db8::1]"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_redis_is_where_its_client_goes() {
        for (url, host) in [
            ("redis://127.0.0.1:6379/0", "127.0.0.1"),
            ("redis://:p^ss@10.0.0.1", "10.0.0.1"),
            ("rediss://user:a%40b@cache.example.org:6380", "cache.example.org"),
        ] {
            assert_eq!(redis_host(url).unwrap(), host, "{url}");
        }
        for url in ["10.0.0.1:6379", "redis://", "redis://10.0.0.1:port"] {
            assert!(redis_host(url).is_err(), "{url}");
        }
    }
}
