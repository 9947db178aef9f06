//! A bot as its author declares it.

pub mod playground;
mod program;
pub mod subcommand;

pub use playground::Playground;
pub use program::{Build, Program};
pub use subcommand::{Subcommand, Subcommands};
