//! The orders that are open.

use super::ground::Ground;
use super::order::creates;

#[tokio::test]
async fn every_way_of_looking_at_orders_is_walked() {
    let ground = Ground::new().await;
    let dora = ground.meets("Dora", "en", &["dispatcher"]).await;
    let ivan = ground.meets("Ivan", "en", &["master"]).await;
    let oleg = ground.meets("Олег", "ru", &["master"]).await;
    dora.says("/orders").await;
    dora.hears("There are no open orders.").await;
    creates(dora, "[Offer it to all masters]").await;
    oleg.hears("Свободная заявка 1").await;
    ivan.presses("🙋 Take the order").await;
    ivan.hears("Order 1 is yours").await;
    oleg.hears("Заявка 1 уже взята. Мастер: Ivan.").await;
    dora.hears("Ivan has taken order 1.").await;
    let heard = oleg.told().await.len();
    dora.says("/orders").await;
    dora.goes(&[
        ("One open order", "[№ 1 · Fridge · Lenin St. 5]"),
        ("It does not cool", "[🧰 Give it to a master]"),
        ("Who shall do order 1?", "[Олег]"),
    ])
    .await;
    dora.hears("Order 1 is given to Олег.").await;
    ivan.hears("has been given to another master").await;
    oleg.hears("Заявка 1 — ваша").await;
    assert_eq!(oleg.told().await.len(), heard + 1, "a message of its own");
    oleg.says("/orders").await;
    oleg.goes(&[("1 открытая заявка", "[№ 1 · Холодильник · Lenin St. 5]")]).await;
    oleg.hears("Olga Petrova").await;
    ground.is_walked("orders").await;
}
