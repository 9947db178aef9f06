//! Roles, by their names, and what the records know of a user.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A role that a bot declares, such as `const OWNER: Role = Role::new("owner")`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Role(&'static str);

impl Role {
    /// Creates a role. The name is a word of lowercase ASCII letters, digits and `_`.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name, as it stands in the records and on the command line.
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Finds the role of this name among the declared ones. The error lists them.
    pub fn find(name: &str, declared: &[Self]) -> Result<Self, String> {
        let found = declared.iter().find(|role| role.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = declared.iter().map(|role| role.name()).collect();
            match names.is_empty() {
                true => format!("`{name}` is no role: this bot declares none"),
                false => format!("`{name}` is no role: {}", names.join(", ")),
            }
        })
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The roles and the language of a user, as the records know them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Member {
    /// The names of their roles; empty for a stranger. A name that this build does not declare matches nothing.
    pub roles: BTreeSet<String>,
    /// The language that they chose, if it is not the one of their app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl Member {
    /// The name of the read that brings it.
    pub const READ: &'static str = "member";

    /// Creates a member with these roles.
    pub fn with(roles: impl IntoIterator<Item = impl ToString>) -> Self {
        let roles = roles.into_iter().map(|role| role.to_string());
        Self { roles: roles.collect(), language: None }
    }

    /// Returns true if the user has this role.
    pub fn is(&self, role: Role) -> bool {
        self.roles.contains(role.name())
    }

    /// Returns true if the user has one of these roles, or if there are none.
    pub fn is_any_of(&self, roles: &[Role]) -> bool {
        roles.is_empty() || roles.iter().any(|role| self.is(*role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_is_found_by_its_name_among_the_declared_ones() {
        let (cook, waiter) = (Role::new("cook"), Role::new("waiter"));
        assert_eq!(Role::find("waiter", &[cook, waiter]), Ok(waiter));
        let unknown = Role::find("king", &[cook, waiter]);
        assert_eq!(unknown, Err("`king` is no role: cook, waiter".to_owned()));
        assert!(Role::find("king", &[]).is_err_and(|error| error.contains("declares none")));
    }

    #[test]
    fn role_is_written_as_its_name() {
        assert_eq!(serde_json::json!(Role::new("cook")), "cook");
        assert_eq!(Role::new("cook").to_string(), "cook");
    }
}
