//! How long a dialogue stands in each of its states.

use std::time::Duration;

use super::*;

/// Whatever is done takes another second.
const SECOND: Duration = Duration::from_secs(1);

/// The transitions of the last turn, each with the seconds before it.
fn stays(chat: &TestChat<'_>) -> Vec<(String, Option<u64>)> {
    let walked = chat.played().unwrap().edges.iter();
    walked.map(|walked| (walked.to_string(), walked.stood.map(|stood| stood.as_secs()))).collect()
}

fn stay(edge: &str, seconds: impl Into<Option<u64>>) -> (String, Option<u64>) {
    (edge.to_owned(), seconds.into())
}

#[test]
fn a_stay_lasts_from_entering_a_state_to_leaving_it() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup");
    assert_eq!(stays(&chat), [stay("signup: start -> name", None)]);
    chat.waits(SECOND * 7).types("Ann");
    assert_eq!(stays(&chat), [stay("signup: name -> age", 8)]);
    chat.waits(SECOND * 20).types("30");
    assert_eq!(stays(&chat), [stay("signup: age -> confirm", 21)]);
}

#[test]
fn advice_and_waiting_do_not_begin_a_stay_anew() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").waits(SECOND * 3).types("Ann");
    chat.waits(SECOND * 10).types("old").waits(SECOND * 10);
    chat.types("30");
    assert_eq!(stays(&chat), [stay("signup: age -> confirm", 22)]);
}

#[test]
fn what_lies_aside_has_a_stay_of_its_own_and_the_state_begins_one_anew() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").types("Ann").waits(SECOND * 5);
    chat.types("/ticket");
    let both = [stay("signup: age -> parked", 6), stay("ticket: start -> trouble", None)];
    assert_eq!(stays(&chat), both);
    chat.waits(SECOND * 11).types("/cancel");
    assert_eq!(stays(&chat), [stay("ticket: trouble -> cancelled", 12)]);
    chat.waits(SECOND * 4).presses("resume-yes");
    assert_eq!(stays(&chat), [stay("signup: parked -> age", 17)]);
    chat.waits(SECOND * 2).types("30");
    assert_eq!(stays(&chat), [stay("signup: age -> confirm", 3)]);
}

#[test]
fn a_record_of_an_older_build_counts_from_where_the_flow_began() {
    let bot = bot();
    let mut chat = chat(&bot);
    chat.types("/signup").waits(SECOND * 30).types("Ann");
    let body = String::from_utf8(chat.dialogue().write()).unwrap();
    let older = body.replace(r#","entered":31000"#, "");
    assert_ne!(older, body);
    chat.finds(Dialogue::read(Some(older.as_bytes())).unwrap());
    chat.waits(SECOND * 5).types("30");
    assert_eq!(stays(&chat), [stay("signup: age -> confirm", 37)]);
}
