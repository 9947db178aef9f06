//! The parts of a bot that the command line needs.

use super::{Build, Playground, Subcommands};
use crate::config::{Declared, Variable};
use crate::dialogue::{Edges, Repertoire};

/// The parts of a bot that the command line needs, without the type of its settings.
#[derive(Debug)]
pub(crate) struct Program {
    /// Name, version and description.
    pub(crate) build: Build,
    /// Every flow.
    #[cfg_attr(not(feature = "playground"), expect(dead_code))]
    pub(crate) flows: Repertoire,
    /// Reviewed transitions of the flows.
    pub(crate) transitions: Edges,
    /// Roles, and whether there are records.
    pub(crate) declared: Declared,
    /// Every variable.
    pub(crate) variables: Vec<Variable>,
    /// Users and scripts to try the bot with.
    #[cfg_attr(not(feature = "playground"), expect(dead_code))]
    pub(crate) playground: Playground,
    /// Subcommands beside the built-in ones.
    pub(crate) subcommands: Subcommands,
}
