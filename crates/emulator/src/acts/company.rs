//! Who the bot is in company with: people who block it, groups that take it in, topics, groups that go on as others.

use serde_json::json;

use super::membership::Change;
use super::{Cannot, missing, say, wrong};
use crate::message::{Chat, Content, Message, User};
use crate::people::{Group, Membership, Person, Topic};
use crate::queue::kind;
use crate::world::World;

/// What the bot is in a chat changes.
fn member(world: &mut World, chat: Chat, from: User, old: &str, new: &str) -> Option<i64> {
    let (id, me) = (chat.id, world.me());
    let change = Change::of(&me, (old, new), chat, from, world.date());
    world.enqueue(kind::MY_CHAT_MEMBER.of(id), id, &change)
}

/// Somebody blocks the bot, or no longer does.
pub(crate) fn block(world: &mut World, id: i64, blocked: bool) -> Result<Option<i64>, Cannot> {
    let person = world.people.people.get(&id);
    let person = person.ok_or_else(|| missing(format!("there is no person {id}")))?;
    if person.blocked == blocked {
        return Ok(None);
    }
    let (chat, user) = (person.chat(), person.user());
    let person = world.people.people.entry(id);
    person.and_modify(|it| it.blocked = blocked);
    let (old, new) = if blocked { ("member", "kicked") } else { ("kicked", "member") };
    world.tell("people", json!({}));
    Ok(member(world, chat, user, old, new))
}

/// Somebody's account is deleted, or was not after all. The bot only hears of it when it writes to them.
pub(crate) fn deactivate(world: &mut World, id: i64, deactivated: bool) -> Result<(), Cannot> {
    let person = world.people.people.get_mut(&id);
    let person = person.ok_or_else(|| missing(format!("there is no person {id}")))?;
    person.deactivated = deactivated;
    world.tell("people", json!({}));
    Ok(())
}

/// The bot is taken into a group, leaves it or is thrown out, by whoever founded it; answers the update.
pub(crate) fn bot_becomes(
    world: &mut World,
    id: i64,
    bot: Membership,
) -> Result<Option<i64>, Cannot> {
    let group = world.people.groups.get_mut(&id);
    let group = group.ok_or_else(|| missing(format!("there is no group {id}")))?;
    if let Some(to) = group.migrated_to {
        return Err(wrong(format!("the group goes on as {to}")));
    }
    let old = std::mem::replace(&mut group.bot, bot);
    let (chat, old, new) = (group.chat(), group.status(old), group.status(bot));
    if old == new {
        return Ok(None);
    }
    let founder = group.members.first().copied();
    let founder = founder.and_then(|id| world.people.people.get(&id));
    let by = founder.map_or_else(|| world.me(), Person::user);
    world.tell("people", json!({}));
    Ok(member(world, chat, by, old, new))
}

/// People make a group, and take the bot in unless they do not.
pub(crate) fn found(world: &mut World, group: Group) -> Result<Group, Cannot> {
    if group.title.trim().is_empty() {
        return Err(wrong("a group has a title"));
    }
    if !["group", "supergroup", "channel"].contains(&group.kind.as_str()) {
        return Err(wrong("a group is a `group`, a `supergroup` or a `channel`"));
    }
    if group.username.is_some() && group.kind == "group" {
        return Err(wrong("only a `supergroup` or a `channel` is public"));
    }
    if group.forum && group.kind != "supergroup" {
        return Err(wrong("only a `supergroup` has topics"));
    }
    let stranger = group.members.iter().find(|id| !world.people.people.contains_key(id));
    if let Some(id) = stranger {
        return Err(missing(format!("there is no person {id}")));
    }
    let group = world.people.add_group(group);
    let founder = group.members.first().and_then(|id| world.people.people.get(id));
    let founder = founder.filter(|_| group.bot.is_in());
    if let Some(user) = founder.map(Person::user) {
        let new = group.status(group.bot);
        member(world, group.chat(), user, "left", new);
    }
    world.tell("people", json!({}));
    Ok(group)
}

/// A topic is opened in a group.
pub(crate) fn open_topic(world: &mut World, id: i64, name: &str) -> Result<Topic, Cannot> {
    let group = world.people.groups.get(&id).filter(|group| group.forum);
    let group = group.ok_or_else(|| missing(format!("there is no group {id} with topics")))?;
    let (chat, founder) = (group.chat(), group.members.first().copied());
    let from = founder.and_then(|id| world.people.people.get(&id)).map(Person::user);
    let created = json!({ "name": name, "icon_color": 7_322_096 });
    let content = Content { forum_topic_created: Some(created), ..Content::default() };
    let message = Message { from, chat, date: world.date(), content, ..Message::default() };
    let (thread, _) = say(world, message, &None);
    let topic = Topic { id: thread, name: name.to_owned() };
    if let Some(group) = world.people.groups.get_mut(&id) {
        group.topics.push(topic.clone());
    }
    world.tell("people", json!({}));
    Ok(topic)
}

/// A group goes on as another chat, a supergroup.
pub(crate) fn migrate(world: &mut World, id: i64, to: Option<i64>) -> Result<Group, Cannot> {
    let old = world.people.groups.get(&id).filter(|group| group.migrated_to.is_none()).cloned();
    let old = old.ok_or_else(|| missing(format!("there is no group {id}")))?;
    if old.kind != "group" {
        let kind = &old.kind;
        return Err(wrong(format!("only a `group` goes on as another: that is a `{kind}`")));
    }
    let new = Group { id: to.unwrap_or(0), kind: "supergroup".to_owned(), ..old.clone() };
    let new = world.people.add_group(new);
    world.people.groups.entry(id).and_modify(|group| group.migrated_to = Some(new.id));
    let founder = old.members.first().and_then(|id| world.people.people.get(id)).map(Person::user);
    let message = |chat: Chat, content: Content, date: u64| Message {
        from: founder.clone(),
        chat,
        date,
        content,
        ..Message::default()
    };
    let date = world.date();
    let left = Content { migrate_to_chat_id: Some(new.id), ..Content::default() };
    let come = Content { migrate_from_chat_id: Some(id), ..Content::default() };
    say(world, message(old.chat(), left, date), &None);
    say(world, message(new.chat(), come, date), &None);
    world.tell("people", json!({}));
    Ok(new)
}
