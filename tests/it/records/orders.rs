//! Orders, reports, photos and conversations, as every database keeps them.

use std::collections::{BTreeMap, BTreeSet};

use field_service::money::Money;
use field_service::records::colleague::Colleague;
use field_service::records::order::{
    AssignOrder, CHANGED, Card, CreateOrder, Details, GONE, KNOWN, NO_MASTER, NUMBER, Status,
    TakeOrder, YOURS,
};
use field_service::records::photo::{AddPhoto, KeepPhotos};
use field_service::records::report::{CloseOrder, NOT_OPEN};
use field_service::records::support::{
    Ask, Claim, Conversation, ENDED, EndConversation, NoteRelay,
};
use field_service::role::{DISPATCHER, OWNER, ROLES, WORKER};
use serde_json::{Value, json};
use steadfast::records::member::NOT_ALLOWED;
use steadfast::records::person::Meet;
use steadfast::records::{Records as _, Verdict};
use steadfast::staff::Staff;

use crate::support::ledger::{Ledger, open, order, person};

const DORA: i64 = 1;
const IVAN: i64 = 2;
const PYOTR: i64 = 3;
const WANDA: i64 = 4;

/// A dispatcher, two masters and a worker.
async fn staffed(ledger: &Ledger) {
    for (user, name) in [(DORA, "Dora"), (IVAN, "Ivan"), (PYOTR, "Pyotr"), (WANDA, "Wanda")] {
        let meet = json!(Meet::new(name, "", "ru"));
        assert_eq!(ledger.order(&format!("meet {user}"), user, meet).await, Verdict::Applied);
    }
    let give = "INSERT INTO roles (role, user_id, given_at) VALUES \
                ('dispatcher', 1, 0), ('master', 2, 0), ('master', 3, 0), ('master', 9, 0), ('worker', 4, 0)";
    ledger.execute(give).await;
}

fn new_order(id: &str, no: i64, master: Option<i64>) -> Value {
    json!(CreateOrder {
        id: id.to_owned(),
        no,
        details: Details {
            equipment: "fridge".to_owned(),
            problem: "It's <b>cold</b>; DROP TABLE orders".to_owned(),
            client: "Ольга".to_owned(),
            address: "Lenin St. 5".to_owned(),
            phone: "+79123456789".parse().expect("a number"),
        },
        master,
        told: Vec::new(),
    })
}

fn refused(reason: &str) -> Verdict {
    Verdict::Refused(reason.to_owned())
}

async fn card(ledger: &Ledger, no: &str) -> Option<Card> {
    let found = ledger.fetch(&person(DORA), "order", no).await.expect("read");
    serde_json::from_value(found).expect("a card")
}

async fn list(ledger: &Ledger, user: i64, name: &str) -> Vec<i64> {
    let found = ledger.fetch(&person(user), name, "").await.expect("read");
    let cards: Vec<Card> = serde_json::from_value(found).expect("cards");
    cards.iter().map(|card| card.no).collect()
}

async fn count(ledger: &Ledger, sql: &str) -> Value {
    ledger.fetch(&person(DORA), "setting", sql).await.expect("read")
}

pub(super) async fn an_order_is_there_once_and_has_a_number_of_its_own(ledger: Ledger) {
    staffed(&ledger).await;
    let next = ledger.fetch(&person(DORA), "next_order", "").await;
    assert_eq!(next, Ok(json!(1)));
    assert_eq!(ledger.order("e1", DORA, new_order("a", 1, None)).await, Verdict::Applied);
    assert_eq!(ledger.order("e2", DORA, new_order("a", 2, None)).await, refused(KNOWN));
    assert_eq!(ledger.order("e3", DORA, new_order("b", 1, None)).await, refused(NUMBER));
    assert_eq!(ledger.order("e4", DORA, new_order("b", 2, Some(IVAN))).await, Verdict::Applied);
    assert_eq!(ledger.order("e5", DORA, new_order("c", 3, Some(WANDA))).await, refused(NO_MASTER));
    assert_eq!(ledger.order("e6", IVAN, new_order("c", 3, None)).await, refused(NOT_ALLOWED));
    assert_eq!(ledger.fetch(&person(DORA), "next_order", "").await, Ok(json!(3)));
    let second = card(&ledger, "2").await.expect("an order");
    assert_eq!((second.status, second.author.called()), (Status::Assigned, "Dora".to_owned()));
    assert_eq!(second.details.client, "Ольга");
    let ivan = Colleague { id: IVAN, name: "Ivan".to_owned(), language: "ru".to_owned() };
    assert_eq!(second.master, Some(ivan));
    assert_eq!((card(&ledger, "7").await, card(&ledger, "x").await), (None, None));
}

pub(super) async fn orders_are_listed_for_those_whom_they_concern(ledger: Ledger) {
    staffed(&ledger).await;
    for (no, master) in [(1, None), (2, Some(IVAN)), (3, Some(PYOTR)), (4, Some(IVAN))] {
        let id = no.to_string();
        assert_eq!(ledger.order(&id, DORA, new_order(&id, no, master)).await, Verdict::Applied);
    }
    assert_eq!(list(&ledger, DORA, "open_orders").await, [1, 2, 3, 4]);
    assert_eq!(list(&ledger, IVAN, "open_orders").await, [1, 2, 4]);
    assert_eq!(list(&ledger, IVAN, "own_orders").await, [2, 4]);
    assert!(list(&ledger, DORA, "own_orders").await.is_empty());
    assert!(list(&ledger, WANDA, "open_orders").await.is_empty());
}

/// The newest is the last of them, and somebody waits for it.
pub(super) async fn however_many_orders_are_open_all_are_listed(ledger: Ledger) {
    staffed(&ledger).await;
    let orders = "INSERT INTO orders (id, no, equipment, problem, client, address, phone, status, created_by, created_at, master) \
                  WITH RECURSIVE n(no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM n WHERE no < 610) \
                  SELECT CAST(no AS TEXT), no, 'e', 'p', 'c', 'a', '+79123456789', 'assigned', \
                  (SELECT id FROM users WHERE name = 'Dora'), no, \
                  (SELECT id FROM users WHERE name = CASE no % 2 WHEN 1 THEN 'Ivan' ELSE 'Pyotr' END) FROM n";
    ledger.execute(orders).await;
    let all = list(&ledger, DORA, "open_orders").await;
    assert_eq!((all.len(), all.last()), (610, Some(&610)));
    let own = list(&ledger, IVAN, "own_orders").await;
    assert_eq!((own.len(), own.last()), (305, Some(&609)));
}

pub(super) async fn of_two_masters_one_gets_the_order(ledger: Ledger) {
    staffed(&ledger).await;
    let other = open(&ledger.database).await.expect("opened");
    for no in 1..=50 {
        let id = no.to_string();
        assert_eq!(ledger.order(&id, DORA, new_order(&id, no, None)).await, Verdict::Applied);
        let takes =
            [IVAN, PYOTR].map(|user| order(&format!("{user} {no}"), user, json!(TakeOrder { no })));
        let both = tokio::join!(ledger.run(&takes[0]), other.run(&takes[1]));
        let won = match both {
            (Verdict::Applied, loser) if loser == refused("taken Ivan") => IVAN,
            (loser, Verdict::Applied) if loser == refused("taken Pyotr") => PYOTR,
            both => panic!("order {no}: {both:?}"),
        };
        let master = card(&ledger, &id).await.and_then(|card| card.master);
        assert_eq!(master.map(|master| master.id), Some(won));
    }
    let again = json!(TakeOrder { no: 1 });
    let owner = card(&ledger, "1").await.and_then(|card| card.master).expect("a master");
    assert_eq!(ledger.order("again", owner.id, again.clone()).await, refused(YOURS));
    assert_eq!(ledger.order("no", WANDA, again).await, refused(NOT_ALLOWED));
    assert_eq!(ledger.order("gone", IVAN, json!(TakeOrder { no: 99 })).await, refused(GONE));
}

pub(super) async fn an_order_is_given_only_as_it_was_seen(ledger: Ledger) {
    staffed(&ledger).await;
    ledger.order("e1", DORA, new_order("a", 1, None)).await;
    let give = |master, was| json!(AssignOrder { no: 1, master, was });
    assert_eq!(ledger.order("e2", DORA, give(IVAN, None)).await, Verdict::Applied);
    assert_eq!(ledger.order("e3", DORA, give(PYOTR, None)).await, refused(CHANGED));
    assert_eq!(ledger.order("e4", DORA, give(PYOTR, Some(IVAN))).await, Verdict::Applied);
    assert_eq!(ledger.order("e5", DORA, give(WANDA, Some(PYOTR))).await, refused(NO_MASTER));
    assert_eq!(ledger.order("e6", IVAN, give(IVAN, Some(PYOTR))).await, refused(NOT_ALLOWED));
}

pub(super) async fn an_order_is_closed_once_with_one_report(ledger: Ledger) {
    staffed(&ledger).await;
    ledger.order("e1", DORA, new_order("a", 1, Some(IVAN))).await;
    let close = |amount| {
        json!(CloseOrder {
            no: 1,
            amount: Money(amount),
            materials: "Wire".to_owned(),
            review: true
        })
    };
    assert_eq!(ledger.order("e2", PYOTR, close(5)).await, refused(NOT_OPEN));
    assert_eq!(ledger.order("e3", DORA, close(5)).await, refused(NOT_ALLOWED));
    for _ in 0..2 {
        assert_eq!(ledger.order("e4", IVAN, close(149_990)).await, Verdict::Applied);
    }
    assert_eq!(ledger.order("e5", IVAN, close(1)).await, refused(NOT_OPEN));
    assert_eq!(
        count(&ledger, "SELECT amount FROM reports WHERE order_no = 1").await,
        json!(149_990)
    );
    assert_eq!(card(&ledger, "1").await.map(|card| card.status), Some(Status::Closed));
    assert!(list(&ledger, DORA, "open_orders").await.is_empty());
    let give = json!(AssignOrder { no: 1, master: PYOTR, was: Some(IVAN) });
    assert_eq!(ledger.order("e6", DORA, give).await, refused(CHANGED), "it is closed");
}

/// A report that cannot be written leaves its order open: the two are one.
pub(super) async fn an_order_whose_report_is_rejected_stays_open(ledger: Ledger) {
    staffed(&ledger).await;
    ledger.order("e1", DORA, new_order("a", 1, Some(IVAN))).await;
    ledger.execute("INSERT INTO reports (order_no, amount, materials, review, created_by, created_at) VALUES (1, 0, '', 0, 9, 0)").await;
    let close =
        json!(CloseOrder { no: 1, amount: Money(5), materials: String::new(), review: false });
    let verdict = ledger.order("e2", IVAN, close.clone()).await;
    assert!(matches!(verdict, Verdict::Broken(_)), "{verdict:?}");
    assert_eq!(card(&ledger, "1").await.map(|card| card.status), Some(Status::Assigned));
    ledger.execute("DELETE FROM reports").await;
    assert_eq!(
        ledger.order("e2", IVAN, close).await,
        Verdict::Applied,
        "what was broken may be mended"
    );
}

pub(super) async fn photos_are_kept_in_order(ledger: Ledger) {
    let keep = |caption: Option<&str>| {
        let photos = ["a", "b", "c"].map(str::to_owned).into();
        json!(KeepPhotos {
            photos,
            caption: caption.map(str::to_owned),
            album: caption.map(|_| "7".to_owned()),
        })
    };
    for _ in 0..2 {
        assert_eq!(ledger.order("e1", 7, keep(Some("Крыша"))).await, Verdict::Applied);
    }
    assert_eq!(ledger.order("e2", 7, keep(None)).await, Verdict::Applied);
    assert_eq!(count(&ledger, "SELECT COUNT(*) FROM photos").await, json!(6));
    let second = "SELECT file_id FROM photos WHERE id = 'e1' AND place = 2 AND owner = 7 AND caption = 'Крыша'";
    assert_eq!(count(&ledger, second).await, json!("b"));
    let late = |album: &str| {
        let (album, photo) = (album.to_owned(), "d".to_owned());
        json!(AddPhoto { album, photo })
    };
    for (effect, user, album) in [("e3", 7, "7"), ("e4", 8, "7"), ("e5", 7, "9")] {
        let added = ledger.order(effect, user, late(album)).await;
        assert_eq!(added, Verdict::Applied);
    }
    let added = "SELECT file_id FROM photos WHERE id = 'e1' AND place = 4 AND caption = 'Крыша'";
    assert_eq!(count(&ledger, added).await, json!("d"));
    assert_eq!(
        count(&ledger, "SELECT COUNT(*) FROM photos").await,
        json!(7),
        "neither to somebody else's album nor to one that was not kept"
    );
}

pub(super) async fn colleagues_are_those_with_a_role_who_can_be_written_to(ledger: Ledger) {
    staffed(&ledger).await;
    assert_eq!(
        names(&ledger, "colleagues", "master").await,
        ["Ivan", "Pyotr"],
        "nobody has met the third"
    );
    assert_eq!(names(&ledger, "colleagues", "owner,dispatcher").await, ["Dora"]);
    assert!(
        names(&ledger, "colleagues", "owner").await.is_empty()
            && names(&ledger, "colleagues", "king").await.is_empty()
    );
}

pub(super) async fn who_has_no_other_role_is_a_colleague_by_default(ledger: Ledger) {
    staffed(&ledger).await;
    for (user, name) in [(20, "Nina"), (21, "Boss")] {
        let meet = json!(Meet::new(name, "", "ru"));
        let met = ledger.order(&format!("meet {user}"), user, meet).await;
        assert_eq!(met, Verdict::Applied);
    }
    let ledger = ledger.employing(Staff {
        members: BTreeMap::from([(OWNER.to_string(), BTreeSet::from([21]))]),
        default: Some(WORKER.to_string()),
    });
    assert_eq!(names(&ledger, "colleagues", "worker").await, ["Nina", "Wanda"]);
    assert_eq!(names(&ledger, "colleagues", "owner").await, ["Boss"]);
}

/// The one dispatcher there is asks something: an owner can answer.
pub(super) async fn who_asks_finds_somebody_else(ledger: Ledger) {
    staffed(&ledger).await;
    let others =
        async |ledger: &Ledger| names(ledger, "other_colleagues", "dispatcher,owner").await;
    assert!(others(&ledger).await.is_empty(), "nobody but who asks");
    ledger.execute("INSERT INTO roles (role, user_id, given_at) VALUES ('owner', 4, 0)").await;
    assert_eq!(others(&ledger).await, ["Wanda"]);
    assert_eq!(names(&ledger, "colleagues", "dispatcher,owner").await, ["Dora"]);
    ledger.execute("INSERT INTO roles (role, user_id, given_at) VALUES ('dispatcher', 2, 0)").await;
    assert_eq!(others(&ledger).await, ["Ivan"]);
}

async fn names(ledger: &Ledger, lookup: &str, roles: &str) -> Vec<String> {
    let found = ledger.fetch(&person(DORA), lookup, roles).await;
    let found: Vec<Colleague> = serde_json::from_value(found.expect("read")).expect("colleagues");
    found.iter().map(Colleague::called).collect()
}

pub(super) async fn who_has_invited_somebody_hears_what_they_say_of_themselves(ledger: Ledger) {
    staffed(&ledger).await;
    let hosts = async || {
        let found = ledger.fetch(&person(WANDA), "hosts", "").await;
        let found: Vec<Colleague> =
            serde_json::from_value(found.expect("read")).expect("colleagues");
        let mut found: Vec<i64> = found.into_iter().map(|it| it.id).collect();
        found.sort_unstable();
        found
    };
    for owner in [DORA, IVAN] {
        assert_eq!(ledger.give_role(owner, OWNER).await, Ok(true));
    }
    assert_eq!(hosts().await, [DORA, IVAN]);
    let invited = "UPDATE roles SET given_by = 2 WHERE user_id = 4";
    ledger.execute(invited).await;
    assert_eq!(hosts().await, [IVAN]);
    assert_eq!(ledger.take_role(IVAN, OWNER).await, Ok(true));
    assert_eq!(hosts().await, [DORA], "who is no owner any more does not");
    ledger.execute("DELETE FROM roles WHERE user_id = 4").await;
    assert!(hosts().await.is_empty(), "anybody could write to them so");
}

pub(super) async fn who_created_an_order_hears_of_it_as_long_as_they_are_at_the_desk(
    ledger: Ledger,
) {
    staffed(&ledger).await;
    let created = ledger.order("e1", DORA, new_order("a", 1, None)).await;
    assert_eq!(created, Verdict::Applied);
    let hears = async || card(&ledger, "1").await.expect("an order").author_hears;
    assert!(hears().await);
    ledger.execute("UPDATE roles SET role = 'worker' WHERE user_id = 1").await;
    assert!(!hears().await, "the role was taken away");
    ledger.execute("UPDATE roles SET role = 'owner' WHERE user_id = 1").await;
    assert!(hears().await);
    ledger.execute("UPDATE users SET chat = NULL WHERE id = 1").await;
    assert!(!hears().await, "there is no chat to write to");
}

pub(super) async fn a_stranger_opens_no_conversation(ledger: Ledger) {
    staffed(&ledger).await;
    let ask = |id: &str| {
        let conversation = id.to_owned();
        json!(Ask { conversation })
    };
    let asked = ledger.order("e1", 30, ask("c1")).await;
    assert_eq!(asked, refused(NOT_ALLOWED));
    for (user, role) in (40..).zip(ROLES) {
        assert_eq!(ledger.give_role(user, *role).await, Ok(true));
        let id = format!("c{user}");
        let asked = ledger.order(&id, user, ask(&id)).await;
        assert_eq!(asked, Verdict::Applied, "{role:?}");
    }
}

pub(super) async fn a_conversation_is_claimed_by_one_and_ended_by_either(ledger: Ledger) {
    staffed(&ledger).await;
    ledger.execute("INSERT INTO roles (role, user_id, given_at) VALUES ('dispatcher', 2, 0)").await;
    let conversation = || "c1".to_owned();
    let ask = json!(Ask { conversation: conversation() });
    let claim = |over| json!(Claim { conversation: conversation(), over });
    let end = json!(EndConversation { conversation: conversation() });
    let found = async |user, name: &str, arg: &str| {
        let found = ledger.fetch(&person(user), name, arg).await.expect("read");
        serde_json::from_value::<Option<Conversation>>(found).expect("a conversation")
    };
    assert_eq!(ledger.order("e1", DORA, claim(false)).await, refused(ENDED), "nobody asked");
    for effect in ["e2", "e3"] {
        assert_eq!(ledger.order(effect, WANDA, ask.clone()).await, Verdict::Applied);
    }
    assert_eq!(ledger.order("e4", PYOTR, ask.clone()).await, refused(ENDED), "it is not theirs");
    for effect in ["e5", "e6"] {
        assert_eq!(ledger.order(effect, DORA, claim(false)).await, Verdict::Applied);
    }
    assert_eq!(ledger.order("e7", IVAN, claim(false)).await, refused("claimed Dora"));
    assert_eq!(ledger.order("e8", WANDA, claim(false)).await, refused(NOT_ALLOWED));
    assert_eq!(ledger.order("e9", PYOTR, end.clone()).await, refused(NOT_ALLOWED), "neither side");
    assert_eq!(ledger.order("e10", IVAN, claim(true)).await, Verdict::Applied);
    let own = found(WANDA, "own_conversation", "").await.expect("it is open");
    assert_eq!(own.dispatcher.map(|it| it.id), Some(IVAN));

    let note =
        json!(NoteRelay { conversation: conversation(), message_id: Some(77), message_chat: None });
    assert_eq!(ledger.order("e11", IVAN, note).await, Verdict::Applied);
    let nothing =
        json!(NoteRelay { conversation: conversation(), message_id: None, message_chat: None });
    assert_eq!(ledger.order("e12", IVAN, nothing).await, Verdict::Applied);
    assert_eq!(found(IVAN, "relayed", "77").await.map(|it| it.id), Some(conversation()));
    assert_eq!(found(DORA, "relayed", "77").await, None, "it is another chat");
    assert_eq!(found(IVAN, "relayed", "78").await, None);

    assert_eq!(ledger.order("e13", IVAN, end.clone()).await, Verdict::Applied);
    assert_eq!(ledger.order("e14", WANDA, end).await, refused(ENDED));
    assert_eq!(ledger.order("e15", WANDA, ask).await, refused(ENDED));
    assert_eq!(found(WANDA, "own_conversation", "").await, None);
    assert_eq!(found(DORA, "conversation", "c1").await.map(|it| it.is_open), Some(false));
}

pub(super) async fn conversations_of_others_are_found_those_that_wait_first(ledger: Ledger) {
    staffed(&ledger).await;
    for (id, user) in [("c1", WANDA), ("c2", IVAN), ("c3", DORA)] {
        let ask = json!(Ask { conversation: id.to_owned() });
        assert_eq!(ledger.order(id, user, ask).await, Verdict::Applied);
    }
    let found = async |user| {
        let found = ledger.fetch(&person(user), "conversations", "").await;
        let found: Vec<Conversation> =
            serde_json::from_value(found.expect("read")).expect("conversations");
        let found = found.into_iter();
        found.map(|it| it.id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(DORA).await, "c1 c2", "not their own");
    let claim = json!(Claim { conversation: "c1".to_owned(), over: false });
    assert_eq!(ledger.order("claim", DORA, claim).await, Verdict::Applied);
    assert_eq!(found(DORA).await, "c1 c2");
    assert_eq!(found(PYOTR).await, "c2 c3 c1", "and what Dora answers");
}

fn claim(conversation: &str, over: bool) -> Value {
    let conversation = conversation.to_owned();
    json!(Claim { conversation, over })
}

fn end(conversation: &str) -> Value {
    let conversation = conversation.to_owned();
    json!(EndConversation { conversation })
}

/// Wanda has asked, in these conversations; Dora answers, and Ivan is at the desk as well.
async fn answered(ledger: &Ledger, conversations: &[&str]) {
    staffed(ledger).await;
    let given = ledger.give_role(IVAN, DISPATCHER).await;
    assert_eq!(given, Ok(true));
    for id in conversations {
        let conversation = (*id).to_owned();
        let ask = json!(Ask { conversation });
        let asked = ledger.order(&format!("ask {id}"), WANDA, ask).await;
        assert_eq!(asked, Verdict::Applied);
        let claimed = ledger.order(&format!("claim {id}"), DORA, claim(id, false)).await;
        assert_eq!(claimed, Verdict::Applied);
    }
}

/// Who answers it, and how many wait for Ivan.
async fn who_answers(ledger: &Ledger, id: &str) -> (Option<i64>, usize) {
    let read = async |name: &str, arg: &str| {
        let found = ledger.fetch(&person(IVAN), name, arg).await;
        found.expect("read")
    };
    let one: Conversation =
        serde_json::from_value(read("conversation", id).await).expect("a conversation");
    let mut waiting: Vec<Conversation> =
        serde_json::from_value(read("conversations", "").await).expect("conversations");
    waiting.retain(|it| it.waits_for(IVAN));
    (one.dispatcher.map(|it| it.id), waiting.len())
}

pub(super) async fn a_conversation_waits_for_anybody_when_its_dispatcher_cannot_answer_any_more(
    ledger: Ledger,
) {
    answered(&ledger, &["c1", "c2", "c3"]).await;
    assert_eq!(who_answers(&ledger, "c1").await, (Some(DORA), 0));
    let claimed = ledger.order("e1", IVAN, claim("c1", false)).await;
    assert_eq!(claimed, refused("claimed Dora"));

    assert_eq!(ledger.take_role(DORA, DISPATCHER).await, Ok(true));
    assert_eq!(who_answers(&ledger, "c1").await, (None, 3));
    let refusal = refused(NOT_ALLOWED);
    assert_eq!(ledger.order("e2", DORA, claim("c1", false)).await, refusal);
    assert_eq!(ledger.order("e3", DORA, end("c1")).await, refusal);
    let claimed = ledger.order("e4", IVAN, claim("c1", false)).await;
    assert_eq!(claimed, Verdict::Applied);
    assert_eq!(who_answers(&ledger, "c1").await, (Some(IVAN), 3));
    let ended = ledger.order("e5", IVAN, end("c2")).await;
    assert_eq!(ended, Verdict::Applied, "whose it was cannot");

    // Who is at the desk again answers again what nobody else has claimed, until they are forgotten.
    assert_eq!(ledger.give_role(DORA, DISPATCHER).await, Ok(true));
    assert_eq!(who_answers(&ledger, "c3").await, (Some(DORA), 1));
    let forgotten = ledger.forget(DORA).await.expect("forgotten");
    assert!(forgotten.contains(&("conversations", 1)), "{forgotten:?}");
    assert_eq!(ledger.give_role(DORA, DISPATCHER).await, Ok(true));
    assert_eq!(who_answers(&ledger, "c3").await, (None, 2));
    // With whoever asked, what they asked comes to its end.
    ledger.forget(WANDA).await.expect("forgotten");
    assert_eq!(who_answers(&ledger, "c1").await, (Some(IVAN), 0));
    let claimed = ledger.order("e6", IVAN, claim("c3", false)).await;
    assert_eq!(claimed, refused(ENDED));
}

pub(super) async fn who_was_taken_over_from_does_not_end_a_conversation(ledger: Ledger) {
    answered(&ledger, &["c1"]).await;
    let taken = ledger.order("e1", IVAN, claim("c1", true)).await;
    assert_eq!(taken, Verdict::Applied);
    assert_eq!(ledger.order("e2", DORA, end("c1")).await, refused("claimed Ivan"));
    assert_eq!(ledger.order("e3", IVAN, end("c1")).await, Verdict::Applied);
    assert_eq!(ledger.order("e4", DORA, end("c1")).await, refused(ENDED));
}

pub(super) async fn a_refusal_tells_a_name_and_keeps_a_number(ledger: Ledger) {
    answered(&ledger, &["c1"]).await;
    for _ in 0..2 {
        let claimed = ledger.order("e1", IVAN, claim("c1", false)).await;
        assert_eq!(claimed, refused("claimed Dora"));
    }
    let kept = count(&ledger, "SELECT reason FROM effects WHERE id = 'e1'").await;
    assert_eq!(kept, json!(format!("claimed @{DORA}")));
    ledger.forget(DORA).await.expect("forgotten");
    let claimed = ledger.order("e1", IVAN, claim("c1", false)).await;
    assert_eq!(claimed, refused("claimed"), "nobody is called by a name that is forgotten");
}
