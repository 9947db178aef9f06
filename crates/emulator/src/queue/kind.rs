//! The kinds of update: the field each has in its body, whose line it stands in, and how long it is kept.

use serde_json::Value;

use crate::clock::Millis;

/// How long most are kept.
pub(crate) const DAY: Millis = 86_400_000;
/// How far apart the lines of one kind are from those of another.
const APART: i64 = 1 << 33;
/// From so many [steps](Rule::steps) on, what is kept is kept from when it came.
const UNDATED: i64 = 10;
/// What is not sent unless it is asked for.
const UNASKED: [&str; 3] = ["chat_member", "message_reaction", "message_reaction_count"];

/// What a bot hears of a group only as its administrator.
const FOR_ADMINISTRATORS: [&str; 6] = [
    "chat_member",
    "chat_join_request",
    "chat_boost",
    "removed_chat_boost",
    "message_reaction",
    "message_reaction_count",
];

/// Where in a payload it says whose line it stands in.
const CHAT: &str = "/chat/id";
const FROM: &str = "/from/id";
const USER: &str = "/user/id";

/// A message in a chat.
pub(crate) const MESSAGE: Rule = rule("message", CHAT, 0, DAY);
/// A change of one.
pub(crate) const EDITED_MESSAGE: Rule = rule("edited_message", CHAT, 0, DAY);
/// A message in a channel.
pub(crate) const CHANNEL_POST: Rule = rule("channel_post", CHAT, 0, DAY);
/// A change of one.
pub(crate) const EDITED_CHANNEL_POST: Rule = rule("edited_channel_post", CHAT, 0, DAY);
/// A press of a person.
pub(crate) const CALLBACK_QUERY: Rule = rule("callback_query", FROM, 3, 150_000);
/// What the bot is in a chat.
pub(crate) const MY_CHAT_MEMBER: Rule = rule("my_chat_member", CHAT, 5, DAY);
/// What a person is in a chat.
pub(crate) const CHAT_MEMBER: Rule = rule("chat_member", "/new_chat_member/user/id", 6, DAY);
/// A person asks to be let into a chat.
pub(crate) const CHAT_JOIN_REQUEST: Rule = rule("chat_join_request", FROM, 6, DAY);
/// What somebody thinks of a message in a chat.
pub(crate) const MESSAGE_REACTION: Rule = rule("message_reaction", CHAT, 8, DAY);

/// All of them.
pub(crate) const ALL: [Rule; 25] = [
    MESSAGE,
    EDITED_MESSAGE,
    CHANNEL_POST,
    EDITED_CHANNEL_POST,
    rule("inline_query", FROM, 1, 30_000),
    rule("chosen_inline_result", FROM, 2, 600_000),
    CALLBACK_QUERY,
    rule("shipping_query", FROM, 4, 150_000),
    rule("pre_checkout_query", FROM, 4, 150_000),
    MY_CHAT_MEMBER,
    CHAT_MEMBER,
    CHAT_JOIN_REQUEST,
    rule("chat_boost", CHAT, 7, DAY),
    rule("removed_chat_boost", CHAT, 7, DAY),
    MESSAGE_REACTION,
    rule("message_reaction_count", CHAT, 9, DAY),
    rule("business_connection", USER, 10, DAY),
    rule("business_message", CHAT, 11, DAY),
    rule("edited_business_message", CHAT, 11, DAY),
    rule("deleted_business_messages", CHAT, 11, DAY),
    rule("purchased_paid_media", FROM, 12, DAY),
    rule("guest_message", CHAT, 12, DAY),
    rule("managed_bot", USER, 13, DAY),
    rule("poll", "/id", 0, DAY),
    rule("poll_answer", "/poll_id", 0, DAY),
];

/// What holds for all updates of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Its field in the update.
    pub(crate) name: &'static str,
    /// Where in a payload it says whose line it stands in.
    whose: &'static str,
    /// How many steps its lines are [apart](APART) from those of messages.
    steps: i64,
    /// How long it is kept.
    kept: Millis,
}

const fn rule(name: &'static str, whose: &'static str, steps: i64, kept: Millis) -> Rule {
    Rule { name, whose, steps, kept }
}

impl Rule {
    /// An update of this kind, of that chat, person or poll.
    pub(crate) fn of(self, whose: i64) -> Kind {
        Kind { rule: self, whose }
    }

    /// Whether a bot hears of it that did not say what it wants to hear of.
    pub(crate) fn is_usual(self) -> bool {
        !UNASKED.contains(&self.name)
    }
}

/// A kind of update, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    rule: Rule,
    whose: i64,
}

impl Kind {
    /// What kind of update this is; nothing if it is none, or does not say whose it is.
    pub(crate) fn read(update: &Value) -> Option<Self> {
        let rule = ALL.into_iter().find(|it| update.get(it.name).is_some())?;
        let whose = update[rule.name].pointer(rule.whose)?;
        let written = || whose.as_str()?.parse().ok();
        Some(rule.of(whose.as_i64().or_else(written)?))
    }

    /// The chat that a payload is from, as far as it says.
    pub(crate) fn chat(payload: &Value) -> i64 {
        let places = [CHAT, "/message/chat/id", FROM, USER];
        let chat = places.into_iter().find_map(|it| payload.pointer(it)?.as_i64());
        chat.unwrap_or_default()
    }

    /// From when on it is kept, where a payload says so: most of those that are kept for a day are so from their own date on.
    pub(crate) fn since(self, payload: &Value) -> Option<Millis> {
        let is_dated = self.rule.kept == DAY && self.rule.steps < UNDATED;
        let date = payload.get("edit_date").or_else(|| payload.get("date"));
        let date = date.filter(|_| is_dated)?.as_u64()?;
        date.checked_mul(1000)
    }

    /// Whether it is a message of a chat, or a change of one.
    pub(crate) fn is_message(self) -> bool {
        self.rule.whose == CHAT && self.rule.steps == 0
    }

    /// Its field in the update.
    pub(crate) fn name(self) -> &'static str {
        self.rule.name
    }

    /// Whether a bot hears of it in a group only as its administrator.
    pub(crate) fn is_for_administrators(self) -> bool {
        FOR_ADMINISTRATORS.contains(&self.rule.name)
    }

    /// The line it stands in; lines go side by side, and in each one update at a time.
    pub(crate) fn line(self) -> i64 {
        self.whose.saturating_add(self.rule.steps * APART)
    }

    /// How long it is kept.
    pub(super) fn kept(self) -> Millis {
        self.rule.kept
    }

    /// Whether a bot hears of it that did not say what it wants to hear of.
    pub(super) fn is_usual(self) -> bool {
        self.rule.is_usual()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Queue;
    use super::*;

    #[test]
    fn every_kind_of_update_stands_in_its_line_and_is_kept_as_long_as_telegram_keeps_it() {
        let (chat, user) = (-1_001_234_567_890_i64, 5001_i64);
        let (message, query) =
            (json!({ "chat": { "id": chat } }), json!({ "from": { "id": user } }));
        let member = json!({ "chat": { "id": chat }, "from": { "id": 7 }, "new_chat_member": { "user": { "id": user } } });
        let of_user = json!({ "user": { "id": user } });
        let day = 86_400;
        let table = [
            ("message", &message, chat, 0, day),
            ("edited_message", &message, chat, 0, day),
            ("channel_post", &message, chat, 0, day),
            ("edited_channel_post", &message, chat, 0, day),
            ("inline_query", &query, user, 1, 30),
            ("chosen_inline_result", &query, user, 2, 600),
            ("callback_query", &query, user, 3, 150),
            ("shipping_query", &query, user, 4, 150),
            ("pre_checkout_query", &query, user, 4, 150),
            ("my_chat_member", &member, chat, 5, day),
            ("chat_member", &member, user, 6, day),
            ("chat_join_request", &query, user, 6, day),
            ("chat_boost", &message, chat, 7, day),
            ("removed_chat_boost", &message, chat, 7, day),
            ("message_reaction", &message, chat, 8, day),
            ("message_reaction_count", &message, chat, 9, day),
            ("business_connection", &of_user, user, 10, day),
            ("business_message", &message, chat, 11, day),
            ("edited_business_message", &message, chat, 11, day),
            ("deleted_business_messages", &message, chat, 11, day),
            ("purchased_paid_media", &query, user, 12, day),
            ("guest_message", &message, chat, 12, day),
            ("managed_bot", &of_user, user, 13, day),
            ("poll", &json!({ "id": "5" }), 5, 0, day),
            ("poll_answer", &json!({ "poll_id": "5", "user": { "id": user } }), 5, 0, day),
        ];
        assert_eq!(table.map(|row| row.0), ALL.map(|rule| rule.name));
        for (name, payload, whose, steps, seconds) in table {
            let mut queue = Queue::default();
            queue.push_made(&json!({ "update_id": 77, name: payload }), 1_000);
            let update = queue.by_id(77).expect("an update");
            assert_eq!(update.kind, name);
            assert_eq!(update.queue, whose + steps * 8_589_934_592, "{name}");
            assert_eq!(update.expires, 1_000 + seconds * 1_000, "{name}");
        }
    }
}
