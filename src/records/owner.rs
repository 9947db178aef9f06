//! The owners: who is told what happens in the company.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row as _;

use super::{Desk, Fault, Lookup};
use crate::role::Role;
use crate::store::Key;

/// An owner who can be written to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The private chat with them.
    pub chat: i64,
    /// The language they read.
    pub language: String,
}

/// All owners who have a private chat with the bot: a list of [`Owner`].
#[derive(Debug, Clone, Copy)]
pub struct Owners;

#[async_trait]
impl Lookup for Owners {
    const NAME: &'static str = "owners";

    async fn fetch(desk: &mut Desk<'_>, _: &Key, _: &str) -> Result<Value, Fault> {
        let given =
            sqlx::query("SELECT user_id FROM roles WHERE role = $1").bind(Role::Owner.name());
        let given = given.fetch_all(&mut *desk.connection).await?;
        let given = given.iter().map(|row| row.try_get(0));
        let mut ids: BTreeSet<i64> = given.collect::<Result<_, sqlx::Error>>()?;
        ids.extend(desk.company.staff.configured(Role::Owner));
        let mut owners = Vec::new();
        for id in ids {
            let sql = "SELECT chat, COALESCE(speaks, language) FROM users WHERE id = $1 AND chat IS NOT NULL";
            let found = sqlx::query(sql).bind(id);
            if let Some(row) = found.fetch_optional(&mut *desk.connection).await? {
                let (chat, language) = (row.try_get(0)?, row.try_get(1)?);
                owners.push(Owner { chat, language });
            }
        }
        Ok(json!(owners))
    }
}
