//! The company: the roles of people, the place of its clocks, its currency.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;

use super::env::{Env, Noted};
use crate::company::Company;
use crate::dialogue::Role;
use crate::staff::Staff;

pub(super) fn gather(env: &mut Env<'_>) -> Result<Company, Noted> {
    let (zone, currency) = (env.parse("TIMEZONE", zone), env.parse("CURRENCY", currency));
    Ok(Company { zone: zone?, currency: currency? })
}

/// Reads the roles that people have.
pub(super) fn staff(env: &mut Env<'_>, roles: &[Role]) -> Result<Staff, Noted> {
    let mut members = BTreeMap::new();
    for role in roles {
        let named = env.optional(&variable(*role), numbers)?;
        members.extend(named.map(|named| (role.to_string(), named)));
    }
    let default = env.optional("DEFAULT_ROLE", |name| Role::find(name, roles))?;
    Ok(Staff { members, default: default.map(|role| role.to_string()) })
}

/// The variable that names those who have a role.
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

fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name)
        .map_err(|_| "expected the name of a time zone, such as `Europe/Moscow`".to_owned())
}

fn currency(sign: &str) -> Result<String, String> {
    match sign.chars().count() {
        1..=8 => Ok(sign.to_owned()),
        _ => Err("expected a sign of at most eight characters, such as `₽` or `EUR`".to_owned()),
    }
}
