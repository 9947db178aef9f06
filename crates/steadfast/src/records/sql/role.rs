//! Roles that were given to people, beside those of the configuration.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fault, Sql, audience};
use crate::dialogue::Role;

impl Sql {
    /// The names of the roles that were given, to this person or to anybody.
    pub async fn roles_given(
        &self,
        user: Option<i64>,
    ) -> Result<BTreeMap<i64, BTreeSet<String>>, Fault> {
        let (after, until) = match user {
            Some(user) => (user.saturating_sub(1), user),
            None => (i64::MIN, i64::MAX),
        };
        self.read(async |connection| audience::roles(connection, after, until).await).await
    }

    /// Gives somebody a role. Answers whether it was not given before.
    pub async fn give_role(&self, user: i64, role: Role) -> Result<bool, Fault> {
        let now = self.now();
        self.write(async |connection| {
            let sql = "INSERT INTO roles (role, user_id, given_at, given_by) VALUES ($1, $2, $3, NULL) \
                       ON CONFLICT DO NOTHING";
            let given = sqlx::query(sql).bind(role.name()).bind(user).bind(now);
            Ok(given.execute(connection).await?.rows_affected() > 0)
        })
        .await
    }

    /// Takes a role from somebody to whom it was given. Answers whether it was.
    pub async fn take_role(&self, user: i64, role: Role) -> Result<bool, Fault> {
        self.write(async |connection| {
            let sql = "DELETE FROM roles WHERE role = $1 AND user_id = $2";
            let taken = sqlx::query(sql).bind(role.name()).bind(user);
            Ok(taken.execute(connection).await?.rows_affected() > 0)
        })
        .await
    }
}
