//! Making people and groups.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::words::Id;
use super::{Shown, body};
use crate::acts::{self, Cannot, missing, wrong};
use crate::desk::Desk;
use crate::people::{Group, Membership, Person};

/// What is said of a person.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Said {
    #[serde(alias = "first_name")]
    name: Option<String>,
    last_name: Option<String>,
    username: Option<String>,
    #[serde(alias = "language_code")]
    language: Option<String>,
    role: Option<String>,
    id: Option<i64>,
    phone: Option<String>,
}

impl Said {
    /// Whether that can be said; roles are written as they are among `roles`, where only those can be played.
    fn checked(mut self, roles: &[String]) -> Result<Self, Cannot> {
        if let Some(role) = &mut self.role
            && !roles.is_empty()
        {
            *role = cast(role, roles)?;
        }
        let name = self.username.take();
        self.username = name.map(|name| called(&name)).transpose()?;
        Ok(self)
    }

    /// Changes a person by what is said; an empty word takes one away.
    fn apply(self, person: &mut Person) {
        let word = |said: Option<String>, old: &mut Option<String>| {
            if let Some(said) = said {
                *old = (!said.is_empty()).then_some(said);
            }
        };
        let text = |said: Option<String>, old: &mut String| {
            if let Some(said) = said.filter(|it| !it.is_empty()) {
                *old = said;
            }
        };
        text(self.name, &mut person.first_name);
        text(self.language, &mut person.language_code);
        text(self.phone, &mut person.phone);
        word(self.last_name, &mut person.last_name);
        word(self.username, &mut person.username);
        word(self.role, &mut person.role);
    }
}

/// A name with an `@`, without that; an empty one is none.
fn called(name: &str) -> Result<String, Cannot> {
    let bare = name.trim_start_matches('@');
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let is_one = (4..=32).contains(&bare.len()) && bare.chars().all(is_plain);
    match is_one || name.is_empty() {
        true => Ok(bare.to_owned()),
        false => {
            Err(wrong(format!("`{name}` is no `username`: that has 4 to 32 letters, digits or _")))
        }
    }
}

/// These roles, with commas between several of them, as they are known.
fn cast(said: &str, roles: &[String]) -> Result<String, Cannot> {
    let words = said.split(',').map(str::trim);
    let known = words.filter(|word| !word.is_empty()).map(|word| {
        let role = roles.iter().find(|role| role.eq_ignore_ascii_case(word));
        role.map(String::as_str).ok_or_else(|| {
            let all = roles.join(", ");
            wrong(format!("`{word}` is no role here; there are: {all}"))
        })
    });
    let known: Vec<&str> = known.collect::<Result<_, _>>()?;
    Ok(known.join(", "))
}

/// A person as the control API shows them.
pub(super) fn shown(person: &Person) -> Value {
    let mut shown = json!(person);
    shown["chat"] = json!(person.id);
    shown
}

pub(super) async fn add(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let said: Said = body(&bytes)?;
    let name = said.name.clone().filter(|name| !name.trim().is_empty());
    let mut person = Person::named(&name.ok_or_else(|| wrong("a person has a `name`"))?);
    person.id = said.id.unwrap_or(0);
    if person.id < 0 {
        return Err(wrong("the id of a person is positive"));
    }
    desk.change(|world| {
        said.checked(&world.roles)?.apply(&mut person);
        if world.people.people.contains_key(&person.id) {
            return Err(wrong(format!("there is a person {} already", person.id)));
        }
        let person = world.people.add(person);
        world.tell("people", json!({}));
        Ok(Json(shown(&person)))
    })
}

pub(super) async fn change(State(desk): State<Arc<Desk>>, Id(id): Id, bytes: Bytes) -> Shown {
    let said: Said = body(&bytes)?;
    desk.change(|world| {
        let said = said.checked(&world.roles)?;
        let person = world.people.people.get_mut(&id);
        let person = person.ok_or_else(|| missing(format!("there is no person {id}")))?;
        said.apply(person);
        let shown = shown(person);
        world.tell("people", json!({}));
        Ok(Json(shown))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Blocked {
    blocked: bool,
}

pub(super) async fn block(State(desk): State<Arc<Desk>>, Id(id): Id, bytes: Bytes) -> Shown {
    let said: Blocked = body(&bytes)?;
    desk.change(|world| {
        let update_id = acts::block(world, id, said.blocked)?;
        Ok(Json(json!({ "update_id": update_id })))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deactivated {
    deactivated: bool,
}

pub(super) async fn deactivate(State(desk): State<Arc<Desk>>, Id(id): Id, bytes: Bytes) -> Shown {
    let said: Deactivated = body(&bytes)?;
    desk.change(|world| {
        acts::deactivate(world, id, said.deactivated)?;
        Ok(Json(json!({})))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Founded {
    title: String,
    username: Option<String>,
    #[serde(default)]
    bot: Membership,
    members: Vec<i64>,
    kind: Option<String>,
    #[serde(default)]
    forum: bool,
}

pub(super) async fn found(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let said: Founded = body(&bytes)?;
    let usual = if said.forum { "supergroup" } else { "group" };
    let group = Group {
        title: said.title,
        username: said.username.map(|it| called(&it)).transpose()?,
        bot: said.bot,
        kind: said.kind.unwrap_or_else(|| usual.to_owned()),
        forum: said.forum,
        members: said.members,
        ..Group::default()
    };
    desk.change(|world| acts::found(world, group).map(|group| Json(json!(group))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Standing {
    status: Membership,
}

/// The bot is taken into a group, leaves it or is thrown out.
pub(super) async fn bot_becomes(State(desk): State<Arc<Desk>>, Id(id): Id, bytes: Bytes) -> Shown {
    let said: Standing = body(&bytes)?;
    desk.change(|world| {
        let update_id = acts::bot_becomes(world, id, said.status)?;
        Ok(Json(json!({ "update_id": update_id })))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

pub(super) async fn open_topic(State(desk): State<Arc<Desk>>, Id(id): Id, bytes: Bytes) -> Shown {
    let said: Named = body(&bytes)?;
    desk.change(|world| acts::open_topic(world, id, &said.name).map(|topic| Json(json!(topic))))
}

pub(super) async fn migrate(State(desk): State<Arc<Desk>>, Id(id): Id) -> Shown {
    desk.change(|world| acts::migrate(world, id, None).map(|group| Json(json!(group))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    person: i64,
    status: String,
}

pub(super) async fn become_member(
    State(desk): State<Arc<Desk>>,
    Id(id): Id,
    bytes: Bytes,
) -> Shown {
    let Member { person, status } = body(&bytes)?;
    desk.change(|world| {
        let update_id = acts::become_member(world, id, person, &status)?;
        Ok(Json(json!({ "update_id": update_id })))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    from: i64,
    bio: Option<String>,
}

pub(super) async fn ask_to_join(State(desk): State<Arc<Desk>>, Id(id): Id, bytes: Bytes) -> Shown {
    let Request { from, bio } = body(&bytes)?;
    desk.change(|world| {
        let update_id = acts::ask_to_join(world, id, from, bio)?;
        Ok(Json(json!({ "update_id": update_id })))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Renamed {
    name: Option<String>,
    username: Option<String>,
}

/// The bot is called otherwise from now on, as if its owner had said so.
pub(super) async fn rename(State(desk): State<Arc<Desk>>, bytes: Bytes) -> Shown {
    let said: Renamed = body(&bytes)?;
    let is_empty = |it: &Option<String>| it.as_deref().is_some_and(|it| it.trim().is_empty());
    if is_empty(&said.name) || is_empty(&said.username) {
        return Err(wrong("a bot has a `name` and a `username`"));
    }
    let username = said.username.map(|it| called(&it)).transpose()?;
    desk.change(|world| {
        world.bot.rename(said.name, username);
        world.tell("people", json!({}));
        Ok(Json(json!(world.me())))
    })
}
