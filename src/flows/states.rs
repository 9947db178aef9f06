//! Every state of every flow meets what it did not ask for.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::flows;
use crate::role::ROLES;
use steadfast::dialogue::{
    Contact, Dialogue, DueTo, Effect, Input, Photo, Repertoire, TestChat, read,
};

/// A sample of each state, and which of the inputs below it takes for an answer.
fn samples() -> Vec<(&'static str, Value, &'static [&'static str])> {
    let order = json!({ "id": "d" });
    let whole = json!({ "id": "d", "equipment": "Lift", "problem": "Stuck", "client": "Olga", "address": "Park 1",
                        "phone": "+79123456789", "master": "all" });
    let report = json!({ "no": 12, "amount": 100, "materials": "", "review": true });
    let object =
        json!({ "of": "object", "active": true, "name": "Depot", "rate": 1, "zone": "UTC" });
    let task = json!({ "id": "t", "title": "Sweep", "kind": "bonus", "price": 1, "media": false, "done": false, "photos": 0 });
    let shift = json!({ "id": "s", "object": "Depot", "zone": "UTC", "opened_at": 0, "terms": { "rate": 1, "tasks": [task] } });
    let conversation = "c";
    vec![
        ("invite", json!({ "at": "role" }), &[]),
        ("language", json!({ "at": "which" }), &[]),
        ("manage", json!({ "at": "objects", "page": 0 }), &[]),
        ("manage", json!({ "at": "slots", "object": "o", "page": 0 }), &[]),
        ("manage", json!({ "at": "tasks", "object": "o", "page": 0 }), &[]),
        ("manage", json!({ "at": "field", "form": object, "field": "name" }), &[]),
        ("manage", json!({ "at": "card", "form": object }), &[]),
        ("onboarding", json!({ "at": "name" }), &[]),
        ("onboarding", json!({ "at": "phone" }), &["contact"]),
        ("onboarding", json!({ "at": "city" }), &[]),
        ("onboarding", json!({ "at": "trade" }), &[]),
        ("onboarding", json!({ "at": "experience" }), &[]),
        ("onboarding", json!({ "at": "car" }), &[]),
        ("onboarding", json!({ "at": "about" }), &[]),
        ("onboarding", json!({ "at": "confirm" }), &[]),
        ("order", json!({ "at": "equipment", "draft": order }), &[]),
        ("order", json!({ "at": "problem", "draft": order }), &[]),
        ("order", json!({ "at": "client", "draft": order }), &[]),
        ("order", json!({ "at": "address", "draft": order }), &[]),
        ("order", json!({ "at": "phone", "draft": order }), &["contact"]),
        ("order", json!({ "at": "master", "draft": order, "page": 0 }), &[]),
        ("order", json!({ "at": "confirm", "draft": whole }), &[]),
        ("photo", json!({ "at": "shot" }), &["photo"]),
        // A moment, not a question: it takes in whatever belongs to the album.
        (
            "photo",
            json!({ "at": "album", "album": "7", "photos": ["p"], "caption": null }),
            &["photo", "text", "contact", "other"],
        ),
        ("photo", json!({ "at": "caption", "album": null, "photos": ["p"] }), &[]),
        ("report", json!({ "at": "which", "page": 0 }), &[]),
        ("report", json!({ "at": "amount", "draft": report }), &[]),
        ("report", json!({ "at": "materials", "draft": report }), &[]),
        ("report", json!({ "at": "review", "draft": report }), &[]),
        ("report", json!({ "at": "confirm", "draft": report }), &[]),
        ("shift", json!({ "at": "object", "page": 0 }), &[]),
        ("shift", json!({ "at": "slot", "object": "o" }), &[]),
        ("shift", json!({ "at": "terms", "object": "o", "slot": null }), &[]),
        ("shift", json!({ "at": "tasks", "shift": shift, "page": 0, "proof": null }), &[]),
        ("shift", json!({ "at": "task", "shift": shift, "task": "t" }), &["photo"]),
        ("shift", json!({ "at": "close", "shift": shift, "until": 1 }), &[]),
        ("support", json!({ "at": "question" }), &["text", "photo"]),
        ("support", json!({ "at": "talking", "conversation": conversation }), &["text", "photo"]),
        ("support", json!({ "at": "inbox", "page": 0 }), &[]),
        ("support", json!({ "at": "answering", "conversation": conversation }), &["text", "photo"]),
    ]
}

/// What hardly anybody asks for.
fn inputs() -> Vec<(&'static str, Input)> {
    let photo = |album: Option<&str>| {
        Input::Photo(Photo {
            file_id: "p".to_owned(),
            album: album.map(str::to_owned),
            caption: None,
        })
    };
    let phone = "79123456789".to_owned();
    vec![
        ("other", Input::Other("sticker")),
        ("other", Input::Other("voice")),
        ("edited", Input::Edited),
        ("photo", photo(None)),
        ("photo", photo(Some("8"))),
        ("contact", Input::Contact(Contact { phone, own: true })),
        ("text", Input::Text("x".repeat(4096))),
        ("text", Input::Text("😀".repeat(2048))),
    ]
}

/// A chat that stands in this state, with records that have next to nothing.
fn standing<'a>(bot: &'a Repertoire, flow: &str, state: &Value) -> TestChat<'a> {
    let mut chat = TestChat::sketch(bot);
    let record = json!({ "v": 1, "live": { "flow": flow, "schema": 1, "state": state, "nonce": "oldone",
                         "since": 1, "active": 1, "due": { "at": 1_860_000_000_000_u64, "to": "expire" } } });
    let record = Dialogue::read(Some(record.to_string().as_bytes()));
    chat.finds(record.expect("a state that can be read")).is(ROLES.iter().copied());
    let person = json!({ "id": 8001, "name": "Olga", "language": "en" });
    let asked =
        json!({ "id": "c", "person": person, "dispatcher": null, "is_open": true, "opened_at": 0 });
    for roles in ["master", "owner"] {
        chat.knows(read("colleagues", roles), [&person]);
    }
    for roles in ["dispatcher,owner", "owner"] {
        chat.knows(read("other_colleagues", roles), [&person]);
    }
    chat.knows(read("hosts", ""), [&person]);
    for (name, arg) in [
        ("objects", ""),
        ("slots", "o"),
        ("tasks", "o"),
        ("sites", ""),
        ("own_orders", ""),
        ("conversations", ""),
    ] {
        chat.knows(read(name, arg), json!([]));
    }
    for (name, arg) in [("order", "12"), ("offer", "o "), ("unfinished_profile", "")] {
        chat.knows(read(name, arg), json!(null));
    }
    chat.knows(read("next_order", ""), 1).knows(read("conversation", "c"), asked);
    chat
}

#[test]
fn whatever_comes_in_place_of_an_answer_gets_a_hint_and_changes_nothing() {
    let bot = flows::all();
    for (flow, state, takes) in samples() {
        let at = format!("{flow}/{}", state["at"].as_str().expect("a name"));
        for (kind, input) in inputs() {
            if takes.contains(&kind) {
                continue;
            }
            let mut chat = standing(&bot, flow, &state);
            let before = chat.dialogue().live.clone().expect("a state");
            chat.does(input.clone()).at(&at);
            let live = chat.dialogue().live.clone().expect("a state");
            assert_eq!(live.nonce, before.nonce, "{at}: its buttons go on working after {input:?}");
            let effects = &chat.played().expect("a turn").effects;
            let hints = effects.iter().filter(|effect| matches!(effect, Effect::Send(sent) if sent.chat == 5001 && !sent.text.is_empty()));
            assert_eq!((hints.count(), effects.len()), (1, 1), "{at} to {input:?}: {effects:?}");
        }
    }
}

/// How long after the last answer a state reminds, and how long it waits, in minutes.
fn waits(flow: &str, state: &str) -> (Option<u64>, u64) {
    const DAY: u64 = 24 * 60;
    match (flow, state) {
        ("photo", _) => (Some(5), 10),
        ("shift", _) => (Some(DAY - 60), DAY),
        ("onboarding", _) => (Some(3 * DAY), 7 * DAY),
        ("order" | "report" | "invite", _)
        | ("manage", "field" | "card")
        | ("support", "question") => (Some(45), 60),
        _ => (None, 60),
    }
}

#[test]
fn every_state_reminds_and_waits_as_people_were_promised() {
    let bot = flows::all();
    // An album is a moment, not a question.
    let samples = samples().into_iter();
    for (flow, state, _) in samples.filter(|(_, state, _)| state["at"] != "album") {
        let at = state["at"].as_str().expect("a name");
        let mut chat = standing(&bot, flow, &state);
        chat.does(Input::Other("voice")).at(&format!("{flow}/{at}"));
        let due = |chat: &TestChat<'_>| {
            let live = chat.dialogue().live.clone().expect("a state");
            (live.due.to, (live.due.at - live.active) / 60_000)
        };
        let (remind, ttl) = waits(flow, at);
        if let Some(remind) = remind {
            assert_eq!(due(&chat), (DueTo::Remind, remind), "{flow}/{at}");
            chat.waits(Duration::from_secs(remind * 60));
        }
        assert_eq!(due(&chat), (DueTo::Expire, ttl), "{flow}/{at}");
    }
}

#[test]
fn no_state_is_left_out() {
    let known: BTreeSet<String> = samples()
        .iter()
        .map(|(flow, state, _)| format!("{flow}/{}", state["at"].as_str().expect("a name")))
        .collect();
    let there = flows::edges().states().into_iter();
    let there = there.filter(|place| !place.ends_with("/parked"));
    assert_eq!(known, there.collect());
}
