//! What the company is: who has which role, where its clocks stand, what it counts in.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;

use super::env::{Env, Noted};
use crate::company::Company;
use crate::role::{Role, Staff};

pub(super) fn gather(env: &mut Env<'_>) -> Result<Company, Noted> {
    let staff = staff(env);
    let (zone, currency) = (env.parse("TIMEZONE", zone), env.parse("CURRENCY", currency));
    let (staff, zone, currency) = (staff?, zone?, currency?);
    Ok(Company { staff, zone, currency, ..Company::default() })
}

fn staff(env: &mut Env<'_>) -> Result<Staff, Noted> {
    let mut members = BTreeMap::new();
    for role in Role::ALL {
        let named = env.optional(variable(role), numbers)?;
        members.extend(named.map(|named| (role, named)));
    }
    let default = env.optional("DEFAULT_ROLE", str::parse)?;
    Ok(Staff { members, default })
}

/// The variable that names those who have a role.
fn variable(role: Role) -> &'static str {
    match role {
        Role::Owner => "OWNER_IDS",
        Role::Dispatcher => "DISPATCHER_IDS",
        Role::Master => "MASTER_IDS",
        Role::Worker => "WORKER_IDS",
    }
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
