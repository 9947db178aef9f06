//! What time does.

use std::time::Duration;

use super::*;
use crate::{Due, DueTo};

const SECOND: Duration = Duration::from_secs(1);

fn due(dialogue: &Dialogue) -> Due {
    dialogue.live.as_ref().unwrap().due
}

#[test]
fn a_question_reminds_then_expires_then_its_draft_is_forgotten() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30");
    chat.waits(SECOND * 299).at("signup/confirm");
    assert_eq!(due(chat.dialogue()).to, DueTo::Remind);
    chat.waits(SECOND).at("signup/confirm").hears("Still there?");
    assert_eq!(due(chat.dialogue()).to, DueTo::Expire);
    chat.waits(SECOND * 300).at("idle").hears("expired");
    assert_eq!(drafts(chat.dialogue()), ["signup"]);
    assert!(chat.dialogue().parked[0].expired);
    chat.waits(SECOND * 3599);
    assert_eq!(drafts(chat.dialogue()), ["signup"]);
    chat.waits(SECOND).at("idle").hears_nothing();
    assert_eq!(chat.dialogue().due(), None);
    assert_eq!(chat.played().unwrap().edges[0].outcome(), Some("timeout"));
}

#[test]
fn a_question_without_a_reminder_only_expires() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").waits(SECOND * 599).at("signup/name");
    chat.waits(SECOND).at("idle").hears("expired");
}

#[test]
fn every_answer_hint_and_bad_choice_slides_the_wait() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").waits(SECOND * 500);
    chat.types("old").hears("A number, please.").waits(SECOND * 500).at("signup/age");
    chat.types("30").waits(SECOND * 200);
    let forged = chat.button("Yes").replace("yes", "maybe");
    chat.does(Input::Press(forged)).waits(SECOND * 200).hears_nothing();
    chat.types("hm").waits(SECOND * 299).at("signup/confirm");
    assert_eq!(due(chat.dialogue()).to, DueTo::Remind);
}

#[test]
fn a_hint_leaves_the_state_alone() {
    let age = waiting("signup", 1, r#"{"at":"age",   "name":"Ann"}"#);
    let played = play(&age, "old").unwrap();
    let (before, after) = (age.live.unwrap(), played.dialogue.live.unwrap());
    assert_eq!((after.state, after.nonce, after.since), (before.state, before.nonce, before.since));
    assert_eq!((after.active, after.due.at), (NOON, NOON + 600_000));
    assert!(played.edges.is_empty());
}

#[test]
fn the_servers_state_ttl_takes_the_place_of_the_flows() {
    let bot = waits(Waits { state_ttl: Some(SECOND * 20), ..Waits::default() });
    let mut chat = chat(&bot);
    chat.types("/signup").waits(SECOND * 19).at("signup/name");
    chat.waits(SECOND).at("idle");
    chat.presses("resume-yes").types("Ann").types("30");
    chat.waits(SECOND * 15).at("signup/confirm").hears("Still there?");
    chat.waits(SECOND * 5).at("idle").hears("expired");
}

#[test]
fn a_wait_that_is_over_in_a_moment_has_no_reminder() {
    let bot = waits(Waits { state_ttl: Some(SECOND * 9), ..Waits::default() });
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30");
    assert_eq!(due(chat.dialogue()).to, DueTo::Expire);
}

#[test]
fn the_servers_state_ttl_leaves_pauses_alone() {
    let bot = waits(Waits { state_ttl: Some(SECOND * 20), ..Waits::default() });
    let mut chat = chat(&bot);
    chat.types("/gather").types("a").types("b").at("gather/parts").hears_nothing();
    chat.waits(SECOND).at("gather/parts").waits(SECOND).at("gather/title").hears("Title?");
    chat.waits(SECOND * 20).at("idle");
}

#[test]
fn a_draft_is_kept_for_the_servers_data_ttl_unless_its_flow_says() {
    let bot = waits(Waits { data_ttl: SECOND * 7200, ..Waits::default() });
    let mut chat = chat(&bot);
    chat.types("/ticket").types("/signup").types("Ann").types("30").types("/start");
    chat.waits(SECOND * 3601);
    assert_eq!(drafts(chat.dialogue()), ["ticket"]);
    chat.waits(SECOND * 3600);
    assert!(chat.dialogue().parked.is_empty());
}

#[test]
fn a_flow_may_end_when_nobody_answers() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/fleeting").waits(SECOND * 3600).at("idle").hears("Too late.");
    assert!(chat.dialogue().parked.is_empty());
}

#[test]
fn an_expiry_is_handled_once() {
    let name = waiting("signup", 1, r#"{"at":"name"}"#);
    let first = play(&name, Input::Timer).unwrap();
    assert_eq!(said(&first), ["expired"]);
    let again = play(&first.dialogue, Input::Timer).unwrap();
    assert!(!again.changed);
}

/// An outage was longer than the whole wait, and the reminder fell into it.
#[test]
fn nobody_is_reminded_of_what_is_over() {
    let mut confirm = waiting("signup", 1, r#"{"at":"confirm","name":"Ann","age":30}"#);
    let live = confirm.live.as_mut().unwrap();
    live.due.to = DueTo::Remind;
    live.active = NOON - 600_000;
    let played = play(&confirm, Input::Timer).unwrap();
    assert_eq!(said(&played), ["expired"]);
    assert_eq!(drafts(&played.dialogue), ["signup"]);
    confirm.live.as_mut().unwrap().active += 1;
    let played = play(&confirm, Input::Timer).unwrap();
    assert_eq!(said(&played), ["Still there?"]);
}

#[test]
fn a_timer_whose_due_has_moved_does_nothing() {
    let mut name = waiting("signup", 1, r#"{"at":"name"}"#);
    name.live.as_mut().unwrap().due.at = NOON + 1;
    assert!(!play(&name, Input::Timer).unwrap().changed);
    assert!(!play(&Dialogue::default(), Input::Timer).unwrap().changed);
}

#[test]
fn an_answer_given_before_the_expiry_goes_on_with_the_draft() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").waits(SECOND * 601).at("idle");
    chat.did(SECOND * 5, Input::Text("30".into())).at("signup/confirm");
    assert!(chat.dialogue().parked.is_empty());
    chat.presses("Yes").at("idle");
}

#[test]
fn a_bad_answer_given_before_the_expiry_gets_its_hint() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").waits(SECOND * 601);
    chat.did(SECOND * 5, Input::Text("old".into())).at("signup/age").hears("A number, please.");
    chat.waits(SECOND * 599).at("signup/age").waits(SECOND).at("idle");
}

#[test]
fn an_answer_given_after_the_expiry_does_not() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").waits(SECOND * 601);
    chat.types("30").at("idle").hears("not-understood");
    assert_eq!(drafts(chat.dialogue()), ["signup"]);
}

#[test]
fn an_early_answer_does_not_wake_what_was_put_aside_for_another_flow() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("/ticket").types("/cancel");
    chat.did(SECOND * 60, Input::Text("30".into())).at("idle");
    assert_eq!(drafts(chat.dialogue()), ["signup"]);
}

#[test]
fn waits_without_an_end_are_a_hundred_years() {
    let bot =
        waits(Waits { state_ttl: Some(Duration::MAX), data_ttl: Duration::from_millis(u64::MAX) });
    let mut chat = chat(&bot);
    chat.types("/signup").types("/ticket").types("/cancel");
    assert!(chat.dialogue().due().unwrap() > NOON + 99 * 365 * 24 * 3_600_000);
}
