//! Who is in a dialogue, and how many.

use steadfast::store::{Cause, Cursor, DialogueKey};

use crate::support::bed::{Bed, key};

pub(crate) async fn every_label_is_counted(bed: &Bed) {
    enter(bed, &key(1, 1), &["order/phone"]).await;
    enter(bed, &key(2, 2), &["order/phone", "report/parked"]).await;
    enter(bed, &key(-3, 3), &["order/name"]).await;
    let counts = [("order/name", 1), ("order/phone", 2), ("report/parked", 1)];
    assert_eq!(bed.counts().await, counts.map(|(l, n)| (l.into(), n)));
}

pub(crate) async fn a_count_moves_with_its_dialogue(bed: &Bed) {
    for user in 1..=3 {
        enter(bed, &key(5, user), &["order/name"]).await;
    }
    enter(bed, &key(5, 1), &["order/phone"]).await;
    enter(bed, &key(5, 2), &["order/name", "order/phone"]).await;
    enter(bed, &key(5, 3), &["order/name"]).await;
    let counts = [("order/name", 2), ("order/phone", 2)];
    assert_eq!(bed.counts().await, counts.map(|(l, n)| (l.into(), n)));
}

pub(crate) async fn nobody_is_not_listed(bed: &Bed) {
    enter(bed, &key(5, 1), &["order/name", "report/parked"]).await;
    enter(bed, &key(5, 1), &["report/parked"]).await;
    assert_eq!(bed.counts().await, [("report/parked".into(), 1)]);
    enter(bed, &key(5, 1), &[]).await;
    assert_eq!(bed.counts().await, []);
    assert_eq!(everybody(bed, None, 10).await, []);
}

pub(crate) async fn an_unknown_dialogue_is_nobody(bed: &Bed) {
    bed.fresh(&key(5, 1), Cause::Update(1)).await;
    assert_eq!(everybody(bed, None, 10).await, []);
}

pub(crate) async fn everybody_is_paged_through(bed: &Bed) {
    let mut all = Vec::new();
    for user in 1..=7 {
        all.push(key(5, user));
        all.push(key(-user, user));
    }
    for key in &all {
        enter(bed, key, &["order/name"]).await;
    }
    all.sort();
    for limit in [1, 3, 7, 100] {
        assert_eq!(everybody(bed, None, limit).await, all, "by {limit}");
    }
}

pub(crate) async fn people_are_found_by_label(bed: &Bed) {
    for user in 1..=10 {
        let label = if user % 5 == 0 { "rare" } else { "common" };
        enter(bed, &key(5, user), &[label, "every"]).await;
    }
    for limit in [1, 2, 100] {
        let rare = everybody(bed, Some("rare"), limit).await;
        assert_eq!(rare, [key(5, 5), key(5, 10)]);
        assert_eq!(everybody(bed, Some("every"), limit).await.len(), 10);
        assert_eq!(everybody(bed, Some("none"), limit).await, []);
    }
}

pub(crate) async fn who_has_finished_is_found_no_more(bed: &Bed) {
    for user in 1..=5 {
        let ann = key(5, user);
        bed.turn(&ann, Cause::Update(1), |_| {}).await;
        bed.turn(&ann, Cause::Update(2), |commit| {
            if user % 2 == 0 {
                commit.next.labels.clear();
            }
        })
        .await;
    }
    for limit in [1, 2, 100] {
        let left = everybody(bed, None, limit).await;
        assert_eq!(left, [1, 3, 5].map(|user| key(5, user)));
    }
}

pub(crate) async fn every_dialogue_of_a_person_is_found_idle_or_not(bed: &Bed) {
    let topic = DialogueKey { topic: Some(7), ..key(-5, 7) };
    let mut all = [key(7, 7), key(-5, 7), key(-6, 7), topic];
    for (key, labels) in all.iter().zip([&["order/name"][..], &[], &["order/name"], &[]]) {
        enter(bed, key, labels).await;
    }
    // They have much in common with that person.
    for key in [key(7, 8), key(-7, 77), key(-77, 17), key(-5, 70)] {
        enter(bed, &key, &["order/name"]).await;
    }
    all.sort();
    let mut found = bed.dialogues_of(7).await.expect("an answer");
    found.sort();
    assert_eq!(found, all);
    assert_eq!(bed.dialogues_of(5).await, Ok(Vec::new()));
}

/// Those who were looked at leave or are due later, those who were not are due sooner.
pub(crate) async fn who_stays_is_found_however_others_move(bed: &Bed) {
    let all: Vec<DialogueKey> = (1..=24).map(|user| key(5, user)).collect();
    for key in &all {
        enter(bed, key, &["order/name"]).await;
    }
    let (mut found, mut cursor) = (Vec::new(), None);
    for hour in 10.. {
        let page = bed.people(None, cursor, 3).await.expect("a page");
        found.extend(page.people.into_iter().map(|person| person.key));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
        for key in &all {
            let has_left = found.first() == Some(key);
            let due = if found.contains(key) { 2 * hour } else { 20 - hour };
            bed.turn(key, Cause::Order, |commit| {
                commit.next.due = Some(commit.loaded_at + due * 3_600_000);
                if has_left {
                    (commit.next.labels, commit.next.due) = (Vec::new(), None);
                }
            })
            .await;
        }
    }
    found.sort();
    assert_eq!(found, all, "each of them once");
}

async fn enter(bed: &Bed, key: &DialogueKey, labels: &[&str]) {
    bed.turn(key, Cause::Order, |commit| {
        commit.next.labels = labels.iter().map(|&label| label.into()).collect();
    })
    .await;
}

/// All pages together, sorted, since stores page in an order of their own.
async fn everybody(bed: &Bed, label: Option<&str>, limit: usize) -> Vec<DialogueKey> {
    let mut found = Vec::new();
    let mut cursor: Option<Cursor> = None;
    loop {
        let page = bed.people(label, cursor, limit).await.expect("a page");
        assert!(page.people.len() <= limit);
        found.extend(page.people.into_iter().map(|person| person.key));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    found.sort();
    found
}
