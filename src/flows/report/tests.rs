//! Transcripts of reports.

use serde_json::json;

use super::*;
use crate::flows;
use crate::money::Money;
use crate::records::colleague::Colleague;
use crate::records::order::Details;
use crate::role::{DISPATCHER, MASTER};

fn card(no: i64) -> Card {
    let person = |id: i64, name: &str, language: &str| Colleague {
        id,
        name: name.to_owned(),
        language: language.to_owned(),
    };
    Card {
        no,
        details: Details {
            equipment: "fridge".to_owned(),
            problem: "It does not cool".to_owned(),
            client: "Olga".to_owned(),
            address: "Lenin St. 5".to_owned(),
            phone: "+79123456789".parse().unwrap(),
        },
        status: Status::Assigned,
        created_at: 1_760_000_000_000,
        author: person(6001, "Dora", "ru"),
        author_hears: true,
        master: Some(person(5001, "Anna", "en")),
    }
}

fn master(bot: &Repertoire) -> TestChat<'_> {
    let mut chat = TestChat::new(bot, flows::edges());
    chat.is([MASTER])
        .knows(read("own_orders", ""), [card(11), card(12)])
        .knows(read("order", "12"), card(12));
    let rita = Colleague { id: 6002, name: "Rita".to_owned(), language: "ru".to_owned() };
    chat.knows(read("other_colleagues", DESK_ROLES), [rita]);
    chat
}

fn report(amount: i64, materials: &str) -> CloseOrder {
    CloseOrder { no: 12, amount: Money(amount), materials: materials.to_owned(), review: true }
}

fn refusal(reason: &str) -> Input {
    Input::Refused(Refusal {
        flow: "report".to_owned(),
        reason: reason.to_owned(),
        command: json!(report(150_000, "")),
    })
}

#[test]
fn a_master_reports_and_the_dispatcher_hears_of_it() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.types("/report").at("report/which").hears("Which order");
    chat.presses("№ 12 · Fridge · Lenin St. 5").at("report/amount").hears("Order 12");
    chat.types("1 500").at("report/materials").hears("materials");
    chat.presses("None").at("report/review").hears("review");
    chat.presses("Yes").at("report/confirm").hears("Fridge").hears("1,500");
    chat.presses("✅ Close the order").at("idle").hears("Order 12 is closed");
    chat.records(report(150_000, ""));
    chat.tells(6001, "Заявка 12 закрыта. Мастер: Anna.")
        .tells(6001, "Материалы: нет")
        .tells_nothing_to(6002);
}

/// Their role was taken away, or they were forgotten.
#[test]
fn who_is_not_at_the_desk_any_more_leaves_it_to_the_others_to_hear_of_a_report() {
    let bot = flows::all();
    let mut chat = master(&bot);
    let author_hears = false;
    let card = Card { author_hears, ..card(12) };
    chat.knows(read("order", "12"), card);
    chat.types("/report 12").types("1500");
    chat.presses("None").presses("Yes").presses("✅ Close the order");
    chat.hears("Order 12 is closed").tells_nothing_to(6001);
    chat.tells(6002, "Заявка 12 закрыта. Мастер: Anna.");
}

/// What is read is broken for good, say: it is not lost, and holds nobody.
#[test]
fn a_report_whose_last_step_fails_for_good_waits_aside() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.types("/report 12").types("1500");
    chat.presses("None").presses("Yes").at("report/confirm");
    chat.fails()
        .at("idle")
        .hears("I have put this aside")
        .presses("Continue")
        .at("report/confirm")
        .hears("1,500");
}

#[test]
fn a_master_reports_in_russian() {
    let bot = flows::all();
    let mut chat = master(&bot).in_language("ru");
    chat.types("/report").hears("О какой заявке").types("12").hears("Сколько");
    chat.types("1499,90").hears("материалы").types("Хладагент").hears("отзыв");
    chat.presses("Нет").hears("Всё верно?").hears("Хладагент");
    chat.presses("✅ Закрыть заявку").hears("Заявка 12 закрыта");
}

#[test]
fn a_report_begins_by_the_button_under_the_order() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.does(Input::Press("lreport.12".to_owned())).at("report/amount");
    chat.types("/cancel").does(Input::Press("lreport.13".to_owned())).at("idle");
    chat.hears("Order 13 is not open any more");
    chat.types("/report 11").at("report/amount").hears("Order 11");
}

#[test]
fn each_field_can_be_changed_without_starting_over() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.types("/report 12").types("1").types("Tape").presses("No").at("report/confirm");
    chat.presses("✏️ Amount").at("report/amount").types("2 000,50").at("report/confirm");
    chat.presses("✏️ Materials").at("report/materials").types("Wire").at("report/confirm");
    chat.presses("✏️ Review").at("report/review").presses("Yes").at("report/confirm");
    chat.presses("✅ Close the order").records(report(200_050, "Wire"));
}

#[test]
fn the_order_can_be_changed_and_the_rest_stays() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.knows(read("order", "11"), card(11));
    chat.types("/report 11").types("2 000,50").types("Wire");
    chat.presses("Yes").presses("✏️ Order").at("report/which");
    chat.types("/back").at("report/confirm").hears("2,000.50");
    chat.presses("✏️ Order").types("13").at("report/which").hears("Order 13 is not open");
    chat.presses("№ 12 · Fridge · Lenin St. 5").at("report/confirm").hears("2,000.50");
    chat.presses("✅ Close the order").records(report(200_050, "Wire"));
}

#[test]
fn a_wrong_kind_of_answer_gets_a_hint_that_says_what_is_due() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.types("/report").types("the last one").at("report/which").hears("its number");
    chat.types("99").at("report/which").hears("Order 99 is not open");
    chat.types("12");
    for typed in ["much", "-5", "5 dollars"] {
        chat.types(typed).at("report/amount").hears("1 499.90");
    }
    chat.sends_photo("p", None, None).at("report/amount").hears("amount");
    chat.types("5").does(Input::Other("voice")).at("report/materials").hears("None");
    chat.types(&"x".repeat(1001)).at("report/materials").hears("1000");
    chat.presses("None").types("maybe").at("report/review").hears("Yes");
    chat.presses("No").types("ok").at("report/confirm").hears("press a button");
}

#[test]
fn there_is_a_way_back_from_every_question() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.types("/report 12").types("1").presses("None").presses("No").at("report/confirm");
    for state in ["review", "materials", "amount", "which"] {
        chat.types("/back").at(&format!("report/{state}"));
    }
    chat.types("/back").hears("no way back");
}

#[test]
fn who_changes_one_field_may_go_back_and_finds_everything_as_it_was() {
    let bot = flows::all();
    for (button, state) in
        [("✏️ Amount", "amount"), ("✏️ Materials", "materials"), ("✏️ Review", "review")]
    {
        let mut chat = master(&bot);
        chat.types("/report 12").types("1500").presses("None");
        chat.presses("Yes").presses(button);
        chat.at(&format!("report/{state}")).types("/back");
        chat.at("report/confirm").presses("✅ Close the order");
        chat.records(report(150_000, ""));
    }
}

#[test]
fn own_orders_are_leafed_through_in_place() {
    let bot = flows::all();
    let mut chat = master(&bot);
    let many: Vec<_> = (1..=8).map(card).collect();
    chat.knows(read("own_orders", ""), many)
        .types("/report")
        .sends("report-orders")
        .presses("▶️")
        .edits("report-orders")
        .at("report/which");
    chat.presses("№ 8 · Fridge · Lenin St. 5").at("report/amount");
}

#[test]
fn who_has_no_orders_has_nothing_to_report() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.knows(read("own_orders", ""), json!([]))
        .types("/report")
        .at("idle")
        .hears("no open orders");
    chat.is([DISPATCHER]).types("/report").at("idle").hears("for others");
}

/// The database rejects it: the master is told plainly, finds the report as it was, and may go.
#[test]
fn a_report_that_could_not_be_saved_is_not_lost_and_holds_nobody() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.does(refusal("")).at("report/confirm").hears("could not be saved").hears("1,500");
    chat.presses("✅ Close the order").at("idle").records(report(150_000, ""));
    chat.does(refusal("")).types("/cancel").at("idle").hears("Cancelled");
    chat.does(refusal(NOT_OPEN)).at("idle").hears("Order 12 is not open any more");
    chat.types("/report 11").does(refusal("")).at("report/amount").hears("1,500");
    chat.does(refusal(NOT_ALLOWED)).at("report/amount").hears("for others");
}

#[test]
fn an_order_that_was_given_away_meanwhile_is_not_closed() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.types("/report 12").types("1").presses("None").presses("No").at("report/confirm");
    let close = chat.button("✅ Close the order");
    chat.knows(read("order", "12"), Card { master: None, status: Status::New, ..card(12) });
    chat.does(Input::Press(close)).at("idle").hears("Order 12 is not open any more");
}

#[test]
fn an_unfinished_report_reminds_and_waits_aside() {
    let bot = flows::all();
    let mut chat = master(&bot);
    chat.types("/report 12").waits(Duration::from_secs(46 * 60)).hears("not finished");
    chat.waits(Duration::from_secs(15 * 60)).at("idle").hears("Continue where you stopped?");
    chat.presses("Continue").at("report/amount");
}
