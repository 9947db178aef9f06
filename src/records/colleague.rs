//! The people of the company, as others speak of them and to them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::order::DESK;
use crate::role::{OWNER, ROLES};
use steadfast::dialogue::{Member, Role};
use steadfast::records::member::roles_of;
use steadfast::records::{Desk, Fault, Lookup};
use steadfast::staff::Staff;
use steadfast::store::DialogueKey;

/// How many of those who have a role because they have no other are told of something.
const MOST: i64 = 500;

/// Somebody of the company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colleague {
    /// Their number, which is also that of their private chat.
    pub id: i64,
    /// The first name; empty where it is not known.
    pub name: String,
    /// The language to speak with them.
    pub language: String,
}

impl Colleague {
    /// What others call them: by their number where no name is known.
    pub fn called(&self) -> String {
        match self.name.is_empty() {
            true => self.id.to_string(),
            false => self.name.clone(),
        }
    }

    /// Reads the one that three columns from this one on tell of; none where the first is empty.
    pub(super) fn read(row: &AnyRow, first: usize) -> Result<Option<Self>, Fault> {
        let id: Option<i64> = row.try_get(first)?;
        let name: Option<String> = row.try_get(first + 1)?;
        let language: Option<String> = row.try_get(first + 2)?;
        Ok(id.map(|id| Self {
            id,
            name: name.unwrap_or_default(),
            language: language.unwrap_or_default(),
        }))
    }
}

/// Those who have a role and have written to the bot, by name: of the roles that are listed, such as `dispatcher,owner`, the first
/// that anybody has.
#[derive(Debug, Clone, Copy)]
pub struct Colleagues;

#[async_trait]
impl Lookup for Colleagues {
    const NAME: &'static str = "colleagues";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        first_found(desk, arg, None).await
    }
}

/// As [`Colleagues`], but for whoever reads it: somebody else is looked for, in the next role where there is nobody in the first.
#[derive(Debug, Clone, Copy)]
pub struct OtherColleagues;

#[async_trait]
impl Lookup for OtherColleagues {
    const NAME: &'static str = "other_colleagues";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        first_found(desk, arg, Some(key.user)).await
    }
}

/// Who hears what somebody says of themselves: the owner who has invited them, else all owners. Nobody, where they have a role only
/// because everybody has: anybody could write to the owners so.
#[derive(Debug, Clone, Copy)]
pub struct Hosts;

#[async_trait]
impl Lookup for Hosts {
    const NAME: &'static str = "hosts";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let sql =
            "SELECT COALESCE(given_by, 0) FROM roles WHERE user_id = $1 ORDER BY given_at DESC";
        let given = sqlx::query(sql).bind(key.user);
        let given = given.fetch_all(&mut *desk.connection).await?;
        if given.is_empty() && !desk.staff.everybody().contains(&key.user) {
            return Ok(json!([]));
        }
        let by: Vec<i64> = given.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        let mut owners = with_role(desk, OWNER).await?;
        owners.retain(|owner| owner.id != key.user);
        let host = by.iter().find_map(|by| owners.iter().find(|it| it.id == *by));
        Ok(host.map_or_else(|| json!(owners), |host| json!([host])))
    }
}

/// Those of the first of these roles that anybody has but this one.
async fn first_found(desk: &mut Desk<'_>, roles: &str, but: Option<i64>) -> Result<Value, Fault> {
    for role in roles.split(',').filter_map(|name| Role::find(name, ROLES).ok()) {
        let mut found = with_role(desk, role).await?;
        found.retain(|it| Some(it.id) != but);
        if !found.is_empty() {
            return Ok(json!(found));
        }
    }
    Ok(json!([]))
}

/// Whether this person is at the desk and can be written to.
pub(super) async fn is_reached_at_desk(
    connection: &mut AnyConnection,
    staff: &Staff,
    user: i64,
) -> Result<bool, Fault> {
    let reached = sqlx::query("SELECT id FROM users WHERE id = $1 AND chat IS NOT NULL").bind(user);
    if reached.fetch_optional(&mut *connection).await?.is_none() {
        return Ok(false);
    }
    let roles = roles_of(connection, staff, user).await?;
    Ok(Member::with(roles).is_any_of(DESK))
}

/// Everybody who has this role and can be written to.
async fn with_role(desk: &mut Desk<'_>, role: Role) -> Result<Vec<Colleague>, Fault> {
    let given = "SELECT u.id, u.name, COALESCE(u.speaks, u.language) FROM users u \
                 JOIN roles r ON r.user_id = u.id WHERE r.role = $1 AND u.chat IS NOT NULL";
    let given = sqlx::query(given).bind(role.name());
    let mut rows = given.fetch_all(&mut *desk.connection).await?;
    for id in desk.staff.configured(role.name()) {
        let known = "SELECT id, name, COALESCE(speaks, language) FROM users WHERE id = $1 AND chat IS NOT NULL";
        let known = sqlx::query(known).bind(id);
        rows.extend(known.fetch_optional(&mut *desk.connection).await?);
    }
    if desk.staff.is_default(role) {
        rows.extend(without_role(desk).await?);
    }
    let found = rows.iter().map(|row| Colleague::read(row, 0));
    let found: Vec<_> = found.collect::<Result<_, Fault>>()?;
    let each: BTreeMap<i64, _> = found.into_iter().flatten().map(|it| (it.id, it)).collect();
    let mut found: Vec<_> = each.into_values().collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Those to whom no role was given, neither in the records nor by the configuration.
async fn without_role(desk: &mut Desk<'_>) -> Result<Vec<AnyRow>, Fault> {
    let free = "SELECT u.id, u.name, COALESCE(u.speaks, u.language) FROM users u WHERE u.chat IS NOT NULL \
                AND NOT EXISTS (SELECT 1 FROM roles r WHERE r.user_id = u.id) ORDER BY u.last_seen DESC LIMIT $1";
    let free = sqlx::query(free).bind(MOST);
    let mut rows = free.fetch_all(&mut *desk.connection).await?;
    let configured = desk.staff.everybody();
    rows.retain(|row| row.try_get(0).is_ok_and(|id: i64| !configured.contains(&id)));
    Ok(rows)
}
