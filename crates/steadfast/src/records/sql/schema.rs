//! The schema of a bot's records: its commands, lookups, tables, and how personal data is removed from them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::command::{Command, Handler};
use super::lookup::{self, Lookup};
use super::{Database, member, person};

/// The first number of a bot's own migrations. Lower ones belong to the framework.
const FIRST_OWN: i64 = 100;

/// The migrations of the framework.
const MIGRATIONS: &[Migration] = &[
    Migration::new(1, "effects", include_str!("migrations/0001_effects.sql")),
    Migration::new(2, "people", include_str!("migrations/0002_people.sql")),
];

/// Removes a person's name, chat and languages. When they were first and last seen stays.
const FORGET_USER: &str = "UPDATE users SET chat = NULL, name = '', username = '', language = '', speaks = NULL WHERE id = $1 \
     AND (chat IS NOT NULL OR name <> '' OR username <> '' OR language <> '' OR speaks IS NOT NULL)";

/// Everything that the records of a bot consist of.
///
/// A schema starts with the commands, lookups and tables that the framework has for the people of any bot.
#[derive(Debug, Clone)]
pub struct Schema {
    pub(super) commands: BTreeMap<&'static str, Handler>,
    pub(super) lookups: BTreeMap<&'static str, lookup::Handler>,
    pub(super) migrations: BTreeMap<i64, Migration>,
    pub(super) forget: Vec<(&'static str, &'static str)>,
    pub(super) expiries: Vec<Expiry>,
    faults: Vec<String>,
}

/// A change of the tables.
///
/// A released migration is never changed, and migrations only add: an older build works beside a newer one during a rollout. Both
/// databases run the same text, with `TEXT` and `BIGINT` columns and times in UTC milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// Position among all migrations; a bot's own start at 100.
    pub number: i64,
    /// Short name.
    pub name: &'static str,
    /// Statements, separated by semicolons.
    pub sql: &'static str,
}

impl Migration {
    /// Creates a migration.
    pub const fn new(number: i64, name: &'static str, sql: &'static str) -> Self {
        Self { number, name, sql }
    }
}

/// A statement in the SQL of each database. A string stands for a statement that both understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerDatabase {
    /// SQL of SQLite.
    pub sqlite: &'static str,
    /// SQL of PostgreSQL.
    pub postgres: &'static str,
}

impl From<&'static str> for PerDatabase {
    fn from(sql: &'static str) -> Self {
        Self { sqlite: sql, postgres: sql }
    }
}

impl PerDatabase {
    pub(super) fn of(self, database: &Database) -> &'static str {
        match database {
            Database::Sqlite(_) => self.sqlite,
            Database::Postgres(_) => self.postgres,
        }
    }
}

/// A statement that removes data once it has reached an age.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expiry {
    pub(super) table: &'static str,
    pub(super) age: Duration,
    pub(super) statement: PerDatabase,
}

impl Default for Schema {
    fn default() -> Self {
        Self::new()
    }
}

impl Schema {
    /// Creates a schema with what the framework itself needs.
    pub fn new() -> Self {
        let empty = Self {
            commands: BTreeMap::new(),
            lookups: BTreeMap::new(),
            migrations: MIGRATIONS.iter().map(|step| (step.number, *step)).collect(),
            forget: Vec::new(),
            expiries: Vec::new(),
            faults: Vec::new(),
        };
        empty
            .command::<person::Meet>()
            .command::<person::ChooseLanguage>()
            .lookup::<person::Language>()
            .lookup::<member::Known>()
            .forget("users", FORGET_USER)
            .forget("roles", "DELETE FROM roles WHERE user_id = $1")
    }

    /// Adds a command.
    #[must_use]
    pub fn command<C: Command>(mut self) -> Self {
        if self.commands.insert(C::NAME, super::command::handle::<C>).is_some() {
            self.faults.push(format!("two record commands are named `{}`: rename one", C::NAME));
        }
        self
    }

    /// Adds a lookup.
    #[must_use]
    pub fn lookup<L: Lookup>(mut self) -> Self {
        if self.lookups.insert(L::NAME, lookup::handle::<L>).is_some() {
            self.faults.push(format!("two lookups are named `{}`: rename one", L::NAME));
        }
        self
    }

    /// Adds migrations, with numbers from 100 on.
    #[must_use]
    pub fn migrations(mut self, steps: &[Migration]) -> Self {
        for step in steps {
            let Migration { number, name, .. } = *step;
            if number < FIRST_OWN {
                self.faults.push(format!(
                    "migration {number} `{name}` has a number of the framework: use {FIRST_OWN} or higher"
                ));
            }
            if let Some(other) = self.migrations.insert(number, *step) {
                self.faults.push(format!(
                    "migrations `{}` and `{name}` both have the number {number}: renumber one",
                    other.name
                ));
            }
        }
        self
    }

    /// Adds a statement that removes a person's data from a table, where `$1` is their id.
    ///
    /// The statement may be repeated, so it changes only rows that still hold something.
    #[must_use]
    pub fn forget(mut self, table: &'static str, statement: &'static str) -> Self {
        self.forget.push((table, statement));
        self
    }

    /// Adds a statement that removes data older than `age` from a table, where `$1` is the time in UTC milliseconds before which
    /// data is too old.
    ///
    /// The statement is repeated until it changes no row. It should change a few hundred rows at once, so that nobody waits long.
    #[must_use]
    pub fn erase_after(
        mut self,
        table: &'static str,
        age: Duration,
        statement: impl Into<PerDatabase>,
    ) -> Self {
        self.expiries.push(Expiry { table, age, statement: statement.into() });
        self
    }

    /// Returns what is wrong with the schema, each fault with its fix.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_has_no_faults_when_names_and_numbers_differ() {
        let schema = Schema::new().migrations(&[Migration::new(100, "orders", "")]);
        assert_eq!(schema.faults(), [] as [&str; 0]);
    }

    #[test]
    fn schema_reports_all_faults_at_once() {
        let orders = Migration::new(100, "orders", "");
        let people = Migration::new(2, "people", "");
        let schema = Schema::new()
            .command::<person::Meet>()
            .lookup::<member::Known>()
            .migrations(&[orders, orders, people]);
        let faults = schema.faults();
        assert_eq!(faults.len(), 5, "{faults:?}");
        for (fault, part) in faults.iter().zip(["`meet`", "`member`", "100", "number", "2"]) {
            assert!(fault.contains(part), "{fault}");
        }
    }
}
