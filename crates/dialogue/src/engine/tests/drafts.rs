//! Flows inside flows: put aside, offered, taken up, dropped.

use std::time::Duration;

use super::flows::{Circle, Round};
use super::*;

#[test]
fn another_flows_command_puts_the_current_one_aside_and_its_end_offers_it() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann");
    chat.types("/ticket").at("ticket/trouble").hears("Trouble?");
    chat.types("Smoke.").at("idle");
    assert_eq!(said(chat.played().unwrap()), ["Noted.", "resume-offer"]);
    chat.presses("resume-yes").at("signup/age").hears("Age?");
    chat.types("30").at("signup/confirm");
    assert!(chat.dialogue().parked.is_empty());
}

#[test]
fn a_link_puts_the_current_flow_aside_too() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").does(Input::Press("lticket.5".into())).at("ticket/trouble");
    assert_eq!(drafts(chat.dialogue()), ["signup"]);
}

#[test]
fn a_flow_opens_another_from_inside_and_is_come_back_to() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30");
    chat.presses("Why").at("ticket/trouble");
    assert_eq!(said(chat.played().unwrap()), ["One moment.", "Trouble?"]);
    chat.types("Because.").hears("resume-offer");
    chat.presses("resume-yes").at("signup/confirm").presses("Yes").at("idle").hears("Welcome!");
}

#[test]
fn what_cannot_be_opened_from_inside_leaves_a_question_with_buttons_that_work() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30");
    chat.presses("Nobody").at("signup/confirm").hears("Really 30?").presses("Yes").at("idle");
}

#[test]
fn flows_that_open_each_other_in_a_circle_are_stopped_by_a_panic() {
    let bot = bot().with::<Circle>().with::<Round>();
    let circle = scene(Dialogue::default(), command("circle"), How::Play);
    let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bot.play(circle)));
    assert!(played.is_err());
}

#[test]
fn at_most_three_are_put_aside_then_a_hint_and_nothing_changes() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("/ticket").types("/milk").types("/bread");
    let before = chat.dialogue().clone();
    assert_eq!(drafts(&before), ["signup", "ticket", "milk"]);
    chat.types("/eggs").at("bread/where").hears("too-many-drafts");
    assert_eq!(chat.dialogue(), &before);
    chat.does(Input::Press("leggs.".into())).hears("too-many-drafts");
    assert_eq!(chat.dialogue(), &before);
    chat.types("/cancel").types("/eggs").at("eggs/where");
}

#[test]
fn too_much_put_aside_for_opening_from_inside_asks_again() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/milk").types("/bread").types("/eggs");
    chat.types("/signup").types("Ann").types("30");
    chat.presses("Why").at("signup/confirm");
    assert_eq!(said(chat.played().unwrap()), ["One moment.", "too-many-drafts", "Really 30?"]);
    chat.presses("Yes").hears("Welcome!");
}

#[test]
fn a_draft_taken_up_makes_room_for_the_one_it_interrupts() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup")
        .types("/ticket")
        .types("/milk")
        .types("/bread")
        .does(Input::Press("rticket.".into()))
        .at("ticket/trouble");
    assert_eq!(drafts(chat.dialogue()), ["signup", "milk", "bread"]);
}

#[test]
fn an_expired_draft_taken_up_cannot_put_a_fourth_aside() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").waits(Duration::from_secs(601)).at("idle");
    chat.types("/ticket").types("/milk").types("/bread").types("/eggs");
    chat.does(Input::Press("rsignup.".into())).at("eggs/where").hears("too-many-drafts");
}

#[test]
fn start_works_however_much_is_put_aside() {
    let bot = bot();
    let mut chat = chat(&bot);
    for word in ["/signup", "/ticket", "/milk", "/bread", "/start"] {
        chat.types(word);
    }
    chat.at("idle").hears("start");
    assert_eq!(drafts(chat.dialogue()).len(), 4);
}

#[test]
fn there_is_at_most_one_draft_of_a_flow_and_the_newer_one_stays() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("/ticket");
    chat.types("/signup").types("Bob").types("30").types("/milk");
    assert_eq!(drafts(chat.dialogue()), ["ticket", "signup"]);
    assert_eq!(chat.dialogue().parked[1].state.at(), "confirm");
    let edges: Vec<_> = chat.played().unwrap().edges.iter().map(|e| e.to_string()).collect();
    assert!(edges.contains(&"signup: parked -> replaced".to_owned()), "{edges:?}");
}

#[test]
fn beginning_the_same_flow_anew_keeps_what_was_gathered_as_a_draft() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("/signup");
    chat.at("signup/name");
    assert_eq!(chat.dialogue().parked[0].state.at(), "age");
}

#[test]
fn a_menu_button_pressed_twice_asks_twice_and_leaves_no_draft() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/menu").presses("Signup").presses("Signup").at("signup/name").hears("Name?");
    assert!(chat.dialogue().parked.is_empty());
}

#[test]
fn the_resume_button_works_once() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("/ticket").types("/cancel");
    chat.presses("resume-yes").at("signup/name");
    let before = chat.dialogue().clone();
    chat.presses("resume-yes").sees("stale-button");
    assert!(!chat.played().unwrap().changed);
    assert_eq!(chat.dialogue(), &before);
}

#[test]
fn the_drop_button_works_once_and_offers_the_next_draft() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/milk").types("/signup").types("/ticket").types("/cancel");
    let drop = chat.button("resume-no");
    chat.does(Input::Press(drop.clone()));
    assert_eq!(said(chat.played().unwrap()), ["dropped", "resume-offer"]);
    assert_eq!(drafts(chat.dialogue()), ["milk"]);
    chat.does(Input::Press(drop)).sees("stale-button");
    assert!(!chat.played().unwrap().changed);
}

#[test]
fn a_draft_cannot_be_taken_up_once_it_is_forgotten() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("/ticket").types("/cancel");
    let resume = chat.button("resume-yes");
    chat.waits(Duration::from_secs(25 * 3600)).at("idle");
    chat.does(Input::Press(resume)).sees("stale-button");
    assert!(!chat.played().unwrap().changed);
}

#[test]
fn taking_up_a_draft_swaps_it_with_the_current_flow() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("/ticket");
    chat.does(Input::Press("rsignup.".into())).at("signup/age");
    assert_eq!(drafts(chat.dialogue()), ["ticket"]);
}

#[test]
fn a_flow_may_put_itself_aside() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30");
    chat.presses("Later").at("idle").hears("parked");
    assert_eq!(said(chat.played().unwrap()).len(), 1);
    chat.presses("resume-yes").at("signup/confirm");
}

#[test]
fn a_draft_that_nobody_can_read_is_kept_and_takes_nothing_along() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.finds(waiting("signup", 1, r#"{"at":"gone"}"#))
        .types("hello")
        .at("idle")
        .hears("broken-state");
    chat.types("/ticket");
    let before = chat.dialogue().clone();
    chat.does(Input::Press("rsignup.".into())).at("ticket/trouble").hears("broken-state");
    assert_eq!(chat.dialogue(), &before);
    assert!(chat.played().unwrap().edges.is_empty());
}

#[test]
fn a_state_may_be_called_start() {
    let bot = bot();
    chat(&bot).types("/legacy").at("legacy/start").types("yes").at("idle");
}
