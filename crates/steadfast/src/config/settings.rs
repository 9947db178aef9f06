//! The settings that a bot adds to the configuration.

use super::env::{Env, Invalid};
use super::variable::{RECORDS, VARIABLES};
use super::{Variable, staff};
use crate::dialogue::Role;

/// The settings of a bot: its own variables, and their values.
///
/// ```
/// use steadfast::config::{Env, Invalid, Settings, Variable};
///
/// struct Shop {
///     tables: u32,
/// }
///
/// impl Settings for Shop {
///     const VARIABLES: &'static [Variable] =
///         &[Variable::with_default("TABLES", "12", "The number of tables.")];
///
///     fn read(env: &mut Env<'_>) -> Result<Self, Invalid> {
///         let tables = env.parse("TABLES", |text| text.parse().map_err(|_| "expected a number".to_owned()));
///         Ok(Self { tables: tables? })
///     }
/// }
/// ```
pub trait Settings: Sized + Send + Sync + 'static {
    /// The variables, in the order of `.env.example`.
    const VARIABLES: &'static [Variable];

    /// Reads the values. Read every variable before the first `?`, so that all problems are reported together.
    fn read(env: &mut Env<'_>) -> Result<Self, Invalid>;
}

impl Settings for () {
    const VARIABLES: &'static [Variable] = &[];

    fn read(_: &mut Env<'_>) -> Result<Self, Invalid> {
        Ok(())
    }
}

/// The parts of a bot that decide which variables there are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Declared {
    /// The roles of its users.
    pub roles: &'static [Role],
    /// True if it keeps records in a database.
    pub has_records: bool,
}

impl Declared {
    /// Returns every variable of a bot with these settings, in the order of `.env.example`.
    pub fn variables<S: Settings>(&self) -> Vec<Variable> {
        let mut all = VARIABLES.to_vec();
        if self.has_records {
            all.extend_from_slice(RECORDS);
        }
        all.extend(staff::variables(self.roles));
        all.extend_from_slice(S::VARIABLES);
        all.into_iter().flat_map(Variable::and_file).collect()
    }
}

/// Returns what is wrong with a list of variables: a name that stands there twice.
pub fn faults(variables: &[Variable]) -> Vec<String> {
    let names = variables.iter().map(|variable| &variable.name);
    let twice = names.enumerate().filter(|(place, name)| {
        let mut before = variables[..*place].iter();
        before.any(|variable| variable.name == **name)
    });
    twice.map(|(_, name)| format!("the variable `{name}` is declared twice: rename one")).collect()
}
