//! What may stand in the body of each request, in a few words.

use serde_json::{Map, Value};

/// The name of a field, and what it says.
type Field = (&'static str, &'static str);

/// Each request that takes a body, and its fields.
const FIELDS: &[(&str, &[Field])] = &[
    (
        "PATCH /emulator/bot",
        &[("name", "what it is called"), ("username", "its name with an @, with or without that")],
    ),
    ("POST /emulator/people", PERSON),
    ("PATCH /emulator/people/{id}", PERSON),
    ("POST /emulator/people/{id}/block", &[("blocked", "true or false; needed")]),
    ("POST /emulator/people/{id}/deactivate", &[("deactivated", "true or false; needed")]),
    (
        "POST /emulator/groups",
        &[
            ("title", "what it is called; needed"),
            ("members", "the ids of people, the founder first; needed"),
            ("kind", "`group` unless said, `supergroup` or `channel`"),
            ("forum", "true: a `supergroup` with topics"),
            ("username", "its name with an @, where it is public"),
            ("bot", "`member` unless said, `administrator`, `left` or `kicked`"),
        ],
    ),
    (
        "POST /emulator/groups/{id}/bot",
        &[("status", "`member`, `administrator`, `left` or `kicked`; needed")],
    ),
    ("POST /emulator/groups/{id}/topics", &[("name", "what it is called; needed")]),
    (
        "POST /emulator/groups/{id}/members",
        &[
            ("person", "the id of a person; needed"),
            ("status", "`member`, `left` or `kicked`; needed"),
        ],
    ),
    (
        "POST /emulator/groups/{id}/requests",
        &[("from", "the id of a person; needed"), ("bio", "what they say of themselves")],
    ),
    ("POST /emulator/messages", MESSAGE),
    (
        "POST /emulator/messages/edit",
        &[
            FROM,
            CHAT,
            ("message_id", "which message; needed"),
            ("text", "the new text, or the new caption of a picture; needed"),
        ],
    ),
    ("POST /emulator/press", PRESS),
    ("POST /emulator/presses", PRESS),
    (
        "POST /emulator/reactions",
        &[
            FROM,
            CHAT,
            ("message_id", "which message; needed"),
            ("emoji", "one emoji; without it, none any more"),
        ],
    ),
    (
        "POST /emulator/race",
        &[FROM, CHAT, THREAD, ("text", "what they write; needed"), UNDER, LABEL, DATA],
    ),
    ("POST /emulator/updates/{id}/again", &[("times", "how many times, 1 to 10; 1 unless said")]),
    ("POST /emulator/clock", &[("advance", "a length of time such as 90s, 15m or 24h; needed")]),
    ("POST /emulator/faults", FAULT),
    (
        "POST /emulator/restart",
        &[("ids", "`lower`: the numbers of updates begin below those before")],
    ),
    (
        "POST /emulator/limits",
        &[
            ("on", "true: the usual ones, or those said here; false: none"),
            ("chat", "for each chat, such as 1/s"),
            ("group", "for each group, such as 20/m"),
            ("bot", "for all that the bot sends, such as 30/s"),
        ],
    ),
    ("POST /emulator/reset", &[("people", "true: people and groups are gone too")]),
];

const FROM: Field = ("from", "the id of whoever does it; needed");
const CHAT: Field = ("chat", "the id of a group; else the chat with the bot");
const THREAD: Field = ("thread", "the id of a topic of the group");
const UNDER: Field = ("message_id", "under which message; else the newest with that button");
const LABEL: Field = ("label", "what is written on the button");
const DATA: Field = ("data", "what the button carries; instead of `label`, or besides");
const SPOILED: Field = (
    "fault",
    "what goes wrong with this delivery: a kind such as `twice`, or an object as for POST /emulator/faults",
);

const PERSON: &[Field] = &[
    ("name", "the first name; a new person needs one"),
    ("first_name", "the same"),
    ("last_name", "the second name"),
    ("username", "their name with an @, with or without that"),
    ("language", "of their app, such as `ru`; `en` unless said"),
    ("language_code", "the same"),
    ("role", "what they play; one of those that GET /emulator/state tells, if it tells any"),
    ("phone", "their number"),
    ("id", "of a new person; else the next that is free"),
];

const MESSAGE: &[Field] = &[
    FROM,
    CHAT,
    THREAD,
    ("text", "words"),
    ("photo", "true for one that is made up, or the bytes of one in base64"),
    ("album", "2 to 10 of what `photo` may be"),
    ("document", "an object: the bytes in `base64`, and its `name`"),
    (
        "contact",
        "true for their own, or an object: `phone_number`, `first_name`, perhaps `last_name` and `user_id`",
    ),
    ("location", "an object: `latitude` and `longitude`"),
    ("sticker", "true"),
    ("voice", "true"),
    ("caption", "words to a photo, an album, a document or a voice"),
    ("reply_to", "the id of the message that this one answers"),
    SPOILED,
];

const PRESS: &[Field] = &[FROM, CHAT, UNDER, LABEL, DATA, SPOILED];

const FAULT: &[Field] = &[
    ("kind", "what goes wrong, as listed here; needed"),
    ("on", "`delivery` or `call`; only `truncate` does not say so by itself"),
    ("method", "with calls of this method only"),
    ("chat", "in this chat only"),
    ("times", "how often; without it, until it is taken back"),
    ("after_s", "for `slow` and `delay`: how many seconds"),
    ("after_ms", "the same in milliseconds"),
    ("retry_after", "for `too_many`: how many seconds"),
    ("status", "for `error` and `garbage`: which, 300 to 599"),
    ("description", "for `error`: its words"),
    ("id", "is given, whatever is said here"),
];

/// The fields of a request with what each says, if it takes any.
pub(super) fn of(request: &str) -> Option<Map<String, Value>> {
    let (_, fields) = FIELDS.iter().find(|(known, _)| *known == request)?;
    let said = fields.iter().map(|(name, words)| (*name, *words));
    Some(said.map(|(name, words)| (name.to_owned(), words.into())).collect())
}
