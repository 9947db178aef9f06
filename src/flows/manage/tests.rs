//! What owners set up, on paper.

use super::*;
use crate::flows;
use crate::hours::Days;
use crate::money::Money;
use crate::pay::Kind;
use crate::records::object::{NO_ZONE, SaveObject, Thing, UNKNOWN};
use crate::records::slot::SaveSlot;
use crate::records::task::{SaveTask, TOO_MANY};
use crate::role::{OWNER, WORKER};
use steadfast::dialogue::{Effect, Refusal};
use steadfast::records::member::NOT_ALLOWED;

fn object(id: &str, active: bool) -> Object {
    Object {
        id: id.to_owned(),
        name: format!("Place {id}"),
        rate: Money(35_050),
        zone: "Europe/Moscow".to_owned(),
        active,
    }
}

fn slot() -> Slot {
    Slot {
        id: "s".to_owned(),
        object: "1".to_owned(),
        days: Days::WORKDAYS,
        hours: "9-18".parse().expect("hours"),
        grace: 10,
        penalty: Money(10_000),
        active: true,
    }
}

fn task() -> Task {
    Task {
        id: "t".to_owned(),
        object: "1".to_owned(),
        slot: Some("s".to_owned()),
        title: "Sweep".to_owned(),
        price: Money(10_000),
        kind: Kind::Bonus,
        media: true,
        active: true,
    }
}

/// An owner of these objects, the first of which has a slot and a task.
fn owner<'a>(bot: &'a Repertoire, objects: &[Object]) -> TestChat<'a> {
    let mut chat = TestChat::new(bot, flows::edges());
    chat.is([OWNER]).knows(read("objects", ""), objects);
    chat.knows(read("slots", "1"), [slot()]);
    chat.knows(read("tasks", "1"), [task()]);
    chat
}

/// What the last turn wrote, but for the id that is made of the turn.
fn written<T: serde::de::DeserializeOwned>(chat: &TestChat<'_>) -> T {
    let effects = chat.played().expect("a turn").effects.iter();
    let mut records = effects.filter_map(|effect| match effect {
        Effect::Record(record) => Some(record.command.clone()),
        _ => None,
    });
    let command = records.next().expect("a record");
    serde_json::from_value(command).expect("that command")
}

#[test]
fn an_object_is_added_and_any_field_changed_before_it_is_saved() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[]);
    chat.types("/manage").at("manage/objects").presses("➕ Add an object").at("manage/field");
    chat.types("Shop").hears("What does an hour earn").types("a lot").hears("such as 350");
    chat.types("350,50")
        .hears("time zone")
        .types("Middle Earth")
        .hears("I do not know this time zone");
    chat.presses("Europe/Moscow").at("manage/card").hears("350.50");
    chat.presses("✏️ Rate").types("400").at("manage/card").hears("400.00").hears("Shop");
    chat.presses("✏️ Time zone")
        .types("new york")
        .hears("America/New_York")
        .types("ok")
        .hears("Please press a button");
    chat.presses("✏️ Name").types(&"x".repeat(61)).hears("at most 60").types("Store");
    chat.presses("💾 Save").at("idle").hears("Saved.");
    let saved: SaveObject = written(&chat);
    assert_eq!(saved.name, "Store");
    assert_eq!((saved.rate, saved.zone.as_str()), (Money(40_000), "America/New_York"));
    chat.button("🕘 Time slots");
    chat.presses("🏢 All objects").at("manage/objects");
}

#[test]
fn an_object_is_set_up_in_russian_too() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[]).in_language("ru");
    chat.types("/manage").presses("➕ Добавить объект").types("Склад").types("350,50");
    chat.presses("Europe/Samara").hears("350,50").presses("💾 Сохранить").hears("Сохранено");
}

#[test]
fn a_slot_is_added_from_the_card_of_its_object() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    chat.types("/manage")
        .presses("🏢 Place 1 · 350.50")
        .at("manage/card")
        .presses("🕘 Time slots")
        .at("manage/slots");
    chat.presses("➕ Add a time slot")
        .hears("On which days?")
        .types("Mondays")
        .hears("by their numbers");
    chat.types("1, 3")
        .hears("From when")
        .types("nine to five")
        .hears("such as 09:00–18:00")
        .types("09:00–18:00");
    chat.hears("How many minutes").types("1000").hears("from 0 to 240").presses("10");
    chat.hears("being late")
        .types("100")
        .at("manage/card")
        .hears("Mon, Wed, 09:00–18:00")
        .hears("−100.00");
    chat.presses("💾 Save").at("idle");
    let saved: SaveSlot = written(&chat);
    assert_eq!((saved.object.as_str(), saved.days, saved.grace), ("1", Days(0b101), 10));
    assert_eq!((saved.hours, saved.penalty), ("9-18".parse().expect("hours"), Money(10_000)));
    chat.presses("➕ Add a time slot")
        .presses("Every day")
        .types("22-6")
        .types("0")
        .presses("Nothing");
    chat.at("manage/card").hears("Every day, 22:00–06:00");
}

#[test]
fn a_task_is_added_for_every_shift_or_for_a_slot() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    chat.types("/manage").presses("🏢 Place 1 · 350.50").presses("📋 Tasks").at("manage/tasks");
    chat.presses("➕ Add a task")
        .types(&"x".repeat(81))
        .hears("at most 80")
        .types("Lock up")
        .types("mandatory")
        .hears("Please press a button");
    chat.presses("❗ Mandatory").hears("cost not to do it").types("33").presses("📷 Yes");
    chat.hears("In which shifts").presses("🕘 Monday to Friday, 09:00–18:00");
    chat.at("manage/card")
        .hears("If it is not done: −33.00")
        .hears("A photo must show it")
        .hears("Monday to Friday");
    chat.presses("✏️ In which shifts").presses("In every shift").presses("💾 Save").at("idle");
    let expected = SaveTask {
        id: String::new(),
        object: "1".to_owned(),
        slot: None,
        title: "Lock up".to_owned(),
        price: Money(3_300),
        kind: Kind::Mandatory,
        media: true,
    };
    let saved: SaveTask = written(&chat);
    assert_eq!(SaveTask { id: String::new(), ..saved }, expected);
    chat.presses("➕ Add a task")
        .types("Sweep")
        .presses("➕ Bonus")
        .hears("doing it bring")
        .types("100")
        .presses("No");
    chat.presses("🕘 Monday to Friday, 09:00–18:00").presses("💾 Save");
    assert_eq!(written::<SaveTask>(&chat).slot.as_deref(), Some("s"));
}

#[test]
fn what_is_there_is_changed_under_its_own_id() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    chat.types("/manage")
        .presses("🏢 Place 1 · 350.50")
        .presses("📋 Tasks")
        .presses("Sweep · +100.00 📷");
    chat.at("manage/card")
        .hears("Bonus for doing it: +100.00")
        .hears("Monday to Friday, 09:00–18:00");
    chat.presses("✏️ Price").types("150").presses("💾 Save");
    let saved: SaveTask = written(&chat);
    assert_eq!(
        (saved.id.as_str(), saved.price, saved.slot.as_deref()),
        ("t", Money(15_000), Some("s"))
    );
    chat.presses("📋 Tasks")
        .presses("🏢 All objects")
        .at("manage/objects")
        .presses("🏢 Place 1 · 350.50");
    chat.presses("🕘 Time slots")
        .presses("🕘 Monday to Friday, 09:00–18:00")
        .at("manage/card")
        .presses("⬅️ Back")
        .at("manage/slots");
    chat.presses("🏢 All objects").at("manage/objects");
}

/// The slot as its card saves it when nothing is changed.
fn same_slot() -> SaveSlot {
    let slot = slot();
    SaveSlot {
        id: slot.id,
        object: slot.object,
        days: slot.days,
        hours: slot.hours,
        grace: slot.grace,
        penalty: slot.penalty,
    }
}

#[test]
fn each_field_of_a_slot_can_be_changed_by_itself() {
    let bot = flows::all();
    let mut days = same_slot();
    days.days = Days::WEEKEND;
    let mut hours = same_slot();
    hours.hours = "7-15".parse().expect("hours");
    let mut grace = same_slot();
    grace.grace = 0;
    let mut penalty = same_slot();
    penalty.penalty = Money(25_000);
    for (button, said, changed) in [
        ("✏️ Days", "6-7", days),
        ("✏️ Hours", "7-15", hours),
        ("✏️ Grace", "0", grace),
        ("✏️ Penalty", "250", penalty),
    ] {
        let mut chat = owner(&bot, &[]);
        chat.does(Input::Press("lmanage.slots 1".to_owned()))
            .presses("🕘 Monday to Friday, 09:00–18:00")
            .presses(button)
            .at("manage/field");
        chat.types(said).at("manage/card").presses("💾 Save");
        assert_eq!(written::<SaveSlot>(&chat), changed, "{button}");
    }
}

/// The task as its card saves it when nothing is changed.
fn same_task() -> SaveTask {
    let task = task();
    SaveTask {
        id: task.id,
        object: task.object,
        slot: task.slot,
        title: task.title,
        price: task.price,
        kind: task.kind,
        media: task.media,
    }
}

#[test]
fn kind_and_photo_of_a_task_can_be_changed_by_themselves() {
    let bot = flows::all();
    let mut kind = same_task();
    kind.kind = Kind::Mandatory;
    let mut media = same_task();
    media.media = false;
    for (button, answer, changed) in [("✏️ Kind", "❗ Mandatory", kind), ("✏️ Photo", "No", media)]
    {
        let mut chat = owner(&bot, &[]);
        chat.does(Input::Press("lmanage.tasks 1".to_owned()))
            .presses("Sweep · +100.00 📷")
            .presses(button)
            .at("manage/field");
        chat.presses(answer).at("manage/card").presses("💾 Save");
        assert_eq!(written::<SaveTask>(&chat), changed, "{button}");
    }
}

#[test]
fn things_are_put_out_of_use_and_into_use_again() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true), object("2", false)]);
    chat.types("/manage")
        .presses("🏢 Place 1 · 350.50")
        .presses("💤 Put out of use")
        .at("idle")
        .hears("out of use now");
    let set = |thing, id: &str, active| SetActive { thing, id: id.to_owned(), active };
    chat.records(set(Thing::Object, "1", false));
    chat.presses("🏢 All objects")
        .presses("💤 Place 2 · 350.50")
        .presses("▶️ Put into use again")
        .hears("in use again");
    chat.records(set(Thing::Object, "2", true));
    chat.types("/manage")
        .presses("🏢 Place 1 · 350.50")
        .presses("📋 Tasks")
        .presses("Sweep · +100.00 📷")
        .presses("💤 Put out of use");
    chat.records(set(Thing::Task, "t", false)).presses("📋 Tasks").at("manage/tasks");
    chat.types("/back")
        .at("manage/objects")
        .presses("🏢 Place 1 · 350.50")
        .presses("🕘 Time slots");
    chat.presses("🕘 Monday to Friday, 09:00–18:00").presses("💤 Put out of use");
    chat.records(set(Thing::Slot, "s", false)).presses("🕘 Time slots").at("manage/slots");
}

#[test]
fn there_is_a_way_back_from_everywhere() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    chat.types("/manage")
        .types("/back")
        .hears("no way back")
        .types("Shop")
        .hears("Please press a button of the list");
    chat.presses("🏢 Place 1 · 350.50")
        .types("/back")
        .at("manage/objects")
        .presses("➕ Add an object")
        .types("/back")
        .at("manage/objects");
    chat.presses("🏢 Place 1 · 350.50")
        .presses("🕘 Time slots")
        .types("/back")
        .at("manage/objects");
    chat.presses("🏢 Place 1 · 350.50")
        .presses("🕘 Time slots")
        .presses("➕ Add a time slot")
        .types("/back")
        .at("manage/slots");
    chat.presses("🏢 All objects")
        .presses("🏢 Place 1 · 350.50")
        .presses("📋 Tasks")
        .presses("➕ Add a task")
        .types("/back")
        .at("manage/tasks");
    chat.presses("Sweep · +100.00 📷").types("/back").at("manage/tasks");
}

#[test]
fn many_objects_are_paged() {
    let bot = flows::all();
    let objects: Vec<_> = (1..9).map(|n| object(&n.to_string(), true)).collect();
    owner(&bot, &objects)
        .types("/manage")
        .sends(CARD)
        .presses("▶️")
        .edits(CARD)
        .presses("🏢 Place 8 · 350.50")
        .at("manage/card");
}

#[test]
fn many_slots_and_tasks_are_paged() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    let slots = (0..8).map(|n| Slot { id: format!("s{n}"), grace: n, ..slot() });
    let tasks = (0..8).map(|n| Task {
        id: n.to_string(),
        title: format!("Task {n}"),
        slot: None,
        ..task()
    });
    chat.knows(read("slots", "1"), slots.collect::<Vec<_>>())
        .knows(read("tasks", "1"), tasks.collect::<Vec<_>>());
    for list in ["slots", "tasks"] {
        chat.does(Input::Press(format!("lmanage.{list} 1"))).sends(CARD);
        chat.presses("▶️").at(&format!("manage/{list}")).edits(CARD);
    }
    chat.presses("Task 7 · +100.00 📷").at("manage/card");
}

/// Twenty-one, and the one that is wanted is the last.
#[test]
fn a_task_is_given_to_any_of_many_slots() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    let slots = (0..21).map(|n| Slot {
        id: format!("s{n}"),
        hours: format!("{n}-22").parse().expect("hours"),
        ..slot()
    });
    chat.knows(read("slots", "1"), slots.collect::<Vec<_>>());
    chat.does(Input::Press("lmanage.task 1".to_owned()));
    chat.types("Sweep").presses("➕ Bonus").types("100");
    chat.presses("No").hears("In which shifts");
    chat.presses("◀️").at("manage/field").edits(CARD);
    chat.presses("🕘 Monday to Friday, 20:00–22:00").at("manage/card");
    chat.presses("✏️ In which shifts").presses("▶️");
    chat.at("manage/field").presses("🕘 Monday to Friday, 00:00–22:00");
    chat.at("manage/card").presses("💾 Save");
    assert_eq!(written::<SaveTask>(&chat).slot.as_deref(), Some("s0"));
}

/// An older command comes back while something else is looked at.
#[test]
fn a_refusal_is_told_wherever_its_owner_is() {
    let bot = flows::all();
    let refusal = Refusal {
        flow: "manage".to_owned(),
        reason: UNKNOWN.to_owned(),
        command: serde_json::Value::Null,
    };
    for (link, state) in [("slots 1", "slots"), ("tasks 1", "tasks"), ("slot 1", "field")] {
        let mut chat = owner(&bot, &[object("1", true)]);
        chat.does(Input::Press(format!("lmanage.{link}")))
            .at(&format!("manage/{state}"))
            .does(Input::Refused(refusal.clone()))
            .at(&format!("manage/{state}"))
            .hears("not there any more");
    }
}

#[test]
fn a_slot_or_a_task_that_is_gone_leads_to_all_objects() {
    let bot = flows::all();
    for (list, label) in
        [("slots", "🕘 Monday to Friday, 09:00–18:00"), ("tasks", "Sweep · +100.00 📷")]
    {
        let mut chat = owner(&bot, &[object("1", true)]);
        chat.does(Input::Press(format!("lmanage.{list} 1")));
        let stale = chat.button(label);
        chat.knows(read("slots", "1"), Vec::<Slot>::new())
            .knows(read("tasks", "1"), Vec::<Task>::new());
        chat.does(Input::Press(stale)).at("manage/objects");
    }
}

#[test]
fn a_refusal_is_told_plainly() {
    let bot = flows::all();
    for (reason, words) in
        [(NOT_ALLOWED, "for others"), (TOO_MANY, "60 tasks"), (UNKNOWN, "not there any more")]
    {
        let refusal = Refusal {
            flow: "manage".to_owned(),
            reason: reason.to_owned(),
            command: serde_json::Value::Null,
        };
        let mut chat = owner(&bot, &[]);
        chat.does(Input::Refused(refusal.clone())).at("idle").hears(words);
        chat.presses("🏢 All objects")
            .does(Input::Refused(refusal))
            .at("manage/objects")
            .hears(words);
    }
}

/// What the last turn wrote comes back with this reason.
fn comes_back(chat: &mut TestChat<'_>, reason: &str) {
    let refusal =
        Refusal { flow: "manage".to_owned(), reason: reason.to_owned(), command: written(chat) };
    chat.does(Input::Refused(refusal));
}

#[test]
fn a_form_that_could_not_be_saved_is_shown_once_more() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    chat.types("/manage").presses("➕ Add an object");
    chat.types("Shop").types("350,50").presses("Europe/Moscow");
    chat.presses("💾 Save").at("idle");
    comes_back(&mut chat, "");
    chat.at("manage/card").hears("could not be saved").hears("Shop");
    chat.presses("💾 Save");
    comes_back(&mut chat, NO_ZONE);
    chat.at("manage/field").hears("I do not know this time zone");
    chat.presses("UTC").at("manage/card").hears("Shop");
    let saved: SaveObject = {
        chat.presses("💾 Save");
        written(&chat)
    };
    assert_eq!((saved.name.as_str(), saved.zone.as_str()), ("Shop", "UTC"));

    chat.does(Input::Press("lmanage.tasks 1".to_owned()))
        .presses("Sweep · +100.00 📷")
        .presses("✏️ Title")
        .types("Mop")
        .presses("💾 Save");
    comes_back(&mut chat, TOO_MANY);
    chat.at("manage/card").hears("60 tasks").hears("Mop");
    chat.button("💤 Put out of use");
    chat.presses("💾 Save");
    assert_eq!(written::<SaveTask>(&chat).slot.as_deref(), Some("s"));

    chat.does(Input::Press("lmanage.slots 1".to_owned()))
        .presses("🕘 Monday to Friday, 09:00–18:00")
        .presses("💾 Save");
    let saved: SaveSlot = written(&chat);
    comes_back(&mut chat, "");
    chat.at("manage/card").presses("💾 Save");
    assert_eq!(written::<SaveSlot>(&chat), saved);
}

#[test]
fn a_form_that_could_not_be_saved_leaves_alone_what_was_begun_since() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    chat.types("/manage").presses("➕ Add an object");
    chat.types("Shop").types("350,50").presses("UTC");
    chat.presses("💾 Save");
    let refusal =
        Refusal { flow: "manage".to_owned(), reason: String::new(), command: written(&chat) };
    chat.does(Input::Press("lmanage.slot 1".to_owned()))
        .does(Input::Refused(refusal))
        .at("manage/field")
        .hears("“Shop” could not be saved");
}

#[test]
fn the_way_back_leads_through_the_fields_of_a_form_one_by_one() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[object("1", true)]);
    chat.does(Input::Press("lmanage.slot 1".to_owned()))
        .presses("Every day")
        .types("9-18")
        .presses("10")
        .hears("being late cost");
    chat.types("/back").hears("not late yet").types("/back");
    chat.at("manage/field").hears("From when");
    // What was said after that is still there.
    chat.types("10-19").hears("being late cost").types("100");
    chat.at("manage/card").hears("10:00–19:00").hears("10 min");
    chat.types("/back").hears("being late cost").types("/back");
    chat.hears("not late yet");

    let mut chat = owner(&bot, &[object("1", true)]);
    chat.types("/manage")
        .presses("🏢 Place 1 · 350.50")
        .presses("✏️ Rate")
        .types("/back")
        .at("manage/card")
        .hears("350.50");
}

#[test]
fn a_form_that_is_left_alone_is_reminded_of_and_kept() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[]);
    chat.types("/manage")
        .presses("➕ Add an object")
        .types("Shop")
        .waits(Duration::from_secs(2701))
        .hears("not saved yet");
    chat.waits(Duration::from_secs(1000))
        .at("idle")
        .presses("Continue")
        .at("manage/field")
        .types("350");
}

#[test]
fn a_list_that_is_left_alone_is_let_go_in_silence() {
    let bot = flows::all();
    for (link, state) in [("", "objects"), ("slots 1", "slots"), ("tasks 1", "tasks")] {
        let mut chat = owner(&bot, &[object("1", true)]);
        chat.does(Input::Press(format!("lmanage.{link}")))
            .at(&format!("manage/{state}"))
            .waits(Duration::from_secs(3601));
        chat.at("idle").hears_nothing();
        assert!(chat.dialogue().parked.is_empty(), "{state}");
    }
}

#[test]
fn only_owners_set_things_up() {
    let bot = flows::all();
    let mut chat = owner(&bot, &[]);
    chat.is([WORKER]).types("/manage").at("idle").hears("for others");
}
