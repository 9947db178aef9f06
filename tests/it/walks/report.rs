//! A master's report of an order that is carried out.

use super::ground::Ground;
use super::order::creates;
use crate::support::person::Person;

const CLOSE: &str = "✅ Close the order";

#[tokio::test]
async fn every_way_of_a_report_is_walked() {
    let ground = Ground::new().await;
    let dora = ground.meets("Dora", "en", &["dispatcher"]).await;
    let ivan = ground.meets("Ivan", "en", &["master"]).await;
    ivan.says("/report").await;
    ivan.hears("You have no open orders to report on.").await;
    creates(dora, "[Ivan]").await;
    ivan.hears("Order 1 is yours").await;
    there_and_back(ivan).await;
    each_field_is_changed(ivan).await;
    the_records_refuse(&ground, ivan).await;
    dora.hears("Ivan has closed order 1.").await;

    let oleg = ground.meets("Олег", "ru", &["master"]).await;
    creates(dora, "[Олег]").await;
    oleg.goes(&[
        ("Заявка 2 — ваша", "[✅ Отчитаться]"),
        ("Сколько заплатил клиент?", "1499,90"),
        ("Какие материалы понадобились?", "Хладагент и трубка"),
        ("Клиент оставил отзыв?", "[Нет]"),
        ("Хладагент и трубка", "[✅ Закрыть заявку]"),
    ])
    .await;
    oleg.hears("Заявка 2 закрыта").await;
    dora.hears("Олег has closed order 2.").await;
    ground.is_walked("report").await;
}

async fn there_and_back(ivan: Person<'_>) {
    ivan.says("/report").await;
    ivan.goes(&[("Which order do you report on?", "99")]).await;
    ivan.hears_both("Order 99 is not open any more", "Which order").await;
    ivan.goes(&[
        ("Which order", "[№ 1 · Fridge · Lenin St. 5]"),
        ("How much did the client pay?", "/back"),
        ("Which order do you report on?", "1"),
        ("How much did the client pay?", "1 500"),
        ("Which materials did you use?", "/back"),
        ("How much did the client pay?", "1 500"),
        ("Which materials did you use?", "[None]"),
        ("Has the client written a review?", "/back"),
        ("Which materials did you use?", "A roll of tape"),
        ("Has the client written a review?", "[Yes]"),
        ("Is everything right?", "/back"),
        ("Has the client written a review?", "[No]"),
    ])
    .await;
}

async fn each_field_is_changed(ivan: Person<'_>) {
    ivan.goes(&[
        ("1,500", "[✏️ Amount]"),
        ("How much did the client pay?", "2 000,50"),
        ("2,000.50", "[✏️ Materials]"),
        ("Which materials did you use?", "Copper wire"),
        ("Copper wire", "[✏️ Review]"),
        ("Has the client written a review?", "[Yes]"),
        ("Review: Yes", "[✏️ Order]"),
        ("Which order do you report on?", "/back"),
        ("Copper wire", "[✏️ Order]"),
        ("Which order do you report on?", "1"),
    ])
    .await;
    ivan.hears("Copper wire").await;
}

/// What was said is shown once more.
async fn the_records_refuse(ground: &Ground, ivan: Person<'_>) {
    let spoilt = ground.holds_records().spoils("reports");
    ivan.presses(CLOSE).await;
    ivan.hears_both("could not be saved", "Is everything right?").await;
    spoilt.mends();
    ivan.presses(CLOSE).await;
    ivan.hears("Order 1 is closed").await;
}
