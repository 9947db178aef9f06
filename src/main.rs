//! The doorbell.

use std::process::ExitCode;

fn main() -> ExitCode {
    steadfast::cli::main()
}
