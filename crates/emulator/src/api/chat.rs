//! What a bot can ask about a chat and who is in it.

use serde_json::{Value, json};

use super::{Answer, Refusal, may_all, place};
use crate::acts;
use crate::params::Params;
use crate::people::Group;
use crate::world::World;

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
        let status = group.map_or("member", |group| group.status(group.bot));
        return Ok(acts::shown(&me, status));
    }
    let Some(person) = world.people.people.get(&user) else {
        return Err(Refusal::bad("PARTICIPANT_ID_INVALID"));
    };
    let group = world.people.groups.get(&chat.id);
    let status = match group {
        None if chat.id == user => "member",
        Some(group) => group.standing(user),
        None => "left",
    };
    Ok(acts::shown(&person.user(), status))
}

/// Lets somebody in who asked, or does not.
pub(super) fn answer_request(world: &mut World, params: &Params, is_in: bool) -> Answer {
    let chat = place(world, params)?;
    if !may_all(world, &chat) {
        return Err(Refusal::bad("not enough rights to manage chat join requests"));
    }
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
    let count = |group: &Group| group.members.len() + usize::from(group.bot.is_in());
    Ok(json!(group.map_or(2, count)))
}

pub(super) fn administrators(world: &mut World, params: &Params) -> Answer {
    let chat = place(world, params)?;
    let Some(group) = world.people.groups.get(&chat.id) else {
        return Err(Refusal::bad("there are no administrators in the private chat"));
    };
    let creator = group.members.first().and_then(|id| world.people.people.get(id));
    let creator = creator.map(|it| acts::shown(&it.user(), "creator"));
    let runs_it = group.is_run_by_bot();
    let me = runs_it.then(|| acts::shown(&world.me(), "administrator"));
    Ok(Value::Array(creator.into_iter().chain(me).collect()))
}
