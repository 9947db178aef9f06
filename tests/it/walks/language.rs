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
    it_is_left_alone(&ground).await;
    ground.is_walked("language").await;
}

/// Who has not chosen leaves no draft.
async fn it_is_left_alone(ground: &Ground) {
    let ben = ground.meets("Ben", "en", &[]).await;
    ben.says("/language").await;
    ben.hears("Which language shall we speak?").await;
    let passes = ground.minutes_pass(61);
    ground.sees("language: which -> done", passes).await;
}

/// By then nothing else is remembered of them, and a photo asks nobody who they are.
#[tokio::test]
async fn a_language_that_was_chosen_is_spoken_after_days_of_silence_too() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &[]).await;
    anna.says("/language").await;
    anna.goes(&[("Which language shall we speak?", "[Русский]")]).await;
    anna.hears("Теперь говорю по-русски.").await;
    ground.minutes_pass(49 * 60).await;
    anna.sends_photo().await;
    anna.hears("Какая будет подпись?").await;
}
