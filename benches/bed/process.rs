//! What a process has used. All of them run as long as they are asked about.

use std::time::Duration;

use steadfast::bench::Usage;

/// The processor time a process has used, its own and the kernel's for it.
pub fn cpu(pid: u32) -> Duration {
    Usage::of(pid).expect("the process runs").cpu
}

/// MiB of memory a process has at the moment.
pub fn resident_mib(pid: u32) -> f64 {
    Usage::of(pid).expect("the process runs").resident_mib
}
