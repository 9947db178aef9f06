//! What a run came to, as tables.

use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use super::super::Failure;
use super::super::table::table;
use crate::bench::process::{self, Usage};
use crate::bench::tally::Counts;

/// A process that is measured.
#[derive(Debug)]
pub(super) struct Process {
    pid: u32,
    name: String,
    before: Usage,
}

impl Process {
    /// Begins to measure.
    pub(super) fn new(pid: u32) -> Result<Self, Failure> {
        let read = || Ok::<_, std::io::Error>((process::name(pid)?, Usage::of(pid)?));
        let (name, before) = read().map_err(|error| {
            Failure::plain(format!("process {pid} cannot be measured: {error}"))
        })?;
        Ok(Self { pid, name, before })
    }
}

/// What a run came to.
#[derive(Debug)]
pub(super) struct Report {
    counts: Counts,
    time: Duration,
    used: Vec<(String, Option<Usage>)>,
}

impl Report {
    pub(super) fn new(counts: Counts, time: Duration, processes: &[Process]) -> Self {
        let used = processes.iter().map(|process| {
            let after = Usage::of(process.pid).ok();
            let used = after
                .map(|after| Usage { cpu: after.cpu.saturating_sub(process.before.cpu), ..after });
            (format!("{} ({})", process.name, process.pid), used)
        });
        Self { counts, time, used: used.collect() }
    }

    /// Whether everything was acknowledged and replied to.
    pub(super) fn is_well(&self) -> bool {
        self.counts.updates > 0 && self.counts.lost == 0
    }

    fn per_second(&self) -> f64 {
        self.counts.updates as f64 / self.time.as_secs_f64().max(0.001)
    }

    fn totals(&self) -> [[String; 5]; 2] {
        let Counts { updates, again, lost, .. } = &self.counts;
        [
            ["UPDATES", "SECONDS", "PER SECOND", "ASKED AGAIN", "LOST"].map(str::to_owned),
            [
                updates.to_string(),
                format!("{:.1}", self.time.as_secs_f64()),
                format!("{:.0}", self.per_second()),
                again.to_string(),
                lost.to_string(),
            ],
        ]
    }

    fn latencies(&self) -> [[String; 5]; 3] {
        [
            ["MILLISECONDS", "P50", "P95", "P99", "MAX"].map(str::to_owned),
            percentiles("acknowledged", &self.counts.acknowledged),
            percentiles("replied", &self.counts.replied),
        ]
    }

    fn processes(&self) -> Vec<[String; 5]> {
        let header = ["PROCESS", "CORES", "CPU PER UPDATE", "UPDATES PER CORE", "MEMORY"];
        let rows = self.used.iter().map(|(name, used)| match used {
            Some(used) => self.process(name, used),
            None => [name.as_str(), "ended", "", "", ""].map(str::to_owned),
        });
        [header.map(str::to_owned)].into_iter().chain(rows).collect()
    }

    fn process(&self, name: &str, used: &Usage) -> [String; 5] {
        let (cpu, updates) = (used.cpu.as_secs_f64(), self.counts.updates as f64);
        [
            name.to_owned(),
            format!("{:.2}", cpu / self.time.as_secs_f64().max(0.001)),
            format!("{:.0} µs", cpu * 1e6 / updates.max(1.0)),
            format!("{:.0}/s", updates / cpu.max(0.01)),
            format!("{:.0} MiB", used.resident_mib),
        ]
    }
}

fn percentiles(name: &str, micros: &Histogram<u64>) -> [String; 5] {
    let at = |quantile| format!("{:.1}", micros.value_at_quantile(quantile) as f64 / 1000.0);
    [name.to_owned(), at(0.5), at(0.95), at(0.99), at(1.0)]
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", table(&self.totals()), table(&self.latencies()))?;
        if !self.used.is_empty() {
            write!(f, "\n{}", table(&self.processes()))?;
        }
        match &self.counts.trouble {
            Some(trouble) => writeln!(f, "\nLost, the last of them: {trouble}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_of_a_hundred_are_told_apart() {
        let mut counts = Counts::default();
        for milliseconds in 1..=100 {
            counts.acknowledged.record(milliseconds * 1000).unwrap();
            counts.replied.record(milliseconds * 100).unwrap();
        }
        let report = Report { counts, time: Duration::from_secs(1), used: Vec::new() };
        assert_eq!(
            report.latencies(),
            [
                ["MILLISECONDS", "P50", "P95", "P99", "MAX"],
                ["acknowledged", "50.0", "95.0", "99.0", "100.0"],
                ["replied", "5.0", "9.5", "9.9", "10.0"],
            ]
            .map(|row| row.map(str::to_owned))
        );
    }

    #[test]
    fn figures_stand_per_update_and_per_core() {
        let mut counts = Counts { updates: 10_000, ..Counts::default() };
        counts.replied.record(2500).unwrap();
        let used = Usage { cpu: Duration::from_secs(2), resident_mib: 51.2 };
        let report = Report {
            counts,
            time: Duration::from_secs(4),
            used: vec![("steadfast (7)".to_owned(), Some(used))],
        };
        assert_eq!(
            report.processes()[1],
            ["steadfast (7)", "0.50", "200 µs", "5000/s", "51 MiB"].map(str::to_owned)
        );
        assert_eq!(report.latencies()[2][1], "2.5");
        assert!(report.is_well());
        assert!(report.to_string().contains("10000    4.0      2500"));
    }
}
