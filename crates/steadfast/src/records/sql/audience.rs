//! Many people at once, by who they are.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{AnyConnection, Row as _};

use super::{Audience, Fault, Sql};
use crate::dialogue::Role;
use crate::staff::Staff;

impl Audience {
    /// Whether people are among them of whom nothing is known but that they were here.
    fn has_strangers(self, staff: &Staff) -> bool {
        match self {
            Self::All => true,
            Self::Role(role) => staff.is_default(role),
        }
    }
}

impl Sql {
    /// The next of them, by their numbers, and the number to go on after; none at the end. May be fewer than asked for, even
    /// none, before the end.
    pub async fn audience(
        &self,
        audience: Audience,
        staff: &Staff,
        after: i64,
        limit: usize,
    ) -> Result<(Vec<i64>, Option<i64>), Fault> {
        let limit = limit.max(1);
        self.read(async |connection| {
            let mut ids = BTreeSet::new();
            if audience.has_strangers(staff) {
                ids.extend(known(connection, after, limit).await?);
            }
            if let Audience::Role(role) = audience {
                ids.extend(given(connection, role, after, limit).await?);
                ids.extend(staff.configured(role.name()).filter(|id| *id > after));
            }
            let mut ids: Vec<i64> = ids.into_iter().take(limit).collect();
            let last = ids.last().copied();
            let next = last.filter(|_| ids.len() == limit);
            if let (Audience::Role(role), Some(last)) = (audience, last) {
                let mut given = roles(connection, after, last).await?;
                ids.retain(|id| {
                    let given = given.remove(id).unwrap_or_default();
                    staff.roles_of(*id, &given).contains(role.name())
                });
            }
            Ok((ids, next))
        })
        .await
    }

    /// About how many they are.
    pub async fn audience_size(&self, audience: Audience, staff: &Staff) -> Result<u64, Fault> {
        self.read(async |connection| {
            let everybody = "SELECT COUNT(*) FROM users WHERE chat IS NOT NULL";
            let with_role = "SELECT COUNT(*) FROM roles WHERE role = $1";
            let (count, configured) = match audience {
                Audience::Role(role) if !audience.has_strangers(staff) => {
                    let count = sqlx::query(with_role).bind(role.name());
                    (count, staff.configured(role.name()).count())
                }
                _ => (sqlx::query(everybody), 0),
            };
            let count: i64 = count.fetch_one(connection).await?.try_get(0)?;
            Ok(count.unsigned_abs() + configured as u64)
        })
        .await
    }
}

/// People with a private chat.
async fn known(tx: &mut AnyConnection, after: i64, limit: usize) -> Result<Vec<i64>, Fault> {
    let sql = "SELECT id FROM users WHERE id > $1 AND chat IS NOT NULL ORDER BY id LIMIT $2";
    let found = sqlx::query(sql).bind(after).bind(limit as i64);
    let found = found.fetch_all(tx).await?;
    let ids: Result<_, sqlx::Error> = found.iter().map(|row| row.try_get(0)).collect();
    Ok(ids?)
}

/// People to whom this role was given.
async fn given(
    tx: &mut AnyConnection,
    role: Role,
    after: i64,
    limit: usize,
) -> Result<Vec<i64>, Fault> {
    let sql =
        "SELECT user_id FROM roles WHERE role = $1 AND user_id > $2 ORDER BY user_id LIMIT $3";
    let found = sqlx::query(sql).bind(role.name()).bind(after);
    let found = found.bind(limit as i64).fetch_all(tx).await?;
    let ids: Result<_, sqlx::Error> = found.iter().map(|row| row.try_get(0)).collect();
    Ok(ids?)
}

/// The roles that were given to people with these numbers.
pub(super) async fn roles(
    tx: &mut AnyConnection,
    after: i64,
    until: i64,
) -> Result<BTreeMap<i64, BTreeSet<String>>, Fault> {
    let sql = "SELECT user_id, role FROM roles WHERE user_id > $1 AND user_id <= $2";
    let found = sqlx::query(sql).bind(after).bind(until).fetch_all(tx).await?;
    let mut roles: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for row in found {
        roles.entry(row.try_get(0)?).or_default().insert(row.try_get(1)?);
    }
    Ok(roles)
}
