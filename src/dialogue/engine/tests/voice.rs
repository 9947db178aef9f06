//! What is said, in which language, in which order.

use std::time::Duration;

use super::*;

fn bilingual() -> Repertoire {
    let texts = Texts::default()
        .with("en", "expired = Put aside.\nnot-understood = What?\n")
        .with("ru", "expired = Отложено.\nnot-understood = Что?\n");
    with_flows(Repertoire::new(texts))
}

#[test]
fn the_bot_speaks_the_persons_language_or_the_first_one() {
    let bot = bilingual();
    chat(&bot).in_language("ru").types("hm").hears("Что?");
    chat(&bot).in_language("ru-RU").types("hm").hears("Что?");
    chat(&bot).in_language("de").types("hm").hears("What?");
    chat(&bot).in_language("").types("hm").hears("What?");
}

#[test]
fn timers_speak_the_language_the_person_spoke() {
    let bot = bilingual();
    let mut chat = chat(&bot).in_language("ru");
    chat.types("/signup");
    assert_eq!(chat.dialogue().lang, "ru");
    chat.waits(Duration::from_secs(601)).hears("Отложено.");
}

#[test]
fn deeds_come_in_order_and_the_question_after_them() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("30").presses("No");
    assert_eq!(said(chat.played().unwrap()), ["Once more.", "Name?"]);
    chat.types("Ann").types("30").presses("Yes");
    let effects = &chat.played().unwrap().effects;
    assert!(matches!(&effects[0], Effect::Send(message) if message.text == "Welcome!"));
    assert!(matches!(&effects[1], Effect::Record(record) if record.command["name"] == "Ann"));
    assert!(matches!(&effects[2], Effect::Send(message) if message.chat == -77));
    assert_eq!(effects.len(), 3);
}

#[test]
fn what_is_said_at_home_stays_in_its_topic() {
    let mut turn = Turn::from(command("signup"));
    turn.view.key.topic = Some(9);
    let played = play(&Dialogue::default(), turn).unwrap();
    let message = sent(&played).next().unwrap();
    assert_eq!((message.chat, message.topic), (5001, Some(9)));
}

#[test]
fn the_edges_tell_where_a_turn_went() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").types("/ticket");
    let edges: Vec<_> = chat
        .played()
        .unwrap()
        .edges
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(edges, ["signup: age -> parked", "ticket: start -> trouble"]);
}
