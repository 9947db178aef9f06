//! The people who write to the bot.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row as _;

use super::{Command, Desk, Fault, Lookup, Order, Ruling, Tx};
use crate::store::DialogueKey;

/// Notes who is talking. Never refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "meet")]
pub struct Meet {
    /// The first name.
    pub name: String,
    /// The name that others find them by; empty where there is none.
    pub username: String,
    /// The language their app is set to; may be empty.
    pub language: String,
}

impl Meet {
    /// As they show themselves.
    pub fn new(name: &str, username: &str, language: &str) -> Self {
        // PostgreSQL keeps no zero byte, and nobody is called by one.
        let clean = |text: &str| text.replace('\0', "");
        Self { name: clean(name), username: clean(username), language: clean(language) }
    }
}

#[async_trait]
impl Command for Meet {
    const NAME: &'static str = "meet";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let sql = "INSERT INTO users (id, chat, name, username, language, first_seen, last_seen) \
                   VALUES ($1, $2, $3, $4, $5, $6, $6) \
                   ON CONFLICT (id) DO UPDATE SET chat = COALESCE(excluded.chat, users.chat), name = excluded.name, \
                   username = excluded.username, language = excluded.language, last_seen = excluded.last_seen";
        let chat = Some(order.key.chat).filter(|_| order.key.is_private());
        let meet = sqlx::query(sql)
            .bind(order.key.user)
            .bind(chat)
            .bind(self.name)
            .bind(self.username)
            .bind(self.language)
            .bind(tx.now);
        meet.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

/// Notes which language the person wants to be spoken to in, whatever their app is set to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename = "choose_language")]
pub struct ChooseLanguage {
    /// Which, such as `ru`.
    pub language: String,
}

#[async_trait]
impl Command for ChooseLanguage {
    const NAME: &'static str = "choose_language";

    async fn run(self, tx: &mut Tx<'_>, order: &Order) -> Result<Ruling, Fault> {
        let chat = Some(order.key.chat).filter(|chat| *chat == order.key.user);
        let sql = "INSERT INTO users (id, chat, name, username, language, speaks, first_seen, last_seen) \
                   VALUES ($1, $2, '', '', $3, $3, $4, $4) ON CONFLICT (id) DO UPDATE SET speaks = excluded.speaks";
        let choose =
            sqlx::query(sql).bind(order.key.user).bind(chat).bind(self.language).bind(tx.now);
        choose.execute(&mut *tx.connection).await?;
        Ok(Ruling::Applied)
    }
}

/// The language of a person, read by their number: for what they are told without having asked.
#[derive(Debug, Clone, Copy)]
pub struct Language;

#[async_trait]
impl Lookup for Language {
    const NAME: &'static str = "language";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        let Ok(user) = arg.parse::<i64>() else {
            return Ok(Value::Null);
        };
        let sql = "SELECT COALESCE(speaks, language) FROM users WHERE id = $1";
        let found = sqlx::query(sql).bind(user);
        let found = found.fetch_optional(&mut *desk.connection).await?;
        let language: Option<String> = found.map(|row| row.try_get(0)).transpose()?;
        Ok(json!(language))
    }
}
