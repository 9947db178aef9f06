//! What a process has used, from `/proc`.

use std::fs;
use std::io;
use std::time::Duration;

/// Linux counts processor time in hundredths of a second here, whatever the kernel's own tick.
const TICKS_PER_SECOND: u32 = 100;

/// What a process has used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Its processor time so far, its own and the kernel's for it.
    pub cpu: Duration,
    /// MiB of memory at the moment.
    pub resident_mib: f64,
}

impl Usage {
    /// Of this process.
    pub fn of(pid: u32) -> io::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let usage = cpu(&stat).zip(resident_mib(&status));
        let (cpu, resident_mib) = usage.ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { cpu, resident_mib })
    }
}

/// What a process is called.
pub fn name(pid: u32) -> io::Result<String> {
    let name = fs::read_to_string(format!("/proc/{pid}/comm"))?;
    Ok(name.trim_end().to_owned())
}

fn cpu(stat: &str) -> Option<Duration> {
    // The name comes second, in parentheses, and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks = times.map(|field| field.parse::<u32>().ok()).sum::<Option<u32>>()?;
    Some(Duration::from_secs(1) * ticks / TICKS_PER_SECOND)
}

fn resident_mib(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_whatever_the_process_is_called() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 3 0 1 1 1";
        assert_eq!(cpu(stat), Some(Duration::from_secs(3)));
    }

    #[test]
    fn this_process_has_memory_and_a_name() {
        let own = std::process::id();
        assert!(Usage::of(own).unwrap().resident_mib > 0.0);
        assert!(!name(own).unwrap().is_empty());
    }
}
