//! Runs the field-service bot.

use std::process::ExitCode;

/// A turn makes some hundreds of small allocations, on whichever thread it happens to be.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    field_service::bot().main()
}
