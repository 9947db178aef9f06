//! The field-service bot: the flows, records and rules of a company that repairs things.

pub mod export;
pub mod flows;
pub mod hours;
pub mod media;
pub mod money;
pub mod pay;
pub mod phone;
mod playground;
pub mod records;
mod settings;

pub use settings::Company;

use crate::bot::{Build, Program, Subcommands};
use crate::role::Role;

/// Returns the bot as its command line runs it.
pub fn program() -> Program {
    Program {
        build: Build { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        about: env!("CARGO_PKG_DESCRIPTION"),
        flows: flows::all(),
        transitions: flows::edges().clone(),
        roles: &Role::ALL,
        playground: playground::playground(),
        subcommands: Subcommands::default().with::<export::Export>(),
    }
}
