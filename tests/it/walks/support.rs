//! A person of the company asks, and those at the desk answer.

use super::ground::Ground;
use crate::support::person::Person;

#[tokio::test]
async fn every_way_of_a_conversation_is_walked() {
    let ground = Ground::new().await;
    let ben = ground.meets("Ben", "en", &["worker"]).await;
    nobody_answers(&ground, ben).await;
    let dora = ground.meets("Dora", "en", &["dispatcher"]).await;
    they_talk(ben, dora).await;
    it_goes_on(ben, dora).await;
    it_ends_before_it_is_answered(ben, dora).await;
    who_answers_may_ask(&ground, dora).await;
    an_inbox_is_left_alone(&ground, dora).await;
    ground.takes(dora, "dispatcher").await;
    in_russian(&ground).await;
    ground.is_walked("support").await;
}

async fn nobody_answers(ground: &Ground, ben: Person<'_>) {
    ben.says("/support").await;
    ben.hears("What would you like to ask?").await;
    ground.minutes_pass(46).await;
    ben.hears("You have not asked yet").await;
    ben.says("Is anybody there?").await;
    ben.hears("There is nobody to answer yet.").await;
}

async fn they_talk(ben: Person<'_>, dora: Person<'_>) {
    ben.says("/support").await;
    ben.goes(&[("What would you like to ask?", "Where is the key?")]).await;
    ben.hears("What you write here I pass on").await;
    dora.goes(&[
        ("Ben: Where is the key?", "[↩️ Reply]"),
        ("You are talking with Ben.", "Under the mat"),
    ])
    .await;
    ben.hears("Dora: Under the mat").await;
    dora.says("/back").await;
    dora.goes(&[
        ("One conversation waits.", "[💬 Ben]"),
        ("You are talking with Ben.", "[🏁 End the conversation]"),
    ])
    .await;
    dora.hears("The conversation has ended.").await;
    ben.hears("Dora has ended the conversation.").await;
}

/// What is written after the end is a new question, and either side may leave and come back.
async fn it_goes_on(ben: Person<'_>, dora: Person<'_>) {
    ben.says("And where is the lamp?").await;
    dora.hears("Ben: And where is the lamp?").await;
    ben.hears("What you write here I pass on").await;
    ben.presses("⏸ Leave it for now").await;
    ben.goes(&[
        ("The conversation stays open", "/support"),
        ("What you write here I pass on", "[🏁 End the conversation]"),
    ])
    .await;
    ben.hears("The conversation has ended.").await;
    dora.replies("And where is the lamp?", "In the cellar").await;
    dora.hears("The conversation has ended.").await;
}

/// Who waits is gone when they are pressed.
async fn it_ends_before_it_is_answered(ben: Person<'_>, dora: Person<'_>) {
    ben.says("/support").await;
    ben.goes(&[("What would you like to ask?", "Never mind the lamp")]).await;
    dora.hears("Never mind the lamp").await;
    dora.says("/support").await;
    dora.hears("One conversation waits.").await;
    ben.goes(&[("What you write here", "[🏁 End the conversation]")]).await;
    ben.hears("The conversation has ended.").await;
    dora.presses("🆕 Ben").await;
    dora.hears_both("The conversation has ended.", "Nobody waits").await;
}

async fn who_answers_may_ask(ground: &Ground, dora: Person<'_>) {
    let max = ground.meets("Max", "en", &["dispatcher", "master"]).await;
    max.says("/support").await;
    max.goes(&[
        ("Nobody waits for an answer.", "[✍️ Ask something yourself]"),
        ("What would you like to ask?", "Who has the lamp?"),
    ])
    .await;
    dora.hears("Max: Who has the lamp?").await;
    max.goes(&[("What you write here", "[🏁 End the conversation]")]).await;
    max.hears("The conversation has ended.").await;
    ground.takes(max, "dispatcher").await;
}

/// It is still open, and nobody presses anything.
async fn an_inbox_is_left_alone(ground: &Ground, dora: Person<'_>) {
    dora.says("/support").await;
    dora.hears("Nobody waits for an answer.").await;
    ground.sees("support: inbox -> done", ground.minutes_pass(61)).await;
}

async fn in_russian(ground: &Ground) {
    let vera = ground.meets("Вера", "ru", &["worker"]).await;
    let oleg = ground.meets("Олег", "ru", &["dispatcher"]).await;
    vera.says("/support").await;
    vera.goes(&[("Что вы хотите спросить?", "Где лежит ключ?")]).await;
    vera.hears("я передаю диспетчерам").await;
    oleg.goes(&[
        ("Вера: Где лежит ключ?", "[↩️ Ответить]"),
        ("Вы на связи. Собеседник: Вера.", "Под ковриком"),
    ])
    .await;
    vera.hears("Олег: Под ковриком").await;
    oleg.presses("🏁 Закончить разговор").await;
    oleg.hears("Разговор окончен.").await;
    vera.hears("Его завершил собеседник: Олег.").await;
}
