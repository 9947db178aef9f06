//! How a shift is opened: on what holds at the press, and on what was seen.

use super::*;
use crate::records::shift::OpenShift;
use steadfast::dialogue::{Dialogue, Effect};

const OPEN: &str = "▶️ Open the shift";

/// From now on the depot has these slots, whose time it is.
fn has_slots(chat: &mut TestChat<'_>, slots: &[Slot]) {
    chat.knows(read("sites", ""), [site("d", "Depot", slots.to_vec())]);
    for slot in slots {
        offers(chat, terms(Some(slot.clone())));
    }
}

/// From now on the depot offers these terms.
fn offers(chat: &mut TestChat<'_>, terms: Terms) {
    let slot = terms.slot.as_ref().map_or("", |slot| slot.id.as_str());
    let wish = read("offer", format!("d {slot}"));
    let object = object("d", "Depot");
    chat.knows(wish, Offer { object, terms });
}

/// The terms of the shift that the last turn opened, if it did.
fn opened(chat: &TestChat<'_>) -> Option<Terms> {
    let effects = chat.played().expect("a turn").effects.iter();
    let mut records = effects.filter_map(|effect| match effect {
        Effect::Record(record) => Some(record.command.clone()),
        _ => None,
    });
    let open: OpenShift = serde_json::from_value(records.next()?).expect("an opening");
    Some(open.terms)
}

/// At the depot, asked whether to open a shift in no slot.
fn asked(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = worker(bot, &[site("d", "Depot", Vec::new())]);
    chat.types("/shift").at("shift/terms").hears("No time slot");
    chat
}

/// Else a question from before would save whoever is late the penalty, and the tasks of the slot.
#[test]
fn a_slot_that_began_after_the_question_is_not_got_round() {
    let bot = flows::all();
    let mut chat = asked(&bot);
    has_slots(&mut chat, &[slot("s", DAWN)]);
    chat.presses(OPEN)
        .at("shift/terms")
        .hears("time slots here have changed")
        .hears("min late: −100.00");
    assert_eq!(opened(&chat), None);
    chat.presses(OPEN).at("shift/tasks");
    assert_eq!(opened(&chat), Some(terms(Some(slot("s", DAWN)))));
}

#[test]
fn of_several_slots_that_began_after_the_question_one_is_chosen() {
    let bot = flows::all();
    let mut chat = asked(&bot);
    has_slots(&mut chat, &[slot("early", DAWN), slot("late", DAWN + HOUR)]);
    chat.presses(OPEN)
        .at("shift/slot")
        .hears("time slots here have changed")
        .hears("which time slot is yours?");
    assert_eq!(opened(&chat), None);
    chat.presses("🕘 12:53–21:53").presses(OPEN);
    assert_eq!(opened(&chat), Some(terms(Some(slot("late", DAWN + HOUR)))));
}

#[test]
fn many_slots_of_one_time_are_paged() {
    let bot = flows::all();
    let minute = HOUR / 60;
    let many = (0..8).map(|n| slot(&format!("s{n}"), DAWN + n * minute));
    let mut chat = worker(&bot, &[site("d", "Depot", many.collect())]);
    chat.types("/shift").at("shift/slot").sends(LIST);
    chat.presses("▶️").at("shift/slot").edits(LIST);
    chat.presses("🕘 12:00–21:00").presses(OPEN);
    let last = slot("s7", DAWN + 7 * minute);
    assert_eq!(opened(&chat), Some(terms(Some(last))));
}

#[test]
fn a_slot_that_is_over_is_not_opened_for() {
    let bot = flows::all();
    let mut chat = worker(&bot, &[site("d", "Depot", vec![slot("s", DAWN)])]);
    chat.types("/shift").at("shift/terms").hears("min late");
    has_slots(&mut chat, &[]);
    offers(&mut chat, terms(None));
    chat.presses(OPEN)
        .at("shift/terms")
        .hears("time slots here have changed")
        .hears("No time slot");
    assert_eq!(opened(&chat), None);
}

/// Also by a button that is kept for long, or made up.
#[test]
fn only_a_slot_of_this_time_can_be_chosen() {
    let bot = flows::all();
    let two = vec![slot("early", DAWN), slot("late", DAWN + HOUR)];
    let mut chat = worker(&bot, &[site("d", "Depot", two)]);
    chat.types("/shift").at("shift/slot");
    has_slots(&mut chat, &[slot("late", DAWN + HOUR)]);
    chat.presses("🕘 11:53–20:53")
        .at("shift/terms")
        .hears("time slots here have changed")
        .hears("12:53–21:53");
}

#[test]
fn a_slot_that_is_over_leaves_the_others_to_choose_from() {
    let bot = flows::all();
    let all = ["a", "b", "c"].map(|id| slot(id, DAWN));
    let mut chat = worker(&bot, &[site("d", "Depot", all.to_vec())]);
    chat.types("/shift").at("shift/slot");
    let first = chat.button("🕘 11:53–20:53");
    has_slots(&mut chat, &all[1..]);
    chat.does(Input::Press(first)).at("shift/slot").hears("time slots here have changed");
}

#[test]
fn where_no_place_is_left_that_is_told() {
    let bot = flows::all();
    let two = [slot("early", DAWN), slot("late", DAWN + HOUR)];
    for (slots, state) in [(&two[..], "slot"), (&two[..1], "terms")] {
        let mut chat = worker(&bot, &[site("d", "Depot", slots.to_vec())]);
        chat.types("/shift").at(&format!("shift/{state}"));
        let any = match state {
            "slot" => chat.button("🕘 12:53–21:53"),
            _ => chat.button(OPEN),
        };
        chat.knows(read("sites", ""), Vec::<Site>::new())
            .knows(read("offer", "d early"), None::<Offer>);
        chat.does(Input::Press(any)).at("idle").hears("No shift can be opened");
    }
}

#[test]
fn terms_that_nobody_saw_open_nothing() {
    let bot = flows::all();
    let mut chat = asked(&bot);
    let mut harder = terms(None);
    harder.tasks[0].price = Money(99_900);
    offers(&mut chat, harder.clone());
    chat.presses(OPEN).at("shift/terms").hears("terms have changed").hears("−999.00").sends(LIST);
    assert_eq!(opened(&chat), None);
    chat.presses(OPEN).at("shift/tasks");
    assert_eq!(opened(&chat), Some(harder));
}

#[test]
fn terms_that_changed_are_told_in_russian_too() {
    let bot = flows::all();
    let mut chat = worker(&bot, &[site("d", "Склад", Vec::new())]).in_language("ru");
    chat.types("/shift");
    let rate = Money(100);
    offers(&mut chat, Terms { rate, ..terms(None) });
    chat.presses("▶️ Открыть смену").hears("Условия изменились");
    has_slots(&mut chat, &[slot("s", DAWN)]);
    chat.presses("▶️ Открыть смену").hears("Тайм-слоты здесь изменились");
}

/// The state had another name, and its button does not say what it agrees to. So it agrees to nothing, and is asked once more.
#[test]
fn a_question_of_an_older_build_traps_nobody() {
    let bot = flows::all();
    let mut chat = asked(&bot);
    let kept = String::from_utf8(chat.dialogue().write()).expect("text");
    let older = kept.replace(r#""at":"terms""#, r#""at":"start""#);
    assert_ne!(older, kept);
    chat.finds(Dialogue::read(Some(older.as_bytes())).expect("a dialogue"));
    let button = chat.button(OPEN);
    let (start, _) = button.rsplit_once('.').expect("its value");
    chat.does(Input::Press(format!("{start}.open")));
    assert_eq!(opened(&chat), None);
    chat.at("shift/terms").presses(OPEN).at("shift/tasks");
}

#[test]
fn a_place_that_closed_after_the_question_is_told() {
    let bot = flows::all();
    let mut chat = asked(&bot);
    let others = ["s", "t"].map(|id| site(id, "Shop", Vec::new()));
    chat.knows(read("sites", ""), others).knows(read("offer", "d "), None::<Offer>);
    chat.presses(OPEN).at("shift/object").hears("No shift can be opened");
    chat.knows(read("sites", ""), Vec::<Site>::new()).types("/back").hears("no way back");
    chat.presses("Shop").at("idle").hears("No shift");
}

/// What is open is theirs to finish; only opening one takes the role.
#[test]
fn whoever_has_lost_the_role_can_still_close_their_shift() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 5);
    chat.is([]).types("/shift").at("shift/tasks");
    chat.presses("⬜️ Sweep · +100.00").presses("✅ Done");
    chat.presses("🏁 Close the shift").presses("✅ Close it");
    chat.at("idle").hears("The shift is closed.");
    chat.knows(read("shift", ""), None::<Running>);
    for _ in 0..2 {
        chat.types("/shift").at("idle").hears("I do not know you");
        chat.does(Input::Press("lshift.".to_owned())).at("idle").hears("I do not know you");
    }
}
