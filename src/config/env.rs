//! Reading variables while keeping a list of everything that is wrong with them.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use super::Source;
use super::variable;

/// The variables, and what was found wrong so far.
pub struct Env<'a> {
    source: Source<'a>,
    problems: Vec<String>,
}

/// The value is missing because of a problem that is already on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted;

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
    /// Reads from `source`.
    pub fn new(source: Source<'a>) -> Self {
        Self { source, problems: Vec::new() }
    }

    /// The value, unless something is on the list.
    pub fn finish<T>(self, value: Result<T, Noted>) -> Result<T, Problems> {
        match value {
            Ok(value) if self.problems.is_empty() => Ok(value),
            _ => Err(Problems(self.problems)),
        }
    }

    /// Puts a problem on the list.
    pub fn complain<T>(&mut self, problem: impl Into<String>) -> Result<T, Noted> {
        self.problems.push(problem.into());
        Err(Noted)
    }

    /// What the variable is set to. Set to nothing counts as not set.
    pub fn set(&self, name: &str) -> Option<String> {
        debug_assert!(variable::find(name).is_some(), "{name} is not in the table");
        let value = (self.source)(name)?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// A variable that has a default.
    pub fn parse<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Noted> {
        self.optional(name, read)?.ok_or(Noted)
    }

    /// A variable that may be left out.
    pub fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Noted> {
        let default = variable::find(name).and_then(|variable| variable.default);
        let Some(text) = self.set(name).or_else(|| default.map(str::to_owned)) else {
            return Ok(None);
        };
        match read(&text) {
            Ok(value) => Ok(Some(value)),
            Err(fix) => self.complain(format!("{name} is {}: {fix}", shown(&text))),
        }
    }

    /// A variable and its older name. Both may be set if they say the same.
    pub fn either<T: PartialEq>(
        &mut self,
        name: &str,
        alias: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Noted> {
        let named = self.set(name).is_some();
        let (value, other) = (self.optional(name, &read)?, self.optional(alias, &read)?);
        match other {
            None => Ok(value),
            Some(other) if !named || value.as_ref() == Some(&other) => Ok(Some(other)),
            Some(_) => {
                self.complain(format!("{name} and {alias} differ, and mean the same: keep {name}"))
            }
        }
    }

    /// A secret that may be left out: the variable, or the file that `<name>_FILE` names.
    pub fn secret(&mut self, name: &str) -> Result<Option<SecretString>, Noted> {
        let file = format!("{name}_FILE");
        match (self.set(name), self.set(&file)) {
            (None, None) => Ok(None),
            (Some(secret), None) => Ok(Some(secret.into())),
            (None, Some(path)) => self.secret_file(&file, &path).map(Some),
            (Some(_), Some(_)) => {
                self.complain(format!("{name} and {file} are both set: keep one of them"))
            }
        }
    }

    /// A secret that must be there.
    pub fn required_secret(&mut self, name: &str, fix: &str) -> Result<SecretString, Noted> {
        match self.secret(name)? {
            Some(secret) => Ok(secret),
            None => self.complain(format!(
                "{name} is not set: {fix}, and set it, or name a file that holds it in {name}_FILE"
            )),
        }
    }

    /// Reads a secret further. The problem never shows the secret.
    pub fn shaped<T>(
        &mut self,
        name: &str,
        secret: &SecretString,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Noted> {
        read(secret.expose_secret()).or_else(|fix| self.complain(format!("{name} {fix}")))
    }

    fn secret_file(&mut self, name: &str, path: &str) -> Result<SecretString, Noted> {
        match std::fs::read_to_string(path) {
            Err(error) => {
                self.complain(format!("{name} is `{path}`, which cannot be read: {error}"))
            }
            Ok(text) if text.trim().is_empty() => {
                self.complain(format!("{name} is `{path}`, which is empty: put the secret in it"))
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
