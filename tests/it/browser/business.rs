//! The business itself, by hand: an order from the desk to its report, and a shift from its opening to its pay; the bot is killed in
//! the middle of each.

use super::visitor::Visitor;
use crate::shifts::set_up;
use crate::support::person::Person;

/// Who owns the company of the first cast.
const OWNER: i64 = 5005;

#[tokio::test]
async fn an_order_goes_from_the_desk_to_its_report_over_kills() {
    let visitor = Visitor::arrives("order").await;
    // A bot can write only to those who have written to it.
    visitor.becomes("Иван").await;
    visitor.says("/start").await;
    visitor.hears("!").await;
    visitor.becomes("Olga").await;
    visitor.says("/order").await;
    visitor.hears("What is to be repaired?").await;
    visitor.presses("Fridge").await;
    visitor.hears("What is wrong with it?").await;
    visitor.says("It does not cool").await;
    visitor.hears("client’s name").await;
    visitor.tries("kill").await;
    visitor.says("Anna").await;
    visitor.hears("At which address?").await;
    visitor.says("Lenin St. 5").await;
    visitor.hears("phone number").await;
    visitor.says("8 912 345-67-89").await;
    visitor.hears("Who shall do it?").await;
    visitor.presses("Offer it to all masters").await;
    visitor.hears("+79123456789").await;
    visitor.presses("✅ Create the order").await;
    visitor.hears("Order 1").await;

    visitor.becomes("Иван").await;
    visitor.presses("🙋 Взять заявку").await;
    visitor.presses("✅ Отчитаться").await;
    visitor.hears("Сколько заплатил клиент?").await;
    visitor.says("1 499,90").await;
    visitor.hears("Какие материалы понадобились?").await;
    visitor.tries("kill").await;
    visitor.presses("Никаких").await;
    visitor.hears("Клиент оставил отзыв?").await;
    visitor.presses("Да").await;
    visitor.hears("499,90").await;
    visitor.browser.picture("summary").await;
    visitor.presses("✅ Закрыть заявку").await;
    visitor.hears("закрыта").await;

    visitor.becomes("Olga").await;
    visitor.hears("1,499.90").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn a_shift_is_worked_and_paid_as_it_should_be_over_a_kill() {
    let visitor = Visitor::arrives("shift").await;
    set_up(Person(&visitor.playing, OWNER)).await;
    visitor.becomes("Ben").await;
    visitor.says("/shift").await;
    visitor.hears("Where are you working?").await;
    visitor.presses("Склад").await;
    visitor.presses("▶️ Open the shift").await;
    visitor.hears("Done: 0 of 2").await;
    // An hour earns five minor units here, so that it does not matter how slow this machine is.
    let advance = serde_json::json!({ "advance": "198h" });
    visitor.playing.post("/playground/clock", &advance).await;
    visitor.hears("stays open").await;
    visitor.presses("🛠 My shift").await;
    visitor.hears("Done: 0 of 2").await;
    visitor.presses("⬜️ Подмести · +100.00\u{a0}₽ 📷").await;
    visitor.hears("Send a photo").await;
    visitor.tries("kill").await;
    visitor.sends_a_picture().await;
    visitor.hears("One photo").await;
    visitor.presses("⬅️ All tasks").await;
    visitor.hears("Done: 1 of 2").await;
    visitor.presses("🏁 Close the shift").await;
    visitor.hears("Total: 76.90").await;
    visitor.browser.picture("pay").await;
    visitor.presses("✅ Close it").await;
    visitor.hears("The shift is closed").await;
    visitor.leaves().await;
}
