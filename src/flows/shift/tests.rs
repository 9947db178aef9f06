//! A worker's shift, on paper.

use serde_json::json;

use super::*;
use crate::flows;
use crate::money::Money;
use crate::pay::{Kind, Slot, Terms};
use crate::records::colleague::Colleague;
use crate::records::object::Object;
use crate::records::shift::CompleteTask;
use crate::role::{OWNER, WORKER};

mod opening;

const HOUR: i64 = 3_600_000;
/// When a transcript begins.
const DAWN: i64 = 1_760_000_000_000;

fn object(id: &str, name: &str) -> Object {
    Object {
        id: id.to_owned(),
        name: name.to_owned(),
        rate: Money(198),
        zone: "Europe/Moscow".to_owned(),
        active: true,
    }
}

fn slot(id: &str, start: i64) -> Slot {
    Slot { id: id.to_owned(), start, end: start + 9 * HOUR, grace: 10, penalty: Money(10_000) }
}

fn task(id: &str, title: &str, kind: Kind, price: i64, media: bool) -> Task {
    Task {
        id: id.to_owned(),
        title: title.to_owned(),
        kind,
        price: Money(price),
        media,
        done: false,
        photos: 0,
    }
}

fn terms(slot: Option<Slot>) -> Terms {
    let tasks = vec![
        task("lock", "Lock up", Kind::Mandatory, 3_300, true),
        task("sweep", "Sweep", Kind::Bonus, 10_000, false),
    ];
    let rate = Money(198);
    Terms { rate, slot, tasks }
}

fn site(id: &str, name: &str, slots: Vec<Slot>) -> Site {
    let object = object(id, name);
    Site { object, slots }
}

fn running(opened_at: i64) -> Running {
    Running {
        id: "s1".to_owned(),
        object: "Depot".to_owned(),
        zone: "Europe/Moscow".to_owned(),
        opened_at,
        terms: terms(None),
    }
}

/// A worker at these places, with no shift open.
fn worker<'a>(bot: &'a Repertoire, sites: &[Site]) -> TestChat<'a> {
    let mut chat = TestChat::new(bot, flows::edges());
    chat.is([WORKER]).knows(read("shift", ""), None::<Running>).knows(read("sites", ""), sites);
    let owner = Colleague { id: 77, name: "Pavel".to_owned(), language: "ru".to_owned() };
    chat.knows(read("other_colleagues", "owner"), [owner]);
    for site in sites {
        let none = site.slots.is_empty().then_some(None);
        for slot in site.slots.iter().cloned().map(Some).chain(none) {
            let id = slot.as_ref().map_or("", |slot| slot.id.as_str());
            let offer = Offer { object: site.object.clone(), terms: terms(slot.clone()) };
            chat.knows(read("offer", format!("{} {id}", site.object.id)), offer);
        }
    }
    chat
}

/// A worker whose shift has been open for this long.
fn at_work(bot: &Repertoire, hours: i64) -> TestChat<'_> {
    let mut chat = worker(bot, &[]);
    chat.knows(read("shift", ""), running(DAWN - hours * HOUR));
    chat
}

#[test]
fn a_shift_is_opened_its_tasks_ticked_and_closed_with_its_pay() {
    let bot = flows::all();
    let mut chat = worker(&bot, &[site("d", "Depot", Vec::new())]);
    chat.types("/shift").at("shift/terms").hears("Lock up · −33.00");
    chat.hears("No time slot").presses("▶️ Open the shift");
    chat.at("shift/tasks").hears("Done: 0 of 2");
    chat.presses("⬜️ Sweep · +100.00").at("shift/task").hears("Press “Done”");
    chat.presses("✅ Done").at("shift/tasks").hears("Done: 1 of 2");
    chat.button("✅ Sweep · +100.00");
    chat.button("⬜️ Lock up · −33.00 📷");
    chat.waits(Duration::from_secs(5 * 3600 - 5));
    chat.presses("🏁 Close the shift").at("shift/close");
    chat.hears("9.90")
        .hears("Lock up, not done: −33.00")
        .hears("Sweep: +100.00")
        .hears("Total: 76.90");
    chat.presses("✅ Close it").at("idle").hears("The shift is closed.").hears("Total: 76.90");
    chat.tells(77, "Anna: смена закрыта").tells(77, "Итого: 76,90");
    chat.presses("🏠 Main menu");
}

#[test]
fn a_shift_is_worked_in_russian_too() {
    let bot = flows::all();
    let mut chat = worker(&bot, &[site("d", "Склад", Vec::new())]).in_language("ru");
    chat.types("/shift").hears("в час").presses("▶️ Открыть смену");
    chat.hears("Выполнено: 0 из 2").presses("⬜️ Lock up · −33,00 📷");
    chat.hears("Пришлите фото").sends_photo("p", None, None).hears("1 фотография");
    chat.presses("⬅️ Все задачи").presses("🏁 Закрыть смену").hears("Итого: 0,00");
    chat.presses("✅ Закрыть").at("idle").hears("Смена закрыта");
}

#[test]
fn what_leaves_a_choice_is_asked() {
    let bot = flows::all();
    let two = vec![slot("early", DAWN), slot("late", DAWN + HOUR)];
    let sites = [site("d", "Depot", two), site("s", "Shop", vec![slot("only", DAWN)])];
    let mut chat = worker(&bot, &sites);
    chat.types("/shift")
        .at("shift/object")
        .presses("Shop")
        .at("shift/terms")
        .hears("min late: −100.00");
    chat.types("/back").at("shift/object").types("Depot").hears("Please press the object");
    chat.presses("Depot").at("shift/slot").types("early").hears("Please press your time slot");
    chat.types("/back").at("shift/object").presses("Depot");
    chat.presses("🕘 12:53–21:53")
        .at("shift/terms")
        .types("yes")
        .hears("Please press “Open the shift”");
    chat.presses("▶️ Open the shift").at("shift/tasks");
}

#[test]
fn many_objects_are_paged() {
    let bot = flows::all();
    let sites: Vec<Site> =
        (0..8).map(|n| site(&n.to_string(), &format!("Place {n}"), Vec::new())).collect();
    let mut chat = worker(&bot, &sites);
    chat.types("/shift")
        .presses("▶️")
        .edits(LIST)
        .at("shift/object")
        .presses("Place 7")
        .at("shift/terms");
}

#[test]
fn without_an_object_nothing_can_be_opened() {
    let bot = flows::all();
    worker(&bot, &[]).types("/shift").at("idle").hears("An owner can add one");
}

#[test]
fn a_place_that_is_gone_is_told_and_another_can_be_chosen() {
    let bot = flows::all();
    let mut chat = worker(&bot, &[site("d", "Depot", Vec::new())]);
    chat.knows(read("offer", "d "), None::<Offer>);
    chat.types("/shift").hears("No shift can be opened").presses("Choose again").at("shift/object");
}

#[test]
fn an_open_shift_is_entered_by_its_link() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 1);
    chat.types("/menu").presses("🛠 My shift").at("shift/tasks").hears("Done: 0 of 2");
}

/// A photo shows it at once; the rest of an album is taken in silence, also when it comes late.
#[test]
fn photos_show_that_a_task_is_done() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 1);
    chat.types("/shift").presses("⬜️ Lock up · −33.00 📷").at("shift/task").hears("Send a photo");
    chat.types("done").hears("I am waiting for a photo");
    chat.sends_photo("a", Some("7"), None).at("shift/task").hears("One photo");
    let complete = |photo: &str| CompleteTask {
        shift: "s1".to_owned(),
        task: "lock".to_owned(),
        photo: Some(photo.to_owned()),
        at: 0,
    };
    let record = |chat: &TestChat<'_>| {
        let effects = chat.played().expect("a turn").effects.iter();
        let mut records = effects.filter_map(|effect| match effect {
            steadfast::dialogue::Effect::Record(record) => Some(record.command.clone()),
            _ => None,
        });
        let command = records.next().expect("a record");
        let command: CompleteTask = serde_json::from_value(command).expect("a completed task");
        CompleteTask { at: 0, ..command }
    };
    assert_eq!(record(&chat), complete("a"));
    chat.sends_photo("b", Some("7"), None).hears_nothing();
    assert_eq!(record(&chat), complete("b"));
    chat.types("/back").at("shift/tasks").hears("Done: 1 of 2");
    chat.sends_photo("c", Some("7"), None).at("shift/tasks").hears_nothing();
    assert_eq!(record(&chat), complete("c"));
    chat.sends_photo("d", None, None).hears("press the task that it shows");
    chat.presses("✅ Lock up · −33.00 📷").hears("3 photos");
    for photo in 3..MOST_PHOTOS {
        chat.sends_photo(&photo.to_string(), None, None).at("shift/task");
    }
    chat.sends_photo("too many", None, None).hears("10 photos of a task are enough");
}

/// More than a task may have would be refused, and that would end the dialogue: it is left out in silence.
#[test]
fn what_an_album_has_too_much_is_left_out() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 1);
    chat.types("/shift").presses("⬜️ Lock up · −33.00 📷");
    for photo in 1..MOST_PHOTOS {
        chat.sends_photo(&photo.to_string(), None, None);
    }
    chat.sends_photo("a", Some("7"), None).hears("10 photos");
    let wrote = |chat: &TestChat<'_>| chat.played().is_some_and(|it| !it.effects.is_empty());
    chat.sends_photo("b", Some("7"), None).at("shift/task");
    assert!(!wrote(&chat));
    chat.types("/back").sends_photo("c", Some("7"), None);
    assert!(!wrote(&chat));
    chat.at("shift/tasks");
}

/// A forged button, or one of an older build.
#[test]
fn what_needs_a_photo_is_not_done_without_one() {
    let task = ShiftFlow::Task { shift: running(DAWN), task: "lock".to_owned() };
    let done = Input::Choice("done".to_owned()).into();
    assert_eq!(task.answer(&done), Err(hint("shift-photo-hint")));
}

/// A regression of the bot before: a callback that came twice was carried out twice.
#[test]
fn callbacks_are_not_handled_twice() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 1);
    chat.knows(read("unfinished_profile", ""), ());
    chat.types("/shift").presses("⬜️ Sweep · +100.00");
    let done = chat.button("✅ Done");
    chat.does(Input::Press(done.clone())).at("shift/tasks");
    chat.does(Input::Press(done)).sees("no longer active").hears_nothing();
    let close = chat.button("🏁 Close the shift");
    chat.does(Input::Press(close.clone())).at("shift/close");
    chat.does(Input::Press(close)).sees("no longer active");
    let confirm = chat.button("✅ Close it");
    chat.does(Input::Press(confirm.clone())).at("idle");
    chat.does(Input::Press(confirm)).sees("no longer active").hears_nothing();
}

/// A regression of the bot before: every task was shown as done.
#[test]
fn ticks_are_not_hard_coded() {
    let bot = flows::all();
    let mut shift = running(DAWN - HOUR);
    shift.terms.tasks[1].done = true;
    let mut chat = worker(&bot, &[]);
    chat.knows(read("shift", ""), shift).types("/shift").hears("Done: 1 of 2");
    chat.button("✅ Sweep · +100.00");
    chat.button("⬜️ Lock up · −33.00 📷");
}

/// The second leaves the first as it was, whichever comes first, and the pay is the same.
#[test]
fn both_tasks_are_ticked_in_either_order() {
    let bot = flows::all();
    for sweeps_first in [true, false] {
        let mut chat = at_work(&bot, 5);
        chat.types("/shift");
        let sweep = |chat: &mut TestChat<'_>| {
            chat.presses("⬜️ Sweep · +100.00").presses("✅ Done");
        };
        let lock = |chat: &mut TestChat<'_>| {
            chat.presses("⬜️ Lock up · −33.00 📷");
            chat.sends_photo("p", None, None).types("/back");
        };
        match sweeps_first {
            true => {
                sweep(&mut chat);
                lock(&mut chat);
            }
            false => {
                lock(&mut chat);
                sweep(&mut chat);
            }
        }
        chat.at("shift/tasks").hears("Done: 2 of 2");
        chat.button("✅ Sweep · +100.00");
        chat.button("✅ Lock up · −33.00 📷");
        chat.presses("🏁 Close the shift").hears("Sweep: +100.00").hears("Total: 109.90");
    }
}

/// A regression of the bot before: on the way to closing, what was done was forgotten.
#[test]
fn no_task_is_lost_on_the_way_to_closing_and_back() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 5);
    chat.types("/shift").presses("⬜️ Sweep · +100.00").presses("✅ Done");
    chat.presses("🏁 Close the shift").hears("Sweep: +100.00").presses("⬅️ All tasks");
    chat.at("shift/tasks")
        .hears("Done: 1 of 2")
        .presses("🏁 Close the shift")
        .hears("Sweep: +100.00");
    chat.types("/back")
        .at("shift/tasks")
        .presses("🏁 Close the shift")
        .types("yes")
        .hears("Please press “Close it”");
}

#[test]
fn a_summary_that_stood_for_long_is_shown_anew() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 5);
    chat.types("/shift").presses("🏁 Close the shift").hears("9.90");
    chat.waits(Duration::from_secs(3600)).presses("✅ Close it");
    chat.at("shift/close").hears("Some time has passed").hears("11.88");
}

#[test]
fn a_refusal_tells_the_truth_and_leads_to_the_shift() {
    let bot = flows::all();
    for (reason, words) in [
        (ALREADY_OPEN, "One at a time"),
        (CHANGED, "Something has changed"),
        (CLOSED, "closed already"),
        (NOT_ALLOWED, "for others"),
        (NEEDS_PHOTO, "waiting for a photo"),
        (ENOUGH_PHOTOS, "10 photos of a task are enough"),
        ("", "went wrong on our side"),
    ] {
        let refusal = || {
            Input::Refused(Refusal {
                flow: "shift".to_owned(),
                reason: reason.to_owned(),
                command: serde_json::Value::Null,
            })
        };
        let mut chat = at_work(&bot, 1);
        chat.does(refusal()).at("idle").hears(words);
        chat.presses("🛠 My shift").at("shift/tasks").does(refusal()).at("idle").hears(words);
    }
}

/// What is asked about an open shift is never out of date: it is not kept, and the way to it stays.
#[test]
fn an_open_shift_leaves_no_draft_and_is_reminded_of() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 1);
    chat.types("/shift").types("/photo").at("photo/shot");
    assert!(chat.dialogue().parked.is_empty());
    chat.types("/cancel").at("idle").hears("Cancelled");
    chat.types("/shift")
        .waits(Duration::from_secs(23 * 3600 + 1))
        .at("shift/tasks")
        .hears("still open");
    chat.waits(Duration::from_secs(3600)).at("idle").hears("stays open");
    chat.presses("🛠 My shift").at("shift/tasks");
}

/// The shift waits in the records, and is no draft meanwhile.
#[test]
fn support_is_asked_in_the_middle_of_a_shift() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 1);
    let person = |id: i64| json!({ "id": id, "name": "Dora", "language": "en" });
    let talk = json!({ "id": "c", "person": person(5001), "dispatcher": person(78), "is_open": true, "opened_at": 0 });
    chat.knows(read("own_conversation", ""), &talk)
        .knows(read("conversation", "c"), &talk)
        .knows(read("other_colleagues", flows::DESK_ROLES), json!([]));
    chat.types("/shift").presses("⬜️ Sweep · +100.00").presses("✅ Done").at("shift/tasks");
    let mut shift = running(DAWN - HOUR);
    shift.terms.tasks[1].done = true;
    chat.knows(read("shift", ""), shift);
    chat.types("/support").at("support/talking");
    chat.types("Where is the key?").tells(78, "Where is the key?");
    chat.presses("⏸ Leave it for now").at("idle");
    assert!(chat.dialogue().parked.is_empty());
    chat.presses("🏠 Main menu").presses("🛠 My shift");
    chat.at("shift/tasks").hears("Done: 1 of 2");
}

#[test]
fn a_task_that_is_looked_at_for_long_or_refused_leaves_the_way_to_the_shift() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 1);
    chat.types("/shift").presses("⬜️ Sweep · +100.00");
    chat.waits(Duration::from_secs(24 * 3600)).at("idle").hears("stays open");
    chat.presses("🛠 My shift").presses("⬜️ Sweep · +100.00").at("shift/task");
    chat.does(Input::Refused(Refusal {
        flow: "shift".to_owned(),
        reason: CLOSED.to_owned(),
        command: serde_json::Value::Null,
    }))
    .at("idle")
    .hears("closed already");
}

#[test]
fn a_shift_that_is_not_opened_reminds_and_waits_aside() {
    let bot = flows::all();
    let mut chat = worker(&bot, &[site("d", "Depot", Vec::new())]);
    chat.types("/shift")
        .at("shift/terms")
        .waits(Duration::from_secs(23 * 3600))
        .hears("not opened your shift yet");
    chat.waits(Duration::from_secs(3600)).at("idle").presses("Continue").at("shift/terms");
}

/// The shift is a record: what is asked about it is not lost.
#[test]
fn a_closing_that_fails_for_good_holds_nobody() {
    let bot = flows::all();
    let mut chat = at_work(&bot, 5);
    chat.types("/shift").presses("🏁 Close the shift");
    chat.fails().at("idle").hears("ended this dialogue");
    chat.presses("🏠 Main menu").presses("🛠 My shift");
    chat.at("shift/tasks");
}

#[test]
fn a_long_list_of_tasks_is_paged_and_ticked_in_place() {
    let bot = flows::all();
    let mut shift = running(DAWN - HOUR);
    let tasks =
        (0..8).map(|n| task(&format!("t{n}"), &format!("Task {n}"), Kind::Bonus, 100, false));
    shift.terms.tasks = tasks.collect();
    let mut chat = worker(&bot, &[]);
    chat.knows(read("shift", ""), shift)
        .types("/shift")
        .sends(LIST)
        .presses("▶️")
        .edits(LIST)
        .at("shift/tasks");
    chat.presses("⬜️ Task 7 · +1.00")
        .edits(LIST)
        .presses("✅ Done")
        .edits(LIST)
        .hears("Done: 1 of 8");
    chat.button("✅ Task 7 · +1.00");
    chat.presses("⬜️ Task 6 · +1.00").types("?").hears("Please press “Done”");
}

#[test]
fn only_workers_open_shifts() {
    let bot = flows::all();
    let mut chat = worker(&bot, &[]);
    chat.is([OWNER]).types("/shift").at("idle").hears("for others");
}
