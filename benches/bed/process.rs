//! What a process has used, from `/proc`.

use std::fs;
use std::time::Duration;

/// Linux counts processor time in hundredths of a second here, whatever the kernel's own tick.
const TICKS_PER_SECOND: u32 = 100;

/// The processor time a process has used, its own and the kernel's for it.
pub fn cpu(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    // The name comes second, in parentheses, and may hold anything.
    let (_, fields) = stat.rsplit_once(')').expect("a name in parentheses");
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks: u32 = times
        .map(|field| field.parse::<u32>().expect("a number"))
        .sum();
    Duration::from_secs(1) * ticks / TICKS_PER_SECOND
}

/// MiB of memory a process has at the moment.
pub fn resident_mib(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.expect("a size") / 1024.0
}
