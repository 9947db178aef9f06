//! Reading variables while keeping a list of everything that is wrong with them.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use super::settings::Declared;
use super::{Source, Variable};

/// Reads variables, and collects every problem with them and every secret in them.
pub struct Env<'a> {
    source: Source<'a>,
    variables: Vec<Variable>,
    problems: Vec<String>,
    secrets: Vec<SecretString>,
}

/// Says that a value is missing. The problem is already reported, see [`Env::report`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid(pub(super) ());

/// Everything that is wrong with the configuration, one line each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Problems(pub Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl fmt::Debug for Env<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env").field("problems", &self.problems).finish_non_exhaustive()
    }
}

impl<'a> Env<'a> {
    /// Reads these variables from `source`.
    pub(crate) fn new(source: Source<'a>, variables: Vec<Variable>) -> Self {
        Self { source, variables, problems: Vec::new(), secrets: Vec::new() }
    }

    /// Reads only what every bot has.
    pub(super) fn of_server(source: Source<'a>) -> Self {
        Self::new(source, Declared::default().variables::<()>())
    }

    /// Returns the value and the secrets, unless there are problems.
    pub(super) fn finish<T>(
        self,
        value: Result<T, Invalid>,
    ) -> Result<(T, Vec<SecretString>), Problems> {
        match value {
            Ok(value) if self.problems.is_empty() => Ok((value, self.secrets)),
            _ => Err(Problems(self.problems)),
        }
    }

    /// Reports a problem: the name of the variable, what is wrong, and the fix.
    pub fn report<T>(&mut self, problem: impl Into<String>) -> Result<T, Invalid> {
        let problem = problem.into();
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
        Err(Invalid(()))
    }

    /// Removes a text from everything that is logged, such as a password in an address.
    pub fn hide(&mut self, secret: SecretString) {
        self.secrets.push(secret);
    }

    /// Returns the text of a variable. An empty one counts as not set.
    pub(super) fn set(&mut self, name: &str) -> Option<String> {
        if self.find(name).is_none() {
            let _ = self.report::<()>(format!("{name} is read and not declared: declare it"));
            return None;
        }
        let value = (self.source)(name)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    fn find(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// Reads a variable that has a default or must be set.
    ///
    /// `read` returns the value, or what to write instead, such as "expected a number".
    pub fn parse<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Invalid> {
        if let Some(value) = self.optional(name, read)? {
            return Ok(value);
        }
        let meaning = self.find(name).map(|variable| variable.meaning.clone());
        self.report(format!("{name} is not set: {}", meaning.unwrap_or_default()))
    }

    /// Reads a variable that may be left out. See [`parse`](Self::parse).
    pub fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Invalid> {
        let default = self.find(name).and_then(|variable| variable.default);
        let Some(text) = self.set(name).or_else(|| default.map(str::to_owned)) else {
            return Ok(None);
        };
        match read(&text) {
            Ok(value) => Ok(Some(value)),
            Err(fix) => self.report(format!("{name} is {}: {fix}", shown(&text))),
        }
    }

    /// A variable and its older name. Both may be set if they say the same.
    pub(super) fn with_alias<T: PartialEq>(
        &mut self,
        name: &str,
        alias: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Invalid> {
        let named = self.set(name).is_some();
        let (value, other) = (self.optional(name, &read)?, self.optional(alias, &read)?);
        match other {
            None => Ok(value),
            Some(other) if !named || value.as_ref() == Some(&other) => Ok(Some(other)),
            Some(_) => {
                self.report(format!("{name} and {alias} differ, and mean the same: keep {name}"))
            }
        }
    }

    /// Reads a [secret](Variable::secret) that may be left out: the variable, or the file that `<name>_FILE` names.
    ///
    /// It is removed from everything that is logged.
    pub fn secret(&mut self, name: &str) -> Result<Option<SecretString>, Invalid> {
        let file = format!("{name}_FILE");
        let secret: SecretString = match (self.set(name), self.set(&file)) {
            (None, None) => return Ok(None),
            (Some(secret), None) => secret.into(),
            (None, Some(path)) => self.secret_file(&file, &path)?,
            (Some(_), Some(_)) => {
                return self.report(format!("{name} and {file} are both set: keep one of them"));
            }
        };
        self.hide(secret.clone());
        Ok(Some(secret))
    }

    /// Reads a secret that must be set. `fix` says how to get one.
    pub fn required_secret(&mut self, name: &str, fix: &str) -> Result<SecretString, Invalid> {
        match self.secret(name)? {
            Some(secret) => Ok(secret),
            None => self.report(format!(
                "{name} is not set: {fix}, and set it, or name a file that holds it in {name}_FILE"
            )),
        }
    }

    /// Parses a secret. The problem never shows it.
    pub fn parse_secret<T>(
        &mut self,
        name: &str,
        secret: &SecretString,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Invalid> {
        read(secret.expose_secret()).or_else(|fix| self.report(format!("{name} {fix}")))
    }

    fn secret_file(&mut self, name: &str, path: &str) -> Result<SecretString, Invalid> {
        match std::fs::read_to_string(path) {
            Err(error) => self.report(format!("{name} is `{path}`, which cannot be read: {error}")),
            Ok(text) if text.trim().is_empty() => {
                self.report(format!("{name} is `{path}`, which is empty: put the secret in it"))
            }
            Ok(text) => Ok(text.trim().to_owned().into()),
        }
    }
}

/// A wrong value as it may be seen. An address in the wrong place may hold a password.
fn shown(text: &str) -> String {
    match text.contains('@') {
        true => "not shown, since it may hold a password".to_owned(),
        false => format!("`{text}`"),
    }
}
