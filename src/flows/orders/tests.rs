//! Transcripts of looking at orders, taking them and giving them away.

use serde_json::json;

use super::*;
use crate::flows;
use crate::records::order::Details;
use crate::role::{DISPATCHER, MASTER};
use steadfast::dialogue::Effect;

fn person(id: i64, name: &str, language: &str) -> Colleague {
    Colleague { id, name: name.to_owned(), language: language.to_owned() }
}

fn card(no: i64, master: Option<Colleague>) -> Card {
    Card {
        no,
        details: Details {
            equipment: "fridge".to_owned(),
            problem: "It does not cool".to_owned(),
            client: "Olga".to_owned(),
            address: "Lenin St. 5, behind the old water tower".to_owned(),
            phone: "+79123456789".parse().unwrap(),
        },
        status: master.as_ref().map_or(Status::New, |_| Status::Assigned),
        created_at: 1_760_000_000_000,
        author: person(6001, "Dora", "ru"),
        author_hears: true,
        master,
    }
}

fn me() -> Colleague {
    person(5001, "Anna", "en")
}

fn chat(bot: &Repertoire, role: Role) -> TestChat<'_> {
    let mut chat = TestChat::new(bot, flows::edges());
    chat.is([role]).knows(
        read("colleagues", "master"),
        [me(), person(7001, "Ivan", "en"), person(7003, "Mark", "ru")],
    );
    chat.knows(read("other_colleagues", DESK_ROLES), [person(6002, "Rita", "ru")]);
    chat
}

fn presses(chat: &mut TestChat<'_>, link: &str) {
    chat.does(Input::Press(format!("lorders.{link}")));
}

fn refusal(reason: &str, command: impl Serialize) -> Input {
    Input::Refused(Refusal {
        flow: "orders".to_owned(),
        reason: reason.to_owned(),
        command: json!(command),
    })
}

#[test]
fn open_orders_are_leafed_through_in_place_and_shown_in_detail() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    let many: Vec<_> = (1..=8).map(|no| card(no, None)).collect();
    chat.knows(read("open_orders", ""), many)
        .knows(read("order", "8"), card(8, Some(person(7001, "Ivan", "en"))));
    chat.types("/orders").at("idle").hears("8 open orders");
    chat.sends(LIST)
        .presses("▶️")
        .edits(LIST)
        .presses("🆕 № 8 · Fridge · Lenin St. 5, behind the …");
    chat.hears("Order 8").hears("+79123456789").hears("Ivan").hears("Dora").edits(LIST);
    chat.presses("⬅️ Back").hears("8 open orders").edits(LIST);
    chat.knows(read("open_orders", ""), json!([])).types("/orders").hears("no open orders");
}

#[test]
fn a_master_takes_an_order_the_dispatcher_hears_of_it_and_others_see_it_gone() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER);
    chat.knows(read("order", "12"), card(12, None));
    presses(&mut chat, "take 12");
    chat.at("idle").hears("Order 12 is yours").hears("+79123456789");
    chat.records(TakeOrder { no: 12 });
    chat.tells(6001, "Заявка 12 взята. Мастер: Anna.");
    chat.tells(7001, "Order 12 has been taken by Anna.");
}

/// Their role was taken away, or they were forgotten.
#[test]
fn who_is_not_at_the_desk_any_more_leaves_it_to_the_others_to_hear_who_took_their_order() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER);
    let author_hears = false;
    let card = Card { author_hears, ..card(12, None) };
    chat.knows(read("order", "12"), card);
    presses(&mut chat, "take 12");
    chat.hears("Order 12 is yours").tells_nothing_to(6001);
    chat.tells(6002, "Заявка 12 взята. Мастер: Anna.");
}

#[test]
fn a_master_who_came_later_finds_a_free_order_and_takes_it() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER);
    chat.knows(read("open_orders", ""), [card(12, None)])
        .knows(read("order", "12"), card(12, None));
    chat.types("/orders")
        .presses("🆕 № 12 · Fridge · Lenin St. 5, behind the …")
        .hears("Order 12 is free");
    let shown = format!("{:?}", chat.played());
    assert!(!shown.contains("Olga") && !shown.contains("+7912"));
    chat.presses("🙋 Take the order")
        .records(TakeOrder { no: 12 })
        .hears("Order 12 is yours")
        .edits(LIST);
    chat.tells(7001, "Order 12 has been taken by Anna.");
}

#[test]
fn a_free_order_that_is_given_away_is_offered_to_nobody_any_more() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    chat.knows(read("order", "12"), card(12, None));
    presses(&mut chat, "give 12 7001");
    chat.tells(7001, "Order 12 is yours").tells(7003, "Заявка 12 уже взята. Мастер: Ivan.");
}

/// Telegram notifies nobody of a message that is changed: it would lie unread above everything else.
#[test]
fn who_is_given_an_order_hears_of_it_in_a_message_of_its_own() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    chat.knows(read("order", "12"), card(12, None));
    presses(&mut chat, "give 12 7001");
    let effects = &chat.played().expect("a turn").effects;
    let told = effects.iter().find_map(|effect| match effect {
        Effect::Send(told) if told.chat == 7001 => Some(told),
        _ => None,
    });
    let told = told.expect("they are told");
    let by_name = (told.name.as_deref(), told.in_place);
    assert_eq!(by_name, (Some("offer-12"), false));
}

#[test]
fn who_is_no_master_any_more_does_not_hear_that_their_order_is_given_away() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    chat.knows(read("order", "12"), card(12, Some(person(7009, "Egor", "en"))));
    presses(&mut chat, "give 12 7001");
    chat.tells(7001, "Order 12 is yours").tells_nothing_to(7009);
}

#[test]
fn who_was_not_first_is_told_who_was() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER);
    chat.does(refusal("taken Ivan", TakeOrder { no: 12 })).at("idle");
    chat.hears("Order 12 is taken: Ivan was faster.");
    chat.does(refusal("taken", TakeOrder { no: 12 })).hears("somebody else was faster");
    chat.does(refusal(GONE, TakeOrder { no: 12 })).hears("not open any more");
    chat.does(refusal(NOT_ALLOWED, TakeOrder { no: 12 })).hears("for others");
}

/// Pressed twice, the second press is told the truth, and nobody else hears of it again.
#[test]
fn a_button_pressed_twice_takes_an_order_once() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER);
    chat.does(refusal(YOURS, TakeOrder { no: 12 })).hears("Order 12 is yours already.");
    assert_eq!(chat.played().unwrap().effects.len(), 1);
}

#[test]
fn an_order_that_is_not_there_cannot_be_taken() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER);
    chat.knows(read("order", "12"), json!(null));
    presses(&mut chat, "take 12");
    chat.hears("not open any more");
    presses(&mut chat, "dance 12");
    chat.sees("no longer active").hears_nothing();
}

#[test]
fn a_master_sees_the_orders_that_are_theirs_and_no_others() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER);
    chat.knows(read("order", "12"), card(12, Some(me())))
        .knows(read("order", "13"), card(13, Some(person(7001, "Ivan", "en"))));
    presses(&mut chat, "show 12");
    chat.hears("Olga").button("✅ Report");
    presses(&mut chat, "show 13");
    chat.hears("not for you");
    presses(&mut chat, "assign 12 0");
    chat.hears("for others");
}

#[test]
fn a_dispatcher_gives_an_order_to_another_master_and_both_hear_of_it() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    let marks = person(7003, "Mark", "ru");
    chat.knows(read("order", "12"), card(12, Some(marks.clone())));
    presses(&mut chat, "show 12 0");
    chat.presses("🧰 Give it to a master").hears("Who shall do order 12?");
    chat.presses("Ivan").at("idle").hears("given to Ivan");
    chat.records(AssignOrder { no: 12, master: 7001, was: Some(7003) });
    chat.tells(7001, "Order 12 is yours").tells(7003, "передана другому мастеру");
    chat.does(refusal(CHANGED, AssignOrder { no: 12, master: 7001, was: None }))
        .hears("just changed");
    chat.does(refusal(NO_MASTER, AssignOrder { no: 12, master: 7001, was: None })).hears("another");
}

#[test]
fn whom_an_order_can_be_given_to_is_leafed_through_in_place() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    let masters: Vec<_> = (1..=8).map(|n| person(7000 + n, &format!("Master {n}"), "en")).collect();
    chat.knows(read("colleagues", "master"), masters).knows(read("order", "12"), card(12, None));
    presses(&mut chat, "show 12 0");
    chat.presses("🧰 Give it to a master").edits(LIST);
    chat.presses("▶️").hears("Who shall do order 12?").edits(LIST);
    chat.presses("Master 8").edits(LIST).hears("Master 8");
    chat.records(AssignOrder { no: 12, master: 7008, was: None });
}

#[test]
fn an_order_that_is_given_twice_is_told_of_once() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    chat.knows(read("order", "12"), card(12, None));
    presses(&mut chat, "give 12 7001");
    chat.tells(7001, "Order 12 is yours");
    chat.knows(read("order", "12"), card(12, Some(person(7001, "Ivan", "en"))));
    presses(&mut chat, "give 12 7001");
    chat.hears("given to Ivan");
    assert_eq!(chat.played().unwrap().effects.len(), 1);
    presses(&mut chat, "give 12 9999");
    chat.hears("not open any more");
}

#[test]
fn looking_at_orders_interrupts_nothing() {
    let bot = flows::all();
    let mut chat = chat(&bot, DISPATCHER);
    chat.knows(read("open_orders", ""), [card(1, None)]);
    chat.types("/order").types("/orders").at("order/equipment").hears("One open order");
    assert!(chat.dialogue().parked.is_empty());
}

#[test]
fn orders_are_looked_at_and_taken_in_russian_too() {
    let bot = flows::all();
    let mut chat = chat(&bot, MASTER).in_language("ru");
    chat.knows(read("open_orders", ""), [card(8, Some(me()))])
        .knows(read("order", "8"), card(8, None));
    chat.types("/orders").hears("1 открытая заявка");
    presses(&mut chat, "take 8");
    chat.records(TakeOrder { no: 8 }).hears("Заявка 8 — ваша");
}
