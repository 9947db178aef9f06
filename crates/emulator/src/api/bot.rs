//! What a bot says of itself: who it is, its commands, its descriptions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Answer, Refusal};
use crate::params::Params;
use crate::people::{Group, Person};
use crate::world::World;

pub(super) fn me(world: &World) -> Value {
    let mut me = serde_json::to_value(world.me()).unwrap_or_default();
    for (name, value) in [
        ("can_join_groups", true),
        ("can_read_all_group_messages", true),
        ("supports_inline_queries", false),
        ("can_connect_to_business", false),
        ("has_main_web_app", false),
    ] {
        me[name] = json!(value);
    }
    me
}

pub(super) fn set_commands(world: &mut World, params: &Params) -> Answer {
    let place = place(params)?;
    let Some(Value::Array(list)) = params.json("commands") else {
        return Err(Refusal::bad("can't parse list of bot commands JSON object"));
    };
    if list.len() > 100 {
        return Err(Refusal::bad("BOT_COMMANDS_TOO_MUCH"));
    }
    let commands: Result<Vec<Value>, Refusal> = list.iter().map(command).collect();
    world.bot.commands.insert(place, commands?);
    world.tell("commands", json!({}));
    Ok(json!(true))
}

fn command(command: &Value) -> Result<Value, Refusal> {
    let text = |name: &str| command[name].as_str().unwrap_or_default().trim().to_owned();
    let name = text("command").trim_start_matches('/').to_lowercase();
    let description = text("description");
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    if !(1..=32).contains(&name.len()) || !name.chars().all(is_plain) {
        return Err(Refusal::bad("BOT_COMMAND_INVALID"));
    }
    if !(1..=256).contains(&description.chars().count()) {
        return Err(Refusal::bad("BOT_COMMAND_DESCRIPTION_INVALID"));
    }
    Ok(json!({ "command": name, "description": description }))
}

pub(super) fn commands(world: &World, params: &Params) -> Answer {
    let commands = world.bot.commands.get(&place(params)?);
    Ok(json!(commands.cloned().unwrap_or_default()))
}

pub(super) fn delete_commands(world: &mut World, params: &Params) -> Answer {
    world.bot.commands.remove(&place(params)?);
    world.tell("commands", json!({}));
    Ok(json!(true))
}

/// For whom commands are: the scope and the language.
fn place(params: &Params) -> Result<String, Refusal> {
    let scope = params.json("scope").unwrap_or_else(|| json!({ "type": "default" }));
    let kind = scope["type"].as_str().unwrap_or_default();
    let part = |name: &str| match scope.get(name) {
        Some(id) => Ok(format!("/{id}").replace('"', "")),
        None => {
            Err(Refusal::bad(format!("can't parse BotCommandScope: Can't find field \"{name}\"")))
        }
    };
    let detail = match kind {
        "default" | "all_private_chats" | "all_group_chats" | "all_chat_administrators" => {
            String::new()
        }
        "chat" | "chat_administrators" => part("chat_id")?,
        "chat_member" => format!("{}{}", part("chat_id")?, part("user_id")?),
        _ => {
            return Err(Refusal::bad("can't parse BotCommandScope: Unsupported type specified"));
        }
    };
    let language = params.text("language_code").unwrap_or_default();
    Ok(format!("{kind}{detail}#{language}"))
}

/// The commands that somebody sees who was told nothing special.
pub(crate) fn shown_commands(world: &World) -> Vec<Value> {
    let places = ["all_private_chats#", "default#"];
    first_list(world, places)
}

/// The commands that each person in a chat is offered there, by who they are.
pub(crate) fn offered(world: &World, chat: i64) -> BTreeMap<i64, Vec<Value>> {
    let group = world.people.groups.get(&chat);
    let members = group.map_or(vec![chat], |group| group.members.clone());
    let people = members.iter().filter_map(|id| world.people.people.get(id));
    let of = |person: &Person| first_list(world, places(person, group));
    people.map(|person| (person.id, of(person))).collect()
}

/// Where lists for somebody are looked for, the narrowest first: each in their language, then in no language.
fn places(person: &Person, group: Option<&Group>) -> Vec<String> {
    let language = person.language_code.split('-').next().unwrap_or_default();
    let scopes = match group {
        None => vec![format!("chat/{}", person.id), "all_private_chats".into()],
        Some(group) => group_scopes(person, group),
    };
    let scopes = scopes.into_iter().chain(["default".to_owned()]);
    scopes.flat_map(|scope| [format!("{scope}#{language}"), format!("{scope}#")]).collect()
}

/// Whose lists count in a group. Whoever made it is its administrator.
fn group_scopes(person: &Person, group: &Group) -> Vec<String> {
    let (id, is_head) = (group.id, group.members.first() == Some(&person.id));
    let scopes = [
        (true, format!("chat_member/{id}/{}", person.id)),
        (is_head, format!("chat_administrators/{id}")),
        (true, format!("chat/{id}")),
        (is_head, "all_chat_administrators".to_owned()),
        (true, "all_group_chats".to_owned()),
    ];
    let own = scopes.into_iter().filter(|(counts, _)| *counts);
    own.map(|(_, scope)| scope).collect()
}

/// The first of these lists that there is.
fn first_list<T: AsRef<str>>(world: &World, places: impl IntoIterator<Item = T>) -> Vec<Value> {
    let mut places = places.into_iter();
    let found = places.find_map(|place| world.bot.commands.get(place.as_ref()));
    found.cloned().unwrap_or_default()
}

/// The field of a saying, from the name of its method.
fn field(method: &str) -> &'static str {
    match &method[5..] {
        "name" => "name",
        "description" => "description",
        _ => "short_description",
    }
}

pub(super) fn set_saying(world: &mut World, method: &str, params: &Params) -> Answer {
    let field = field(method);
    let language = params.text("language_code").unwrap_or_default();
    let words = params.text(field).unwrap_or_default();
    world.bot.sayings.insert(format!("{field}/{language}"), words);
    Ok(json!(true))
}

pub(super) fn saying(world: &World, method: &str, params: &Params) -> Answer {
    let field = field(method);
    let language = params.text("language_code").unwrap_or_default();
    let said = |language: &str| world.bot.sayings.get(&format!("{field}/{language}")).cloned();
    let words = said(&language).or_else(|| said("")).unwrap_or_default();
    let words = match (field, words.is_empty()) {
        ("name", true) => world.me().first_name,
        _ => words,
    };
    Ok(json!({ field: words }))
}
