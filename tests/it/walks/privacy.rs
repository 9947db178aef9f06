//! What is kept of people.

use super::ground::Ground;

#[tokio::test]
async fn every_way_of_asking_what_is_kept_is_walked() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &[]).await;
    anna.says("/privacy").await;
    anna.hears("What I keep of you").await;
    let vera = ground.meets("Вера", "ru", &[]).await;
    vera.says("/privacy").await;
    vera.hears("Что я о вас храню").await;
    ground.is_walked("privacy").await;
}
