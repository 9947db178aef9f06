//! Invitations: each gives one person a role, once.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::role::{OWNER, ROLES};
use steadfast::dialogue::Role;
use steadfast::records::{Command, Desk, Fault, Lookup, Order, Ruling, Tx, refused};
use steadfast::store::DialogueKey;

/// The invitation does not exist.
pub const UNKNOWN: &str = "unknown";
/// Somebody else has used it.
pub const USED: &str = "used";
/// It is too old, or whoever made it may not invite any more.
pub const EXPIRED: &str = "expired";

/// How long an invitation can be used: a week.
const VALID: i64 = 7 * 86_400_000;

/// Makes an invitation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "invite")]
pub struct Invite {
    /// Whoever has this word may use it.
    pub code: String,
    /// The name of the role that it gives.
    pub role: String,
}

#[async_trait]
impl Command for Invite {
    const NAME: &'static str = "invite";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        if let Some(refused) = tx.guard(order.key.user, &[OWNER]).await? {
            return Ok(refused);
        }
        let sql = "INSERT INTO invitations (code, role, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)";
        let invite = sqlx::query(sql)
            .bind(self.code)
            .bind(self.role)
            .bind(order.key.user)
            .bind(tx.now)
            .bind(tx.now + VALID);
        invite.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

/// Uses an invitation: whoever does has its role from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "join")]
pub struct Join {
    /// The word of the invitation.
    pub code: String,
}

#[async_trait]
impl Command for Join {
    const NAME: &'static str = "join";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let user = order.key.user;
        let sql = "UPDATE invitations SET used_by = $1, used_at = $2 WHERE code = $3 AND used_by IS NULL AND expires_at > $2";
        let using = sqlx::query(sql).bind(user).bind(tx.now).bind(&self.code);
        if using.execute(&mut *tx.connection).await?.rows_affected() == 0 {
            return self.refusal(tx).await;
        }
        let made =
            sqlx::query("SELECT created_by FROM invitations WHERE code = $1").bind(&self.code);
        let maker: i64 = made.fetch_one(&mut *tx.connection).await?.try_get(0)?;
        if tx.guard(maker, &[OWNER]).await?.is_some() {
            return Ok(refused(EXPIRED));
        }
        let sql = "INSERT INTO roles (role, user_id, given_at, given_by) \
                   SELECT role, $1, $2, created_by FROM invitations WHERE code = $3 ON CONFLICT DO NOTHING";
        let giving = sqlx::query(sql).bind(user).bind(tx.now).bind(self.code);
        giving.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

impl Join {
    /// Why it cannot be used.
    async fn refusal(&self, tx: &mut Tx<'_>) -> Result<Ruling, Fault> {
        let sql = "SELECT used_by FROM invitations WHERE code = $1";
        let found = sqlx::query(sql).bind(&self.code);
        let Some(row) = found.fetch_optional(&mut *tx.connection).await? else {
            return Ok(refused(UNKNOWN));
        };
        let used_by: Option<i64> = row.try_get(0)?;
        Ok(refused(if used_by.is_some() { USED } else { EXPIRED }))
    }
}

/// An invitation, read by its code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// The name of the role that it gives.
    pub role: String,
    /// Who made it.
    pub created_by: i64,
    /// The language of who made it; may be empty.
    pub language: String,
    /// Who has used it.
    pub used_by: Option<i64>,
    /// It is too old.
    pub is_expired: bool,
}

#[async_trait]
impl Lookup for Invitation {
    const NAME: &'static str = "invitation";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, code: &str) -> Result<Value, Fault> {
        let sql = "SELECT role, created_by, COALESCE(speaks, language, ''), used_by, expires_at \
                   FROM invitations LEFT JOIN users ON users.id = created_by WHERE code = $1";
        let found = sqlx::query(sql).bind(code);
        let Some(row) = found.fetch_optional(&mut *desk.connection).await? else {
            return Ok(Value::Null);
        };
        let role: String = row.try_get(0)?;
        // One that only a newer build knows cannot be given by this one.
        if Role::find(&role, ROLES).is_err() {
            return Ok(Value::Null);
        }
        let expires_at: i64 = row.try_get(4)?;
        Ok(json!(Self {
            role,
            created_by: row.try_get(1)?,
            language: row.try_get(2)?,
            used_by: row.try_get(3)?,
            is_expired: expires_at <= desk.now,
        }))
    }
}
