//! Transcripts of orders in the making.

use serde_json::json;

use super::*;
use crate::flows;
use crate::records::order::Details;
use crate::role::{DISPATCHER, MASTER, OWNER, WORKER};
use steadfast::dialogue::Contact;

const PHONE: &str = "+79123456789";

fn master(id: i64, name: &str, language: &str) -> Colleague {
    Colleague { id, name: name.to_owned(), language: language.to_owned() }
}

fn team() -> Vec<Colleague> {
    vec![master(7001, "Ivan", "en"), master(7002, "Пётр", "ru")]
}

/// A dispatcher, two masters, and eleven orders before.
fn desk(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = TestChat::new(bot, flows::edges());
    chat.is([DISPATCHER])
        .knows(read("colleagues", "master"), team())
        .knows(read("next_order", ""), 12);
    chat
}

fn told(chat: &mut TestChat<'_>) {
    chat.types("/order").presses("Fridge").types("It does not cool");
    chat.types("Olga").types("Lenin St. 5").types("8 (912) 345-67-89");
}

fn order(no: i64, master: Option<i64>, told: Vec<Colleague>) -> CreateOrder {
    CreateOrder {
        id: "1.1760000001000".to_owned(),
        no,
        details: Details {
            equipment: "fridge".to_owned(),
            problem: "It does not cool".to_owned(),
            client: "Olga".to_owned(),
            address: "Lenin St. 5".to_owned(),
            phone: PHONE.parse().unwrap(),
        },
        master,
        told,
    }
}

fn refusal(reason: &str, order: &CreateOrder) -> Input {
    Input::Refused(Refusal {
        flow: "order".to_owned(),
        reason: reason.to_owned(),
        command: json!(order),
    })
}

#[test]
fn an_order_is_asked_for_step_by_step_and_its_master_is_told() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    chat.types("/order").at("order/equipment").hears("to be repaired");
    chat.presses("Fridge").at("order/problem").hears("wrong");
    chat.types("It does not cool").at("order/client").hears("name");
    chat.types("Olga").at("order/address").hears("address");
    chat.types("Lenin St. 5").at("order/phone").hears("phone");
    chat.types("8 (912) 345-67-89").at("order/master").hears("Who");
    chat.presses("Ivan").at("order/confirm");
    for part in ["Fridge", "It does not cool", "Olga", "Lenin St. 5", PHONE, "Ivan"] {
        chat.hears(part);
    }
    chat.presses("✅ Create the order").at("idle");
    chat.hears("Order 12 is created and given to Ivan.");
    chat.records(order(12, Some(7001), vec![master(7001, "Ivan", "en")]));
    chat.tells(7001, "Order 12 is yours").tells(7001, PHONE);
}

#[test]
fn an_order_is_asked_for_in_russian_and_everybody_hears_it_in_their_language() {
    let bot = flows::all();
    let mut chat = desk(&bot).in_language("ru");
    chat.types("/order").hears("починить").presses("Котёл");
    chat.types("Течёт").hears("зовут").types("Ольга").hears("адресу");
    chat.types("Ленина, 5").hears("телефон").types("9123456789");
    chat.presses("Предложить всем мастерам").hears("Всё верно?").hears("Котёл");
    chat.presses("✅ Создать заявку").hears("предложена 2 мастерам");
    chat.tells(7001, "Order 12 is free").tells(7001, "Boiler");
    chat.tells(7002, "Свободная заявка 12").tells(7002, "Котёл");
}

#[test]
fn an_order_that_everybody_is_offered_does_not_give_the_client_away() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    told(&mut chat);
    chat.presses("Offer it to all masters").presses("✅ Create the order");
    chat.records(order(12, None, team())).hears("offered to 2 masters");
    let sent = chat.played().unwrap().effects.iter();
    let offers = sent.filter_map(|effect| match effect {
        steadfast::dialogue::Effect::Send(message) if message.chat == 7001 => Some(message),
        _ => None,
    });
    for offer in offers {
        assert!(!offer.text.contains(PHONE) && !offer.text.contains("Olga"));
        assert_eq!(offer.rows[0][0].1, "lorders.take 12");
    }
}

#[test]
fn each_field_can_be_changed_without_starting_over() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    told(&mut chat);
    chat.presses("Ivan").at("order/confirm");
    chat.presses("✏️ Equipment").at("order/equipment").types("Sauna").at("order/confirm");
    chat.presses("✏️ Problem").at("order/problem").types("Cold").at("order/confirm");
    chat.presses("✏️ Client").at("order/client").types("Nina").at("order/confirm");
    chat.presses("✏️ Address").at("order/address").types("Park 1").at("order/confirm");
    chat.presses("✏️ Phone").at("order/phone").types("+49 30 1234567").at("order/confirm");
    chat.presses("✏️ Master")
        .at("order/master")
        .sends("order-masters")
        .presses("Пётр")
        .at("order/confirm");
    for part in ["Sauna", "Cold", "Nina", "Park 1", "+49301234567", "Пётр"] {
        chat.hears(part);
    }
    chat.presses("✅ Create the order").tells(7002, "Заявка 12 — ваша").tells(7002, "Sauna");
}

#[test]
fn a_wrong_kind_of_answer_gets_a_hint_that_says_what_is_due() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    let steps = [
        ("order/equipment", "type what", "Fridge"),
        ("order/problem", "what is wrong", "Noise"),
        ("order/client", "name", "Olga"),
        ("order/address", "address", "Lenin St. 5"),
        ("order/phone", "phone number", PHONE),
    ];
    chat.types("/order");
    for (state, hint, answer) in steps {
        for input in [Input::Other("sticker"), Input::Other("voice")] {
            chat.does(input).at(state).hears(hint);
        }
        chat.does(Input::Edited).at(state).hears("a new message");
        chat.types(answer);
    }
    chat.at("order/master").types("Ivan").at("order/master").hears("press a button");
    chat.presses("Ivan").types("yes").at("order/confirm").hears("press a button");
}

#[test]
fn what_is_too_long_is_told_kindly() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    chat.types("/order").types(&"x".repeat(201)).hears("200").at("order/equipment");
    chat.types(&"ж".repeat(200)).at("order/problem");
    chat.types(&"x".repeat(1001)).hears("1000").at("order/problem");
}

#[test]
fn a_phone_may_be_shared_as_a_contact_and_must_be_one() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    chat.types("/order").types("Lift").types("Stuck").types("Olga").types("Park 1");
    for typed in ["call me", "12", "+7 912"] {
        chat.types(typed).at("order/phone").hears("+7 912 345-67-89");
    }
    let contact = |phone: &str| Input::Contact(Contact { phone: phone.to_owned(), own: false });
    chat.does(contact("x")).at("order/phone").hears("not a phone number");
    chat.does(contact("79123456789")).at("order/master").presses("Ivan").hears(PHONE);
}

#[test]
fn there_is_a_way_back_from_every_question() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    told(&mut chat);
    chat.presses("Ivan").at("order/confirm");
    for state in ["master", "phone", "address", "client", "problem", "equipment"] {
        chat.types("/back").at(&format!("order/{state}"));
    }
    chat.types("/back").at("order/equipment").hears("no way back");
}

#[test]
fn who_changes_one_field_may_go_back_and_finds_everything_as_it_was() {
    let bot = flows::all();
    for (button, state) in [
        ("✏️ Equipment", "equipment"),
        ("✏️ Problem", "problem"),
        ("✏️ Client", "client"),
        ("✏️ Address", "address"),
        ("✏️ Phone", "phone"),
        ("✏️ Master", "master"),
    ] {
        let mut chat = desk(&bot);
        told(&mut chat);
        chat.presses("Ivan").presses(button);
        chat.at(&format!("order/{state}")).types("/back");
        chat.at("order/confirm").presses("✅ Create the order");
        chat.records(order(12, Some(7001), vec![master(7001, "Ivan", "en")]));
    }
}

/// What is read is broken for good, say: it is not lost, and holds nobody.
#[test]
fn an_order_whose_last_step_fails_for_good_waits_aside() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    told(&mut chat);
    chat.fails().at("order/master").hears("not taken in");
    chat.presses("Ivan").at("order/confirm");
    chat.fails()
        .at("idle")
        .hears("I have put this aside")
        .presses("Continue")
        .at("order/confirm")
        .hears("It does not cool")
        .presses("✅ Create the order")
        .at("idle");
    let mut chat = desk(&bot).in_language("ru");
    chat.types("/order").types("Лифт").types("Застрял");
    chat.types("Ольга").types("Парк, 1").types(PHONE);
    chat.presses("Ivan").fails().hears("Ничего не потеряно");
}

#[test]
fn masters_are_listed_by_pages_that_turn_in_place() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    let many: Vec<_> = (0..8).map(|n| master(7100 + n, &format!("M{n}"), "en")).collect();
    chat.knows(read("colleagues", "master"), many);
    told(&mut chat);
    chat.hears("Who")
        .sends("order-masters")
        .presses("▶️")
        .edits("order-masters")
        .at("order/master")
        .presses("M7")
        .at("order/confirm")
        .hears("M7");
}

/// Another dispatcher was faster with this number: nobody notices but the number.
#[test]
fn an_order_whose_number_is_taken_gets_the_next_one() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    chat.does(refusal(NUMBER, &order(12, None, team()))).at("idle");
    chat.records(order(13, None, team())).hears("Order 13 is created").tells(7002, "заявка 13");
    chat.types("/order").does(refusal(NUMBER, &order(13, None, team()))).at("order/equipment");
    chat.records(order(14, None, team())).tells(7001, "Order 14 is free");
}

/// The database rejects it: the dispatcher is told plainly, and finds everything as it was.
#[test]
fn an_order_that_could_not_be_saved_is_not_lost_and_holds_nobody() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    let ivans = order(12, Some(7001), vec![master(7001, "Ivan", "en")]);
    chat.does(refusal("", &ivans)).at("order/confirm").hears("could not be saved").hears("Olga");
    chat.presses("✅ Create the order").at("idle").records(ivans.clone());
    chat.does(refusal("", &ivans)).types("/cancel").at("idle").hears("Cancelled");
    chat.does(refusal(KNOWN, &ivans)).at("idle").hears("created already");
    chat.types("/order").does(refusal("", &ivans)).at("order/equipment").hears("Olga");
    chat.does(refusal(NOT_ALLOWED, &ivans)).at("order/equipment").hears("for others");
}

#[test]
fn a_master_who_is_none_any_more_is_chosen_anew() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    let ivans = order(12, Some(7001), vec![master(7001, "Ivan", "en")]);
    chat.does(refusal(NO_MASTER, &ivans)).at("order/master").hears("choose another");
    chat.presses("Ivan").at("order/confirm");
    chat.knows(read("colleagues", "master"), [master(7002, "Пётр", "ru")]);
    chat.presses("✅ Create the order").at("order/master").hears("choose another");
    let pyotr = chat.button("Пётр");
    chat.knows(read("colleagues", "master"), [master(7001, "Ivan", "en")]);
    chat.does(Input::Press(pyotr))
        .at("order/master")
        .hears("choose another")
        .sends("order-masters");
}

#[test]
fn an_unfinished_order_reminds_and_waits_aside() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    chat.types("/order")
        .waits(Duration::from_secs(46 * 60))
        .hears("not finished yet.\n\nWhat is to be repaired?")
        .button("Fridge");
    chat.waits(Duration::from_secs(15 * 60)).at("idle").hears("Continue where you stopped?");
    chat.presses("Continue").at("order/equipment").presses("TV").at("order/problem");
}

#[test]
fn an_order_is_created_by_those_at_the_desk_only() {
    let bot = flows::all();
    let mut chat = desk(&bot);
    chat.is([MASTER, WORKER]).types("/order").at("idle").hears("for others");
    chat.does(Input::Press("lorder.".to_owned())).at("idle").hears("for others");
    chat.is([OWNER]).types("/order").at("order/equipment");
}
