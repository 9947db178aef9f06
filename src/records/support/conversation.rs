//! A conversation as it is read.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::super::colleague::{Colleague, is_reached_at_desk};
use super::lapse;
use steadfast::records::{Desk, Fault, Lookup};
use steadfast::store::DialogueKey;

/// How many are shown that wait: the limit of each statement.
const MOST: usize = 300;

/// What every reading of conversations begins with.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.person, p.name, COALESCE(p.speaks, p.language), c.dispatcher, d.name, \
             COALESCE(d.speaks, d.language), c.closed_at, c.opened_at FROM conversations c \
             LEFT JOIN users p ON p.id = c.person LEFT JOIN users d ON d.id = c.dispatcher ",
            $rest
        )
    };
}

/// A conversation as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its name.
    pub id: String,
    /// Who asked.
    pub person: Colleague,
    /// Who answers, and still can.
    pub dispatcher: Option<Colleague>,
    /// It goes on.
    pub is_open: bool,
    /// Since when, UTC, in milliseconds.
    pub opened_at: i64,
}

impl Conversation {
    /// Whether it is this person who should answer, or anybody.
    pub fn waits_for(&self, user: i64) -> bool {
        self.dispatcher.as_ref().is_none_or(|by| by.id == user)
    }

    fn read(row: &AnyRow) -> Result<Self, Fault> {
        let closed_at: Option<i64> = row.try_get(7)?;
        Ok(Self {
            id: row.try_get(0)?,
            person: Colleague::read(row, 1)?
                .ok_or_else(|| Fault::Broken("a conversation of nobody".to_owned()))?,
            dispatcher: Colleague::read(row, 4)?,
            is_open: closed_at.is_none(),
            opened_at: row.try_get(8)?,
        })
    }
}

/// The one that was found. Whoever cannot answer any more is not the one who does.
async fn one(desk: &mut Desk<'_>, row: Option<AnyRow>) -> Result<Value, Fault> {
    let mut found = row.as_ref().map(Conversation::read).transpose()?;
    if let Some(Conversation { dispatcher, .. }) = &mut found
        && let Some(Colleague { id, .. }) = *dispatcher
        && !is_reached_at_desk(desk.connection, desk.staff, id).await?
    {
        *dispatcher = None;
    }
    Ok(json!(found))
}

/// A conversation by its name.
#[derive(Debug, Clone, Copy)]
pub struct ById;

#[async_trait]
impl Lookup for ById {
    const NAME: &'static str = "conversation";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        let found = sqlx::query(select!("WHERE c.id = $1")).bind(arg);
        let found = found.fetch_optional(&mut *desk.connection).await?;
        one(desk, found).await
    }
}

/// The newest open conversation that somebody has begun.
#[derive(Debug, Clone, Copy)]
pub struct OwnConversation;

#[async_trait]
impl Lookup for OwnConversation {
    const NAME: &'static str = "own_conversation";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let sql = select!(
            "WHERE c.person = $1 AND c.closed_at IS NULL ORDER BY c.opened_at DESC LIMIT 1"
        );
        let found = sqlx::query(sql).bind(key.user);
        let found = found.fetch_optional(&mut *desk.connection).await?;
        one(desk, found).await
    }
}

/// The open conversations that others have begun: first those that wait for anybody's answer or for this person's, then those that
/// colleagues answer, each the oldest first.
#[derive(Debug, Clone, Copy)]
pub struct OpenConversations;

#[async_trait]
impl Lookup for OpenConversations {
    const NAME: &'static str = "conversations";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let waiting = select!(
            "WHERE c.closed_at IS NULL AND c.person <> $1 AND (c.dispatcher IS NULL OR c.dispatcher = $1) \
             ORDER BY c.opened_at, c.id LIMIT 300"
        );
        let claimed = select!(
            "WHERE c.closed_at IS NULL AND c.person <> $1 AND c.dispatcher <> $1 ORDER BY c.opened_at, c.id LIMIT 300"
        );
        let lapsed = lapse::all(desk).await?;
        let mut open = Vec::new();
        for sql in [waiting, claimed] {
            let found = sqlx::query(sql).bind(key.user);
            for row in found.fetch_all(&mut *desk.connection).await? {
                open.push(Conversation::read(&row)?);
            }
        }
        // Who cannot answer any more leaves it to anybody.
        for it in &mut open {
            it.dispatcher.take_if(|by| lapsed.contains(&by.id));
        }
        open.sort_by_key(|it| (!it.waits_for(key.user), it.opened_at));
        open.truncate(MOST);
        Ok(json!(open))
    }
}

/// The conversation to which a message in this chat belongs.
#[derive(Debug, Clone, Copy)]
pub struct Relayed;

#[async_trait]
impl Lookup for Relayed {
    const NAME: &'static str = "relayed";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        let Ok(message) = arg.parse::<i64>() else {
            return Ok(Value::Null);
        };
        let sql =
            select!("JOIN relays r ON r.conversation = c.id WHERE r.chat = $1 AND r.message = $2");
        let found = sqlx::query(sql).bind(key.chat).bind(message);
        let found = found.fetch_optional(&mut *desk.connection).await?;
        one(desk, found).await
    }
}
