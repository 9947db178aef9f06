//! Shifts: opened on what was seen, worked, and closed once with their pay.

use std::time::Duration;

use field_service::hours::Days;
use field_service::money::Money;
use field_service::pay::{Kind, pay, total};
use field_service::records::export::{self, Export};
use field_service::records::object::{NO_ZONE, Object, SaveObject, SetActive, Thing, UNKNOWN};
use field_service::records::proof::{self, Fetched};
use field_service::records::shift::{
    ALREADY_OPEN, CHANGED, CLOSED, CloseShift, CompleteTask, NEEDS_PHOTO, Offer, OpenShift,
    Running, Site,
};
use field_service::records::slot::SaveSlot;
use field_service::records::task::{SaveTask, TOO_MANY};
use field_service::role::{DISPATCHER, MASTER, WORKER};
use field_service::{Company, Retention};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use steadfast::records::member::NOT_ALLOWED;
use steadfast::records::person::Meet;
use steadfast::records::{Records as _, Verdict};

use crate::support::ledger::{Ledger, open, order, person};
use crate::support::patience::all_at_once;

const HOUR: i64 = 3_600_000;
/// 2026-11-16T07:00:00Z, a Monday; ten o'clock in Moscow.
const NOW: i64 = 1_794_812_400_000;
const OWNER: i64 = 1;
const BEN: i64 = 7;

/// A depot with two tasks in every shift and one more from two to ten, which is not yet.
async fn depot(ledger: Ledger) -> Ledger {
    let ledger = ledger.at(NOW.unsigned_abs());
    let roles = "INSERT INTO roles (role, user_id, given_at) VALUES ('owner', 1, 0), ('worker', 7, 0), ('worker', 8, 0), \
                 ('worker', 101, 0), ('worker', 102, 0), ('worker', 103, 0), ('worker', 104, 0), ('worker', 105, 0)";
    ledger.execute(roles).await;
    let object = SaveObject {
        id: "d".to_owned(),
        name: "Depot".to_owned(),
        rate: Money(198),
        zone: "Europe/Moscow".to_owned(),
    };
    applied(&ledger, "o", OWNER, json!(object)).await;
    let slot = SaveSlot {
        id: "s".to_owned(),
        object: "d".to_owned(),
        days: Days::WORKDAYS,
        hours: "14:00-22:00".parse().expect("hours"),
        grace: 10,
        penalty: Money(10_000),
    };
    applied(&ledger, "s", OWNER, json!(slot)).await;
    for (id, task) in [
        ("lock", task("lock", Kind::Mandatory, 3_300, true, None)),
        ("sweep", task("sweep", Kind::Bonus, 10_000, false, None)),
        ("count", task("count", Kind::Bonus, 500, false, Some("s"))),
    ] {
        applied(&ledger, id, OWNER, json!(task)).await;
    }
    ledger
}

fn task(id: &str, kind: Kind, price: i64, media: bool, slot: Option<&str>) -> SaveTask {
    SaveTask {
        id: id.to_owned(),
        object: "d".to_owned(),
        slot: slot.map(str::to_owned),
        title: id.to_owned(),
        price: Money(price),
        kind,
        media,
    }
}

async fn applied(ledger: &Ledger, effect: &str, user: i64, command: Value) {
    let verdict = ledger.order(effect, user, command).await;
    assert_eq!(verdict, Verdict::Applied, "{effect}");
}

async fn fetched<T: DeserializeOwned>(ledger: &Ledger, user: i64, name: &str, arg: &str) -> T {
    let found = ledger.fetch(&person(user), name, arg).await.expect("read");
    serde_json::from_value(found).expect("of its type")
}

async fn offer(ledger: &Ledger, arg: &str) -> Offer {
    let offer: Option<Offer> = fetched(ledger, BEN, "offer", arg).await;
    offer.expect("an offer")
}

async fn running(ledger: &Ledger, user: i64) -> Option<Running> {
    fetched(ledger, user, "shift", "").await
}

/// The order to open a shift on what is offered now.
async fn opening(ledger: &Ledger, id: &str, arg: &str) -> Value {
    json!(OpenShift {
        id: id.to_owned(),
        object: "d".to_owned(),
        terms: offer(ledger, arg).await.terms,
        at: NOW,
    })
}

fn completing(shift: &str, task: &str, photo: Option<&str>) -> Value {
    json!(CompleteTask {
        shift: shift.to_owned(),
        task: task.to_owned(),
        photo: photo.map(str::to_owned),
        at: NOW,
    })
}

/// The order to close the shift that is open, at this time.
async fn closing(ledger: &Ledger, user: i64, at: i64) -> Value {
    let shift = running(ledger, user).await.expect("an open shift");
    let total = total(&pay(&shift.terms, shift.opened_at, at));
    let shift = shift.id;
    json!(CloseShift { shift, at, total })
}

fn refused(reason: &str) -> Verdict {
    Verdict::Refused(reason.to_owned())
}

/// Every row of a table, read by pages of two.
async fn table(ledger: &Ledger, what: Export) -> Vec<Vec<Value>> {
    let span = (NOW - 24 * HOUR, NOW + 24 * HOUR);
    let (mut rows, mut after) = (Vec::new(), Some((0, 0)));
    while let Some(last) = after {
        let sheet = export::export(ledger, what, span, last, 2).await.expect("a sheet");
        assert!(sheet.rows.iter().all(|row| row.len() == sheet.columns.len()));
        rows.extend(sheet.rows);
        after = sheet.next;
    }
    rows
}

pub(super) async fn a_shift_comes_to_the_pay_of_364(ledger: Ledger) {
    let ledger = depot(ledger).await;
    applied(&ledger, "meet", BEN, json!(Meet::new("Ben", "ben", "en"))).await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    applied(&ledger, "e2", BEN, completing("a", "sweep", None)).await;
    let close = closing(&ledger, BEN, NOW + 5 * HOUR).await;
    for _ in 0..3 {
        applied(&ledger, "e3", BEN, close.clone()).await;
    }
    assert_eq!(running(&ledger, BEN).await, None);
    let opened = "2026-11-16T10:00:00+03:00";
    let closed = "2026-11-16T15:00:00+03:00";
    let shift =
        json!([1, BEN, "Ben", "Depot", "closed", opened, closed, null, null, "1.98", "76.90"]);
    assert_eq!(json!(table(&ledger, Export::Shifts).await), json!([shift]));
    let part = |why: &str, task: &str, amount: &str| {
        json!([1, BEN, "Ben", "Depot", opened, closed, why, task, amount, 0, ""])
    };
    let parts = json!([
        part("shift_base", "", "9.90"),
        part("task_penalty", "lock", "-33.00"),
        part("task_bonus", "sweep", "100.00"),
    ]);
    assert_eq!(json!(table(&ledger, Export::Adjustments).await), parts);
}

pub(super) async fn tasks_of_object_and_slot_come_together_everywhere(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let ids = |offer: &Offer| -> Vec<String> {
        let tasks = offer.terms.tasks.iter();
        tasks.map(|task| task.id.clone()).collect()
    };
    assert_eq!(ids(&offer(&ledger, "d").await), ["lock", "sweep"]);
    let begins = NOW + 4 * HOUR;
    let ledger = ledger.at(begins.unsigned_abs());
    let in_slot = offer(&ledger, "d s").await;
    assert_eq!(ids(&in_slot), ["lock", "count", "sweep"]);
    let slot = in_slot.terms.slot.clone().expect("its slot");
    assert_eq!((slot.start, slot.end), (begins, begins + 8 * HOUR));
    let opening = OpenShift {
        id: "a".to_owned(),
        object: "d".to_owned(),
        terms: in_slot.terms.clone(),
        at: begins,
    };
    applied(&ledger, "e1", BEN, json!(opening)).await;
    let open = running(&ledger, BEN).await.expect("it is open");
    assert_eq!(open.terms, in_slot.terms);
    let close = closing(&ledger, BEN, begins + HOUR).await;
    applied(&ledger, "e2", BEN, close).await;
    let rows = table(&ledger, Export::Adjustments).await;
    let kinds: Vec<&Value> = rows.iter().map(|row| &row[6]).collect();
    assert_eq!(json!(kinds), json!(["shift_base", "task_penalty"]));
    let sites: Vec<Site> = fetched(&ledger, BEN, "sites", "").await;
    assert_eq!(sites[0].slots, [slot]);
}

/// The moment of the press decides, not that of the writing: a slot may begin in between.
pub(super) async fn at_the_time_of_a_slot_a_shift_is_opened_for_one(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let mut opening = opening(&ledger, "a", "d").await;
    let later = NOW + 2 * HOUR;
    let ledger = ledger.at(later.unsigned_abs());
    let offered: Option<Offer> = fetched(&ledger, BEN, "offer", "d").await;
    assert_eq!(offered, None, "it is the time of its slot");
    let before = order("e1", BEN, opening.clone());
    opening["at"] = json!(later);
    assert_eq!(ledger.order("e2", BEN, opening).await, refused(CHANGED));
    assert_eq!(ledger.run(&before).await, Verdict::Applied);
}

/// What is open is theirs to finish, and to be paid for; only opening one takes the role.
pub(super) async fn whoever_loses_the_role_finishes_what_is_open_and_opens_no_more(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let more = opening(&ledger, "b", "d").await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    ledger.execute("DELETE FROM roles WHERE user_id = 7").await;
    applied(&ledger, "e2", BEN, completing("a", "sweep", None)).await;
    applied(&ledger, "e3", BEN, completing("a", "lock", Some("p"))).await;
    applied(&ledger, "e4", BEN, closing(&ledger, BEN, NOW).await).await;
    let rows = table(&ledger, Export::Shifts).await;
    assert_eq!(rows[0][10], "100.00");
    assert_eq!(ledger.order("e5", BEN, more).await, refused(NOT_ALLOWED));
}

pub(super) async fn a_worker_has_one_shift_at_a_time(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let other = open(&ledger.database).await.expect("opened");
    for round in 0..10 {
        let first = opening(&ledger, &format!("a{round}"), "d").await;
        let second = opening(&ledger, &format!("b{round}"), "d").await;
        let orders = [("a", first), ("b", second)]
            .map(|(name, command)| order(&format!("{name}{round}"), BEN, command));
        let (one, two) = tokio::join!(ledger.run(&orders[0]), other.run(&orders[1]));
        let mut verdicts = [one, two];
        verdicts.sort_by_key(|verdict| *verdict != Verdict::Applied);
        assert_eq!(verdicts, [Verdict::Applied, refused(ALREADY_OPEN)], "{round}");
        let close = closing(&ledger, BEN, NOW).await;
        applied(&ledger, &format!("c{round}"), BEN, close).await;
    }
}

pub(super) async fn shifts_opened_at_once_have_numbers_of_their_own(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let command = opening(&ledger, "x", "d").await;
    let opened = (101..106).map(async |worker: i64| {
        let mut command = command.clone();
        command["id"] = format!("w{worker}").into();
        ledger.order(&format!("o{worker}"), worker, command).await
    });
    let verdicts = all_at_once(opened).await;
    assert_eq!(verdicts, vec![Verdict::Applied; 5]);
    let rows = table(&ledger, Export::Shifts).await;
    let numbers: Vec<&Value> = rows.iter().map(|row| &row[0]).collect();
    assert_eq!(json!(numbers), json!([1, 2, 3, 4, 5]));
}

/// Two of their devices, or two replicas: whatever the effects are called.
pub(super) async fn a_shift_is_closed_once(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let other = open(&ledger.database).await.expect("opened");
    for round in 0..10 {
        let id = format!("a{round}");
        applied(&ledger, &id, BEN, opening(&ledger, &id, "d").await).await;
        let close = closing(&ledger, BEN, NOW + HOUR).await;
        let orders = [1, 2].map(|n| order(&format!("close {round} {n}"), BEN, close.clone()));
        let (one, two) = tokio::join!(ledger.run(&orders[0]), other.run(&orders[1]));
        let mut verdicts = [one, two];
        verdicts.sort_by_key(|verdict| *verdict != Verdict::Applied);
        assert_eq!(verdicts, [Verdict::Applied, refused(CLOSED)], "{round}");
    }
    let rows = table(&ledger, Export::Adjustments).await;
    assert_eq!(rows.len(), 2 * 10, "the time and a penalty of each, once");
}

/// A task is completed while the shift is closed: either it counts, or it is refused; the pay says the same.
pub(super) async fn a_task_completed_while_the_shift_closes_counts_or_is_refused(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let other = open(&ledger.database).await.expect("opened");
    for round in 0..20 {
        let id = format!("a{round}");
        applied(&ledger, &id, BEN, opening(&ledger, &id, "d").await).await;
        let close = order(&format!("c{round}"), BEN, closing(&ledger, BEN, NOW).await);
        let complete = completing(&id, "sweep", None);
        let complete = order(&format!("t{round}"), BEN, complete);
        let both = tokio::join!(ledger.run(&close), other.run(&complete));
        match &both {
            (Verdict::Applied, verdict) if *verdict == refused(CLOSED) => {}
            (verdict, Verdict::Applied) if *verdict == refused(CHANGED) => {
                let close = closing(&ledger, BEN, NOW).await;
                applied(&ledger, &format!("again {round}"), BEN, close).await;
            }
            both => panic!("round {round}: {both:?}"),
        }
    }
}

pub(super) async fn what_was_not_seen_is_not_agreed_to(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let opening = opening(&ledger, "a", "d").await;
    let dearer = task("sweep", Kind::Bonus, 5_000, false, None);
    applied(&ledger, "e1", OWNER, json!(dearer)).await;
    assert_eq!(ledger.order("e2", BEN, opening).await, refused(CHANGED));
    assert_eq!(running(&ledger, BEN).await, None);
    let off = SetActive { thing: Thing::Object, id: "d".to_owned(), active: false };
    applied(&ledger, "e3", OWNER, json!(off)).await;
    let offered: Option<Offer> = fetched(&ledger, BEN, "offer", "d").await;
    let sites: Vec<Site> = fetched(&ledger, BEN, "sites", "").await;
    assert!(offered.is_none() && sites.is_empty());
    let all: Vec<Object> = fetched(&ledger, OWNER, "objects", "").await;
    assert_eq!(all.len(), 1, "its owner still sees it");
}

pub(super) async fn what_was_agreed_holds_whatever_is_changed_meanwhile(ledger: Ledger) {
    let ledger = depot(ledger).await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    let before = running(&ledger, BEN).await;
    let harder = task("lock", Kind::Mandatory, 99_900, true, None);
    applied(&ledger, "e2", OWNER, json!(harder)).await;
    let more = task("paint", Kind::Mandatory, 99_900, true, None);
    applied(&ledger, "e3", OWNER, json!(more)).await;
    for (effect, thing, id) in [("e4", Thing::Task, "sweep"), ("e5", Thing::Object, "d")] {
        let (id, active) = (id.to_owned(), false);
        applied(&ledger, effect, OWNER, json!(SetActive { thing, id, active })).await;
    }
    assert_eq!(running(&ledger, BEN).await, before);
    applied(&ledger, "e6", BEN, completing("a", "sweep", None)).await;
    applied(&ledger, "e7", BEN, closing(&ledger, BEN, NOW).await).await;
    let rows = table(&ledger, Export::Shifts).await;
    assert_eq!(rows[0][10], "67.00");
}

/// The dialogue may be of yesterday, and what it shows is not so any more.
pub(super) async fn what_does_not_come_to_what_was_shown_is_not_closed(ledger: Ledger) {
    let ledger = depot(ledger).await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    let stale = closing(&ledger, BEN, NOW + HOUR).await;
    applied(&ledger, "e2", BEN, completing("a", "sweep", None)).await;
    assert_eq!(ledger.order("e3", BEN, stale).await, refused(CHANGED));
    assert!(running(&ledger, BEN).await.is_some());
    assert!(table(&ledger, Export::Adjustments).await.is_empty());
}

pub(super) async fn what_needs_a_photo_is_done_with_one(ledger: Ledger) {
    let ledger = depot(ledger).await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    let bare = completing("a", "lock", None);
    assert_eq!(ledger.order("e2", BEN, bare).await, refused(NEEDS_PHOTO));
    for photo in ["p1", "p2"] {
        let complete = completing("a", "lock", Some(photo));
        for _ in 0..2 {
            applied(&ledger, photo, BEN, complete.clone()).await;
        }
    }
    let open = running(&ledger, BEN).await.expect("it is open");
    let lock = &open.terms.tasks[0];
    assert_eq!((lock.done, lock.photos), (true, 2));
    for photo in 3..=10 {
        let complete = completing("a", "lock", Some(&format!("p{photo}")));
        applied(&ledger, &format!("p{photo}"), BEN, complete).await;
    }
    let complete = completing("a", "lock", Some("p11"));
    let enough = ledger.order("p11", BEN, complete).await;
    assert_eq!(enough, refused("enough_photos"));
}

pub(super) async fn photos_are_due_until_they_are_kept_or_lost(ledger: Ledger) {
    let ledger = depot(ledger).await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    for photo in ["p1", "p2", "p3"] {
        let complete = completing("a", "lock", Some(photo));
        applied(&ledger, photo, BEN, complete).await;
    }
    let due = proof::proofs(&ledger, 10).await.expect("photos");
    let names: Vec<String> = due.iter().map(|proof| proof.name("jpg")).collect();
    let expected = ["01", "02", "03"].map(|n| format!("shift-000001/task-01-{n}.jpg"));
    assert_eq!(names, expected);
    let outcomes = [
        Fetched::Kept(names[0].clone()),
        Fetched::Lost("file is too big".to_owned()),
        Fetched::Later(60_000),
    ];
    for (proof, fetched) in due.iter().zip(&outcomes) {
        proof::note_proof(&ledger, proof, fetched).await.expect("noted");
    }
    assert_eq!(proof::proofs(&ledger, 10).await.expect("photos"), []);
    applied(&ledger, "e2", BEN, closing(&ledger, BEN, NOW).await).await;
    let rows = table(&ledger, Export::Adjustments).await;
    assert_eq!((&rows[1][9], &rows[1][10]), (&json!(3), &json!(names[0])));
    let later = ledger.at((NOW + 60_000).unsigned_abs());
    assert_eq!(proof::proofs(&later, 10).await.expect("photos"), due[2..]);
}

/// Whoever downloads it may have begun before, and be slow.
pub(super) async fn a_photo_that_was_forgotten_or_kept_meanwhile_stays_so(ledger: Ledger) {
    let ledger = depot(ledger).await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    for photo in ["p1", "p2"] {
        let complete = completing("a", "lock", Some(photo));
        applied(&ledger, photo, BEN, complete).await;
    }
    let due = proof::proofs(&ledger, 10).await.expect("photos");
    let kept = Fetched::Kept("one.jpg".to_owned());
    let slower = [
        Fetched::Later(0),
        Fetched::Lost("gone".to_owned()),
        Fetched::Kept("other.jpg".to_owned()),
    ];
    // A repeat is no change.
    for _ in 0..2 {
        assert!(proof::note_proof(&ledger, &due[0], &kept).await.expect("noted"));
    }
    ledger.forget(BEN).await.expect("forgotten");
    for fetched in &slower {
        for proof in &due {
            let is_noted = proof::note_proof(&ledger, proof, fetched).await;
            assert!(!is_noted.expect("seen to"), "{proof:?}: {fetched:?}");
        }
    }
    assert_eq!(proof::proofs(&ledger, 10).await.expect("photos"), []);
    applied(&ledger, "e2", BEN, closing(&ledger, BEN, NOW).await).await;
    let rows = table(&ledger, Export::Adjustments).await;
    assert_eq!((&rows[1][9], &rows[1][10]), (&json!(2), &json!("one.jpg")));
}

pub(super) async fn a_photo_that_was_kept_is_overdue_when_its_time_is_over(ledger: Ledger) {
    let ledger = depot(ledger).await;
    applied(&ledger, "e1", BEN, opening(&ledger, "a", "d").await).await;
    for photo in ["p1", "p2"] {
        let complete = completing("a", "lock", Some(photo));
        applied(&ledger, photo, BEN, complete).await;
    }
    let due = proof::proofs(&ledger, 10).await.expect("photos");
    let kept = Fetched::Kept("one.jpg".to_owned());
    assert!(proof::note_proof(&ledger, &due[0], &kept).await.expect("noted"));
    let old = ledger.at((NOW + 25 * HOUR).unsigned_abs());
    assert_eq!(proof::overdue_proofs(&old, 10).await, Ok(Vec::new()), "for good");
    let keeps = |photos| Retention { photos: Some(photos), ..Retention::default() };
    let young = old.keeping(keeps(Duration::from_secs(26 * 3600))).await;
    assert_eq!(proof::overdue_proofs(&young, 10).await, Ok(Vec::new()));
    let old = young.keeping(keeps(Duration::from_secs(24 * 3600))).await;
    let overdue = proof::overdue_proofs(&old, 10).await.expect("photos");
    let paths: Vec<_> = overdue.iter().map(|kept| kept.path.as_str()).collect();
    assert_eq!(paths, ["one.jpg"], "the other was never downloaded");
    for _ in 0..2 {
        proof::note_removed(&old, &overdue[0]).await.expect("noted");
        assert_eq!(proof::overdue_proofs(&old, 10).await, Ok(Vec::new()));
    }
    assert_eq!(proof::proofs(&old, 10).await.expect("photos"), due[1..], "no more");
}

pub(super) async fn everybody_does_only_what_is_theirs(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let open = opening(&ledger, "a", "d").await;
    assert_eq!(ledger.order("e1", OWNER, open.clone()).await, refused(NOT_ALLOWED));
    applied(&ledger, "e2", BEN, open).await;
    for (effect, command) in
        [("e3", completing("a", "sweep", None)), ("e4", closing(&ledger, BEN, NOW).await)]
    {
        assert_eq!(ledger.order(effect, 8, command).await, refused(CLOSED), "{effect}");
    }
    let task = task("x", Kind::Bonus, 1, false, None);
    assert_eq!(ledger.order("e5", BEN, json!(task)).await, refused(NOT_ALLOWED));
    let (thing, id, active) = (Thing::Object, "d".to_owned(), false);
    let off = json!(SetActive { thing, id, active });
    assert_eq!(ledger.order("e6", BEN, off).await, refused(NOT_ALLOWED));
    let foreign = SaveTask { slot: Some("nowhere".to_owned()), ..task };
    assert_eq!(ledger.order("e7", OWNER, json!(foreign)).await, refused(UNKNOWN));
}

/// Whoever has another role, or none any more: the card they save by may be an old one.
pub(super) async fn only_owners_set_things_up(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let others = [DISPATCHER, MASTER, WORKER];
    for (user, role) in (20..).zip(others) {
        assert_eq!(ledger.give_role(user, role).await, Ok(true));
    }
    let object = SaveObject {
        id: "o".to_owned(),
        name: "Shop".to_owned(),
        rate: Money(1),
        zone: "UTC".to_owned(),
    };
    let slot = SaveSlot {
        id: "t".to_owned(),
        object: "d".to_owned(),
        days: Days::WORKDAYS,
        hours: "9-18".parse().expect("hours"),
        grace: 0,
        penalty: Money(0),
    };
    let (thing, id, active) = (Thing::Object, "d".to_owned(), false);
    let commands = [
        json!(object),
        json!(slot),
        json!(task("x", Kind::Bonus, 1, false, None)),
        json!(SetActive { thing, id, active }),
    ];
    for (number, command) in commands.into_iter().enumerate() {
        for user in 20..=23 {
            let effect = format!("{number} {user}");
            let verdict = ledger.order(&effect, user, command.clone()).await;
            assert_eq!(verdict, refused(NOT_ALLOWED), "{command}");
        }
        applied(&ledger, &format!("{number}"), OWNER, command).await;
    }
    let nowhere = SaveObject { zone: "Middle/Earth".to_owned(), ..object };
    let verdict = ledger.order("nowhere", OWNER, json!(nowhere)).await;
    assert_eq!(verdict, refused(NO_ZONE));
}

pub(super) async fn tasks_are_done_in_any_order(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let (lock, sweep) = (("lock", Some("p")), ("sweep", None));
    for (shift, tasks) in [("a", [lock, sweep]), ("b", [sweep, lock])] {
        applied(&ledger, shift, BEN, opening(&ledger, shift, "d").await).await;
        for (count, (task, photo)) in (1..).zip(tasks) {
            let effect = format!("{shift} {task}");
            applied(&ledger, &effect, BEN, completing(shift, task, photo)).await;
            let open = running(&ledger, BEN).await.expect("it is open");
            let done = open.terms.tasks.iter().filter(|task| task.done).count();
            assert_eq!(done, count, "what was done before stays done");
        }
        let close = closing(&ledger, BEN, NOW + 5 * HOUR).await;
        applied(&ledger, &format!("close {shift}"), BEN, close).await;
    }
    let rows = table(&ledger, Export::Shifts).await;
    assert_eq!((&rows[0][10], &rows[1][10]), (&json!("109.90"), &json!("109.90")));
}

pub(super) async fn what_is_out_of_use_is_offered_to_nobody(ledger: Ledger) {
    let ledger = depot(ledger).await;
    let set = |thing, id: &str, active| {
        let id = id.to_owned();
        json!(SetActive { thing, id, active })
    };
    let titles = async |ledger: &Ledger, arg: &str| {
        let tasks = offer(ledger, arg).await.terms.tasks;
        tasks.into_iter().map(|task| task.id).collect::<Vec<_>>()
    };
    applied(&ledger, "e1", OWNER, set(Thing::Task, "lock", false)).await;
    assert_eq!(titles(&ledger, "d").await, ["sweep"]);
    applied(&ledger, "e2", OWNER, set(Thing::Task, "lock", true)).await;
    assert_eq!(titles(&ledger, "d").await, ["lock", "sweep"]);

    let ledger = ledger.at((NOW + 4 * HOUR).unsigned_abs());
    let slots = async |ledger: &Ledger| {
        let sites: Vec<Site> = fetched(ledger, BEN, "sites", "").await;
        sites[0].slots.len()
    };
    assert_eq!(slots(&ledger).await, 1);
    applied(&ledger, "e3", OWNER, set(Thing::Slot, "s", false)).await;
    assert_eq!(slots(&ledger).await, 0);
    assert_eq!(titles(&ledger, "d").await, ["lock", "sweep"]);
    let offered: Option<Offer> = fetched(&ledger, BEN, "offer", "d s").await;
    assert_eq!(offered, None);
    applied(&ledger, "e4", BEN, opening(&ledger, "a", "d").await).await;
}

/// Days are those of the company: the last one ends at its own midnight, and the day after is not part of it.
pub(super) async fn the_last_day_of_an_export_is_whole_where_the_company_is(ledger: Ledger) {
    let zone = jiff::tz::TimeZone::get("Asia/Vladivostok").expect("a zone");
    let ledger = depot(ledger).await.of(Company { zone, ..Company::default() }).await;
    ledger.execute("UPDATE slots SET active = 0").await;
    // 2026-11-17 00:00 in Vladivostok is 2026-11-16 14:00 UTC.
    let midnight = NOW + 7 * HOUR;
    for (shift, at) in [
        ("a", midnight - 24 * HOUR - 1),
        ("b", midnight - 24 * HOUR),
        ("c", midnight - 1),
        ("d", midnight),
    ] {
        let mut open = opening(&ledger, shift, "d").await;
        open["at"] = json!(at);
        applied(&ledger, shift, BEN, open).await;
        let close = closing(&ledger, BEN, at).await;
        applied(&ledger, &format!("close {shift}"), BEN, close).await;
    }
    let day = jiff::civil::date(2026, 11, 16);
    let exported = async |from, to| {
        let span = export::span(ledger.settings::<Company>(), from, to).expect("days");
        let sheet = export::export(&ledger, Export::Shifts, span, (0, 0), 10).await;
        let rows = sheet.expect("a sheet").rows.into_iter();
        rows.map(|row| row[0].clone()).collect::<Vec<_>>()
    };
    assert_eq!(json!(exported(day, day).await), json!([2, 3]));
    let (before, after) = (day.yesterday().expect("a day"), day.tomorrow().expect("a day"));
    assert_eq!(json!(exported(before, after).await), json!([1, 2, 3, 4]));
}

pub(super) async fn an_object_has_no_more_tasks_than_a_shift_can_carry(ledger: Ledger) {
    let ledger = depot(ledger).await;
    for number in 3..60 {
        let id = format!("t{number}");
        let more = task(&id, Kind::Bonus, 1, false, None);
        applied(&ledger, &id, OWNER, json!(more)).await;
    }
    let more = task("one more", Kind::Bonus, 1, false, None);
    assert_eq!(ledger.order("e1", OWNER, json!(more)).await, refused(TOO_MANY));
    let changed = task("t3", Kind::Bonus, 2, false, None);
    applied(&ledger, "e2", OWNER, json!(changed)).await;
    let set = |active| {
        let (thing, id) = (Thing::Task, "t3".to_owned());
        json!(SetActive { thing, id, active })
    };
    applied(&ledger, "on already", OWNER, set(true)).await;
    applied(&ledger, "off", OWNER, set(false)).await;
    applied(&ledger, "e3", OWNER, json!(more)).await;
    let on = ledger.order("on", OWNER, set(true)).await;
    assert_eq!(on, refused(TOO_MANY));
    let changed = task("t3", Kind::Bonus, 3, false, None);
    applied(&ledger, "changed while off", OWNER, json!(changed)).await;
    applied(&ledger, "still off", OWNER, set(false)).await;
}

/// Each counts what the others have added: on PostgreSQL they would not see each other.
pub(super) async fn owners_who_add_tasks_at_once_stay_within_the_bound(ledger: Ledger) {
    let ledger = depot(ledger).await;
    for number in 3..58 {
        let id = format!("t{number}");
        let more = task(&id, Kind::Bonus, 1, false, None);
        applied(&ledger, &id, OWNER, json!(more)).await;
    }
    let mut replicas = Vec::new();
    for _ in 0..8 {
        replicas.push(open(&ledger.database).await.expect("opened"));
    }
    for round in 0..10 {
        let added = replicas.iter().enumerate().map(async |(number, replica)| {
            let id = format!("more {round} {number}");
            let more = task(&id, Kind::Bonus, 1, false, None);
            replica.run(&order(&id, OWNER, json!(more))).await
        });
        let verdicts = all_at_once(added).await;
        let is_added = |verdict: &&Verdict| **verdict == Verdict::Applied;
        assert_eq!(verdicts.iter().filter(is_added).count(), 2, "{verdicts:?}");
        ledger.execute("DELETE FROM tasks WHERE id LIKE 'more %'").await;
    }
}

/// Whatever people wrote, it is a value and nothing else.
pub(super) async fn orders_are_exported_with_their_reports(ledger: Ledger) {
    let ledger = ledger.at(NOW.unsigned_abs());
    let orders = "INSERT INTO users (id, chat, name, username, language, first_seen, last_seen) VALUES (7, 7, 'Ben', '', 'en', 0, 0); \
                  INSERT INTO orders (id, no, equipment, problem, client, address, phone, status, created_by, created_at, master, \
                  assigned_at, closed_at) VALUES \
                  ('a', 1, 'Boiler', 'It leaks', 'Ann', 'Here', '+79001234567', 'closed', 3, 1794812400000, 7, 1794812400000, \
                  1794816000000), \
                  ('b', 2, 'Stove', '=1+1', 'Bob', 'There', '+79001234568', 'open', 3, 1794812400000, NULL, NULL, NULL), \
                  ('c', 3, 'Stove', 'Cold', 'Eve', 'There', '+79001234569', 'open', 3, 1694812400000, NULL, NULL, NULL); \
                  INSERT INTO reports (order_no, amount, materials, review, created_by, created_at) \
                  VALUES (1, 149990, 'Wire', 1, 7, 1794816000000)";
    ledger.execute(orders).await;
    let (at, later) = ("2026-11-16T07:00:00+00:00", "2026-11-16T08:00:00+00:00");
    let expected = json!([
        [
            1,
            "closed",
            "Boiler",
            "It leaks",
            "Ann",
            "Here",
            "+79001234567",
            3,
            null,
            7,
            "Ben",
            at,
            at,
            later,
            "1499.90",
            "Wire",
            true
        ],
        [
            2,
            "open",
            "Stove",
            "=1+1",
            "Bob",
            "There",
            "+79001234568",
            3,
            null,
            null,
            null,
            at,
            null,
            null,
            null,
            null,
            null
        ],
    ]);
    assert_eq!(json!(table(&ledger, Export::Orders).await), expected);
}
