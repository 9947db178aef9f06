//! Whether a Redis is set up so that nothing is lost, and how to mend it where not.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Redis;
use super::connection::Ask;
use crate::{Finding, Result, Vitals};

/// By how much the clocks of Redis and of this machine may differ.
const MOST_DRIFT: Duration = Duration::from_secs(5);
/// The oldest version whose scripts are refused up front, rather than in the middle.
const OLDEST: (u32, u32) = (7, 0);

impl Redis {
    /// Looks at everything that decides whether this server can be relied upon.
    pub(super) async fn findings(&self) -> Result<Vec<Finding>> {
        let mut findings = match self.info().await {
            Some(info) => info.findings(),
            None => vec![unchecked("info", "INFO")],
        };
        findings.push(self.flushing().await);
        findings.push(self.clock().await?);
        Ok(findings)
    }

    /// How much it holds, how much it may, and who follows it.
    pub(super) async fn own_vitals(&self) -> Result<Vitals> {
        let mut info = redis::cmd("INFO");
        info.arg("memory").arg("replication");
        let info = Info(self.connection.ask(Ask::Cmd(&info)).await?);
        Ok(info.vitals())
    }

    /// What the server says of itself; none where that is forbidden.
    async fn info(&self) -> Option<Info> {
        let mut info = redis::cmd("INFO");
        info.arg("everything");
        self.connection.ask(Ask::Cmd(&info)).await.ok().map(Info)
    }

    async fn flushing(&self) -> Finding {
        let mut config = redis::cmd("CONFIG");
        config.arg("GET").arg("appendfsync");
        match self.connection.ask(Ask::Cmd(&config)).await {
            Ok(settings) => flushing(settings),
            Err(_) => unchecked("appendfsync", "CONFIG GET"),
        }
    }

    async fn clock(&self) -> Result<Finding> {
        let (seconds, micros): (u64, u32) =
            self.connection.ask(Ask::Cmd(&redis::cmd("TIME"))).await?;
        let theirs = UNIX_EPOCH + Duration::new(seconds, micros.saturating_mul(1000));
        Ok(clock(theirs, SystemTime::now()))
    }
}

/// The answer to `INFO`.
struct Info(String);

impl Info {
    fn findings(&self) -> Vec<Finding> {
        vec![
            version(self.field("redis_version")),
            role(self.field("role")),
            eviction(self.field("maxmemory_policy")),
            memory(self.field("maxmemory")),
            persistence(self.field("aof_enabled")),
        ]
    }

    fn vitals(&self) -> Vitals {
        let number = |name| self.field(name).parse().unwrap_or_default();
        Vitals {
            used: number("used_memory"),
            limit: number("maxmemory"),
            is_master: self.field("role") == "master",
            replicas: number("connected_slaves"),
        }
    }

    fn field(&self, name: &str) -> &str {
        let value = |line: &str| line.strip_prefix(name)?.strip_prefix(':').map(str::len);
        let line = self.0.lines().find(|line| value(line).is_some());
        line.map_or("", |line| line[name.len() + 1..].trim())
    }
}

fn version(version: &str) -> Finding {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    let is_new = (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST;
    let bad = "older than 7.0: it does not know the scripts of this build. Upgrade it";
    finding("version", is_new, format!("Redis {version}"), bad)
}

fn role(role: &str) -> Finding {
    let bad = "not a master: it refuses every write. Give the address of the master";
    finding("role", role == "master", format!("role {role}"), bad)
}

fn eviction(policy: &str) -> Finding {
    let bad = "Redis deletes dialogues when memory runs out: set `maxmemory-policy noeviction`";
    let is = format!("maxmemory-policy {policy}");
    finding("eviction", policy == "noeviction", is, bad)
}

fn memory(bytes: &str) -> Finding {
    let bad = "Redis grows until the system ends it: set `maxmemory` to what the machine can spare";
    finding("maxmemory", bytes != "0", format!("maxmemory {bytes}"), bad)
}

fn persistence(enabled: &str) -> Finding {
    let bad =
        "Redis forgets everything since the last snapshot when it is killed: set `appendonly yes`";
    finding("persistence", enabled == "1", format!("append-only file {enabled}"), bad)
}

fn flushing(settings: Vec<(String, String)>) -> Finding {
    let policy = settings.into_iter().next().unwrap_or_default().1;
    let bad =
        "the last half minute is lost with the power: set `appendfsync everysec`, or `always`";
    finding("appendfsync", policy != "no", format!("appendfsync {policy}"), bad)
}

fn clock(theirs: SystemTime, ours: SystemTime) -> Finding {
    let drift = theirs.duration_since(ours).unwrap_or_else(|ahead| ahead.duration());
    let bad = "the clocks of Redis and of this machine disagree: keep both right with NTP";
    let is = format!("the clocks differ by {} ms", drift.as_millis());
    finding("clock", drift < MOST_DRIFT, is, bad)
}

fn finding(check: &'static str, ok: bool, is: String, bad: &str) -> Finding {
    let advice = if ok { is } else { format!("{is}: {bad}") };
    Finding { check, ok, advice }
}

fn unchecked(check: &'static str, command: &str) -> Finding {
    let advice = format!("could not be checked: Redis does not let us use `{command}`");
    Finding { check, ok: false, advice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debian_default_is_found_wanting() {
        let info = Info(
            "# Server\r\nredis_version:6.2.14\r\nrole:slave\r\nmaxmemory:0\r\n\
             maxmemory_policy:allkeys-lru\r\naof_enabled:0\r\n"
                .into(),
        );
        assert!(info.findings().iter().all(|finding| !finding.ok));
    }

    #[test]
    fn a_careful_set_up_passes() {
        let info = Info(
            "redis_version:7.0.15\r\nrole:master\r\nmaxmemory:1000\r\n\
             maxmemory_policy:noeviction\r\naof_enabled:1\r\n"
                .into(),
        );
        assert!(info.findings().iter().all(|finding| finding.ok));
    }

    #[test]
    fn the_memory_in_use_is_not_taken_for_its_peak() {
        let info = Info("used_memory_peak:9\r\nused_memory:5\r\nmaxmemory:8\r\n".into());
        assert_eq!((info.vitals().used, info.vitals().limit), (5, 8));
    }

    #[test]
    fn clocks_may_differ_a_little() {
        let now = SystemTime::now();
        assert!(clock(now, now + Duration::from_secs(4)).ok);
        assert!(!clock(now, now + Duration::from_secs(6)).ok);
        assert!(!clock(now + Duration::from_secs(6), now).ok);
    }
}
