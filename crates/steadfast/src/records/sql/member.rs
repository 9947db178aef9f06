//! What somebody is to the company, by the configuration and by what was given to them.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Row as _};

use super::{Desk, Fault, Lookup, Ruling, Sql, Tx, refused};
use crate::dialogue::{Member, Role};
use crate::staff::Staff;
use crate::store::DialogueKey;

/// How many roles are looked at, so that nobody waits long; a company has fewer.
const MOST: i64 = 5_000;

/// The reason of a refusal: whoever gave the command may not, or not any more.
pub const NOT_ALLOWED: &str = "not_allowed";

/// What is known of the person whose dialogue it is: a [`Member`].
#[derive(Debug, Clone, Copy)]
pub struct Known;

#[async_trait]
impl Lookup for Known {
    const NAME: &'static str = Member::READ;

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let roles = roles_of(desk.connection, desk.staff, key.user).await?;
        let chosen = sqlx::query("SELECT speaks FROM users WHERE id = $1").bind(key.user);
        let chosen = chosen.fetch_optional(&mut *desk.connection).await?;
        let language: Option<Option<String>> = chosen.map(|row| row.try_get(0)).transpose()?;
        let language = language.flatten();
        Ok(json!(Member { roles, language }))
    }
}

impl Tx<'_> {
    /// Refuses whoever has none of these roles, or has them no longer: what a step decided says nothing about who may now.
    pub async fn guard(&mut self, user: i64, roles: &[Role]) -> Result<Option<Ruling>, Fault> {
        let own = roles_of(self.connection, self.staff, user).await?;
        let may = Member::with(own).is_any_of(roles);
        Ok((!may).then(|| refused(NOT_ALLOWED)))
    }
}

impl Sql {
    /// Everybody who has a role and a private chat with the bot, with the language they speak.
    pub async fn members(&self) -> Result<Vec<(i64, String, Member)>, Fault> {
        let staff = self.staff();
        self.read(async |connection| {
            let mut given: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
            let found = sqlx::query("SELECT user_id, role FROM roles ORDER BY user_id LIMIT $1");
            for row in found.bind(MOST).fetch_all(&mut *connection).await? {
                given.entry(row.try_get(0)?).or_default().insert(row.try_get(1)?);
            }
            for user in staff.everybody() {
                given.entry(user).or_default();
            }
            let mut members = Vec::with_capacity(given.len());
            for (user, given) in given {
                let sql = "SELECT COALESCE(speaks, language) FROM users WHERE id = $1 AND chat IS NOT NULL";
                let found = sqlx::query(sql).bind(user).fetch_optional(&mut *connection);
                if let Some(row) = found.await? {
                    let roles = staff.roles_of(user, &given);
                    members.push((user, row.try_get(0)?, Member::with(roles)));
                }
            }
            Ok(members)
        })
        .await
    }
}

/// All roles of a person.
pub async fn roles_of(
    connection: &mut AnyConnection,
    staff: &Staff,
    user: i64,
) -> Result<BTreeSet<String>, Fault> {
    let found = sqlx::query("SELECT role FROM roles WHERE user_id = $1").bind(user);
    let found = found.fetch_all(connection).await?;
    let given = found.iter().map(|row| row.try_get(0));
    let given = given.collect::<Result<_, sqlx::Error>>()?;
    Ok(staff.roles_of(user, &given))
}
