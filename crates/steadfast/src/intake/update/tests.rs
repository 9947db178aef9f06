//! What updates become, read either way.

use proptest::prelude::*;

use super::*;
use crate::store::DialogueKey;

const TOPIC: &str = r#""message_thread_id":12,"is_topic_message":true,"#;

/// A message of Ann's in a forum.
fn message(extra: &str) -> String {
    format!(
        r#"{{"message_id":9,{extra}"date":1760000000,"chat":{{"id":-1007,"type":"supergroup","title":"Office","is_forum":true}},
        "from":{{"id":77,"is_bot":false,"first_name":"Ann"}}}}"#
    )
}

fn read(reader: &UpdateParser, kind: &str, content: &str) -> Option<Event> {
    let body = format!(r#"{{"update_id":1,"{kind}":{content}}}"#);
    match reader.read(&body.into()).expect("an update") {
        Read::Event(incoming) => Some(*incoming),
        Read::Ignored(ignored) => {
            assert_eq!(ignored, kind);
            None
        }
        Read::Migrated { .. } => None,
    }
}

fn key(topic: Option<i32>) -> DialogueKey {
    DialogueKey { chat: -1007, user: 77, topic }
}

#[test]
fn a_message_that_answers_another_says_which() {
    let reader = UpdateParser::default();
    let answered = r#""reply_to_message":{"message_id":41,"date":1,"chat":{"id":5,"type":"private","first_name":"A"},"text":"x"},"#;
    let reply_to = |extra: &str| {
        let content = message(&format!(r#"{extra}"text":"hi","#));
        read(&reader, "message", &content).map(|read| read.reply_to)
    };
    assert_eq!(reply_to(answered), Some(Some(41)));
    assert_eq!(reply_to(""), Some(None));
}

#[test]
fn a_number_that_no_person_can_have_makes_an_update_unreadable() {
    let said = message(r#""text":"hi","#);
    let from = r#""from":{"id":77,"is_bot":false,"first_name":"Ann"}"#;
    let pressed = format!(r#"{{"id":"q","chat_instance":"c","data":"x",{from},"message":{said}}}"#);
    for (number, readable) in [
        ("77", true),
        ("9223372036854775807", true),
        ("9223372036854775808", false),
        ("18446744073709551615", false),
        ("18446744073709551616", false),
    ] {
        for (kind, content) in
            [("message", &said), ("edited_message", &said), ("callback_query", &pressed)]
        {
            let content = content.replace(r#""id":77"#, &format!(r#""id":{number}"#));
            let body = format!(r#"{{"update_id":1,"{kind}":{content}}}"#);
            let read = UpdateParser::default().read(&body.into());
            assert_eq!(read.is_ok(), readable, "{kind} of {number}: {read:?}");
        }
    }
}

#[test]
fn a_dialogue_is_of_a_person_in_a_chat_or_in_a_topic() {
    let told = message(&format!(r#"{TOPIC}"text":"hi","#));
    let reply = message(r#""message_thread_id":12,"text":"hi","#);
    let from = r#""from":{"id":77,"is_bot":false,"first_name":"Ann"}"#;
    let pressed = format!(r#"{{"id":"q","chat_instance":"c","data":"x",{from},"message":{told}}}"#);
    for (scope, topic) in [(Scope::Chat, None), (Scope::Topic, Some(12))] {
        let reader = UpdateParser { scope, username: Arc::default() };
        let key_of = |kind, content: &str| read(&reader, kind, content).map(|read| read.key);
        assert_eq!(key_of("message", &told), Some(key(topic)));
        assert_eq!(key_of("edited_message", &told), Some(key(topic)));
        assert_eq!(key_of("callback_query", &pressed), Some(key(topic)));
        assert_eq!(key_of("message", &reply), Some(key(None)), "a thread of replies is no topic");
    }
}

#[test]
fn what_has_no_chat_or_no_sender_is_ignored() {
    let reader = UpdateParser::default();
    let text = message(r#""text":"hi","#);
    let bot = text.replace(r#""is_bot":false"#, r#""is_bot":true"#);
    let joined = message(r#""new_chat_title":"Elsewhere","#);
    let inline = r#"{"id":"q","chat_instance":"c","data":"x","inline_message_id":"i","from":{"id":77,"is_bot":false,"first_name":"Ann"}}"#;
    assert!(read(&reader, "message", &text).is_some());
    assert!(read(&reader, "message", &bot).is_none());
    assert!(read(&reader, "message", &joined).is_none());
    assert!(read(&reader, "callback_query", inline).is_none());
}

/// Sent or passed on: whoever did it is told how to go on.
#[test]
fn whatever_people_send_is_something_and_a_service_message_is_nothing() {
    let reader = UpdateParser::default();
    let word = |content: &str| {
        let read = read(&reader, "message", &message(content));
        read.map(|read| read.input.word())
    };
    let chat = r#"{"id":-1008,"type":"channel","title":"News"}"#;
    for (content, expected) in [
        (r#""dice":{"emoji":"🎲","value":3},"#.to_owned(), Some("dice")),
        (
            r#""game":{"title":"t","description":"d","photo":[]},"#.to_owned(),
            Some("game"),
        ),
        (
            r#""poll":{"id":"1","question":"q","options":[],"total_voter_count":0,"is_closed":false,"is_anonymous":true,"type":"regular","allows_multiple_answers":false},"#.to_owned(),
            Some("poll"),
        ),
        (format!(r#""story":{{"chat":{chat},"id":1}},"#), Some("story")),
        (
            r#""paid_media":{"star_count":1,"paid_media":[]},"#.to_owned(),
            Some("paid_media"),
        ),
        (
            format!(r#""giveaway":{{"chats":[{chat}],"winners_selection_date":1,"winner_count":1}},"#),
            Some("giveaway"),
        ),
        (
            r#""invoice":{"title":"t","description":"d","start_parameter":"s","currency":"EUR","total_amount":1},"#.to_owned(),
            Some("invoice"),
        ),
        (r#""group_chat_created":true,"#.to_owned(), None),
        (r#""write_access_allowed":{},"#.to_owned(), None),
        (r#""chat_background_set":{"type":{"type":"chat_theme","theme_name":"x"}},"#.to_owned(), None),
    ] {
        assert_eq!(word(&content), expected, "{content}");
    }
}

#[test]
fn a_group_that_became_another_chat_is_told_in_both() {
    let read = |told: &str| {
        let told = message(told).replace(r#""is_bot":false"#, r#""is_bot":true"#);
        let body = format!(r#"{{"update_id":1,"message":{told}}}"#);
        match UpdateParser::default().read(&body.into()) {
            Ok(Read::Migrated { from, to }) => (from, to),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(read(r#""migrate_to_chat_id":-1008,"#), (-1007, -1008));
    assert_eq!(read(r#""migrate_from_chat_id":-7,"#), (-7, -1007));
}

#[test]
fn a_command_to_another_bot_is_ignored_by_one_that_knows_its_name() {
    let reader = UpdateParser {
        scope: Scope::Chat,
        username: Arc::new(OnceLock::from("shop_bot".to_owned())),
    };
    let ours = message(r#""text":"/start@Shop_Bot","#);
    let theirs = message(r#""text":"/start@other_bot","#);
    assert!(read(&reader, "message", &ours).is_some());
    assert!(read(&reader, "message", &theirs).is_none());
}

/// Updates as the Bot API server writes them, and whether a glance is enough for them.
const SAMPLES: [(bool, &str); 10] = [
    (
        true,
        r#"{"update_id":700000001,"message":{"message_id":101,"from":{"id":5001,"is_bot":false,"first_name":"Anna","username":"anna_t","language_code":"ru"},"chat":{"id":5001,"first_name":"Anna","username":"anna_t","type":"private"},"date":1760000000,"text":"\u041f\u0440\u0438\u0432\u0435\u0442"}}"#,
    ),
    (
        true,
        r#"{"update_id":700000002,"message":{"message_id":102,"from":{"id":5001,"is_bot":false,"first_name":"Anna","language_code":"ru"},"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":1760000010,"text":"/start ref_42","entities":[{"offset":0,"length":6,"type":"bot_command"}]}}"#,
    ),
    (
        true,
        r#"{"update_id":700000003,"message":{"message_id":103,"from":{"id":5001,"is_bot":false,"first_name":"Anna"},"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":1760000020,"photo":[{"file_id":"AgACAgIAAxkBAAIBs","file_unique_id":"AQADs1x","file_size":1203,"width":90,"height":67},{"file_id":"AgACAgIAAxkBAAIBy","file_unique_id":"AQADy1x","file_size":96210,"width":1280,"height":960}],"caption":"receipt"}}"#,
    ),
    (
        false,
        r#"{"update_id":700000004,"message":{"message_id":104,"from":{"id":5001,"is_bot":false,"first_name":"Anna"},"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":1760000030,"reply_to_message":{"message_id":100,"from":{"id":9000,"is_bot":true,"first_name":"Shop","username":"shop_demo_bot"},"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":1759999990,"text":"Share your number"},"contact":{"phone_number":"79990001122","first_name":"Anna","user_id":5001}}}"#,
    ),
    (
        true,
        r#"{"update_id":700000005,"callback_query":{"id":"21474836480000001","from":{"id":5001,"is_bot":false,"first_name":"Anna"},"message":{"message_id":105,"from":{"id":9000,"is_bot":true,"first_name":"Shop","username":"shop_demo_bot"},"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":1760000040,"text":"Confirm?","reply_markup":{"inline_keyboard":[[{"text":"Yes","callback_data":"ok:17"},{"text":"No","callback_data":"no:17"}]]}},"chat_instance":"-3350123456789012345","data":"ok:17"}}"#,
    ),
    (
        false,
        r#"{"update_id":700000006,"edited_message":{"message_id":101,"from":{"id":5001,"is_bot":false,"first_name":"Anna"},"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":1760000000,"edit_date":1760000050,"text":"Hello again"}}"#,
    ),
    (
        false,
        r#"{"update_id":700000007,"my_chat_member":{"chat":{"id":5001,"first_name":"Anna","type":"private"},"from":{"id":5001,"is_bot":false,"first_name":"Anna"},"date":1760000060,"old_chat_member":{"user":{"id":9000,"is_bot":true,"first_name":"Shop","username":"shop_demo_bot"},"status":"member"},"new_chat_member":{"user":{"id":9000,"is_bot":true,"first_name":"Shop","username":"shop_demo_bot"},"status":"kicked","until_date":0}}}"#,
    ),
    (
        true,
        r#"{"update_id":700000008,"message":{"message_id":77,"from":{"id":5002,"is_bot":false,"first_name":"Boris"},"chat":{"id":-1001234567890,"title":"Team","is_forum":true,"type":"supergroup"},"date":1760000070,"message_thread_id":12,"text":"/report@shop_demo_bot","entities":[{"offset":0,"length":21,"type":"bot_command"}],"is_topic_message":true}}"#,
    ),
    (
        true,
        r#"{"update_id":700000009,"callback_query":{"id":"21474836480000002","from":{"id":5001,"is_bot":false,"first_name":"Anna"},"message":{"message_id":9,"chat":{"id":5001,"first_name":"Anna","type":"private"},"date":0},"chat_instance":"-3350123456789012345","data":"ok:17"}}"#,
    ),
    (
        false,
        r#"{"update_id":700000010,"message":{"message_id":103,"chat":{"id":-5,"title":"News","type":"channel"},"date":1760000020,"text":"x"}}"#,
    ),
];

#[test]
fn a_message_of_two_kinds_is_looked_at_closely() {
    for both in [r#""text":"hi","photo":[],"#, r#""text":"hi","caption":"look","#] {
        let body = format!(r#"{{"update_id":1,"message":{}}}"#, message(both));
        assert!(glance::glance(body.as_bytes()).is_none(), "{body}");
    }
}

#[test]
fn a_glance_is_enough_for_everyday_updates_and_tells_the_same() {
    for (is_everyday, body) in SAMPLES {
        assert_eq!(glance::glance(body.as_bytes()).is_some(), is_everyday, "{body}");
        agree(body);
    }
}

/// Fields of a message: everyday ones, unusual ones, broken ones.
const FIELDS: [&str; 25] = [
    r#""text":"hi""#,
    r#""text":"/start@shop_bot now""#,
    r#""text":"/start@other_bot""#,
    r#""text":"""#,
    r#""text":"\ud83d\ude00 \"quoted\" ""#,
    r#""text":7"#,
    r#""photo":[{"file_id":"a","file_unique_id":"u","width":1,"height":1},{"file_id":"b\n","file_unique_id":"v","width":2,"height":2,"file_size":9}]"#,
    r#""photo":[]"#,
    r#""caption":"look""#,
    r#""caption":" ""#,
    r#""media_group_id":"13""#,
    r#""entities":[]"#,
    r#""entities":[{"offset":0,"length":2,"type":"bold"}]"#,
    r#""caption_entities":[]"#,
    r#""message_thread_id":12"#,
    r#""is_topic_message":true"#,
    r#""is_topic_message":false"#,
    r#""reply_to_message":{"message_id":1,"date":1,"chat":{"id":5,"type":"private"},"text":"x"}"#,
    r#""via_bot":{"id":9,"is_bot":true,"first_name":"B"}"#,
    r#""new_chat_title":"Elsewhere""#,
    r#""sticker":{}"#,
    r#""contact":{"phone_number":"7","first_name":"Anna","user_id":77}"#,
    r#""sender_chat":{"id":-100,"type":"channel","title":"News"}"#,
    r#""has_media_spoiler":true"#,
    r#""unheard_of":{"x":[1,2]}"#,
];

const CHATS: [&str; 5] = [
    r#"{"id":77,"type":"private","first_name":"Ann","username":"ann"}"#,
    r#"{"id":-7,"type":"group","title":"Family"}"#,
    r#"{"id":-1007,"type":"supergroup","title":"Office","is_forum":true}"#,
    r#"{"id":-1008,"type":"channel","title":"News"}"#,
    r#"{"id":-1009,"type":"burrow"}"#,
];

const PEOPLE: [&str; 6] = [
    r#"{"id":77,"is_bot":false,"first_name":"Ann"}"#,
    r#"{"id":77,"is_bot":false,"first_name":"\u0410","last_name":"L","username":"ann","language_code":"ru","is_premium":true}"#,
    r#"{"id":78,"is_bot":true,"first_name":"Bot"}"#,
    r#"{"id":9007199254740993,"is_bot":false,"first_name":"","added_to_attachment_menu":true}"#,
    r#"{"id":-1,"is_bot":false,"first_name":"Ann"}"#,
    r#"{"id":18446744073709551615,"is_bot":false,"first_name":"Ann"}"#,
];

fn whole() -> impl Strategy<Value = String> {
    let fields = proptest::sample::subsequence(FIELDS.to_vec(), 0..=4).prop_shuffle();
    let (chat, person) = (proptest::sample::select(&CHATS), proptest::sample::select(&PEOPLE));
    let date = proptest::sample::select(&["0", "1760000000", "-5", "4294967296", "\"x\""]);
    (fields, chat, person, date).prop_map(|(fields, chat, person, date)| {
        let rest: String = fields.iter().map(|field| format!(",{field}")).collect();
        format!(r#"{{"message_id":9,"from":{person},"chat":{chat},"date":{date}{rest}}}"#)
    })
}

fn update() -> impl Strategy<Value = String> {
    const KINDS: [&str; 5] = ["message", "message", "edited_message", "channel_post", "unheard_of"];
    let told = (proptest::sample::select(&KINDS), whole())
        .prop_map(|(kind, message)| format!(r#"{{"update_id":5,"{kind}":{message}}}"#));
    const EXTRAS: [&str; 4] = [
        "",
        r#","data":"x""#,
        r#","data":"x","inline_message_id":"i""#,
        r#","game_short_name":"g""#,
    ];
    let pressed = (whole(), proptest::sample::select(&PEOPLE), proptest::sample::select(&EXTRAS)).prop_map(
        |(message, person, extra)| {
            format!(r#"{{"update_id":5,"callback_query":{{"id":"q","from":{person},"message":{message},"chat_instance":"c"{extra}}}}}"#)
        },
    );
    prop_oneof![told, pressed]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_glance_tells_what_the_whole_reading_tells(body in update()) {
        agree(&body);
    }
}

/// Where a glance is enough, both readings tell the same. A press counts also under a message that teloxide-core cannot read.
fn agree(body: &str) {
    let Some(_) = glance::glance(body.as_bytes()) else {
        return;
    };
    for scope in [Scope::Chat, Scope::Topic] {
        let reader =
            UpdateParser { scope, username: Arc::new(OnceLock::from("shop_bot".to_owned())) };
        let body = Bytes::from(body.to_owned());
        let whole = reader.read_whole(&body);
        if whole.is_err() && body.windows(14).any(|part| part == b"callback_query") {
            continue;
        }
        assert_eq!(told(reader.read(&body)), told(whole), "{body:?}");
    }
}

/// All that was read, but the moment.
fn told(read: Result<Read, Unreadable>) -> String {
    match read {
        Ok(Read::Event(incoming)) => {
            let received = format!("{:?}", incoming.received);
            format!("{incoming:?}").replace(&received, "now")
        }
        other => format!("{other:?}"),
    }
}
