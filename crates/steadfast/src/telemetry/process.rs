//! What Linux counts of this process, under the names of Prometheus' own clients. Elsewhere nothing is shown.
//!
//! A few lines of `/proc`, since the crates for it are five and take longer to build than the web server.

use std::fs;

use metrics::{counter, describe_counter, describe_gauge, gauge};

/// Ticks in a second wherever Linux shows them: part of its interface, whatever its own clock does.
const TICKS: u64 = 100;

/// What grows; the rest goes up and down.
const CPU: &str = "process_cpu_seconds_total";

/// The name of each, what it is, and where it is read.
type Gauge = (&'static str, &'static str, fn() -> Option<u64>);

const GAUGES: [Gauge; 6] = [
    ("process_open_fds", "Open file descriptors.", open_descriptors),
    ("process_max_fds", "How many file descriptors it may have open.", limit_of_descriptors),
    ("process_resident_memory_bytes", "Memory that it occupies.", || kilobytes("VmRSS:")),
    ("process_virtual_memory_bytes", "Memory that it has mapped.", || kilobytes("VmSize:")),
    ("process_start_time_seconds", "When it was started, in Unix time.", started),
    ("process_threads", "Its threads.", || status("Threads:")),
];

/// Says what each of them is.
pub fn describe() {
    describe_counter!(CPU, "Seconds that it has used a processor.");
    for (name, words, _) in GAUGES {
        describe_gauge!(name, words);
    }
}

/// Shows how things are now. What cannot be read keeps its last value.
pub fn show() {
    if let Some(ticks) = read("/proc/self/stat").and_then(|stat| cpu_ticks(&stat)) {
        counter!(CPU).absolute(ticks / TICKS);
    }
    for (name, _, value) in GAUGES {
        if let Some(value) = value() {
            gauge!(name).set(value as f64);
        }
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// A field of `/proc/self/stat`, counted from 1 as its manual does. The second is a name in brackets, which may hold anything.
fn field(stat: &str, number: usize) -> Option<u64> {
    let (_, behind_name) = stat.rsplit_once(") ")?;
    behind_name.split(' ').nth(number - 3)?.parse().ok()
}

/// In its own code and in the kernel's.
fn cpu_ticks(stat: &str) -> Option<u64> {
    Some(field(stat, 14)? + field(stat, 15)?)
}

/// Since the machine was started, when that was, and so when this was.
fn started() -> Option<u64> {
    let after_boot = field(&read("/proc/self/stat")?, 22)? / TICKS;
    Some(number_behind("btime", &read("/proc/stat")?)? + after_boot)
}

fn status(name: &str) -> Option<u64> {
    number_behind(name, &read("/proc/self/status")?)
}

fn kilobytes(name: &str) -> Option<u64> {
    Some(status(name)? * 1024)
}

fn open_descriptors() -> Option<u64> {
    // Reading the directory opens one.
    Some((fs::read_dir("/proc/self/fd").ok()?.count() as u64).saturating_sub(1))
}

fn limit_of_descriptors() -> Option<u64> {
    number_behind("Max open files", &read("/proc/self/limits")?)
}

/// The number that comes next in the line that begins so.
fn number_behind(name: &str, text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Instant, SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_name_may_hold_brackets_and_blanks() {
        let stat = "7 (a) b) (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 3 0 900 1 2";
        assert_eq!(cpu_ticks(stat), Some(300));
        assert_eq!(field(stat, 22), Some(900));
    }

    #[test]
    fn no_limit_is_not_shown() {
        let limits = "Max open files            unlimited            unlimited            files";
        assert_eq!(number_behind("Max open files", limits), None);
    }

    #[test]
    fn it_started_before_now_and_not_long_ago() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let started = started().unwrap();
        assert!(started <= now.as_secs() + 1, "{started}");
        assert!(started + 3600 > now.as_secs(), "{started}");
    }

    #[test]
    fn what_is_used_grows() {
        let ticks = || cpu_ticks(&read("/proc/self/stat").unwrap()).unwrap();
        let (before, began) = (ticks(), Instant::now());
        while ticks() == before {
            assert!(began.elapsed().as_secs() < 60, "it has worked all the time");
        }
    }

    /// Other tests open and close files meanwhile, but not hundreds.
    #[test]
    fn each_open_file_is_counted() {
        let before = open_descriptors().unwrap();
        let held: Vec<File> = (0..500).map(|_| File::open("/dev/null").unwrap()).collect();
        let more = open_descriptors().unwrap() - before;
        assert!((250..750).contains(&more), "{more} with {}", held.len());
        assert!(limit_of_descriptors().unwrap() > before);
    }

    #[test]
    fn memory_is_in_bytes() {
        let (resident, mapped) = (kilobytes("VmRSS:").unwrap(), kilobytes("VmSize:").unwrap());
        assert!(resident > 1 << 20 && resident < mapped, "{resident} of {mapped}");
        assert!(status("Threads:").unwrap() >= 1);
    }
}
