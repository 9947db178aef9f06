//! Somebody comes by an invitation.

use super::ground::Ground;
use super::invite::invites;

#[tokio::test]
async fn every_way_of_joining_is_walked() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &["owner"]).await;
    let (ben, max) = (ground.meets("Ben", "en", &[]).await, ground.meets("Max", "en", &[]).await);
    let link = format!("/start {}", invites(anna, "[Master]").await);
    ben.says(&link).await;
    ben.hears("From now on you are with us as: Master.").await;
    anna.hears("Ben has accepted your invitation: Master.").await;
    max.says(&link).await;
    max.hears("This invitation was used already").await;

    let vera = ground.meets("Вера", "ru", &[]).await;
    let link = format!("/start {}", invites(anna, "[Worker]").await);
    vera.says(&link).await;
    vera.hears("Добро пожаловать! Теперь вы с нами. Ваша роль: Работник.").await;
    vera.presses("👋 Рассказать о себе").await;
    vera.hears("Как вас зовут?").await;
    ground.is_walked("join").await;
}
