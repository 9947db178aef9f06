//! States of other builds, and records of other formats.

use super::*;
use crate::{RECORD, Unreadable};

const NEWER: &str = r#"{"at":"text",  "heading" : "x"}"#;

fn newer() -> Dialogue {
    waiting("form", 3, NEWER)
}

#[test]
fn an_older_state_is_migrated() {
    let older = waiting("form", 1, r#"{"at":"text","name":"Ann"}"#);
    assert_eq!(said(&play(&older, "words").unwrap()), ["Filed: Ann"]);
}

#[test]
fn the_buttons_of_an_older_state_still_work() {
    let older = waiting("form", 1, r#"{"at":"text","name":"Ann"}"#);
    let played = play(&older, Input::Press("coldone..skip".into())).unwrap();
    assert_eq!(said(&played), ["Filed: Ann"]);
}

#[test]
fn an_older_draft_is_migrated_when_it_is_taken_up() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.finds(waiting("form", 1, r#"{"at":"text","name":"Ann"}"#)).types("/start");
    chat.presses("resume-yes").at("form/text").hears("Text?");
    chat.types("words").hears("Filed: Ann");
}

#[test]
fn an_older_state_that_cannot_be_migrated_is_put_aside_with_its_bytes() {
    let hopeless = waiting("form", 1, r#"{"at":"text", "x" :1}"#);
    let played = play(&hopeless, "words").unwrap();
    assert_eq!(said(&played), ["broken-state"]);
    let draft = &played.dialogue.parked[0];
    assert_eq!((&draft.state, draft.schema), (&hopeless.live.unwrap().state, 1));
    assert!(!draft.expired);
}

#[test]
fn a_state_that_was_removed_is_put_aside_whatever_happens_to_it() {
    let broken = waiting("signup", 1, r#"{"at":"gone"}"#);
    for input in [Input::Timer, Input::Press("coldone..yes".into()), Input::Other("voice")] {
        let played = play(&broken, input).unwrap();
        assert_eq!(
            (at(&played.dialogue).as_str(), drafts(&played.dialogue)),
            ("idle", vec!["signup"])
        );
        assert_eq!(said(&played), ["broken-state"]);
    }
}

#[test]
fn a_newer_state_stops_the_turn() {
    let halt = Halt::Newer { flow: "form".into(), schema: 3 };
    for input in [
        Input::Text("x".into()),
        Input::Timer,
        command("back"),
        Input::Press("coldone..skip".into()),
    ] {
        assert_eq!(play(&newer(), input), Err(halt.clone()));
    }
}

#[test]
fn a_flow_that_nobody_knows_is_taken_for_a_newer_builds() {
    let unknown = waiting("unheard-of", 1, r#"{"at":"x"}"#);
    let halt = Halt::Newer { flow: "unheard-of".into(), schema: 1 };
    assert_eq!(play(&unknown, "x"), Err(halt));
}

#[test]
fn a_newer_state_is_kept_to_the_byte_and_the_person_told_once() {
    let bot = bot();
    let keep = |dialogue: Dialogue, input: Input| {
        bot.play(scene(dialogue, input, How::KeepForNewer)).unwrap()
    };
    let first = keep(newer(), Input::Text("x".into()));
    assert_eq!(said(&first), ["newer-state"]);
    assert_eq!(first.dialogue.live, newer().live);
    assert!(String::from_utf8(first.dialogue.write()).unwrap().contains(NEWER));
    let second = keep(first.dialogue.clone(), Input::Text("y".into()));
    assert!(!second.changed);
    let press = keep(first.dialogue, Input::Press("coldone..skip".into()));
    assert_eq!((press.toast.as_str(), press.changed), ("newer-state", false));
}

#[test]
fn a_newer_draft_can_be_offered_but_not_taken_up() {
    let started = play(&newer(), command("start")).unwrap().dialogue;
    assert_eq!(
        play(&started, Input::Press("rform.".into())),
        Err(Halt::Newer { flow: "form".into(), schema: 3 })
    );
    let dropped = play(&started, Input::Press("dform.".into())).unwrap();
    assert!(dropped.dialogue.parked.is_empty());
}

#[test]
fn a_record_of_this_or_an_older_format_is_read_and_written_in_this_one() {
    let read = |body: &str| Dialogue::read(Some(body.as_bytes()));
    assert_eq!(Dialogue::read(None), Ok(Dialogue::default()));
    assert_eq!(read(""), Ok(Dialogue::default()));
    assert_eq!(read(r#"{"v":0}"#), Ok(Dialogue::default()));
    assert_eq!(read(r#"{"v":1,"from":"the future"}"#), Ok(Dialogue::default()));
}

#[test]
fn a_record_of_a_newer_format_is_refused_and_a_broken_one_is_broken() {
    let read = |body: &str| Dialogue::read(Some(body.as_bytes()));
    assert_eq!(read(r#"{"v":2,"live":"elsewhere"}"#), Err(Unreadable::Newer(2)));
    assert_eq!(read(r#"{"v":7}"#), Err(Unreadable::Newer(7)));
    for broken in ["{", "[]", "{}", r#"{"v":1,"live":5}"#, "\u{0}"] {
        assert_eq!(read(broken), Err(Unreadable::Broken), "{broken}");
    }
}

#[test]
fn the_replicas_are_told_every_schema_and_the_format() {
    let schemas = bot().schemas();
    assert_eq!((schemas["form"], schemas["signup"], schemas[RECORD]), (2, 1, 1));
}

#[test]
fn a_dialogue_is_counted_under_its_state_and_its_drafts() {
    let bot = bot();
    let mut chat = chat(&bot);
    assert_eq!((chat.dialogue().labels().len(), chat.dialogue().due()), (0, None));
    chat.types("/signup").types("Ann").types("/ticket");
    assert_eq!(chat.dialogue().labels(), ["ticket/trouble", "signup/parked"]);
    let live = chat.dialogue().live.as_ref().unwrap().due.at;
    assert_eq!(chat.dialogue().due(), Some(live));
    let unreadable = waiting("form", 3, "[]");
    assert_eq!(unreadable.labels(), ["form/unknown"]);
}

#[test]
#[should_panic(expected = "two flows called `signup`")]
fn a_name_belongs_to_one_flow() {
    let _ = bot().with::<Signup>();
}
