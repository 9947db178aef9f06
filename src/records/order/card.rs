//! An order as it is read, alone or in a list.

use std::str::FromStr;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::super::colleague::{Colleague, is_reached_at_desk};
use super::{DESK, Details};
use crate::phone::Phone;
use crate::role::MASTER;
use steadfast::dialogue::Member;
use steadfast::records::member::roles_of;
use steadfast::records::{Desk, Fault, Lookup};
use steadfast::store::DialogueKey;

/// What every reading of orders begins with.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT o.no, o.equipment, o.problem, o.client, o.address, o.phone, o.status, o.created_at, \
             o.created_by, a.name, COALESCE(a.speaks, a.language), o.master, m.name, COALESCE(m.speaks, m.language) \
             FROM orders o LEFT JOIN users a ON a.id = o.created_by LEFT JOIN users m ON m.id = o.master ",
            $rest
        )
    };
}

/// Where an order stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has it yet.
    New,
    /// A master has it.
    Assigned,
    /// It is carried out and reported.
    Closed,
}

impl Status {
    /// Its name in the records.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Assigned => "assigned",
            Self::Closed => "closed",
        }
    }
}

impl FromStr for Status {
    type Err = Fault;

    fn from_str(name: &str) -> Result<Self, Fault> {
        let all = [Self::New, Self::Assigned, Self::Closed];
        let named = all.into_iter().find(|status| status.name() == name);
        named.ok_or_else(|| Fault::Broken(format!("`{name}` is no status of an order")))
    }
}

/// An order as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// The number that people call it by.
    pub no: i64,
    /// What it is about.
    pub details: Details,
    /// Where it stands.
    pub status: Status,
    /// When it was created, UTC, in milliseconds.
    pub created_at: i64,
    /// Who created it.
    pub author: Colleague,
    /// Whether they hear what becomes of it: as long as they are at the desk and can be written to. Known of an order that is read by
    /// its number.
    #[serde(default)]
    pub author_hears: bool,
    /// Who carries it out.
    pub master: Option<Colleague>,
}

impl Card {
    fn read(row: &AnyRow) -> Result<Self, Fault> {
        let phone: String = row.try_get(5)?;
        let phone = serde_json::from_value::<Phone>(json!(phone));
        let status: String = row.try_get(6)?;
        Ok(Self {
            no: row.try_get(0)?,
            details: Details {
                equipment: row.try_get(1)?,
                problem: row.try_get(2)?,
                client: row.try_get(3)?,
                address: row.try_get(4)?,
                phone: phone.map_err(|error| Fault::Broken(error.to_string()))?,
            },
            status: status.parse()?,
            created_at: row.try_get(7)?,
            author: Colleague::read(row, 8)?
                .ok_or_else(|| Fault::Broken("an order of nobody".to_owned()))?,
            author_hears: false,
            master: Colleague::read(row, 11)?,
        })
    }
}

fn cards(rows: &[AnyRow]) -> Result<Value, Fault> {
    let cards: Result<Vec<Card>, Fault> = rows.iter().map(Card::read).collect();
    Ok(json!(cards?))
}

/// An order by its number: a [`Card`].
#[derive(Debug, Clone, Copy)]
pub struct ByNumber;

#[async_trait]
impl Lookup for ByNumber {
    const NAME: &'static str = "order";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        let Ok(no) = arg.parse::<i64>() else {
            return Ok(Value::Null);
        };
        let sql = select!("WHERE o.no = $1");
        let found = sqlx::query(sql).bind(no);
        let found = found.fetch_optional(&mut *desk.connection).await?;
        let mut found = found.as_ref().map(Card::read).transpose()?;
        if let Some(card) = &mut found {
            let author = card.author.id;
            card.author_hears = is_reached_at_desk(desk.connection, desk.staff, author).await?;
        }
        Ok(json!(found))
    }
}

/// The number that the next order may have.
#[derive(Debug, Clone, Copy)]
pub struct NextNumber;

#[async_trait]
impl Lookup for NextNumber {
    const NAME: &'static str = "next_order";

    async fn fetch(desk: &mut Desk<'_>, _: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let next = sqlx::query("SELECT COALESCE(MAX(no), 0) + 1 FROM orders");
        let next: i64 = next.fetch_one(&mut *desk.connection).await?.try_get(0)?;
        Ok(json!(next))
    }
}

/// The open orders that concern somebody: all of them for those at the desk; for masters those they carry out, and those that are free.
/// However many there are: one that a list leaves out is one that nobody carries out.
#[derive(Debug, Clone, Copy)]
pub struct OpenOrders;

#[async_trait]
impl Lookup for OpenOrders {
    const NAME: &'static str = "open_orders";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, arg: &str) -> Result<Value, Fault> {
        let roles = roles_of(desk.connection, desk.staff, key.user).await?;
        let member = Member::with(roles);
        if !member.is_any_of(&[DESK, &[MASTER]].concat()) {
            return OwnOrders::fetch(desk, key, arg).await;
        }
        let sql = select!(
            "WHERE o.status <> 'closed' AND ($2 = 1 OR o.status = 'new' OR o.master = $1) ORDER BY o.no"
        );
        let is_at_desk = i64::from(member.is_any_of(DESK));
        let open = sqlx::query(sql).bind(key.user).bind(is_at_desk);
        cards(&open.fetch_all(&mut *desk.connection).await?)
    }
}

/// The open orders that somebody carries out.
#[derive(Debug, Clone, Copy)]
pub struct OwnOrders;

#[async_trait]
impl Lookup for OwnOrders {
    const NAME: &'static str = "own_orders";

    async fn fetch(desk: &mut Desk<'_>, key: &DialogueKey, _: &str) -> Result<Value, Fault> {
        let sql = select!("WHERE o.master = $1 AND o.status = 'assigned' ORDER BY o.no");
        let own = sqlx::query(sql).bind(key.user);
        cards(&own.fetch_all(&mut *desk.connection).await?)
    }
}
