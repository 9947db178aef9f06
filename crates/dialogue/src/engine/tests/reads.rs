//! What a flow wants to read is asked for first.

use serde_json::json;

use super::*;
use crate::read;

#[test]
fn a_flow_says_what_it_must_read_before_it_can_open() {
    let needs = play(&Dialogue::default(), command("shop"));
    assert_eq!(needs, Err(Halt::Needs(vec![read("is-open", "")])));
    assert!(play(&Dialogue::default(), "hello").is_ok());
}

#[test]
fn the_next_states_reads_are_asked_for_too_and_the_turn_played_again() {
    let bot = bot();
    let mut turn = Turn::from(command("shop"));
    turn.view.reads.insert(read("is-open", ""), json!(true));
    let needs = bot.play(scene(Dialogue::default(), turn.clone(), How::Play));
    assert_eq!(needs, Err(Halt::Needs(vec![read("wares", "")])));
    turn.view.reads.insert(read("wares", ""), json!(3));
    let played = bot.play(scene(Dialogue::default(), turn, How::Play)).unwrap();
    assert_eq!(said(&played), ["3 wares"]);
}

#[test]
fn what_the_records_say_decides_whether_a_flow_opens() {
    let bot = bot();
    chat(&bot).knows(read("is-open", ""), false).types("/shop").at("idle").hears("not-understood");
}

#[test]
fn a_state_sees_its_own_reads_even_where_the_last_one_read_the_same() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.knows(read("is-open", ""), true)
        .knows(read("wares", ""), 2)
        .knows(read("ware", "5"), "tea")
        .knows(read("ware", "6"), "rice");
    chat.types("/shop").types("5").hears("5 is tea");
    chat.types("6").hears("6 is rice");
    chat.types("5").hears("5 is tea");
}

#[test]
fn a_draft_is_taken_up_with_its_reads() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.knows(read("is-open", ""), true).knows(read("wares", ""), 2);
    chat.types("/shop").types("/start").knows(read("wares", ""), 4);
    chat.presses("resume-yes").at("shop/pick").hears("4 wares");
}
