//! Who may do what. A person has the roles that the configuration says and those that were given to them; one who has none
//! has the default role, where there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What somebody is to the company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Runs it.
    Owner,
    /// Takes orders and answers people.
    Dispatcher,
    /// Carries orders out.
    Master,
    /// Works in shifts.
    Worker,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Owner, Self::Dispatcher, Self::Master, Self::Worker];

    /// Its name, in the records and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Dispatcher => "dispatcher",
            Self::Master => "master",
            Self::Worker => "worker",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|role| role.name() == text);
        named
            .ok_or_else(|| format!("`{text}` is no role: {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// What the records know of the person whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Member {
    /// What they are to the company; nothing for a stranger.
    pub roles: BTreeSet<Role>,
    /// The language they have chosen, where it is not the one of their app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

impl Member {
    /// The name of the read that brings it.
    pub const READ: &'static str = "member";

    /// Somebody who has these roles.
    pub fn with(roles: impl IntoIterator<Item = Role>) -> Self {
        Self { roles: roles.into_iter().collect(), language: None }
    }

    /// Whether they have one of these roles, or none is asked for.
    pub fn is_any_of(&self, roles: &[Role]) -> bool {
        roles.is_empty() || roles.iter().any(|role| self.roles.contains(role))
    }
}

/// What the configuration says of roles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Staff {
    /// Who has a role, by their numbers.
    pub members: BTreeMap<Role, BTreeSet<i64>>,
    /// The role of those who have none.
    pub default: Option<Role>,
}

impl Staff {
    /// Who has this role by the configuration.
    pub fn configured(&self, role: Role) -> impl Iterator<Item = i64> + '_ {
        self.members.get(&role).into_iter().flatten().copied()
    }

    /// The roles of a person to whom these were `given`; `None` is one that this build does not know.
    pub fn roles_of(&self, user: i64, given: &BTreeSet<Option<Role>>) -> BTreeSet<Role> {
        let configured = self.members.iter();
        let configured = configured.filter(|(_, members)| members.contains(&user));
        let own = configured.map(|(role, _)| *role);
        let mut roles: BTreeSet<Role> = own.chain(given.iter().flatten().copied()).collect();
        if roles.is_empty() && given.is_empty() {
            roles.extend(self.default);
        }
        roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_back_by_its_name() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert!("king".parse::<Role>().is_err_and(|error| error.contains("owner")));
    }

    #[test]
    fn roles_are_those_of_the_configuration_and_those_given_or_else_the_default() {
        let staff = Staff {
            members: BTreeMap::from([(Role::Owner, BTreeSet::from([1, 2]))]),
            default: Some(Role::Worker),
        };
        let roles = |user, given: &[Option<Role>]| {
            let roles = staff.roles_of(user, &given.iter().copied().collect());
            roles.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(roles(1, &[]), [Role::Owner]);
        assert_eq!(roles(2, &[Some(Role::Master)]), [Role::Owner, Role::Master]);
        assert_eq!(roles(3, &[Some(Role::Master)]), [Role::Master]);
        assert_eq!(roles(3, &[]), [Role::Worker]);
        assert_eq!(roles(3, &[None]), [], "something, if unknown");
    }
}
