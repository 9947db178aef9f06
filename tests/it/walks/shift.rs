//! A worker's shift, from where to the pay, while its owner changes things.

use super::ground::Ground;
use super::owner::{adds_object, adds_six_tasks, adds_slot, adds_task};
use crate::support::person::Person;

const OPEN: &str = "▶️ Open the shift";
const GONE: &str = "No shift can be opened there any more.";
const WHERE: &str = "Where are you working?";
const WHICH: &str = "which time slot is yours?";
const CHANGED: &str = "The time slots here have changed";
/// A day and a little more, in minutes.
const DAY: u64 = 24 * 60 + 1;

#[tokio::test]
async fn every_way_of_a_shift_is_walked() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &["owner"]).await;
    let ben = ground.meets("Ben", "en", &["worker"]).await;
    has_no_place(anna).await;
    ben.says("/shift").await;
    ben.hears("There is no object to work at yet.").await;
    adds_object(anna, "Depot").await;
    terms_change(anna, ben).await;
    places_close(anna, ben).await;
    slots_begin(anna, ben).await;
    slots_end(anna, ben).await;
    tasks_are_many(&ground, anna).await;
    it_is_worked(ben).await;
    it_is_left_alone(&ground, ben).await;
    it_is_closed(&ground, ben).await;
    anna.hears("Ben has closed a shift.").await;
    in_russian(&ground).await;
    ground.is_walked("shift").await;
}

/// The records do not take its pay. Nobody is trapped, and an operator who tries it once more afterwards changes nothing.
#[tokio::test]
async fn a_shift_that_the_database_does_not_close_stays_open_and_is_closed_once() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &["owner"]).await;
    let ben = ground.meets("Ben", "en", &["worker"]).await;
    has_no_place(anna).await;
    adds_object(anna, "Depot").await;
    ben.says("/shift").await;
    ben.goes(&[
        ("an hour", "[▶️ Open the shift]"),
        ("There are no tasks.", "[🏁 Close the shift]"),
    ])
    .await;
    ben.hears("Shall I close the shift?").await;
    let spoilt = ground.holds_records().spoils("adjustments");
    ben.presses("✅ Close it").await;
    ben.hears("Something went wrong on our side").await;
    spoilt.mends();
    ben.presses("🛠 My shift").await;
    ben.goes(&[
        ("There are no tasks.", "[🏁 Close the shift]"),
        ("Shall I close the shift?", "[✅ Close it]"),
    ])
    .await;
    ben.hears("The shift is closed.").await;
    anna.hears("Ben has closed a shift.").await;
    ground.retries_letter().await;
    ben.hears("This shift is closed already.").await;
    assert_eq!(ben.times("The shift is closed.").await, 1);
    assert_eq!(anna.times("Ben has closed a shift.").await, 1);
}

/// The owner does something with an object.
async fn changes(owner: Person<'_>, object: &str, how: &[(&str, &str)], heard: &str) {
    owner.says("/manage").await;
    owner.goes(&[("Your objects.", &format!("[{object}\u{a0}₽]"))]).await;
    owner.goes(how).await;
    owner.hears(heard).await;
}

/// The place that a playground has from the start is put out of use.
async fn has_no_place(owner: Person<'_>) {
    let off = [("an hour", "[💤 Put out of use]")];
    let object = "🏢 Lenin St. 5 · 300.00";
    changes(owner, object, &off, "It is out of use now.").await;
}

async fn closes(owner: Person<'_>, object: &str) {
    let object = format!("🏢 {object} · 1.00");
    let off = [("an hour", "[💤 Put out of use]")];
    changes(owner, &object, &off, "It is out of use now.").await;
}

async fn reopens(owner: Person<'_>, object: &str) {
    let object = format!("💤 {object} · 1.00");
    let on = [("an hour", "[▶️ Put into use again]")];
    changes(owner, &object, &on, "It is in use again.").await;
}

/// Another rate than was shown, then no place at all.
async fn terms_change(anna: Person<'_>, ben: Person<'_>) {
    ben.says("/shift").await;
    ben.hears("1.00\u{a0}₽ an hour").await;
    for (was, is) in [("1.00", "2"), ("2.00", "1")] {
        let rate =
            [("an hour", "[✏️ Rate]"), ("What does an hour earn there?", is), (is, "[💾 Save]")];
        changes(anna, &format!("🏢 Depot · {was}"), &rate, "Saved.").await;
        ben.presses(OPEN).await;
        ben.hears_both("The terms have changed", &format!("{is}.00\u{a0}₽ an hour")).await;
    }
    closes(anna, "Depot").await;
    ben.presses(OPEN).await;
    ben.hears(GONE).await;
}

/// One of several places, then all of them.
async fn places_close(anna: Person<'_>, ben: Person<'_>) {
    reopens(anna, "Depot").await;
    adds_object(anna, "Shop").await;
    adds_object(anna, "Mill").await;
    ben.says("/shift").await;
    ben.goes(&[(WHERE, "[Depot]"), ("an hour", "/back")]).await;
    ben.hears(WHERE).await;
    closes(anna, "Mill").await;
    ben.presses("Mill").await;
    ben.hears_both(GONE, WHERE).await;
    for object in ["Depot", "Shop"] {
        closes(anna, object).await;
    }
    ben.presses("Shop").await;
    ben.hears(GONE).await;
}

/// After it was asked whether to open a shift in none.
async fn slots_begin(anna: Person<'_>, ben: Person<'_>) {
    reopens(anna, "Depot").await;
    ben.says("/shift").await;
    ben.hears("No time slot at this time").await;
    let slots = [("an hour", "[🕘 Time slots]"), ("Time slots.", "[➕ Add a time slot]")];
    changes(anna, "🏢 Depot · 1.00", &slots, "On which days?").await;
    adds_slot(anna, "0:00-24").await;
    for hours in ["0:01-24", "0:02-24"] {
        anna.presses("➕ Add a time slot").await;
        adds_slot(anna, hours).await;
    }
    ben.presses(OPEN).await;
    ben.hears_both(CHANGED, WHICH).await;
    ben.goes(&[
        (WHICH, "[🕘 00:00–00:00]"),
        ("More than 10 min late", "/back"),
        (WHERE, "[Depot]"),
        (WHICH, "/back"),
        (WHERE, "[Depot]"),
    ])
    .await;
    ben.hears(WHICH).await;
}

/// One of several slots, then the place.
async fn slots_end(anna: Person<'_>, ben: Person<'_>) {
    let off = [
        ("an hour", "[🕘 Time slots]"),
        ("Time slots.", "[🕘 Every day, 00:02–24:00]"),
        ("More than 10 min late", "[💤 Put out of use]"),
    ];
    changes(anna, "🏢 Depot · 1.00", &off, "It is out of use now.").await;
    ben.presses("🕘 00:02–00:00").await;
    ben.hears_both(CHANGED, WHICH).await;
    closes(anna, "Depot").await;
    ben.presses("🕘 00:01–00:00").await;
    ben.hears(GONE).await;
    reopens(anna, "Depot").await;
}

/// So many that a page does not hold them.
async fn tasks_are_many(ground: &Ground, anna: Person<'_>) {
    let task = [("an hour", "[📋 Tasks]"), ("Tasks. Press one", "[➕ Add a task]")];
    changes(anna, "🏢 Depot · 1.00", &task, "What is to be done?").await;
    adds_task(anna, "Sweep").await;
    adds_six_tasks(ground);
}

async fn it_is_worked(ben: Person<'_>) {
    ben.says("/shift").await;
    ben.goes(&[
        (WHICH, "[🕘 00:00–00:00]"),
        ("More than 10 min late", "[▶️ Open the shift]"),
        ("Done: 0 of 7.", "[▶️]"),
        ("Done: 0 of 7.", "[⬜️ Sweep 6 · +1.00\u{a0}₽]"),
        ("Press “Done” when it is.", "📷"),
        ("One photo.", "[⬅️ All tasks]"),
        ("Done: 1 of 7.", "[◀️]"),
        ("Done: 1 of 7.", "[⬜️ Sweep · +1.00\u{a0}₽]"),
        ("Press “Done” when it is.", "[✅ Done]"),
        ("Done: 2 of 7.", "[🏁 Close the shift]"),
        ("Shall I close the shift?", "[⬅️ All tasks]"),
        ("Done: 2 of 7.", "[⬜️ Sweep 1 · +1.00\u{a0}₽]"),
    ])
    .await;
    ben.hears("Press “Done” when it is.").await;
}

/// Its dialogue ends, wherever it was; the shift does not.
async fn it_is_left_alone(ground: &Ground, ben: Person<'_>) {
    ground.minutes_pass(DAY).await;
    ben.goes(&[("Your shift stays open", "[🛠 My shift]")]).await;
    ben.hears("Done: 2 of 7.").await;
    ground.minutes_pass(DAY).await;
    ben.goes(&[("Your shift stays open", "[🛠 My shift]")]).await;
}

/// With the pay of the moment when it is closed.
async fn it_is_closed(ground: &Ground, ben: Person<'_>) {
    ben.goes(&[("Done: 2 of 7.", "[🏁 Close the shift]")]).await;
    ben.hears("Shall I close the shift?").await;
    ground.minutes_pass(11).await;
    ben.presses("✅ Close it").await;
    ben.hears_both("Some time has passed", "Shall I close the shift?").await;
    ben.presses("✅ Close it").await;
    ben.hears("The shift is closed.").await;
}

async fn in_russian(ground: &Ground) {
    let vera = ground.meets("Вера", "ru", &["worker"]).await;
    vera.says("/shift").await;
    vera.goes(&[
        ("какой тайм-слот ваш?", "[🕘 00:01–00:00]"),
        ("Опоздание больше 10 мин", "[▶️ Открыть смену]"),
        ("Выполнено: 0 из 7.", "[⬜️ Sweep · +1,00\u{a0}₽]"),
        ("Нажмите «Выполнено»", "[✅ Выполнено]"),
        ("Выполнено: 1 из 7.", "[🏁 Закрыть смену]"),
        ("Закрыть смену?", "[✅ Закрыть]"),
    ])
    .await;
    vera.hears("Смена закрыта.").await;
}
