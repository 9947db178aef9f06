//! The Bot API: which methods there are, and in which words they refuse.

use serde_json::{Value, json};

use super::clock::Millis;
use super::message::Chat;
use super::params::Params;
use super::people::{Group, Membership};
use super::queue::kind;
use super::world::World;

mod answering;
mod bot;
mod chat;
mod editing;
mod file;
mod hook;
pub(super) mod http;
mod sending;

pub(super) use bot::{offered, shown_commands};
pub(super) use file::made;
pub(super) use hook::is_set;

/// What a call is answered: the result, or why not.
pub(super) type Answer = Result<Value, Refusal>;

/// Why a call is refused.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) words: String,
    /// What the bot should know: how long to wait, or where a group went.
    pub(super) parameters: Value,
}

impl Refusal {
    pub(super) fn new(status: u16, words: &str) -> Self {
        Self { status, words: words.to_owned(), parameters: Value::Null }
    }

    /// 400 with these words.
    pub(super) fn bad(words: impl AsRef<str>) -> Self {
        Self::new(400, &format!("Bad Request: {}", words.as_ref()))
    }

    /// 429 for so many seconds.
    pub(super) fn too_many(seconds: u64) -> Self {
        let parameters = json!({ "retry_after": seconds });
        let words = format!("Too Many Requests: retry after {seconds}");
        Self { parameters, ..Self::new(429, &words) }
    }

    fn migrated(to: i64) -> Self {
        let parameters = json!({ "migrate_to_chat_id": to });
        let words = "group chat was upgraded to a supergroup chat";
        Self { parameters, ..Self::bad(words) }
    }
}

impl From<String> for Refusal {
    fn from(words: String) -> Self {
        Self::bad(words)
    }
}

/// An answer as it is written: its status, and Telegram's envelope. A result that is a pair of `result` and `description`
/// carries words of its own.
pub(super) fn envelope(answer: &Answer) -> (u16, Value) {
    match answer {
        Ok(result) if result.get(SAID).is_some() => {
            (200, json!({ "ok": true, "result": true, "description": result[SAID] }))
        }
        Ok(result) => (200, json!({ "ok": true, "result": result })),
        Err(refusal) => {
            let mut envelope =
                json!({ "ok": false, "error_code": refusal.status, "description": refusal.words });
            if !refusal.parameters.is_null() {
                envelope["parameters"] = refusal.parameters.clone();
            }
            (refusal.status, envelope)
        }
    }
}

/// Marks a result that is `true` with a description.
const SAID: &str = "\u{0}description";

/// `true`, and these words about it.
fn said(words: &str) -> Answer {
    Ok(json!({ SAID: words }))
}

/// Carries a call out. What is refused, for whatever reason, does not count for the limits, and nothing is kept of it.
pub(super) fn carry_out(
    world: &mut World,
    method: &str,
    params: &Params,
    answer_within: Millis,
) -> Answer {
    let (name, now) = (method.to_ascii_lowercase(), world.now());
    let counted = sending::messages(&name, params).and_then(|count| {
        let chat = world.people.addressed(&params.word("chat_id")?)?;
        world.chat(chat).map(|chat| (chat.id, count))
    });
    let files = world.files.last();
    let answer = dispatch(world, &name, params, answer_within);
    match (&answer, counted) {
        (Ok(_), Some((chat, count))) => world.meter.count(chat, count, now),
        (Ok(_), None) => {}
        (Err(_), _) => world.files.forget_after(files),
    }
    answer
}

/// Nothing, unless too much was sent to a chat lately. It is asked last: what could never be sent is told so first.
fn admitted(world: &mut World, chat: i64) -> Result<(), Refusal> {
    let now = world.now();
    let wait = world.meter.wait(chat, now);
    wait.map_or(Ok(()), |seconds| Err(Refusal::too_many(seconds)))
}

fn dispatch(world: &mut World, name: &str, params: &Params, answer_within: Millis) -> Answer {
    match name {
        "getupdates" => Ok(Value::Null),
        "setwebhook" => hook::set(world, params),
        "deletewebhook" => hook::delete(world, params),
        "getwebhookinfo" => Ok(hook::info(world)),
        "sendmessage" => sending::message(world, params),
        "sendphoto" => sending::file(world, params, "photo"),
        "senddocument" => sending::file(world, params, "document"),
        "sendvideo" => sending::file(world, params, "video"),
        "sendaudio" => sending::file(world, params, "audio"),
        "sendvoice" => sending::file(world, params, "voice"),
        "sendanimation" => sending::file(world, params, "animation"),
        "sendsticker" => sending::file(world, params, "sticker"),
        "sendmediagroup" => sending::album(world, params),
        "sendlocation" => sending::location(world, params),
        "sendcontact" => sending::contact(world, params),
        "copymessage" => sending::copy(world, params),
        "forwardmessage" => sending::forward(world, params),
        "sendchataction" => sending::action(world, params),
        "editmessagetext" => editing::text(world, params),
        "editmessagecaption" => editing::caption(world, params),
        "editmessagereplymarkup" => editing::markup(world, params),
        "editmessagemedia" => editing::media(world, params),
        "deletemessage" => editing::delete(world, params),
        "deletemessages" => editing::delete_many(world, params),
        "pinchatmessage" | "unpinchatmessage" | "unpinallchatmessages" => {
            editing::pin(world, params)
        }
        "approvechatjoinrequest" => chat::answer_request(world, params, true),
        "declinechatjoinrequest" => chat::answer_request(world, params, false),
        "setmessagereaction" => editing::react(world, params),
        "answercallbackquery" => answering::press(world, params, answer_within),
        "answerinlinequery" => answering::inline(world, params),
        "getfile" => file::get(world, params),
        "getme" => Ok(bot::me(world)),
        "setmycommands" => bot::set_commands(world, params),
        "getmycommands" => bot::commands(world, params),
        "deletemycommands" => bot::delete_commands(world, params),
        "setmyname" | "setmydescription" | "setmyshortdescription" => {
            bot::set_saying(world, name, params)
        }
        "getmyname" | "getmydescription" | "getmyshortdescription" => {
            bot::saying(world, name, params)
        }
        "logout" | "close" => Ok(json!(true)),
        "getchat" => chat::get(world, params),
        "getchatmember" => chat::member(world, params),
        "getchatmembercount" => chat::count(world, params),
        "getchatadministrators" => chat::administrators(world, params),
        _ => Err(Refusal::new(404, "Not Found: method not found")),
    }
}

/// The chat that a call is for; or why it cannot be had.
fn place(world: &mut World, params: &Params) -> Result<Chat, Refusal> {
    place_of(world, params, "chat_id")
}

fn place_of(world: &mut World, params: &Params, name: &str) -> Result<Chat, Refusal> {
    let Some(said) = params.word(name) else {
        return Err(Refusal::bad(format!("{name} is empty")));
    };
    let missing = || Refusal::bad("chat not found");
    let id = world.people.addressed(&said).ok_or_else(missing)?;
    let chat = world.chat(id).ok_or_else(missing)?;
    let Some(group) = world.people.groups.get(&id) else {
        return Ok(chat);
    };
    match (group.migrated_to, group.bot) {
        (Some(to), _) => Err(Refusal::migrated(to)),
        // Everybody can look into what is public.
        (_, Membership::Left) if group.username.is_some() => Ok(chat),
        (_, bot) => outside(bot, &chat).map_or(Ok(chat), Err),
    }
}

/// Whether the bot may do all that a bot may in this chat: with somebody alone, or as an administrator.
fn may_all(world: &World, chat: &Chat) -> bool {
    let group = world.people.groups.get(&chat.id);
    group.is_none_or(Group::is_run_by_bot)
}

/// Why a bot that is not in a group can do nothing there.
fn outside(bot: Membership, chat: &Chat) -> Option<Refusal> {
    let words = match bot {
        Membership::Member | Membership::Administrator => return None,
        Membership::Left => "bot is not a member of the",
        Membership::Kicked => "bot was kicked from the",
    };
    let words = format!("Forbidden: {words} {} chat", chat.kind);
    Some(Refusal::new(403, &words))
}

/// The chat to send to: somebody who has blocked the bot, never spoke to it or is no more cannot be sent to, nor a group that it
/// is not in.
fn recipient(world: &mut World, params: &Params) -> Result<Chat, Refusal> {
    let chat = place(world, params)?;
    let group = world.people.groups.get(&chat.id);
    if let Some(refusal) = group.and_then(|group| outside(group.bot, &chat)) {
        return Err(refusal);
    }
    match world.people.people.get(&chat.id) {
        Some(person) if person.deactivated => {
            Err(Refusal::new(403, "Forbidden: user is deactivated"))
        }
        Some(person) if person.blocked => {
            Err(Refusal::new(403, "Forbidden: bot was blocked by the user"))
        }
        Some(person) if !person.started => {
            Err(Refusal::new(403, "Forbidden: bot can't initiate conversation with a user"))
        }
        _ => Ok(chat),
    }
}

/// The kinds of update in a list, each once and in one order; what is none is ignored, and just the usual ones are as none.
pub(super) fn kinds(list: &[Value]) -> Vec<String> {
    let is_asked = |rule: &kind::Rule| list.iter().any(|name| name == rule.name);
    if kind::ALL.iter().all(|rule| is_asked(rule) == rule.is_usual()) {
        return Vec::new();
    }
    let asked = kind::ALL.into_iter().filter(is_asked);
    asked.map(|rule| rule.name.to_owned()).collect()
}
