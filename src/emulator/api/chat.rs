//! What a bot can ask about a chat and who is in it.

use serde_json::{Value, json};

use super::{Answer, Refusal, place};
use crate::emulator::acts;
use crate::emulator::message::User;
use crate::emulator::params::Params;
use crate::emulator::people::{Group, Membership};
use crate::emulator::world::World;

pub(super) fn get(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let mut shown = serde_json::to_value(&chat).unwrap_or_default();
    shown["accent_color_id"] = json!(0);
    shown["max_reaction_count"] = json!(11);
    shown["accepted_gift_types"] = json!({
        "unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false, "premium_subscription": false,
        "gifts_from_channels": false,
    });
    Ok(shown)
}

pub(super) fn member(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let user = params.int("user_id").unwrap_or_default();
    let me = world.me();
    if user == me.id {
        let group = world.people.groups.get(&chat.id);
        return Ok(match group.map(|group| group.bot) {
            Some(Membership::Member) => administrator(&me),
            Some(_) => json!({ "user": me, "status": "left" }),
            None => json!({ "user": me, "status": "member" }),
        });
    }
    let Some(person) = world.people.people.get(&user) else {
        return Err(Refusal::bad("PARTICIPANT_ID_INVALID"));
    };
    let group = world.people.groups.get(&chat.id);
    let status = match group {
        None if chat.id == user => "member",
        Some(group) if group.members.first() == Some(&user) => "creator",
        Some(group) => group.standing(user),
        None => "left",
    };
    Ok(acts::shown(&person.user(), status))
}

/// Lets somebody in who asked, or does not.
pub(super) fn answer_request(world: &mut World, params: &Params, is_in: bool) -> Answer {
    let chat = place(world, params)?;
    let user = params.int("user_id").unwrap_or_default();
    if !world.people.requests.remove(&(chat.id, user)) {
        return Err(Refusal::bad("HIDE_REQUESTER_MISSING"));
    }
    if is_in {
        let joined = acts::become_member(world, chat.id, user, "member");
        joined.map_err(|cannot| Refusal::bad(cannot.words))?;
    }
    Ok(json!(true))
}

pub(super) fn count(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let group = world.people.groups.get(&chat.id);
    let count = |group: &Group| {
        let is_in = group.bot == Membership::Member;
        group.members.len() + usize::from(is_in)
    };
    Ok(json!(group.map_or(2, count)))
}

pub(super) fn administrators(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let Some(group) = world.people.groups.get(&chat.id) else {
        return Err(Refusal::bad(
            "there are no administrators in the private chat",
        ));
    };
    let creator = group
        .members
        .first()
        .and_then(|id| world.people.people.get(id));
    let creator = creator.map(|it| acts::shown(&it.user(), "creator"));
    let me = (group.bot == Membership::Member).then(|| administrator(&world.me()));
    Ok(Value::Array(creator.into_iter().chain(me).collect()))
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
