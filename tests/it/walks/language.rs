//! The language that the bot speaks with somebody.

use super::ground::Ground;

#[tokio::test]
async fn every_way_of_choosing_a_language_is_walked() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &[]).await;
    anna.says("/language").await;
    anna.goes(&[
        ("Which language shall we speak?", "[Русский]"),
        ("Теперь говорю по-русски.", "/language"),
        ("На каком языке будем говорить?", "[English]"),
    ])
    .await;
    anna.hears("From now on I speak English.").await;
    ground.is_walked("language").await;
}
