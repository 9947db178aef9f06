//! A repair order, from what is broken to who repairs it.

use super::ground::Ground;
use crate::support::person::Person;

const CREATE: &str = "✅ Create the order";
const CREATED: &str = "order: confirm -> done";

/// Says everything of an order, up to the question whether it is right.
async fn tells(dispatcher: Person<'_>, to: &str) {
    dispatcher.says("/order").await;
    dispatcher
        .goes(&[
            ("What is to be repaired?", "[Fridge]"),
            ("What is wrong with it?", "It does not cool"),
            ("client’s name?", "Olga Petrova"),
            ("At which address?", "Lenin St. 5"),
            ("client’s phone number?", "8 (912) 345-67-89"),
            ("Who shall do it?", to),
        ])
        .await;
    dispatcher.hears("Is everything right?").await;
}

/// Creates an order for whom this button names.
pub(super) async fn creates(dispatcher: Person<'_>, to: &str) {
    tells(dispatcher, to).await;
    dispatcher.presses(CREATE).await;
    dispatcher.hears("is created").await;
}

#[tokio::test]
async fn every_way_of_an_order_is_walked() {
    let ground = Ground::new().await;
    let dora = ground.meets("Dora", "en", &["dispatcher"]).await;
    let ivan = ground.meets("Ivan", "en", &["master"]).await;
    let egor = ground.meets("Egor", "en", &["master"]).await;
    there_and_back(dora).await;
    each_field_is_changed(dora).await;
    a_master_is_chosen_anew(&ground, dora, egor).await;
    dora.presses(CREATE).await;
    dora.hears("Order 1 is created and given to Ivan.").await;
    ivan.hears("Order 1 is yours").await;
    two_want_one_number(&ground, dora).await;
    the_records_refuse(&ground, dora).await;
    its_master_is_none_any_more(&ground, dora, ivan).await;
    in_russian(&ground).await;
    ground.is_walked("order").await;
}

async fn there_and_back(dora: Person<'_>) {
    dora.says("/order").await;
    dora.goes(&[
        ("What is to be repaired?", "[Fridge]"),
        ("What is wrong with it?", "/back"),
        ("What is to be repaired?", "An old lift"),
        ("What is wrong with it?", "It is stuck"),
        ("client’s name?", "/back"),
        ("What is wrong with it?", "It is stuck"),
        ("client’s name?", "Olga Petrova"),
        ("At which address?", "/back"),
        ("client’s name?", "Olga Petrova"),
        ("At which address?", "Lenin St. 5"),
        ("client’s phone number?", "/back"),
        ("At which address?", "Lenin St. 5"),
        ("client’s phone number?", "8 (912) 345-67-89"),
        ("Who shall do it?", "/back"),
        ("client’s phone number?", "8 (912) 345-67-89"),
        ("Who shall do it?", "[Ivan]"),
        ("Is everything right?", "/back"),
        ("Who shall do it?", "[Offer it to all masters]"),
    ])
    .await;
    dora.hears("Offer it to all masters").await;
}

async fn each_field_is_changed(dora: Person<'_>) {
    dora.goes(&[
        ("An old lift", "[✏️ Equipment]"),
        ("What is to be repaired?", "A Finnish sauna"),
        ("A Finnish sauna", "[✏️ Problem]"),
        ("What is wrong with it?", "It stays cold"),
        ("It stays cold", "[✏️ Client]"),
        ("client’s name?", "Nina Orlova"),
        ("Nina Orlova", "[✏️ Address]"),
        ("At which address?", "Park Lane 1"),
        ("Park Lane 1", "[✏️ Phone]"),
        ("client’s phone number?", "+49 30 1234567"),
        ("+49301234567", "[✏️ Master]"),
    ])
    .await;
}

/// Whoever is shown is no master any more when they are pressed.
async fn a_master_is_chosen_anew(ground: &Ground, dora: Person<'_>, egor: Person<'_>) {
    dora.hears("Who shall do it?").await;
    ground.takes(egor, "master").await;
    dora.presses("Egor").await;
    dora.hears_both("choose another", "Who shall do it?").await;
    dora.presses("Ivan").await;
    dora.hears("Is everything right?").await;
}

/// Two at the desk create an order at once. Both are created, one of them under the next number.
async fn two_want_one_number(ground: &Ground, dora: Person<'_>) {
    let nina = ground.meets("Nina", "en", &["dispatcher"]).await;
    for dispatcher in [dora, nina] {
        tells(dispatcher, "[Ivan]").await;
    }
    let hold = ground.holds_records();
    for dispatcher in [dora, nina] {
        ground.sees(CREATED, dispatcher.presses(CREATE)).await;
    }
    hold.lets_go();
    let mut numbers = [dora.hears("is created").await, nina.hears("is created").await];
    numbers.sort();
    for (told, no) in numbers.iter().zip([2, 3]) {
        assert!(told.contains(&format!("Order {no} is created")), "{told}");
    }
}

/// What was said is shown once more.
async fn the_records_refuse(ground: &Ground, dora: Person<'_>) {
    tells(dora, "[Ivan]").await;
    let spoilt = ground.holds_records().spoils("orders");
    dora.presses(CREATE).await;
    dora.hears_both("could not be saved", "Is everything right?").await;
    spoilt.mends();
    dora.presses(CREATE).await;
    dora.hears("Order 4 is created").await;
}

/// Their role is taken away after the order was confirmed, and before it is written.
async fn its_master_is_none_any_more(ground: &Ground, dora: Person<'_>, ivan: Person<'_>) {
    tells(dora, "[Ivan]").await;
    let hold = ground.holds_records();
    ground.sees(CREATED, dora.presses(CREATE)).await;
    hold.runs(&format!("DELETE FROM roles WHERE user_id = {}", ivan.1));
    hold.lets_go();
    dora.hears_both("choose another", "Who shall do it?").await;
    dora.goes(&[
        ("Who shall do it?", "[Offer it to all masters]"),
        ("Is everything right?", "[✅ Create the order]"),
    ])
    .await;
    dora.hears("There is no master to offer it to yet.").await;
}

async fn in_russian(ground: &Ground) {
    let vera = ground.meets("Вера", "ru", &["dispatcher"]).await;
    let oleg = ground.meets("Олег", "ru", &["master"]).await;
    vera.says("/order").await;
    vera.goes(&[
        ("Что нужно починить?", "[Котёл]"),
        ("Что случилось?", "Течёт с утра"),
        ("Как зовут клиента?", "Ольга Петрова"),
        ("По какому адресу?", "Ленина, 5"),
        ("Какой телефон у клиента?", "9123456789"),
        ("Кому поручить?", "[Олег]"),
        ("Всё верно?", "[✅ Создать заявку]"),
    ])
    .await;
    vera.hears("Заявка 6 создана и поручена. Мастер: Олег.").await;
    oleg.hears("Заявка 6 — ваша").await;
}
