//! A bot as the command line runs it.

use super::{Playground, Subcommands};
use crate::dialogue::{Edges, Repertoire};
use crate::role::Role;

/// Name and version of a bot: those of its crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// Name of the crate.
    pub name: &'static str,
    /// Version of the crate.
    pub version: &'static str,
}

/// A bot as the command line runs it.
#[derive(Debug)]
pub struct Program {
    /// Name and version.
    pub build: Build,
    /// One sentence for the head of `--help`.
    pub about: &'static str,
    /// Every flow.
    pub flows: Repertoire,
    /// Reviewed transitions of the flows.
    pub transitions: Edges,
    /// Every role.
    pub roles: &'static [Role],
    /// Users and scripts to try the bot with.
    pub playground: Playground,
    /// Subcommands beside the built-in ones.
    pub subcommands: Subcommands,
}
