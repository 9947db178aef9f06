//! Choices belong to their prompt, links to everybody.

use std::time::Duration;

use super::*;

/// A chat at the question with buttons.
fn confirming(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = chat(bot);
    chat.types("/signup").types("Ann").types("30").at("signup/confirm");
    chat
}

#[test]
fn an_old_choice_gets_a_toast_and_there_is_nothing_to_commit() {
    let bot = bot();
    let mut chat = confirming(&bot);
    let old = chat.button("Yes");
    chat.presses("No").at("signup/name");
    let before = chat.dialogue().clone();
    chat.does(Input::Press(old)).sees("stale-button").hears_nothing();
    assert!(!chat.played().unwrap().changed);
    assert_eq!(chat.dialogue(), &before);
}

#[test]
fn a_choice_of_a_question_asked_twice_is_old_the_second_time() {
    let bot = bot();
    let mut chat = confirming(&bot);
    let old = chat.button("Yes");
    chat.types("/back").types("31").at("signup/confirm");
    chat.does(Input::Press(old)).at("signup/confirm").sees("stale-button");
    chat.presses("Yes").at("idle");
}

#[test]
fn a_re_run_gives_the_same_buttons() {
    let age = waiting("signup", 1, r#"{"at":"age","name":"Ann"}"#);
    let (first, second) = (play(&age, "30").unwrap(), play(&age, "30").unwrap());
    assert_eq!(first, second);
    let mut other = Turn::from("30");
    other.stamp = "2.1760000000".into();
    let other = play(&age, other).unwrap();
    assert_ne!(other.dialogue.live.unwrap().nonce, first.dialogue.live.unwrap().nonce);
}

#[test]
fn a_kept_state_keeps_its_buttons() {
    let bot = bot();
    let mut chat = confirming(&bot);
    chat.presses("Older").hears_nothing().at("signup/confirm");
    chat.presses("Older").presses("Yes").at("idle");
}

#[test]
fn the_buttons_of_a_reminder_work_and_so_do_those_of_the_question() {
    let bot = bot();
    let mut chat = confirming(&bot);
    let question = chat.button("Older");
    chat.waits(Duration::from_secs(301)).hears("Still there?");
    chat.does(Input::Press(question)).at("signup/confirm").sees("");
    chat.waits(Duration::from_secs(301)).hears("Still there?");
    chat.presses("Yes!").at("idle").hears("Welcome!");
}

#[test]
fn a_hint_keeps_the_buttons() {
    let bot = bot();
    let mut chat = confirming(&bot);
    chat.types("well").hears("Press a button.").presses("Yes").at("idle");
}

#[test]
fn a_bad_choice_is_told_over_the_button() {
    let bot = bot();
    let mut chat = confirming(&bot);
    let forged = chat.button("Yes").replace("yes", "maybe");
    chat.does(Input::Press(forged)).at("signup/confirm").sees("Not that button.").hears_nothing();
}

#[test]
fn a_choice_is_an_answer_to_its_own_question_only() {
    let bot = bot();
    let mut chat = confirming(&bot);
    chat.types("/ticket").presses("Yes").at("ticket/trouble").sees("stale-button");
}

#[test]
fn in_a_group_only_the_owner_may_press() {
    let bot = bot();
    let mut chat = chat(&bot).in_group();
    chat.types("/signup").types("Ann").types("30");
    let stranger = |data: String| {
        let mut turn = Turn::from(Input::Press(data));
        (turn.view.key.chat, turn.view.key.user) = (-100, 6002);
        play(&Dialogue::default(), turn).unwrap()
    };
    let yes = chat.button("Yes");
    let played = stranger(yes);
    assert_eq!((played.toast.as_str(), played.changed), ("not-yours", false));
    chat.types("/ticket").types("/cancel");
    for label in ["resume-yes", "resume-no"] {
        let played = stranger(chat.button(label));
        assert_eq!((played.toast.as_str(), played.changed), ("not-yours", false));
    }
    chat.presses("resume-yes").presses("Yes").at("idle");
}

#[test]
fn a_link_is_valid_for_ever_and_for_everybody() {
    let bot = bot();
    let mut chat = confirming(&bot);
    chat.presses("Yes");
    let link = chat.button("Look");
    chat.waits(Duration::from_secs(400 * 24 * 3600));
    chat.does(Input::Press(link.clone())).at("ticket/trouble");
    let mut turn = Turn::from(Input::Press(link));
    turn.view.key.user = 6002;
    assert_eq!(at(&play(&Dialogue::default(), turn).unwrap().dialogue), "ticket/trouble");
}

#[test]
fn a_link_that_the_flow_refuses_or_nobody_knows_gets_a_toast() {
    for data in ["lticket.closed", "lnobody.1", "nonsense", ""] {
        let idle = Dialogue::default();
        let played = play(&idle, Input::Press(data.into())).unwrap();
        assert_eq!((played.toast.as_str(), played.changed), ("stale-button", false), "{data}");
    }
}

#[test]
fn a_toast_is_as_long_as_telegram_shows() {
    let long = "long = ".to_owned() + &"я".repeat(300);
    let texts = Texts::default().with("en", &long.replace("long", "stale-button"));
    let bot = with_flows(Repertoire::new(texts));
    let press = scene(Dialogue::default(), Input::Press("?".into()), How::Play);
    assert_eq!(bot.play(press).unwrap().toast.chars().count(), 200);
}
