//! Whatever people do in whatever order, some things always hold.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Photo, Read};

/// Something that happens, and how long after what happened before.
#[derive(Debug, Clone)]
enum Event {
    Does(Input),
    /// Presses one of the buttons seen so far.
    Presses(prop::sample::Index),
    /// Does something that arrives only after this many milliseconds.
    Did(Input, u64),
    Waits,
}

fn input() -> impl Strategy<Value = Input> {
    let commands = [
        "start", "cancel", "back", "menu", "help", "signup", "ticket", "gather", "form",
        "fleeting", "shop", "legacy", "milk", "bread", "eggs", "ping", "unknown",
    ];
    prop_oneof![
        5 => prop::sample::select(commands.to_vec()).prop_map(command),
        5 => prop::sample::select(vec!["Ann", "30", "7", "", " ", "/"]).prop_map(|text| Input::Text(text.into())),
        1 => prop::option::of(Just("7".to_owned())).prop_map(|album| Input::Photo(Photo { file_id: "p".into(), album, caption: None })),
        1 => Just(Input::Edited),
        1 => Just(Input::Other("sticker")),
        1 => Just(Input::Reset),
        1 => Just(Input::Forget),
        1 => "[clrd][a-z]{0,8}[.]?[0-9]{0,4}[.]?[a-z]{0,4}".prop_map(Input::Press),
    ]
}

fn event() -> impl Strategy<Value = (Event, u64)> {
    let what = prop_oneof![
        6 => input().prop_map(Event::Does),
        5 => any::<prop::sample::Index>().prop_map(Event::Presses),
        1 => (input(), 0..2_000_000_u64).prop_map(|(input, ago)| Event::Did(input, ago)),
        3 => Just(Event::Waits),
    ];
    let gap = prop_oneof![Just(0), 1..5_000_u64, Just(300_000), Just(600_000), 0..100_000_000_u64];
    (what, gap)
}

fn known(read: &Read) -> serde_json::Value {
    match read.name {
        "is-open" => json!(true),
        "wares" => json!(2),
        _ => json!("tea"),
    }
}

/// Plays a turn twice, reading what it asks for.
fn twice(bot: &Repertoire, dialogue: &Dialogue, mut turn: Turn) -> Played {
    for _ in 0..4 {
        let played = || bot.play(scene(dialogue.clone(), turn.clone(), How::Play));
        let (first, second) = (played(), played());
        assert_eq!(first, second);
        match first {
            Ok(played) => return played,
            Err(Halt::Needs(reads)) => reads
                .into_iter()
                .for_each(|read| turn.view.reads.insert(read.clone(), known(&read))),
            Err(halt) => panic!("{halt:?}"),
        }
    }
    panic!("the reads never end")
}

fn check(before: &Dialogue, played: &Played) {
    let after = &played.dialogue;
    assert_eq!(Dialogue::read(Some(&after.write())), Ok(after.clone()));
    assert!(!after.write().contains(&b'\n'));
    assert_eq!(after.labels().is_empty(), after.due().is_none());
    let flows: BTreeSet<_> = after.parked.iter().map(|draft| &draft.flow).collect();
    assert_eq!(flows.len(), after.parked.len(), "one draft a flow");
    assert_eq!(played.changed, after != before || !played.effects.is_empty());
    assert!(played.toast.chars().count() <= 200);
    let buttons = sent(played).flat_map(|message| message.rows.iter().flatten());
    assert!(buttons.into_iter().all(|(_, data)| data.len() <= 64));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_these_things_hold(
        events in prop::collection::vec(event(), 1..40),
        group in any::<bool>(),
    ) {
        let bot = bot();
        let (mut dialogue, mut now) = (Dialogue::default(), NOON);
        let mut buttons: Vec<String> = Vec::new();
        for (number, (event, gap)) in events.into_iter().enumerate() {
            now += gap;
            let (input, sent_at) = match event {
                Event::Does(input) => (input, Some(now)),
                Event::Did(input, ago) => (input, Some(now - ago)),
                Event::Presses(which) if !buttons.is_empty() => (Input::Press(which.get(&buttons).clone()), None),
                Event::Presses(_) | Event::Waits => (Input::Timer, None),
            };
            let timer = input == Input::Timer;
            let mut turn = Turn::from(input);
            (turn.view.now, turn.sent) = (now, sent_at);
            turn.view.key.chat = if group { -100 } else { 5001 };
            turn.stamp = format!("{number}.{now}");
            let played = twice(&bot, &dialogue, turn);
            check(&dialogue, &played);
            if timer {
                prop_assert!(played.dialogue.due().is_none_or(|due| due > now), "a timer moves on");
            }
            buttons.extend(sent(&played).flat_map(|message| message.rows.iter().flatten()).map(|(_, data)| data.clone()));
            dialogue = played.dialogue;
        }
    }
}
