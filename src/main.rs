//! The doorbell.

use std::process::ExitCode;

/// A turn makes some hundreds of small allocations, on whichever thread it happens to be.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    steadfast::company::bot().main()
}
