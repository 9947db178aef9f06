//! The roles that people have by the configuration.

use std::collections::{BTreeMap, BTreeSet};

use super::Variable;
use super::env::{Env, Invalid};
use crate::dialogue::Role;
use crate::staff::Staff;

const DEFAULT_ROLE: &str = "DEFAULT_ROLE";

pub(super) fn gather(env: &mut Env<'_>, roles: &[Role]) -> Result<Staff, Invalid> {
    let mut members = BTreeMap::new();
    for role in roles {
        let named = env.optional(&variable(*role), numbers)?;
        members.extend(named.map(|named| (role.to_string(), named)));
    }
    let default = match roles.is_empty() {
        true => None,
        false => env.optional(DEFAULT_ROLE, |name| Role::find(name, roles))?,
    };
    Ok(Staff { members, default: default.map(|role| role.to_string()) })
}

/// The variables that follow from the roles of a bot.
pub(super) fn variables(roles: &[Role]) -> Vec<Variable> {
    let mut all: Vec<Variable> = roles.iter().map(|role| Variable::of_role(*role)).collect();
    if !roles.is_empty() {
        let names: Vec<&str> = roles.iter().map(|role| role.name()).collect();
        let meaning =
            format!("The role of users who have no other: {}. Not set: none.", names.join(", "));
        all.push(Variable { meaning: meaning.into(), ..Variable::new(DEFAULT_ROLE, "") });
    }
    all
}

impl Variable {
    fn of_role(role: Role) -> Self {
        let meaning =
            format!("The Telegram ids of users with the role {role}, separated by commas.");
        Self { name: variable(role).into(), meaning: meaning.into(), ..Self::new("", "") }
    }
}

/// The name of the variable that lists the users of a role.
pub(crate) fn variable(role: Role) -> String {
    format!("{}_IDS", role.name().to_uppercase())
}

fn numbers(text: &str) -> Result<BTreeSet<i64>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let numbers = parts.map(|part| part.parse().ok().filter(|number| *number > 0));
    let numbers: Option<_> = numbers.collect();
    numbers.ok_or_else(|| {
        "expected the numbers of people, separated by commas, such as `5001,5002`".to_owned()
    })
}
