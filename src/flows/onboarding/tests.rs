//! Transcripts of newcomers who introduce themselves.

use super::*;
use crate::flows;
use crate::role::WORKER;
use steadfast::dialogue::Member;
use steadfast::dialogue::{Contact, Dialogue, Effect, How, Keys, Refusal, Scene};

fn chat(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = TestChat::new(bot, flows::edges());
    chat.is([WORKER]).knows(read(UNFINISHED, ""), ());
    let owner = Colleague { id: 77, name: "Pavel".to_owned(), language: "ru".to_owned() };
    chat.knows(read("hosts", ""), [owner]);
    chat
}

fn answers(chat: &mut TestChat<'_>) {
    chat.types("/onboarding").at("onboarding/name").hears("(1/7)");
    chat.types("Anna Petrova").at("onboarding/phone").hears("(2/7)");
    chat.types("8 (999) 123-45-67").at("onboarding/city").hears("(3/7)");
    chat.types("Kazan").at("onboarding/trade").hears("(4/7)");
    chat.presses("Plumber").at("onboarding/experience").hears("(5/7)");
    chat.types("5").at("onboarding/car").hears("(6/7)");
    chat.presses("Yes").at("onboarding/about").hears("(7/7)");
    chat.presses("Nothing else").at("onboarding/confirm").hears("Anna Petrova");
}

#[test]
fn a_newcomer_answers_seven_questions() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    answers(&mut chat);
    chat.hears("Plumber, 5 years").hears("Kazan");
    chat.presses("✅ Everything is right").at("idle").hears("Thank you, Anna Petrova");
    chat.records(KeepProfile {
        profile: serde_json::json!({
            "name": "Anna Petrova", "phone": "+79991234567", "city": "Kazan", "trade": "onboarding-plumber",
            "experience": 5, "car": true, "about": "",
        }),
        is_finished: true,
    });
    chat.tells(77, "Новое знакомство").tells(77, "+79991234567");
    chat.tells(77, "📝 Больше ничего");
}

#[test]
fn a_newcomer_answers_in_russian_too() {
    let bot = flows::all();
    let mut chat = chat(&bot).in_language("ru");
    chat.types("/onboarding").hears("Как вас зовут");
    chat.types("Анна").types("+7 999 123-45-67").types("Казань");
    chat.presses("Электрик").types("3").presses("Нет").types("Люблю кошек");
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
    for state in ["about", "car", "experience", "trade", "city", "phone", "name"] {
        chat.types("/back").at(&format!("onboarding/{state}"));
    }
    chat.types("/back").hears("no way back");
}

#[test]
fn what_is_no_answer_gets_a_hint() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/onboarding").sends_photo("p", None, None).hears("full name");
    chat.types(&"x".repeat(201)).at("onboarding/name").hears("200");
    chat.types("Anna").types("call me").at("onboarding/phone").hears("phone number");
    let phone = "79991234567".to_owned();
    chat.does(Input::Contact(Contact { phone, own: true })).at("onboarding/city");
    chat.types("Kazan").does(Input::Other("voice")).hears("press a button");
    chat.presses("Cleaning").types("many").at("onboarding/experience").hears("number of years");
    chat.types("200").at("onboarding/experience");
    chat.types("1").types("a car").at("onboarding/car").hears("buttons");
    chat.presses("No").does(Input::Other("sticker")).at("onboarding/about");
    chat.types("Cats").types("right").at("onboarding/confirm").hears("buttons");
}

/// What the last turn has kept in the records.
fn kept(chat: &TestChat<'_>) -> KeepProfile {
    let effects = chat.played().into_iter().flat_map(|played| &played.effects);
    let written = effects.filter_map(|effect| match effect {
        Effect::Record(record) => Some(record.command.clone()),
        _ => None,
    });
    let written: Vec<_> = written.collect();
    let [only] = &written[..] else {
        panic!("one record was due: {written:?}");
    };
    KeepProfile::deserialize(only).expect("a profile")
}

/// The dialogue is lost after the last turn; what is typed then is no answer to any question, so it is asked once more.
#[track_caller]
fn loses_and_goes_on(chat: &mut TestChat<'_>, state: &str) {
    let kept = kept(chat);
    assert!(!kept.is_finished);
    chat.knows(read(UNFINISHED, ""), kept.profile);
    chat.finds(Dialogue::default());
    chat.types(&"?".repeat(300)).at(&format!("onboarding/{state}"));
    chat.types("/start").at("idle");
}

const STATES: [&str; 8] =
    ["name", "phone", "city", "trade", "experience", "car", "about", "confirm"];

/// The buttons that change one answer, and where each leads.
const CHANGES: [(&str, &str); 7] = [
    ("✏️ Name", "name"),
    ("✏️ Phone", "phone"),
    ("✏️ Town", "city"),
    ("✏️ Trade", "trade"),
    ("✏️ Experience", "experience"),
    ("✏️ Car", "car"),
    ("✏️ Anything else", "about"),
];

/// Answers the questions before this state.
fn comes_to(chat: &mut TestChat<'_>, state: &str) {
    chat.types("/onboarding");
    let answers = ["Anna", "+79991234567", "Kazan", "Gardener", "5", "", "Cats"];
    let before = STATES.iter().take_while(|it| **it != state);
    for (_, answer) in before.zip(answers) {
        match answer {
            "" => chat.presses("Yes"),
            answer => chat.types(answer),
        };
    }
    chat.at(&format!("onboarding/{state}"));
}

#[test]
fn a_lost_dialogue_goes_on_at_the_right_question() {
    let bot = flows::all();
    for state in STATES {
        let mut chat = chat(&bot);
        comes_to(&mut chat, state);
        loses_and_goes_on(&mut chat, state);
    }
    let mut chat = chat(&bot);
    chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
    chat.types("8 999 123 45 67").at("onboarding/city").hears("(3/7)");
}

/// The dialogue is lost at the question about the car, of which the records know.
fn loses_at_the_car(chat: &mut TestChat<'_>) -> String {
    comes_to(chat, "car");
    let yes = chat.button("Yes");
    let kept = kept(chat);
    chat.knows(read(UNFINISHED, ""), kept.profile);
    chat.finds(Dialogue::default());
    yes
}

/// Nobody can tell which question it was under.
#[test]
fn a_button_of_a_lost_dialogue_asks_its_question_anew() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    let yes = loses_at_the_car(&mut chat);
    chat.does(Input::Press(yes.clone()))
        .at("onboarding/car")
        .sees("no longer active")
        .hears("(6/7)");
    chat.does(Input::Press(yes)).at("onboarding/car").hears_nothing();
    chat.presses("Yes").at("onboarding/about");
}

/// Also a photo, which would begin a dialogue of its own if nothing was lost.
#[test]
fn whatever_is_sent_to_a_lost_dialogue_gets_a_hint_and_the_question() {
    let bot = flows::all();
    let photo = Photo { file_id: "p".to_owned(), album: None, caption: None };
    for input in [Input::Other("voice"), Input::Photo(photo)] {
        let mut chat = chat(&bot);
        loses_at_the_car(&mut chat);
        chat.does(input).at("onboarding/car").hears("press one of the buttons").hears("(6/7)");
    }
}

/// Nothing is lost: the photo is meant as one, and the records are not asked.
#[test]
fn a_photo_of_somebody_whose_dialogue_is_known_begins_its_own() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/menu");
    chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
    chat.sends_photo("p", None, None).at("photo/caption");
}

#[test]
fn without_the_records_a_photo_is_taken_and_an_old_button_says_so() {
    let bot = flows::all();
    let play = |input: Input| {
        let scene =
            Scene { dialogue: Dialogue::default(), turn: input.into(), how: How::WithoutReads };
        let mut chat = TestChat::new(&bot, flows::edges());
        let played = bot.play(scene).expect("nothing is read");
        chat.finds(played.dialogue);
        (chat, played.toast)
    };
    let photo = Photo { file_id: "p".to_owned(), album: None, caption: None };
    play(Input::Photo(photo)).0.at("photo/caption");
    let (mut chat, toast) = play(Input::Press("cabcdef..yes".to_owned()));
    chat.at("idle");
    assert!(toast.contains("no longer active"), "{toast}");
}

#[test]
fn a_dialogue_that_is_lost_after_a_way_back_goes_on_where_that_led() {
    let bot = flows::all();
    for pair in STATES.windows(2) {
        let mut chat = chat(&bot);
        comes_to(&mut chat, pair[1]);
        chat.types("/back");
        loses_and_goes_on(&mut chat, pair[0]);
    }
}

#[test]
fn a_dialogue_that_is_lost_while_one_answer_is_changed_asks_for_that_one() {
    let bot = flows::all();
    for (button, state) in CHANGES {
        let mut chat = chat(&bot);
        comes_to(&mut chat, "confirm");
        chat.presses(button);
        loses_and_goes_on(&mut chat, state);
    }
}

#[test]
fn a_dialogue_that_is_lost_after_it_was_taken_up_again_goes_on_there() {
    let bot = flows::all();
    let mut again = chat(&bot);
    comes_to(&mut again, "city");
    again.types("/photo").types("/cancel");
    again.presses("Continue").at("onboarding/city");
    loses_and_goes_on(&mut again, "city");
}

/// By the command, or by the button of an old welcome.
#[test]
fn who_begins_once_more_goes_on_where_they_are_and_loses_nothing() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    comes_to(&mut chat, "city");
    chat.types("/onboarding").at("onboarding/city").hears("(3/7)");
    assert_eq!(kept(&chat).profile["name"], "Anna");
    chat.does(Input::Press("lonboarding.".to_owned())).at("onboarding/city");
    chat.types("/photo").types("/onboarding");
    chat.at("onboarding/city").hears("(3/7)");
    chat.waits(WAITS).at("idle").types("/onboarding");
    chat.at("onboarding/city").types("Kazan");
    chat.at("onboarding/trade");
}

#[test]
fn who_begins_once_more_after_the_dialogue_was_lost_goes_on_too() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    comes_to(&mut chat, "city");
    let kept = kept(&chat).profile;
    chat.knows(read(UNFINISHED, ""), kept);
    chat.finds(Dialogue::default());
    chat.types("/onboarding").at("onboarding/city").hears("(3/7)");
}

#[test]
fn when_all_is_said_nothing_older_is_left_to_go_on_with() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    comes_to(&mut chat, "city");
    chat.types("/photo").types("/onboarding").types("Kazan");
    chat.types("Gardener").types("5").presses("Yes");
    chat.types("Cats").presses("✅ Everything is right");
    let drafts = chat.dialogue().parked.iter();
    assert!(drafts.clone().all(|draft| draft.flow != "onboarding"));
}

/// The state has moved on, and the question was skipped with the rest of the step.
#[test]
fn an_answer_that_could_not_be_saved_holds_nobody_and_the_next_question_is_asked() {
    let bot = flows::all();
    for state in STATES {
        let mut chat = chat(&bot);
        comes_to(&mut chat, state);
        let refusal = Refusal {
            flow: "onboarding".to_owned(),
            reason: String::new(),
            command: serde_json::json!(kept(&chat)),
        };
        let asked = chat.played().expect("a turn").effects.last().cloned();
        chat.does(Input::Refused(refusal))
            .at(&format!("onboarding/{state}"))
            .hears("could not be saved");
        let effects = &chat.played().expect("a turn").effects;
        let words = |effect: Option<Effect>| match effect {
            Some(Effect::Send(message)) => message.text,
            other => panic!("a question was due: {other:?}"),
        };
        assert_eq!(words(effects.last().cloned()), words(asked));
        let is_record = |effect: &Effect| matches!(effect, Effect::Record(_));
        assert!(!effects.iter().any(is_record), "it would fail for ever");
    }
}

#[test]
fn a_last_word_that_could_not_be_saved_is_asked_for_once_more() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    answers(&mut chat);
    chat.presses("✅ Everything is right").at("idle");
    let refusal = Refusal {
        flow: "onboarding".to_owned(),
        reason: String::new(),
        command: serde_json::json!(kept(&chat)),
    };
    chat.does(Input::Refused(refusal))
        .at("onboarding/confirm")
        .hears("could not be saved")
        .hears("Anna Petrova");
    chat.presses("✅ Everything is right").at("idle");
}

#[test]
fn who_changes_one_answer_may_go_back_and_finds_all_of_them_as_they_were() {
    let bot = flows::all();
    for (button, state) in CHANGES {
        let mut chat = chat(&bot);
        comes_to(&mut chat, "confirm");
        chat.presses(button).at(&format!("onboarding/{state}"));
        chat.types("/back").at("onboarding/confirm");
        chat.hears("Anna").hears("Cats").hears("+79991234567");
    }
}

/// Whether the last turn takes the key away.
fn takes_the_key_away(chat: &TestChat<'_>) -> bool {
    let mut effects = chat.played().into_iter().flat_map(|played| &played.effects);
    effects.any(|effect| match effect {
        Effect::Send(message) => message.keyboard == Some(Keys::Remove),
        _ => false,
    })
}

/// Pressed in an order, it would make the person's own number the client's.
#[test]
fn the_key_that_shares_a_number_goes_with_its_question_whichever_way() {
    let bot = flows::all();
    for way in ["+79991234567", "/back", "/cancel", "/start", "/photo"] {
        let mut chat = chat(&bot);
        comes_to(&mut chat, "phone");
        chat.types("call me").at("onboarding/phone");
        assert!(!takes_the_key_away(&chat), "it is still asked for");
        chat.types(way);
        assert!(takes_the_key_away(&chat), "{way}");
        chat.types("/menu");
        assert!(!takes_the_key_away(&chat), "once is enough");
    }
    for way in ["+79991234567", "/back"] {
        let mut chat = chat(&bot);
        comes_to(&mut chat, "confirm");
        chat.presses("✏️ Phone").types(way).at("onboarding/confirm");
        assert!(takes_the_key_away(&chat), "{way}");
    }
    let mut chat = chat(&bot);
    comes_to(&mut chat, "phone");
    chat.waits(THREE_DAYS).waits(WAITS - THREE_DAYS).at("idle");
    assert!(takes_the_key_away(&chat));
}

#[test]
fn a_draft_that_nobody_came_back_to_is_dropped_from_the_records_too() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    comes_to(&mut chat, "city");
    chat.waits(WAITS).at("idle");
    chat.waits(Duration::from_secs(86_400)).records(DropProfile {});
}

#[test]
fn in_a_group_nothing_is_kept_and_no_key_shares_a_number() {
    let bot = flows::all();
    let mut chat = chat(&bot).in_group();
    chat.types("/onboarding").types("Anna");
    chat.at("onboarding/phone").hears("Please type it");
    let played = chat.played().expect("a turn");
    for effect in &played.effects {
        match effect {
            Effect::Send(message) => assert_eq!(message.keyboard, None),
            other => panic!("nothing else is due: {other:?}"),
        }
    }
    chat.types("call me")
        .hears("type it like +7 999 123-45-67.")
        .types("+79991234567")
        .at("onboarding/city");
    chat.types("/cancel").at("idle");
    chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
    chat.types("Kazan").hears_nothing().at("idle");
}

#[test]
fn only_ones_own_contact_is_taken() {
    let bot = flows::all();
    let contact = |own| {
        let phone = "79991234567".to_owned();
        Input::Contact(Contact { phone, own })
    };
    let mut chat = chat(&bot);
    comes_to(&mut chat, "phone");
    chat.does(contact(false)).at("onboarding/phone").hears("somebody else’s");
    chat.does(contact(true)).at("onboarding/city");
    assert_eq!(kept(&chat).profile["phone"], "+79991234567");
    let mut group = TestChat::new(&bot, flows::edges()).in_group();
    group.is([WORKER]).types("/onboarding").types("Anna");
    group.does(contact(false)).hears("Please type your own.");
}

#[test]
fn a_lost_dialogue_goes_on_in_the_language_that_was_chosen() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    let language = Some("ru".to_owned());
    let member = Member { language, ..Member::with([WORKER]) };
    chat.knows(read(Member::READ, ""), member);
    chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
    chat.types("8 999 123 45 67").at("onboarding/city").hears("городе");
}

#[test]
fn while_the_dialogue_is_there_the_records_are_not_asked() {
    let bot = flows::all();
    let mut chat = TestChat::new(&bot, flows::edges());
    chat.is([WORKER]).knows(read(UNFINISHED, ""), ());
    chat.types("/onboarding");
    // It would be taken for what was said, and asked about no more.
    let other = serde_json::json!({ "name": "Olga", "phone": "+7", "city": "Omsk" });
    chat.knows(read(UNFINISHED, ""), other);
    chat.types("Anna").types("+79991234567");
    chat.at("onboarding/city");
    chat.does(Input::Press("cabcdef..yes".to_owned())).at("onboarding/city").hears_nothing();
}

#[test]
fn who_ends_it_is_not_asked_again() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/onboarding").types("Anna").types("/cancel").at("idle");
    chat.records(DropProfile {});
    chat.types("/onboarding").types("Anna").waits(WAITS);
    chat.presses("Drop it").records(DropProfile {});
}

#[test]
fn a_newcomer_is_reminded_and_may_go_on_later() {
    let bot = flows::all();
    let mut chat = chat(&bot);
    chat.types("/onboarding").types("Anna");
    chat.waits(THREE_DAYS)
        .hears("questions about you are still open.\n\n(2/7) What is your phone number?");
    chat.waits(WAITS - THREE_DAYS).at("idle").hears("Continue where you stopped?");
    // It waits aside: what is written meanwhile is no answer, whatever the records have.
    chat.knows(read(UNFINISHED, ""), serde_json::json!({ "name": "Anna" }));
    chat.types("+79991234567").at("idle");
    chat.presses("Continue").at("onboarding/phone");
}
