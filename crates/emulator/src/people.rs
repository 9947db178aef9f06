//! Who there is besides the bot: people, and groups of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::message::{Chat, Contact, User};

/// The first ids, if none are asked for.
const FIRST_PERSON: i64 = 5001;
const FIRST_GROUP: i64 = -4001;
const FIRST_SUPERGROUP: i64 = -1_001_234_500_001;

/// Somebody who can speak to the bot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their id, and that of their chat with the bot.
    pub id: i64,
    /// How they are called.
    pub first_name: String,
    /// Their second name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// Their name with an `@`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The language of their app.
    pub language_code: String,
    /// What they play, for whoever looks on; Telegram does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Their phone number.
    pub phone: String,
    /// Whether they have blocked the bot.
    #[serde(default)]
    pub blocked: bool,
    /// Whether they ever wrote to the bot: before that it may not write to them.
    #[serde(default)]
    pub started: bool,
    /// Whether their account is deleted: nobody can write to them, and they do nothing any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deactivated: bool,
}

/// What the bot is in a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Membership {
    /// It is there.
    #[default]
    Member,
    /// It is there, and may do all that a bot may. In a channel there is no other way to be there.
    Administrator,
    /// It has left, or never was there.
    Left,
    /// It was thrown out.
    Kicked,
}

/// A group or a channel. A bot that is in it reads everything there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its id, which is negative.
    pub id: i64,
    /// How it is called.
    pub title: String,
    /// Its name with an `@`, where it is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// `group`, `supergroup` or `channel`.
    pub kind: String,
    /// What the bot is in it.
    #[serde(default)]
    pub bot: Membership,
    /// Whether it has topics.
    pub forum: bool,
    /// Who is in it, besides the bot.
    pub members: Vec<i64>,
    /// Who was thrown out and has not come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kicked: Vec<i64>,
    /// Its topics.
    #[serde(default)]
    pub topics: Vec<Topic>,
    /// What it goes on as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migrated_to: Option<i64>,
}

/// A topic of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    /// Its thread.
    pub id: i64,
    /// How it is called.
    pub name: String,
}

/// All people and groups.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct People {
    pub(super) people: BTreeMap<i64, Person>,
    pub(super) groups: BTreeMap<i64, Group>,
    /// Who asks to be let into which group, and was not answered.
    #[serde(default)]
    pub(super) requests: BTreeSet<(i64, i64)>,
}

impl Membership {
    /// Whether it can read and write there.
    pub fn is_in(self) -> bool {
        matches!(self, Self::Member | Self::Administrator)
    }
}

impl Person {
    /// Somebody of this name; an id of 0 is replaced by a free one when they come.
    pub fn named(first_name: &str) -> Self {
        Self {
            first_name: first_name.to_owned(),
            language_code: "en".to_owned(),
            ..Self::default()
        }
    }

    /// As others see them.
    pub fn user(&self) -> User {
        User {
            id: self.id,
            is_bot: false,
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            username: self.username.clone(),
            language_code: Some(self.language_code.clone()),
        }
    }

    /// Their chat with the bot.
    pub(super) fn chat(&self) -> Chat {
        Chat {
            id: self.id,
            first_name: Some(self.first_name.clone()),
            last_name: self.last_name.clone(),
            username: self.username.clone(),
            kind: "private".to_owned(),
            ..Chat::default()
        }
    }

    /// Their own number, as they share it.
    pub(super) fn contact(&self) -> Contact {
        Contact {
            phone_number: self.phone.clone(),
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            user_id: Some(self.id),
        }
    }
}

impl Group {
    pub(super) fn chat(&self) -> Chat {
        Chat {
            id: self.id,
            title: Some(self.title.clone()),
            username: self.username.clone(),
            is_forum: self.forum,
            kind: self.kind.clone(),
            ..Chat::default()
        }
    }

    /// What somebody is in it: `creator`, which is whoever has been there longest, `member`, `left` or `kicked`.
    pub(super) fn standing(&self, person: i64) -> &'static str {
        match (
            self.members.iter().position(|member| *member == person),
            self.kicked.contains(&person),
        ) {
            (Some(0), _) => "creator",
            (Some(_), _) => "member",
            (None, true) => "kicked",
            (None, false) => "left",
        }
    }

    /// From now on somebody is that in it.
    pub(super) fn stands(&mut self, person: i64, status: &str) {
        self.members.retain(|id| *id != person);
        self.kicked.retain(|id| *id != person);
        match status {
            "member" => self.members.push(person),
            "kicked" => self.kicked.push(person),
            _ => {}
        }
    }

    /// Whether the bot may do there all that a bot may.
    pub(super) fn is_run_by_bot(&self) -> bool {
        self.status(self.bot) == "administrator"
    }

    /// What the bot is called there that is this: it can only be in a channel to run it.
    pub(super) fn status(&self, bot: Membership) -> &'static str {
        match bot {
            Membership::Member if self.kind == "channel" => "administrator",
            Membership::Member => "member",
            Membership::Administrator => "administrator",
            Membership::Left => "left",
            Membership::Kicked => "kicked",
        }
    }
}

impl People {
    /// Adds somebody, under a free id if theirs is 0.
    pub(super) fn add(&mut self, mut person: Person) -> Person {
        if person.id == 0 {
            let last = self.people.keys().next_back().copied();
            person.id = last.unwrap_or(0).max(FIRST_PERSON - 1) + 1;
        }
        if person.phone.is_empty() {
            person.phone = format!("7999{:07}", person.id % 10_000_000);
        }
        self.people.insert(person.id, person.clone());
        person
    }

    /// Adds a group, under a free id if its own is 0.
    pub(super) fn add_group(&mut self, mut group: Group) -> Group {
        if group.id == 0 {
            group.id = self.free_group(&group.kind);
        }
        self.groups.insert(group.id, group.clone());
        group
    }

    fn free_group(&self, kind: &str) -> i64 {
        let first = match kind {
            "supergroup" | "channel" => FIRST_SUPERGROUP,
            _ => FIRST_GROUP,
        };
        let mut id = first;
        while self.groups.contains_key(&id) {
            id -= 1;
        }
        id
    }

    /// The id that a chat is addressed by: a number, or the name of a public group or channel.
    pub(super) fn addressed(&self, said: &str) -> Option<i64> {
        let Some(name) = said.trim().strip_prefix('@') else {
            return said.trim().parse().ok();
        };
        let is_it = |group: &&Group| {
            let own = group.username.as_deref();
            own.is_some_and(|own| own.eq_ignore_ascii_case(name))
        };
        self.groups.values().find(is_it).map(|group| group.id)
    }

    /// The chat of this id, whoever it is of.
    pub(super) fn chat(&self, id: i64) -> Option<Chat> {
        let person = self.people.get(&id).map(Person::chat);
        person.or_else(|| self.groups.get(&id).map(Group::chat))
    }
}
