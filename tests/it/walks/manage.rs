//! What owners set up: objects, time slots, tasks.

use super::ground::Ground;
use super::owner::{SIX, adds_object, adds_six_tasks, adds_slot, adds_task, fills_slot};
use crate::support::person::Person;

/// The buttons of what is set up here.
const SHOP: &str = "[🏢 Shop · 1.00\u{a0}₽]";
const SLOT: &str = "[🕘 Every day, 09:00–18:00]";
const SWEEP: &str = "[Sweep · +1.00\u{a0}₽]";

#[tokio::test]
async fn every_way_of_setting_things_up_is_walked() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &["owner"]).await;
    an_object(anna).await;
    its_slots(anna).await;
    its_tasks(anna).await;
    pages_are_turned(&ground, anna).await;
    the_records_refuse(&ground, anna).await;
    lists_are_left_alone(&ground).await;
    in_russian(&ground).await;
    ground.is_walked("manage").await;
}

async fn an_object(anna: Person<'_>) {
    anna.says("/manage").await;
    anna.goes(&[
        ("Your objects.", "[➕ Add an object]"),
        ("What is the object called?", "/back"),
        ("Your objects.", "[➕ Add an object]"),
        ("What is the object called?", "A warehouse"),
        ("What does an hour earn there?", "/back"),
        ("What is the object called?", "A warehouse"),
        ("What does an hour earn there?", "350,50"),
        ("In which time zone is it?", "[UTC]"),
        ("350.50", "[✏️ Rate]"),
        ("What does an hour earn there?", "400"),
        ("400.00", "[⬅️ Back]"),
        ("Your objects.", "/cancel"),
    ])
    .await;
    anna.hears("Cancelled: ⚙️ Objects and tasks.").await;
    adds_object(anna, "Shop").await;
}

async fn its_slots(anna: Person<'_>) {
    anna.goes(&[
        ("Saved.", "[🕘 Time slots]"),
        ("Time slots.", "[➕ Add a time slot]"),
        ("On which days?", "/back"),
        ("Time slots.", "[🏢 All objects]"),
        ("Your objects.", SHOP),
        ("Time zone: UTC", "[🕘 Time slots]"),
        ("Time slots.", "[➕ Add a time slot]"),
    ])
    .await;
    adds_slot(anna, "9-18").await;
    anna.goes(&[
        ("Saved.", "[🕘 Time slots]"),
        ("Time slots.", SLOT),
        ("More than 10 min late", "[⬅️ Back]"),
        ("Time slots.", "[🏢 All objects]"),
        ("Your objects.", SHOP),
    ])
    .await;
}

async fn its_tasks(anna: Person<'_>) {
    anna.goes(&[
        ("Time zone: UTC", "[📋 Tasks]"),
        ("Tasks. Press one", "[➕ Add a task]"),
        ("What is to be done?", "/back"),
        ("Tasks. Press one", "[🏢 All objects]"),
        ("Your objects.", SHOP),
        ("Time zone: UTC", "[📋 Tasks]"),
        ("Tasks. Press one", "[➕ Add a task]"),
    ])
    .await;
    adds_task(anna, "Sweep").await;
    anna.goes(&[
        ("Saved.", "[📋 Tasks]"),
        ("Tasks. Press one", SWEEP),
        ("Bonus for doing it", "[⬅️ Back]"),
        ("Tasks. Press one", SWEEP),
        ("Bonus for doing it", "[💤 Put out of use]"),
    ])
    .await;
    anna.hears("It is out of use now.").await;
}

/// There are so many that a page does not hold them.
async fn pages_are_turned(ground: &Ground, anna: Person<'_>) {
    let hold = ground.holds_records();
    hold.runs(&format!(
        "INSERT INTO objects SELECT id || no, name || ' ' || no, rate, zone, active, made_at FROM objects, {SIX} WHERE name = 'Shop'"
    ));
    hold.runs(&format!(
        "INSERT INTO slots SELECT id || no, object, days, starts + no, ends, grace, penalty, active, made_at FROM slots, {SIX}"
    ));
    hold.lets_go();
    adds_six_tasks(ground);
    anna.says("/manage").await;
    anna.goes(&[
        ("Your objects.", "[▶️]"),
        ("Your objects.", "[🏢 Shop 6 · 1.00\u{a0}₽]"),
        ("Time zone: UTC", "[⬅️ Back]"),
        ("Your objects.", SHOP),
        ("Time zone: UTC", "[🕘 Time slots]"),
        ("Time slots.", "[▶️]"),
        ("Time slots.", "[🕘 Every day, 09:06–18:00]"),
        ("More than 10 min late", "[⬅️ Back]"),
        ("Time slots.", "[🏢 All objects]"),
        ("Your objects.", SHOP),
        ("Time zone: UTC", "[📋 Tasks]"),
        ("Tasks. Press one", "[▶️]"),
        ("Tasks. Press one", "[💤 Sweep 6 · +1.00\u{a0}₽]"),
    ])
    .await;
    anna.goes(&[("Bonus for doing it", "/cancel")]).await;
    anna.hears("Cancelled: ⚙️ Objects and tasks.").await;
}

/// The records take no slot, and an operator tries it again and again, wherever the owner is by then, and when they are none any more.
async fn the_records_refuse(ground: &Ground, anna: Person<'_>) {
    adds_object(anna, "Mill").await;
    anna.goes(&[("Saved.", "[🕘 Time slots]"), ("Time slots.", "[➕ Add a time slot]")]).await;
    adds_slot(anna, "10-16").await;
    anna.presses("➕ Add a time slot").await;
    fills_slot(anna, "11-17").await;
    let spoilt = ground.holds_records().spoils("slots");
    anna.presses("💾 Save").await;
    anna.hears_both("could not be saved", "More than 10 min late").await;
    for (link, asked) in [
        ("🏢 All objects", "Your objects."),
        ("🕘 Time slots", "Time slots."),
        ("📋 Tasks", "Tasks. Press one"),
        ("➕ Add a time slot", "On which days?"),
    ] {
        anna.presses_under("Saved.", link).await;
        anna.hears(asked).await;
        ground.retries_letter().await;
        anna.hears("11:00–17:00” could not be saved").await;
    }
    anna.says("/cancel").await;
    anna.hears("Continue where you stopped?").await;
    spoilt.mends();
    ground.takes(anna, "owner").await;
    ground.retries_letter().await;
    anna.hears("for others in the company").await;
}

/// Who has only looked at one leaves no draft.
async fn lists_are_left_alone(ground: &Ground) {
    let clara = ground.meets("Clara", "en", &["owner"]).await;
    let mill = ("Your objects.", "[🏢 Mill · 1.00\u{a0}₽]");
    for (list, steps, asked) in [
        ("slots", &[mill, ("Time zone: UTC", "[🕘 Time slots]")][..], "Time slots."),
        ("tasks", &[mill, ("Time zone: UTC", "[📋 Tasks]")], "Tasks. Press one"),
        ("objects", &[], "Your objects."),
    ] {
        clara.says("/manage").await;
        clara.goes(steps).await;
        clara.hears(asked).await;
        let edge = format!("manage: {list} -> done");
        ground.sees(&edge, ground.minutes_pass(61)).await;
    }
}

async fn in_russian(ground: &Ground) {
    let pavel = ground.meets("Павел", "ru", &["owner"]).await;
    pavel.says("/manage").await;
    pavel
        .goes(&[
            ("Ваши объекты.", "[➕ Добавить объект]"),
            ("Как называется объект?", "Склад на Ленина"),
            ("Сколько стоит час", "350,50"),
            ("В каком он часовом поясе?", "[Europe/Samara]"),
            ("350,50", "[💾 Сохранить]"),
        ])
        .await;
    pavel.hears("Сохранено.").await;
}
