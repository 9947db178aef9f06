//! Runs the bot of the bicycle shop.

use std::process::ExitCode;

fn main() -> ExitCode {
    shop::bot().main()
}
