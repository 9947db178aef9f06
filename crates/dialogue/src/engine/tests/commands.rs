//! Global commands come before any state.

use super::*;
use crate::BLANK;

/// States in which people would be trapped if commands did not come first.
fn traps() -> [Dialogue; 5] {
    [
        waiting("form", 3, r#"{"at":"text","heading":"x"}"#),
        waiting("unheard-of", 1, r#"{"at":"x"}"#),
        waiting("signup", 1, r#"{"at":"gone"}"#),
        waiting("signup", 1, r#"[1, 2]"#),
        waiting("form", 1, r#"{"at":"text"}"#),
    ]
}

#[test]
fn cancel_ends_every_state_there_can_be() {
    for trap in traps() {
        let played = play(&trap, command("cancel")).unwrap();
        assert_eq!(at(&played.dialogue), "idle");
        assert_eq!(said(&played), ["cancelled"]);
        assert_eq!(played.edges[0].to, "cancelled");
    }
}

#[test]
fn start_puts_every_state_aside_with_its_bytes_and_offers_it() {
    for trap in traps() {
        let played = play(&trap, command("start")).unwrap();
        let (live, draft) = (trap.live.unwrap(), &played.dialogue.parked[0]);
        assert_eq!((&draft.state, draft.schema), (&live.state, live.schema));
        assert_eq!(said(&played), ["start", "resume-offer"]);
    }
}

#[test]
fn help_and_menu_leave_every_state_alone() {
    for trap in traps() {
        for word in ["help", "menu"] {
            let played = play(&trap, command(word)).unwrap();
            assert_eq!(said(&played), [word]);
            assert_eq!(played.dialogue.live, trap.live);
        }
    }
}

#[test]
fn another_flows_command_works_in_every_state() {
    for trap in traps() {
        let played = play(&trap, command("ticket")).unwrap();
        assert_eq!(at(&played.dialogue), "ticket/trouble");
        assert_eq!(played.dialogue.parked[0].state, trap.live.as_ref().unwrap().state);
    }
}

#[test]
fn back_goes_one_question_back_and_asks_it() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30");
    chat.types("/back").at("signup/age").hears("Age?");
    chat.types("/back").at("signup/name").hears("Name?");
    chat.types("/back").at("signup/name").hears("no-way-back");
    chat.types("Bob").at("signup/age");
}

#[test]
fn back_in_no_dialogue_says_so() {
    let played = play(&Dialogue::default(), command("back")).unwrap();
    assert_eq!(said(&played), ["no-way-back"]);
}

#[test]
fn back_in_a_broken_state_says_that_it_is_broken_and_no_more() {
    let broken = waiting("signup", 1, r#"{"at":"gone"}"#);
    let played = play(&broken, command("back")).unwrap();
    assert_eq!(said(&played), ["broken-state"]);
}

#[test]
fn cancel_in_no_dialogue_says_so() {
    let bot = bot();
    chat(&bot).types("/cancel").hears("nothing-to-cancel");
}

#[test]
fn cancel_ends_the_top_only_and_offers_what_it_was_put_aside_for() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("/ticket");
    chat.types("/cancel").at("idle").hears("cancelled").hears("resume-offer");
    assert_eq!(drafts(chat.dialogue()), ["signup"]);
    chat.presses("resume-yes").at("signup/age").hears("Age?");
}

#[test]
fn start_keeps_what_was_put_aside_and_offers_the_latest() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("/ticket");
    chat.types("/start").at("idle").hears("resume-offer");
    assert_eq!(drafts(chat.dialogue()), ["signup", "ticket"]);
    chat.presses("resume-yes").at("ticket/trouble").types("It smokes.").hears("resume-offer");
    chat.presses("resume-yes").at("signup/name");
}

#[test]
fn a_flow_may_open_on_start_and_a_draft_is_still_offered_once() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("/start promo").at("idle");
    assert_eq!(said(chat.played().unwrap()), ["A gift!", "resume-offer"]);
}

#[test]
fn an_operator_frees_a_person_and_their_draft_is_offered() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/ticket").types("/signup").does(Input::Reset);
    assert_eq!(said(chat.played().unwrap()), ["reset", "resume-offer"]);
    chat.at("idle").does(Input::Reset).hears_nothing();
}

#[test]
fn a_person_who_is_forgotten_leaves_nothing_and_is_told_nothing() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/ticket").types("/signup").types("Ann");
    chat.does(Input::Forget).at("idle").hears_nothing();
    assert_eq!(chat.dialogue(), &Dialogue::default());
    assert_eq!(chat.dialogue().write(), BLANK);
    let edges = &chat.played().unwrap().edges;
    let ends = edges.iter().map(|edge| (&*edge.flow, &*edge.from, &*edge.to));
    let expected = [("signup", "age", "cancelled"), ("ticket", "parked", "cancelled")];
    assert_eq!(ends.collect::<Vec<_>>(), expected);
    chat.does(Input::Forget).hears_nothing();
    assert!(!chat.played().unwrap().changed, "there was nothing left");
}

#[test]
fn an_unknown_command_inside_a_flow_is_left_to_the_flow() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("/anonymous").at("signup/age");
    chat.types("/whatever").at("signup/age").hears("A number, please.");
}

#[test]
fn an_unknown_command_outside_is_not_understood() {
    let bot = bot();
    chat(&bot).types("/whatever").at("idle").hears("not-understood");
}

#[test]
fn a_command_that_is_over_at_once_interrupts_nothing() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann");
    let before = chat.dialogue().clone();
    chat.types("/ping").at("signup/age");
    assert_eq!(said(chat.played().unwrap()), ["Pong."]);
    assert_eq!(chat.dialogue(), &before);
}
