//! How an owner sets things up, for those who walk on it.

use super::ground::Ground;
use crate::support::person::Person;

/// The numbers of what is copied.
pub(super) const SIX: &str =
    "(SELECT 1 AS no UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6)";

/// Adds an object of this name, where an hour earns one and the clocks are those of Greenwich.
pub(super) async fn adds_object(owner: Person<'_>, name: &str) {
    owner.says("/manage").await;
    owner
        .goes(&[
            ("Your objects.", "[➕ Add an object]"),
            ("What is the object called?", name),
            ("What does an hour earn there?", "1"),
            ("In which time zone is it?", "[UTC]"),
            ("Time zone: UTC", "[💾 Save]"),
        ])
        .await;
    owner.hears("Saved.").await;
}

/// Adds a time slot of these hours on every day. The owner is asked on which.
pub(super) async fn adds_slot(owner: Person<'_>, hours: &str) {
    fills_slot(owner, hours).await;
    owner.presses("💾 Save").await;
    owner.hears("Saved.").await;
}

/// Says everything of a time slot, up to whether to save it.
pub(super) async fn fills_slot(owner: Person<'_>, hours: &str) {
    owner
        .goes(&[
            ("On which days?", "[Every day]"),
            ("From when until when?", hours),
            ("How many minutes late", "[10]"),
            ("What does being late cost?", "[Nothing]"),
        ])
        .await;
    owner.hears("More than 10 min late").await;
}

/// Adds a task for every shift, which brings one and needs no photo. The owner is asked what is to be done.
pub(super) async fn adds_task(owner: Person<'_>, title: &str) {
    owner
        .goes(&[
            ("What is to be done?", title),
            ("Is it a bonus task", "[➕ Bonus]"),
            ("What does doing it bring?", "1"),
            ("Must a photo show", "[No]"),
            ("In which shifts", "[In every shift]"),
            ("Bonus for doing it", "[💾 Save]"),
        ])
        .await;
    owner.hears("Saved.").await;
}

/// Adds six copies of every task, by the back door: forms were walked enough.
pub(super) fn adds_six_tasks(ground: &Ground) {
    let hold = ground.holds_records();
    hold.runs(&format!(
        "INSERT INTO tasks SELECT id || no, object, slot, title || ' ' || no, price, kind, media, active, made_at FROM tasks, {SIX}"
    ));
    hold.lets_go();
}
