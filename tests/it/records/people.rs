//! People: noted when they come, and found again by who they are.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use field_service::Retention;
use field_service::records::invitation::{self, Invite, Join};
use field_service::records::onboarding::{DropProfile, KeepProfile};
use field_service::role::{DISPATCHER, MASTER, OWNER, WORKER};
use serde_json::{Value, json};
use steadfast::dialogue::Member;
use steadfast::records::member::NOT_ALLOWED;
use steadfast::records::person::{ChooseLanguage, Meet};
use steadfast::records::{Audience, Blanked, Records as _, Verdict};
use steadfast::staff::Staff;
use steadfast::store::{Clock, DialogueKey};

use crate::support::ledger::{Ledger, order, person};

pub(super) async fn a_person_is_noted_as_they_show_themselves(ledger: Ledger) {
    assert_eq!(language(&ledger, "7").await, json!(null));
    meets(&ledger, "e1", 7, "en").await;
    assert_eq!(language(&ledger, "7").await, json!("en"));
    meets(&ledger, "e2", 7, "ru").await;
    meets(&ledger, "e1", 7, "en").await;
    assert_eq!(language(&ledger, "7").await, json!("ru"), "once each");
    assert_eq!(language(&ledger, "8").await, json!(null));
    assert_eq!(language(&ledger, "Ann").await, json!(null));
}

pub(super) async fn a_name_may_hold_anything(ledger: Ledger) {
    let meet = Meet::new("Ann\0'; DROP TABLE users; --\n😀", "", "en");
    let verdict = ledger.order("e1", 7, json!(meet)).await;
    assert_eq!(verdict, Verdict::Applied);
    assert_eq!(language(&ledger, "7").await, json!("en"));
}

pub(super) async fn everybody_with_a_private_chat_is_paged_through_once(ledger: Ledger) {
    for user in 1..=30 {
        meets(&ledger, &format!("e{user}"), user, "en").await;
    }
    // Seen in a group only, and seen there after a private word.
    for user in [15, 99] {
        let mut meet = order(&format!("g{user}"), user, json!(Meet::new("Ann", "", "en")));
        meet.key.chat = -5;
        assert_eq!(ledger.run(&meet).await, Verdict::Applied);
    }
    let staff = Staff::default();
    assert_eq!(all(&ledger, Audience::All, &staff).await, (1..=30).collect::<Vec<_>>());
    assert_eq!(ledger.audience_size(Audience::All, &staff).await, Ok(30));
}

pub(super) async fn who_is_forgotten_is_a_number(ledger: Ledger) {
    for user in [7, 8] {
        meets(&ledger, &format!("e{user}"), user, "en").await;
        let given = ledger.give_role(user, MASTER).await;
        assert_eq!(given, Ok(true));
        let profile = json!({ "name": "Ann", "phone": "+79991234567" });
        keeps(&ledger, &format!("p{user}"), user, profile).await;
    }
    traces(&ledger).await;
    let tables =
        ["users", "roles", "onboarding", "photos", "conversations", "relays", "shift_media"];
    // What was passed on of them stands in the chat of whoever answered as well.
    let each = tables.map(|it| (it, if it == "relays" { 2 } else { 1 }));
    assert_eq!(ledger.forget(7).await, Ok(each.into()));
    assert_eq!(ledger.forget(7).await, Ok(tables.map(|it| (it, 0)).into()));
    assert_eq!(ledger.forget(8).await, Ok(each.into()));
    meets(&ledger, "e8 again", 8, "en").await;
    let given = ledger.give_role(8, MASTER).await;
    assert_eq!(given, Ok(true));
    keeps(&ledger, "p8 again", 8, json!({ "name": "Ann" })).await;
    assert_eq!(language(&ledger, "7").await, json!(""));
    let staff = Staff::default();
    assert_eq!(all(&ledger, Audience::All, &staff).await, [8]);
    assert_eq!(unfinished(&ledger, 7).await, json!(null));
    assert_eq!(unfinished(&ledger, 8).await["name"], "Ann");
    let given = ledger.roles_given(None).await.expect("roles");
    assert_eq!(given.into_keys().collect::<Vec<_>>(), [8]);
}

/// Something of each of the two in every table that holds something personal.
async fn traces(ledger: &Ledger) {
    let object = "INSERT INTO objects (id, name, rate, zone, active, made_at) VALUES ('o', 'Depot', 1, 'UTC', 1, 1)";
    ledger.execute(object).await;
    for sql in [
        "INSERT INTO photos (id, place, owner, file_id, caption, created_at) VALUES ('a', 0, 7, 'f', 'c', 1), ('b', 0, 8, 'f', NULL, 1)",
        "INSERT INTO conversations (id, person, opened_at) VALUES ('a', 7, 1), ('b', 8, 1)",
        "INSERT INTO relays (chat, message, conversation, created_at) VALUES (7, 1, 'a', 1), (8, 1, 'b', 1), (9, 2, 'a', 1), (9, 3, 'b', 1)",
        "INSERT INTO shifts (id, no, worker, object, rate, status, opened_at, touched_at) VALUES ('a', 1, 7, 'o', 1, 'open', 1, 1), ('b', 2, 8, 'o', 1, 'open', 1, 1)",
        "INSERT INTO shift_media (shift, task, place, file_id, added_at, due_at) VALUES ('a', 't', 0, 'f', 1, 1), ('b', 't', 0, 'f', 1, 1)",
    ] {
        ledger.execute(sql).await;
    }
}

pub(super) async fn old_photos_and_the_numbers_of_closed_orders_go(ledger: Ledger) {
    traces(&ledger).await;
    let order = "INSERT INTO orders (id, no, equipment, problem, client, address, phone, status, created_by, created_at, closed_at) \
                 VALUES ('a', 1, 'e', 'p', 'c', 'a', '+7', 'closed', 7, 1, 1), ('b', 2, 'e', 'p', 'c', 'a', '+7', 'new', 7, 1, NULL)";
    ledger.execute(order).await;
    ledger.execute("UPDATE shift_media SET path = 'there' WHERE shift = 'a'").await;
    let day = Some(Duration::from_secs(86_400));
    let retention = Retention { phones: day, photos: day, drafts: None };
    let ledger = ledger.keeping(retention).await;
    // The number of the closed order, two photos and two proofs.
    assert_eq!(ledger.blank_overdue().await, rows(5));
    assert_eq!(ledger.blank_overdue().await, rows(0));
    for (left, count) in [
        ("SELECT COUNT(*) FROM orders WHERE no = 1 AND phone = ''", 1),
        // Somebody still has to call.
        ("SELECT COUNT(*) FROM orders WHERE no = 2 AND phone = '+7'", 1),
        ("SELECT COUNT(*) FROM photos WHERE file_id <> ''", 0),
        ("SELECT COUNT(*) FROM photos WHERE caption IS NOT NULL", 0),
        ("SELECT COUNT(*) FROM shift_media WHERE file_id <> ''", 0),
        ("SELECT COUNT(*) FROM shift_media WHERE shift = 'a' AND lost IS NULL", 1),
        ("SELECT COUNT(*) FROM shift_media WHERE shift = 'b' AND lost = 'expired'", 1),
    ] {
        let found = ledger.fetch(&person(7), "setting", left).await;
        assert_eq!(found, Ok(json!(count)), "{left}");
    }
}

/// It is gone on with for as long as the dialogue would have waited, and no trace of it is left afterwards.
pub(super) async fn what_was_not_finished_goes_when_its_dialogue_would(ledger: Ledger) {
    const DAY: u64 = 86_400_000;
    let begun = Clock::system().now();
    let ledger = ledger
        .at(begun)
        .keeping(Retention { drafts: Some(Duration::from_millis(8 * DAY)), ..Retention::default() })
        .await;
    for user in [7, 8] {
        let profile = json!({ "name": "Ann" });
        keeps(&ledger, &format!("p{user}"), user, profile).await;
    }
    let finished = KeepProfile { profile: json!({ "name": "Olga" }), is_finished: true };
    for user in [8, 9] {
        let effect = format!("f{user}");
        let kept = ledger.order(&effect, user, json!(finished)).await;
        assert_eq!(kept, Verdict::Applied);
    }
    keeps(&ledger, "anew", 8, json!({ "name": "Olya" })).await;
    let ledger = ledger.at(begun + 8 * DAY - 1);
    assert_eq!(unfinished(&ledger, 7).await["name"], "Ann");
    assert_eq!(ledger.blank_overdue().await, rows(0));
    let ledger = ledger.at(begun + 8 * DAY + 1);
    for user in [7, 8, 9] {
        assert_eq!(unfinished(&ledger, user).await, json!(null));
    }
    assert_eq!(ledger.blank_overdue().await, rows(2));
    assert_eq!(ledger.blank_overdue().await, rows(0));
    let left = "SELECT profile FROM onboarding WHERE draft IS NULL";
    let left = ledger.fetch(&person(7), "setting", left).await;
    assert_eq!(left, Ok(json!("{\"name\":\"Olga\"}")));
    let left = "SELECT COUNT(*) FROM onboarding";
    let left = ledger.fetch(&person(7), "setting", left).await;
    assert_eq!(left, Ok(json!(2)), "what was finished stays");
}

pub(super) async fn the_language_that_was_chosen_is_kept_and_recalled(ledger: Ledger) {
    let recalled = async || {
        let member = ledger.fetch(&person(7), Member::READ, "").await;
        let member: Member = serde_json::from_value(member.expect("read")).expect("a member");
        member.language
    };
    assert_eq!(recalled().await, None);
    meets(&ledger, "e1", 7, "en").await;
    assert_eq!(recalled().await, None, "what the app says is no choice");
    for (effect, chosen) in [("e2", "ru"), ("e3", "en"), ("e4", "ru")] {
        let language = chosen.to_owned();
        let choose = json!(ChooseLanguage { language });
        let verdict = ledger.order(effect, 7, choose).await;
        assert_eq!(verdict, Verdict::Applied);
        assert_eq!(recalled().await.as_deref(), Some(chosen));
        assert_eq!(language_of(&ledger).await, json!(chosen));
    }
    meets(&ledger, "e5", 7, "en").await;
    assert_eq!(recalled().await.as_deref(), Some("ru"));
    assert_eq!(language_of(&ledger).await, json!("ru"));
}

async fn language_of(ledger: &Ledger) -> Value {
    language(ledger, "7").await
}

fn invites(code: &str) -> Value {
    json!(Invite { code: code.to_owned(), role: MASTER.to_string() })
}

fn joins(code: &str) -> Value {
    let code = code.to_owned();
    json!(Join { code })
}

fn refused(reason: &str) -> Verdict {
    Verdict::Refused(reason.to_owned())
}

pub(super) async fn an_invitation_is_made_by_owners_alone_and_used_once(ledger: Ledger) {
    let others = [DISPATCHER, MASTER, WORKER];
    for (user, role) in (2..).zip(others) {
        assert_eq!(ledger.give_role(user, role).await, Ok(true));
    }
    for user in 2..=5 {
        let effect = format!("e{user}");
        let invited = ledger.order(&effect, user, invites(&effect)).await;
        assert_eq!(invited, refused(NOT_ALLOWED), "{user}");
        let joined = ledger.order("j", 6, joins(&effect)).await;
        assert_eq!(joined, refused(invitation::UNKNOWN), "{user}");
    }
    assert_eq!(ledger.give_role(1, OWNER).await, Ok(true));
    let invited = ledger.order("i", 1, invites("code")).await;
    assert_eq!(invited, Verdict::Applied);
    for effect in ["a", "a"] {
        let joined = ledger.order(effect, 7, joins("code")).await;
        assert_eq!(joined, Verdict::Applied);
    }
    let joined = ledger.order("b", 8, joins("code")).await;
    assert_eq!(joined, refused(invitation::USED));
    let given = ledger.roles_given(None).await.expect("roles");
    assert!(given.contains_key(&7) && !given.contains_key(&8));
}

pub(super) async fn an_invitation_lasts_a_week_and_no_longer_than_its_makers_role(ledger: Ledger) {
    const WEEK: u64 = 7 * 86_400_000;
    let made = Clock::system().now();
    let ledger = ledger.at(made);
    assert_eq!(ledger.give_role(1, OWNER).await, Ok(true));
    for code in ["a", "b", "c"] {
        let invited = ledger.order(code, 1, invites(code)).await;
        assert_eq!(invited, Verdict::Applied);
    }
    let seen = async |ledger: &Ledger, code: &str| {
        let found = ledger.fetch(&person(7), "invitation", code).await;
        found.expect("read")["is_expired"].clone()
    };
    let ledger = ledger.at(made + WEEK - 1);
    assert_eq!(seen(&ledger, "a").await, json!(false));
    let joined = ledger.order("ja", 7, joins("a")).await;
    assert_eq!(joined, Verdict::Applied);
    let ledger = ledger.at(made + WEEK);
    assert_eq!(seen(&ledger, "b").await, json!(true));
    let joined = ledger.order("jb", 8, joins("b")).await;
    assert_eq!(joined, refused(invitation::EXPIRED));
    let ledger = ledger.at(made + 1);
    ledger.execute("DELETE FROM roles WHERE user_id = 1").await;
    let joined = ledger.order("jc", 9, joins("c")).await;
    assert_eq!(joined, refused(invitation::EXPIRED));
    let given = ledger.roles_given(None).await.expect("roles");
    assert_eq!(given.into_keys().collect::<Vec<_>>(), [7]);
}

fn rows(rows: u64) -> Blanked {
    let failures = Vec::new();
    Blanked { rows, failures }
}

pub(super) async fn what_cannot_be_blanked_keeps_nothing_else_from_it(ledger: Ledger) {
    traces(&ledger).await;
    for table in ["ALTER TABLE onboarding RENAME TO gone", "ALTER TABLE photos RENAME TO lost"] {
        ledger.execute(table).await;
    }
    let day = Some(Duration::from_secs(86_400));
    let ledger = ledger.keeping(Retention { phones: day, photos: day, drafts: None }).await;
    let Blanked { rows, failures } = ledger.blank_overdue().await;
    assert_eq!(rows, 2, "the proofs");
    let tables: Vec<_> = failures.iter().map(|(table, _)| *table).collect();
    assert_eq!(tables, ["onboarding", "photos"]);
    assert!(ledger.forget(7).await.is_err(), "it is told");
    let left = "SELECT COUNT(*) FROM relays WHERE chat = 7";
    let left = ledger.fetch(&person(7), "setting", left).await;
    assert_eq!(left, Ok(json!(0)), "and what can be forgotten is");
}

pub(super) async fn old_phone_numbers_go(ledger: Ledger) {
    let profile = json!({ "name": "Ann \"phone\": no", "phone": "+79991234567" });
    keeps(&ledger, "p1", 7, profile.clone()).await;
    assert_eq!(ledger.blank_overdue().await, rows(0), "kept for good");
    let retention =
        Retention { phones: Some(Duration::from_secs(7 * 86_400)), photos: None, drafts: None };
    let ledger = ledger.keeping(retention).await;
    assert_eq!(ledger.blank_overdue().await, rows(0), "it is young");
    let later = Clock::system().now() + 8 * 86_400_000;
    let ledger = ledger.at(later);
    assert_eq!(ledger.blank_overdue().await, rows(1));
    assert_eq!(ledger.blank_overdue().await, rows(0));
    let left = ledger.fetch(&person(7), "unfinished_profile", "").await;
    assert_eq!(left, Ok(json!({ "name": profile["name"] })));
}

/// Merely looking at the questions again does not prolong it.
pub(super) async fn the_number_of_a_profile_goes_in_its_time_whatever_is_said_anew(ledger: Ledger) {
    const DAY: u64 = 86_400_000;
    let begun = Clock::system().now();
    let ledger = ledger
        .at(begun)
        .keeping(Retention { phones: Some(Duration::from_millis(7 * DAY)), ..Retention::default() })
        .await;
    let profile = json!({ "name": "Ann", "phone": "+79991234567" });
    let finished = KeepProfile { profile: profile.clone(), is_finished: true };
    let kept = ledger.order("f", 7, json!(finished)).await;
    assert_eq!(kept, Verdict::Applied);
    let ledger = ledger.at(begun + 6 * DAY);
    keeps(&ledger, "anew", 7, profile.clone()).await;
    assert_eq!(ledger.blank_overdue().await, rows(0));
    let ledger = ledger.at(begun + 8 * DAY);
    assert_eq!(ledger.blank_overdue().await, rows(1));
    assert_eq!(ledger.blank_overdue().await, rows(0));
    let left = "SELECT profile FROM onboarding WHERE user_id = 7";
    let left = ledger.fetch(&person(7), "setting", left).await;
    let left = left.expect("a profile").to_string();
    assert!(left.contains("Ann") && !left.contains("phone"), "{left}");
    assert_eq!(unfinished(&ledger, 7).await, profile, "it is young");
}

pub(super) async fn a_draft_is_gone_on_with_in_its_own_topic(ledger: Ledger) {
    let keep = KeepProfile { profile: json!({ "name": "Ann" }), is_finished: false };
    let mut kept = order("e1", 7, json!(keep));
    kept.key.topic = Some(3);
    assert_eq!(ledger.run(&kept).await, Verdict::Applied);
    for (topic, found) in [(Some(3), "Ann".into()), (Some(4), json!(null)), (None, json!(null))] {
        let key = DialogueKey { topic, ..person(7) };
        let read = ledger.fetch(&key, "unfinished_profile", "").await;
        assert_eq!(read.expect("read")["name"], found, "{topic:?}");
    }
}

async fn keeps(ledger: &Ledger, effect: &str, user: i64, profile: Value) {
    let keep = KeepProfile { profile, is_finished: false };
    let kept = ledger.order(effect, user, json!(keep)).await;
    assert_eq!(kept, Verdict::Applied);
}

pub(super) async fn what_is_said_anew_takes_the_place_of_a_profile_when_it_is_finished(
    ledger: Ledger,
) {
    let keep = async |effect: &str, name: &str, is_finished: bool| {
        let profile = json!({ "name": name });
        let keep = KeepProfile { profile, is_finished };
        let kept = ledger.order(effect, 7, json!(keep)).await;
        assert_eq!(kept, Verdict::Applied);
    };
    let finished = "SELECT profile FROM onboarding WHERE user_id = 7";
    let profile = async || ledger.fetch(&person(7), "setting", finished).await;
    keep("e1", "Ann", false).await;
    keep("e2", "Ann", true).await;
    assert_eq!(unfinished(&ledger, 7).await, json!(null));
    keep("e3", "Olga", false).await;
    assert_eq!(unfinished(&ledger, 7).await["name"], "Olga");
    assert_eq!(profile().await, Ok(json!("{\"name\":\"Ann\"}")));
    let dropped = ledger.order("e4", 7, json!(DropProfile {})).await;
    assert_eq!(dropped, Verdict::Applied);
    assert_eq!(unfinished(&ledger, 7).await, json!(null));
    assert_eq!(profile().await, Ok(json!("{\"name\":\"Ann\"}")));
    keep("e5", "Olga", true).await;
    assert_eq!(profile().await, Ok(json!("{\"name\":\"Olga\"}")));
}

async fn unfinished(ledger: &Ledger, user: i64) -> Value {
    let read = ledger.fetch(&person(user), "unfinished_profile", "").await;
    read.expect("a profile")
}

pub(super) async fn a_role_is_configured_or_given(ledger: Ledger) {
    for user in 1..=30 {
        meets(&ledger, &format!("e{user}"), user, "en").await;
    }
    let give = "INSERT INTO roles (role, user_id, given_at) VALUES \
                ('master', 3, 0), ('master', 4, 0), ('worker', 5, 0), ('master', 40, 0), ('of tomorrow', 6, 0)";
    ledger.execute(give).await;
    let mut staff = Staff {
        members: BTreeMap::from([
            (MASTER.to_string(), BTreeSet::from([4, 20, 50])),
            (OWNER.to_string(), BTreeSet::from([1])),
        ]),
        default: None,
    };
    let masters = Audience::Role(MASTER);
    assert_eq!(all(&ledger, masters, &staff).await, [3, 4, 20, 40, 50]);
    assert_eq!(ledger.audience_size(masters, &staff).await, Ok(6), "about");
    let dispatchers = all(&ledger, Audience::Role(DISPATCHER), &staff).await;
    assert!(dispatchers.is_empty(), "{dispatchers:?}");

    staff.default = Some(WORKER.to_string());
    let workers = all(&ledger, Audience::Role(WORKER), &staff).await;
    let others = [1, 3, 4, 6, 20];
    let expected: Vec<i64> = (1..=30).filter(|user| !others.contains(user)).collect();
    assert_eq!(workers, expected, "those who have no role are workers");
}

/// All of them, by pages of different sizes.
async fn all(ledger: &Ledger, audience: Audience, staff: &Staff) -> Vec<i64> {
    let mut found = Vec::new();
    for limit in [1, 7, 1000] {
        let (mut people, mut after) = (Vec::new(), Some(0));
        while let Some(last) = after {
            let page = ledger.audience(audience, staff, last, limit).await;
            let (page, next) = page.expect("a page");
            assert!(page.len() <= limit && next.is_none_or(|next| next > last));
            people.extend(page);
            after = next;
        }
        found.push(people);
    }
    assert_eq!((&found[0], &found[1]), (&found[2], &found[2]));
    found.remove(0)
}

async fn meets(ledger: &Ledger, effect: &str, user: i64, language: &str) {
    let meet = Meet::new("Ann", "ann", language);
    let verdict = ledger.order(effect, user, json!(meet)).await;
    assert_eq!(verdict, Verdict::Applied);
}

async fn language(ledger: &Ledger, user: &str) -> serde_json::Value {
    let found = ledger.fetch(&person(1), "language", user).await;
    found.expect("an answer")
}
