//! Before every door: who may begin which flow, by its command and by a button that nobody has shown them.

use crate::flows;
use crate::records::photo::KeepPhotos;
use crate::records::shift::Running;
use crate::role::{DISPATCHER, MASTER, OWNER, WORKER};
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Command, Effect, RECORD};

/// For strangers too.
const EVERYBODY: &[Option<Role>] =
    &[None, Some(OWNER), Some(DISPATCHER), Some(MASTER), Some(WORKER)];

/// Every flow, and who may begin it.
fn doors() -> [(&'static str, &'static [Option<Role>]); 12] {
    let (_, staff) = EVERYBODY.split_at(1);
    let (desk, _) = staff.split_at(2);
    let (orders, workers) = staff.split_at(3);
    [
        ("photo", EVERYBODY),
        ("join", EVERYBODY),
        ("privacy", EVERYBODY),
        ("language", EVERYBODY),
        ("support", staff),
        ("onboarding", staff),
        ("order", desk),
        ("orders", orders),
        ("report", &orders[2..]),
        ("shift", workers),
        ("manage", &desk[..1]),
        ("invite", &desk[..1]),
    ]
}

/// Somebody of this role, or a stranger, in a company where nothing is going on.
fn somebody(bot: &Repertoire, role: Option<Role>) -> TestChat<'_> {
    let mut chat = TestChat::sketch(bot);
    chat.is(role);
    for list in ["sites", "own_orders", "open_orders", "objects", "conversations"] {
        chat.knows(read(list, ""), Vec::<()>::new());
    }
    chat.knows(read("colleagues", "master"), Vec::<()>::new());
    chat.knows(read("other_colleagues", "dispatcher,owner"), Vec::<()>::new());
    for thing in ["shift", "own_conversation", "unfinished_profile"] {
        chat.knows(read(thing, ""), None::<Running>);
    }
    chat
}

/// The texts and the buttons of the last turn.
fn shown(chat: &TestChat<'_>) -> (Vec<String>, Vec<String>) {
    let effects = chat.played().expect("a turn").effects.iter();
    let sent: Vec<_> = effects
        .filter_map(|effect| match effect {
            Effect::Send(message) => Some(message),
            _ => None,
        })
        .collect();
    let rows = sent.iter().flat_map(|message| message.rows.iter().flatten());
    let labels = rows.map(|(label, _)| label.clone()).collect();
    let texts = sent.iter().map(|message| message.text.clone()).collect();
    (texts, labels)
}

fn is_refused(chat: &TestChat<'_>) -> bool {
    let (texts, _) = shown(chat);
    let refusals = ["I do not know you yet", "That is for others"];
    let is_one = |text: &String| refusals.iter().any(|refusal| text.contains(refusal));
    texts.iter().any(is_one)
}

#[test]
fn every_flow_has_its_door() {
    let bot = flows::all();
    let mut named: Vec<_> = doors().map(|(flow, _)| flow.to_owned()).into();
    named.push(RECORD.to_owned());
    named.sort();
    let all: Vec<String> = bot.schemas().into_keys().collect();
    assert_eq!(named, all);
}

#[test]
fn a_flow_begins_for_those_it_is_for_and_for_nobody_else() {
    let bot = flows::all();
    for (flow, may) in doors() {
        for role in EVERYBODY {
            let command = Input::Command(Command { name: flow.to_owned(), arg: String::new() });
            let forged = Input::Press(format!("l{flow}."));
            for input in [command, forged] {
                let mut chat = somebody(&bot, *role);
                chat.does(input);
                let refused = is_refused(&chat);
                assert_eq!(refused, !may.contains(role), "{flow} for {role:?}");
                if refused {
                    chat.at("idle");
                }
            }
        }
    }
}

/// A draft from better days is no way in either.
#[test]
fn whoever_has_become_a_stranger_goes_on_with_nothing() {
    let bot = flows::all();
    let mut chat = somebody(&bot, Some(OWNER));
    chat.types("/invite").at("invite/role").types("/photo");
    chat.types("/cancel").is(None);
    chat.does(Input::Press("rinvite.".to_owned())).at("idle");
    assert!(is_refused(&chat));
}

#[test]
fn a_stranger_can_send_a_photo_and_has_no_other_business_here() {
    let bot = flows::all();
    let mut chat = somebody(&bot, None);
    chat.types("/menu").hears("Ask whoever runs it");
    let (_, labels) = shown(&chat);
    assert_eq!(labels, ["📷 Photo", "🌐 Language"]);
    chat.sends_photo("p", None, None).at("photo/caption");
    chat.types("It leaks").at("idle").hears("Thank you!");
    chat.records(KeepPhotos {
        photos: vec!["p".to_owned()],
        caption: Some("It leaks".to_owned()),
        album: None,
    });
}
