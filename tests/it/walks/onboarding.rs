//! A newcomer introduces themselves; and does so on a store that loses every dialogue.

use serde_json::json;

use super::ground::Ground;
use crate::support::person::Person;
use crate::support::redis_server::RedisServer;
use crate::support::server::Setup;

const PHONE: &str = "+7 999 123-45-67";
const DONE: &str = "[✅ Everything is right]";

#[tokio::test]
async fn every_way_of_introducing_oneself_is_walked() {
    let redis = RedisServer::start::<&str>(&[]);
    let ground = Ground::on(Setup::redis_for(&redis)).await;
    let anna = ground.meets("Anna", "en", &["worker"]).await;
    there_and_back(anna).await;
    each_answer_is_changed(anna).await;
    let ben = ground.meets("Ben", "en", &["master"]).await;
    every_dialogue_is_lost(ben, &redis).await;
    in_russian(ground.meets("Вера", "ru", &["worker"]).await).await;
    ground.is_walked("onboarding").await;
}

async fn there_and_back(anna: Person<'_>) {
    anna.says("/onboarding").await;
    anna.goes(&[
        ("(1/7)", "Anna Petrova"),
        ("(2/7)", "/back"),
        ("(1/7)", "Anna Petrova"),
        ("(2/7)", PHONE),
        ("(3/7)", "/back"),
        ("(2/7)", PHONE),
        ("(3/7)", "Kazan"),
        ("(4/7)", "/back"),
        ("(3/7)", "Kazan"),
        ("(4/7)", "[Plumber]"),
        ("(5/7)", "/back"),
        ("(4/7)", "[Plumber]"),
        ("(5/7)", "5"),
        ("(6/7)", "/back"),
        ("(5/7)", "5"),
        ("(6/7)", "[Yes]"),
        ("(7/7)", "/back"),
        ("(6/7)", "[Yes]"),
        ("(7/7)", "[Nothing else]"),
        ("Is everything right?", "/back"),
        ("(7/7)", "[Nothing else]"),
    ])
    .await;
}

async fn each_answer_is_changed(anna: Person<'_>) {
    anna.goes(&[
        ("Is everything right?", "[✏️ Name]"),
        ("(1/7)", "Olga Petrova"),
        ("Is everything right?", "[✏️ Phone]"),
        ("(2/7)", "+7 999 765-43-21"),
        ("Is everything right?", "[✏️ Town]"),
        ("(3/7)", "Omsk"),
        ("Is everything right?", "[✏️ Trade]"),
        ("(4/7)", "Gardening"),
        ("Is everything right?", "[✏️ Experience]"),
        ("(5/7)", "6"),
        ("Is everything right?", "[✏️ Car]"),
        ("(6/7)", "[No]"),
        ("Is everything right?", "[✏️ Anything else]"),
        ("(7/7)", "I like cats"),
        ("Is everything right?", DONE),
    ])
    .await;
    anna.hears("Thank you, Olga Petrova!").await;
}

/// Whatever is said next goes on at the right question: as its answer, or with a hint.
async fn every_dialogue_is_lost(ben: Person<'_>, redis: &RedisServer) {
    ben.says("/onboarding").await;
    for (asked, answer) in [
        ("(1/7)", "Ben Brown"),
        ("(2/7)", PHONE),
        ("(3/7)", "Kazan"),
        ("(4/7)", "Gardening"),
        ("(5/7)", "5"),
    ] {
        ben.hears(asked).await;
        assert_eq!(redis.command(&["flushall"]), "+OK");
        ben.says(answer).await;
    }
    ben.hears("(6/7)").await;
    assert_eq!(redis.command(&["flushall"]), "+OK");
    ben.says("a small one").await;
    ben.hears_both("press one of the buttons", "(6/7)").await;
    assert_eq!(redis.command(&["flushall"]), "+OK");
    ben.presses("Yes").await;
    ben.hears_both("(6/7)", "(6/7)").await;
    assert_eq!(redis.command(&["flushall"]), "+OK");
    ben.sends(json!({ "voice": true })).await;
    ben.hears_both("press one of the buttons", "(6/7)").await;
    ben.goes(&[("(6/7)", "[Yes]")]).await;
    ben.hears("(7/7)").await;
    assert_eq!(redis.command(&["flushall"]), "+OK");
    ben.says(&"so much ".repeat(30)).await;
    ben.hears_both("too long", "(7/7)").await;
    assert_eq!(redis.command(&["flushall"]), "+OK");
    ben.goes(&[("(7/7)", "I like cats"), ("Is everything right?", DONE)]).await;
    ben.hears("Thank you, Ben Brown!").await;
}

async fn in_russian(vera: Person<'_>) {
    vera.says("/onboarding").await;
    vera.goes(&[("Как вас зовут?", "Вера Орлова")]).await;
    vera.hears("Ваш номер телефона?").await;
    vera.sends(json!({ "contact": true })).await;
    vera.goes(&[
        ("В каком городе", "Казань"),
        ("Чем вы занимаетесь?", "[Электрик]"),
        ("Сколько лет", "3"),
        ("Есть ли у вас машина?", "[Нет]"),
        ("Что ещё нам стоит", "Люблю кошек"),
        ("Электрик, 3 года", "[✅ Всё верно]"),
    ])
    .await;
    vera.hears("Спасибо, Вера Орлова! Теперь мы знакомы.").await;
}
