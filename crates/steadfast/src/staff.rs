//! The roles that the configuration gives to users.

use std::collections::{BTreeMap, BTreeSet};

use crate::dialogue::Role;

/// The roles that the configuration gives to users. A user has these and those of the records, or else the default role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Staff {
    /// The ids of the users of each role.
    pub members: BTreeMap<String, BTreeSet<i64>>,
    /// The role of users who have no other.
    pub default: Option<String>,
}

impl Staff {
    /// Returns the users who have this role by the configuration.
    pub fn configured(&self, role: &str) -> impl Iterator<Item = i64> + '_ {
        self.members.get(role).into_iter().flatten().copied()
    }

    /// Returns all users who have a role by the configuration.
    pub fn everybody(&self) -> BTreeSet<i64> {
        self.members.values().flatten().copied().collect()
    }

    /// Returns true if this is the role of users who have no other.
    pub fn is_default(&self, role: Role) -> bool {
        self.default.as_deref() == Some(role.name())
    }

    /// Returns the roles of a user to whom the records give these.
    pub fn roles_of(&self, user: i64, given: &BTreeSet<String>) -> BTreeSet<String> {
        let configured = self.members.iter().filter(|(_, members)| members.contains(&user));
        let mut roles: BTreeSet<String> = configured.map(|(role, _)| role.clone()).collect();
        roles.extend(given.iter().cloned());
        if roles.is_empty() {
            roles.extend(self.default.clone());
        }
        roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_come_from_configuration_and_records_or_are_the_default() {
        let staff = Staff {
            members: BTreeMap::from([("owner".to_owned(), BTreeSet::from([1, 2]))]),
            default: Some("guest".to_owned()),
        };
        let roles = |user, given: &[&str]| {
            let given = given.iter().map(ToString::to_string).collect();
            staff.roles_of(user, &given).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(roles(1, &[]), ["owner"]);
        assert_eq!(roles(2, &["clerk"]), ["clerk", "owner"]);
        assert_eq!(roles(3, &["clerk"]), ["clerk"]);
        assert_eq!(roles(3, &[]), ["guest"]);
    }
}
