//! What becomes of a turn that failed too often.

use super::*;

fn give_up(dialogue: Dialogue, turn: impl Into<Turn>) -> Played {
    bot().play(scene(dialogue, turn, How::GiveUp)).unwrap()
}

#[test]
fn a_state_that_rolls_back_stays_where_it_was() {
    let name = waiting("signup", 1, r#"{"at":"name"}"#);
    let played = give_up(name.clone(), "boom");
    assert_eq!(said(&played), ["apology"]);
    assert_eq!(played.dialogue.live, name.live);
    assert!(played.edges.is_empty());
}

#[test]
fn a_state_that_clears_ends_and_what_was_put_aside_is_offered() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/ticket").types("/fleeting");
    let played = give_up(chat.dialogue().clone(), "boom");
    assert_eq!(at(&played.dialogue), "idle");
    assert_eq!(said(&played), ["apology-cleared", "resume-offer"]);
    assert_eq!(played.edges[0].outcome(), Some("failed"));
}

/// What a flow does when it is ended may be what fails, and what any does to be begun.
#[test]
fn whoever_begins_anew_is_free_whatever_fails() {
    for (wish, then, drafts_then) in [
        (command("cancel"), "apology-cleared", 0),
        (Input::Reset, "apology-cleared", 0),
        (command("start"), "apology-parked", 1),
    ] {
        let played = give_up(waiting("signup", 1, r#"{"at":"name"}"#), wish);
        assert_eq!(said(&played), [then]);
        assert_eq!(at(&played.dialogue), "idle");
        assert_eq!(drafts(&played.dialogue).len(), drafts_then);
    }
}

#[test]
fn without_a_dialogue_there_is_an_apology() {
    assert_eq!(said(&give_up(Dialogue::default(), "boom")), ["apology"]);
}

#[test]
fn a_timer_puts_its_flow_aside_so_that_it_never_fires_again() {
    let played = give_up(waiting("signup", 1, r#"{"at":"name"}"#), Input::Timer);
    assert_eq!(said(&played), ["expired"]);
    assert_eq!(drafts(&played.dialogue), ["signup"]);
    assert!(played.dialogue.due().unwrap() > NOON);
}

#[test]
fn a_timer_of_a_state_that_clears_ends_it() {
    let played = give_up(waiting("fleeting", 1, r#"{"at":"word"}"#), Input::Timer);
    assert_eq!(said(&played), ["apology-cleared"]);
    assert_eq!(played.dialogue.due(), None);
}

#[test]
fn a_timer_for_a_draft_forgets_it_and_leaves_the_live_flow_alone() {
    for flow in ["ticket", "fleeting"] {
        let bot = bot();
        let mut chat = chat(&bot);
        chat.types("/signup").types(&format!("/{flow}"));
        let mut dialogue = chat.dialogue().clone();
        dialogue.parked[0].until = NOON;
        let live = dialogue.live.clone();
        let played = give_up(dialogue, Input::Timer);
        assert!(played.dialogue.parked.is_empty());
        if flow == "ticket" {
            assert_eq!((&played.dialogue.live, said(&played).len()), (&live, 0));
        }
        assert!(played.dialogue.due().is_none_or(|due| due > NOON));
    }
}

#[test]
fn giving_up_on_a_state_that_cannot_be_read_keeps_its_bytes() {
    for flow in ["form", "unheard-of"] {
        let newer = waiting(flow, 3, r#"{"at":"x",  "y" : 1}"#);
        let state = newer.live.clone().unwrap().state;
        assert_eq!(give_up(newer.clone(), "x").dialogue.live, newer.live);
        assert_eq!(give_up(newer, Input::Timer).dialogue.parked[0].state, state);
    }
}

#[test]
fn the_last_resort_ends_the_flow_without_asking_it() {
    for flow in ["signup", "unheard-of"] {
        let dialogue = waiting(flow, 9, "[]");
        let played = bot().play(scene(dialogue, "x", How::Clear)).unwrap();
        assert_eq!(
            (at(&played.dialogue).as_str(), said(&played)),
            ("idle", vec!["apology-cleared"])
        );
    }
}
