//! People come into groups and leave them, are made administrators or thrown out, and ask to be let in.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Cannot, missing, say, wrong};
use crate::message::{Chat, Content, Message, User};
use crate::people::{Group, Person};
use crate::queue::kind;
use crate::world::World;

/// What somebody is in a chat changes.
#[derive(Serialize)]
pub(super) struct Change {
    chat: Chat,
    from: User,
    date: u64,
    old_chat_member: Value,
    new_chat_member: Value,
}

impl Change {
    /// They were one thing and are another, because of what `from` did.
    pub(super) fn of(
        user: &User,
        (old, new): (&str, &str),
        chat: Chat,
        from: User,
        date: u64,
    ) -> Self {
        Self {
            chat,
            from,
            date,
            old_chat_member: shown(user, old),
            new_chat_member: shown(user, new),
        }
    }
}

/// Somebody who is that in a chat. Whoever was thrown out is for ever, and only the bot is an administrator.
pub(crate) fn shown(user: &User, status: &str) -> Value {
    match status {
        "administrator" => administrator(user),
        "kicked" => json!({ "user": user, "status": status, "until_date": 0 }),
        "creator" => json!({ "user": user, "status": status, "is_anonymous": false }),
        _ => json!({ "user": user, "status": status }),
    }
}

/// The bot where it may do all that a bot may.
fn administrator(me: &User) -> Value {
    const RIGHTS: [&str; 14] = [
        "can_manage_chat",
        "can_delete_messages",
        "can_manage_video_chats",
        "can_restrict_members",
        "can_promote_members",
        "can_change_info",
        "can_invite_users",
        "can_post_stories",
        "can_edit_stories",
        "can_delete_stories",
        "can_pin_messages",
        "can_manage_topics",
        "can_manage_direct_messages",
        "can_send_welcome_messages",
    ];
    let mut shown = json!({ "user": me, "status": "administrator", "can_be_edited": false, "is_anonymous": false });
    for right in RIGHTS {
        shown[right] = json!(true);
    }
    shown
}

/// Somebody becomes a `member` of a group, or has `left` it, or was `kicked` out. Those in it read of it; the bot hears of it
/// besides if it asked to. Answers that update.
pub(crate) fn become_member(
    world: &mut World,
    group: i64,
    person: i64,
    status: &str,
) -> Result<Option<i64>, Cannot> {
    if !["member", "left", "kicked"].contains(&status) {
        return Err(wrong("a person is a `member`, has `left` or is `kicked`"));
    }
    let (person, group) = both(world, person, group)?;
    let before = group.standing(person.id);
    let was_in = ["creator", "member"].contains(&before);
    if before == status || (was_in && status == "member") {
        return Ok(None);
    }
    if let Some(group) = world.people.groups.get_mut(&group.id) {
        group.stands(person.id, status);
    }
    if status == "kicked" {
        world.people.requests.remove(&(group.id, person.id));
    }
    // Nobody is thrown out by themselves, nor taken back.
    let by = match [before, status].contains(&"kicked") {
        true => keeper(world, &group, person.id),
        false => person.user(),
    };
    if was_in || status == "member" {
        announce(world, &person, &group, &by, status == "member");
    }
    let (user, date) = (person.user(), world.date());
    let change = Change::of(&user, (before, status), group.chat(), by, date);
    world.tell("people", json!({}));
    Ok(world.enqueue(kind::CHAT_MEMBER.of(person.id), group.id, &change))
}

/// Who throws somebody out of a group: whoever has been there longest, or the bot where nobody else is.
fn keeper(world: &World, group: &Group, person: i64) -> User {
    let mut others = group.members.iter().filter(|id| **id != person);
    let keeper = others.find_map(|id| world.people.people.get(id));
    keeper.map_or_else(|| world.me(), Person::user)
}

/// Everybody reads in the group that somebody came or left, or was made to; a channel does not tell.
fn announce(world: &mut World, person: &Person, group: &Group, by: &User, is_in: bool) {
    if group.chat().is_channel() {
        return;
    }
    let user = person.user();
    let content = match is_in {
        true => Content { new_chat_members: vec![user], ..Content::default() },
        false => Content { left_chat_member: Some(user), ..Content::default() },
    };
    let message = Message {
        from: Some(by.clone()),
        chat: group.chat(),
        date: world.date(),
        content,
        ..Message::default()
    };
    say(world, message, &None);
}

/// The update of somebody who asks to be let in.
#[derive(Serialize)]
struct JoinRequest {
    chat: Chat,
    from: User,
    user_chat_id: i64,
    date: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bio: Option<String>,
}

/// Somebody asks to be let into a group or a channel. The bot may write to them because of that.
pub(crate) fn ask_to_join(
    world: &mut World,
    group: i64,
    person: i64,
    bio: Option<String>,
) -> Result<Option<i64>, Cannot> {
    let (person, group) = both(world, person, group)?;
    if group.members.contains(&person.id) {
        return Err(wrong(format!("{} is in that chat", person.first_name)));
    }
    if group.standing(person.id) == "kicked" {
        let words = format!("{} was thrown out of that chat", person.first_name);
        return Err(wrong(words));
    }
    world.people.requests.insert((group.id, person.id));
    let request = JoinRequest {
        chat: group.chat(),
        from: person.user(),
        user_chat_id: person.id,
        date: world.date(),
        bio,
    };
    world.people.people.entry(person.id).and_modify(|it| it.started = true);
    Ok(world.enqueue(kind::CHAT_JOIN_REQUEST.of(person.id), group.id, &request))
}

fn both(world: &World, person: i64, group: i64) -> Result<(Person, Group), Cannot> {
    let Some(found) = world.people.people.get(&person).cloned() else {
        return Err(missing(format!("there is no person {person}")));
    };
    let group = (world.people.groups.get(&group).cloned())
        .ok_or_else(|| missing(format!("there is no group {group}")))?;
    match group.migrated_to {
        Some(to) => Err(wrong(format!("the group goes on as {to}"))),
        None => Ok((found, group)),
    }
}
