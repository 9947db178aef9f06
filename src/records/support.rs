//! Conversations of people with those who answer them: who asked, who answers, and which message belongs to which.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;

use super::order::DESK;
use crate::role::ROLES;
use steadfast::records::{Command, Fault, Order, Ruling, Tx, refused, refused_by};

mod conversation;
mod lapse;

pub use conversation::{ById, Conversation, OpenConversations, OwnConversation, Relayed};

/// The conversation has ended, or was never there.
pub const ENDED: &str = "ended";
/// Somebody else answers; their name follows after a space, where it is known.
pub const CLAIMED: &str = "claimed";

/// Opens a conversation for the person whose step it was, or makes sure that it is still open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "ask")]
pub struct Ask {
    /// Names it.
    pub conversation: String,
}

#[async_trait]
impl Command for Ask {
    const NAME: &'static str = "ask";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let user = order.key.user;
        if let Some(refused) = tx.guard(user, ROLES).await? {
            return Ok(refused);
        }
        let open = "INSERT INTO conversations (id, person, opened_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        let open = sqlx::query(open).bind(&self.conversation).bind(user);
        open.bind(tx.now).execute(&mut *tx.connection).await?;
        let own =
            "SELECT id FROM conversations WHERE id = $1 AND person = $2 AND closed_at IS NULL";
        let own = sqlx::query(own).bind(&self.conversation).bind(user);
        match own.fetch_optional(&mut *tx.connection).await? {
            Some(_) => Ok(Ruling::Applied),
            None => Ok(refused(ENDED)),
        }
    }
}

/// Makes the person whose step it was the one who answers, if nobody else does or if it is taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "claim")]
pub struct Claim {
    /// Which conversation.
    pub conversation: String,
    /// Also from somebody else.
    #[serde(default)]
    pub over: bool,
}

#[async_trait]
impl Command for Claim {
    const NAME: &'static str = "claim";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let user = order.key.user;
        if let Some(refused) = tx.guard(user, DESK).await? {
            return Ok(refused);
        }
        let lapsed = lapse::of(tx, &self.conversation).await?;
        let claim = "UPDATE conversations SET dispatcher = $1, claimed_at = COALESCE(claimed_at, $2) \
                     WHERE id = $3 AND closed_at IS NULL AND (dispatcher IS NULL OR dispatcher IN ($1, $4) OR $5 = 1)";
        let claim = sqlx::query(claim)
            .bind(user)
            .bind(tx.now)
            .bind(&self.conversation)
            .bind(lapsed)
            .bind(i64::from(self.over));
        match claim.execute(&mut *tx.connection).await?.rows_affected() {
            1 => Ok(Ruling::Applied),
            _ => why_not(tx, &self.conversation).await,
        }
    }
}

/// Why somebody at the desk can do nothing with a conversation.
async fn why_not(tx: &mut Tx<'_>, conversation: &str) -> Result<Ruling, Fault> {
    let sql = "SELECT dispatcher FROM conversations WHERE id = $1 AND closed_at IS NULL";
    let found = sqlx::query(sql).bind(conversation);
    let Some(row) = found.fetch_optional(&mut *tx.connection).await? else {
        return Ok(refused(ENDED));
    };
    Ok(refused_by(CLAIMED, row.try_get(0)?))
}

/// Ends a conversation, at the word of who asked or of the one who answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "end_conversation")]
pub struct EndConversation {
    /// Which.
    pub conversation: String,
}

#[async_trait]
impl Command for EndConversation {
    const NAME: &'static str = "end_conversation";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let user = order.key.user;
        let own = "UPDATE conversations SET closed_at = $1 WHERE id = $2 AND closed_at IS NULL AND person = $3";
        let own = sqlx::query(own).bind(tx.now).bind(&self.conversation);
        let own = own.bind(user).execute(&mut *tx.connection);
        if own.await?.rows_affected() == 1 {
            return Ok(Ruling::Applied);
        }
        if let Some(refused) = self.is_not_theirs(tx, user).await? {
            return Ok(refused);
        }
        let lapsed = lapse::of(tx, &self.conversation).await?;
        let end = "UPDATE conversations SET closed_at = $1 \
                   WHERE id = $2 AND closed_at IS NULL AND (dispatcher IS NULL OR dispatcher IN ($3, $4))";
        let end = sqlx::query(end).bind(tx.now).bind(&self.conversation);
        let end = end.bind(user).bind(lapsed);
        match end.execute(&mut *tx.connection).await?.rows_affected() {
            1 => Ok(Ruling::Applied),
            _ => why_not(tx, &self.conversation).await,
        }
    }
}

impl EndConversation {
    /// Refuses who neither asked nor is at the desk. Who asked knows that it has ended.
    async fn is_not_theirs(&self, tx: &mut Tx<'_>, user: i64) -> Result<Option<Ruling>, Fault> {
        let asked = "SELECT id FROM conversations WHERE id = $1 AND person = $2";
        let asked = sqlx::query(asked).bind(&self.conversation).bind(user);
        match asked.fetch_optional(&mut *tx.connection).await? {
            Some(_) => Ok(Some(refused(ENDED))),
            None => tx.guard(user, DESK).await,
        }
    }
}

/// Notes that a message which was sent belongs to a conversation. Never refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "note_relay")]
pub struct NoteRelay {
    /// To which.
    pub conversation: String,
    /// The message, known once it is sent.
    #[serde(default)]
    pub message_id: Option<i64>,
    /// Where it was sent to; that of the order, if nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_chat: Option<i64>,
}

#[async_trait]
impl Command for NoteRelay {
    const NAME: &'static str = "note_relay";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let Some(message) = self.message_id else {
            return Ok(Ruling::Applied);
        };
        let note = "INSERT INTO relays (chat, message, conversation, created_at) VALUES ($1, $2, $3, $4) \
                    ON CONFLICT (chat, message) DO UPDATE SET conversation = excluded.conversation";
        let note = sqlx::query(note)
            .bind(self.message_chat.unwrap_or(order.key.chat))
            .bind(message)
            .bind(&self.conversation)
            .bind(tx.now);
        note.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}
