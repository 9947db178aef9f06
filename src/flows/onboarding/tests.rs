//! Transcripts of newcomers who introduce themselves.

use super::*;
use crate::dialogue::{Contact, Effect};
use crate::flows;
use crate::role::Member;

fn chat(bot: &Repertoire) -> Transcript<'_> {
    let mut chat = Transcript::new(bot, flows::edges());
    chat.is([Role::Worker]).knows(read(UNFINISHED, ""), ());
    chat
}

fn answers(chat: &mut Transcript<'_>) {
    chat.types("/onboarding")
        .at("onboarding/name")
        .hears("(1/7)");
    chat.types("Anna Petrova")
        .at("onboarding/phone")
        .hears("(2/7)");
    chat.types("8 (999) 123-45-67")
        .at("onboarding/city")
        .hears("(3/7)");
    chat.types("Kazan").at("onboarding/trade").hears("(4/7)");
    chat.presses("Plumber")
        .at("onboarding/experience")
        .hears("(5/7)");
    chat.types("5").at("onboarding/car").hears("(6/7)");
    chat.presses("Yes").at("onboarding/about").hears("(7/7)");
    chat.presses("Nothing else")
        .at("onboarding/confirm")
        .hears("Anna Petrova");
}

#[test]
fn a_newcomer_answers_seven_questions() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    answers(&mut chat);
    chat.hears("Plumber, 5 years").hears("Kazan");
    chat.presses("✅ Everything is right")
        .at("idle")
        .hears("Thank you, Anna Petrova");
}

#[test]
fn a_newcomer_answers_in_russian_too() {
    let bot = flows::all();
    let mut chat = chat(&bot).in_language("ru");
    chat.types("/onboarding").hears("Как вас зовут");
    chat.types("Анна").types("+7 999 123-45-67").types("Казань");
    chat.presses("Электрик")
        .types("3")
        .presses("Нет")
        .types("Люблю кошек");
    chat.at("onboarding/confirm").hears("Электрик, 3 года");
    chat.presses("✅ Всё верно").hears("Теперь мы знакомы");
}

#[test]
fn one_answer_is_changed_without_starting_over() {
    let bot = flows::all();
    for (button, state, answer) in [
        ("✏️ Name", "name", "Olga"),
        ("✏️ Phone", "phone", "+7 999 765-43-21"),
        ("✏️ Town", "city", "Omsk"),
        ("✏️ Trade", "trade", "Gardener"),
        ("✏️ Experience", "experience", "6"),
        ("✏️ Anything else", "about", "Cats"),
    ] {
        let mut chat = chat(&bot);
        answers(&mut chat);
        chat.presses(button).at(&format!("onboarding/{state}"));
        chat.types(answer).at("onboarding/confirm");
    }
    let mut chat = chat(&bot);
    answers(&mut chat);
    chat.presses("✏️ Car").at("onboarding/car");
    chat.presses("No").at("onboarding/confirm").hears("🚗 No");
}

#[test]
fn there_is_a_way_back_through_all_questions() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    answers(&mut chat);
    for state in [
        "about",
        "car",
        "experience",
        "trade",
        "city",
        "phone",
        "name",
    ] {
        chat.types("/back").at(&format!("onboarding/{state}"));
    }
    chat.types("/back").hears("no way back");
}

#[test]
fn what_is_no_answer_gets_a_hint() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/onboarding")
        .sends_photo("p", None, None)
        .hears("full name");
    chat.types(&"x".repeat(201))
        .at("onboarding/name")
        .hears("200");
    chat.types("Anna")
        .types("call me")
        .at("onboarding/phone")
        .hears("phone number");
    let phone = "79991234567".to_owned();
    chat.does(Input::Contact(Contact { phone, own: true }))
        .at("onboarding/city");
    chat.types("Kazan")
        .does(Input::Other("voice"))
        .hears("press a button");
    chat.presses("Cleaning")
        .types("many")
        .at("onboarding/experience")
        .hears("number of years");
    chat.types("200").at("onboarding/experience");
    chat.types("1")
        .types("a car")
        .at("onboarding/car")
        .hears("buttons");
    chat.presses("No")
        .does(Input::Other("sticker"))
        .at("onboarding/about");
    chat.types("Cats")
        .types("right")
        .at("onboarding/confirm")
        .hears("buttons");
}

#[test]
fn a_lost_dialogue_goes_on_at_the_right_question() {
    let bot = flows::all();
    let all = [
        ("name", "Anna"),
        ("phone", "+79991234567"),
        ("city", "Kazan"),
        ("trade", "Gardener"),
    ];
    for known in 1..=all.len() {
        let said = all.iter().take(known).copied();
        let profile: serde_json::Map<_, _> = said
            .map(|(field, answer)| (field.to_owned(), serde_json::json!(answer)))
            .collect();
        let mut chat = chat(&bot);
        chat.knows(read(UNFINISHED, ""), profile);
        let next = ["phone", "city", "trade", "experience"][known - 1];
        chat.does(Input::Text("?".repeat(300)))
            .at(&format!("onboarding/{next}"));
    }
    let mut chat = chat(&bot);
    chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
    chat.types("8 999 123 45 67")
        .at("onboarding/city")
        .hears("(3/7)");
}

#[test]
fn a_lost_dialogue_goes_on_in_the_language_that_was_chosen() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    let language = Some("ru".to_owned());
    let roles = [Role::Worker].into();
    chat.knows(read(Member::READ, ""), Member { roles, language });
    chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
    chat.types("8 999 123 45 67")
        .at("onboarding/city")
        .hears("городе");
}

#[test]
fn while_the_dialogue_is_there_the_records_are_not_asked() {
    let bot = flows::all();
    let mut chat = Transcript::new(&bot, flows::edges());
    // Whatever is read beside who they are would be a panic: the transcript knows nothing else.
    chat.is([Role::Worker]).types("/onboarding").types("Anna");
    chat.types("+79991234567").at("onboarding/city");
}

#[test]
fn who_ends_it_is_not_asked_again() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/onboarding")
        .types("Anna")
        .types("/cancel")
        .at("idle");
    chat.records(DropProfile {});
    chat.types("/onboarding").types("Anna").waits(WEEK);
    chat.presses("Drop it").records(DropProfile {});
}

#[test]
fn a_newcomer_is_reminded_and_may_go_on_later() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/onboarding").types("Anna");
    chat.waits(THREE_DAYS).hears("Shall we go on");
    chat.waits(WEEK - THREE_DAYS)
        .at("idle")
        .hears("Continue where you stopped?");
    chat.presses("Continue").at("onboarding/phone");
}

#[test]
fn every_answer_is_kept_in_the_records() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/onboarding").types("Anna");
    let written = chat.played().into_iter().flat_map(|played| &played.effects);
    let kept: Vec<_> = written
        .filter(|effect| matches!(effect, Effect::Record(_)))
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
}
