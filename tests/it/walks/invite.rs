//! An invitation: a link that makes one person something in the company.

use super::ground::Ground;
use crate::support::person::Person;

/// Makes an invitation for this role; answers its code.
pub(super) async fn invites(owner: Person<'_>, role: &str) -> String {
    owner.says("/invite").await;
    owner.goes(&[("What shall the newcomer be?", role)]).await;
    let link = owner.hears("It works once, for a week.").await;
    let (_, code) = link.split_once("?start=").expect("a link");
    code.trim().to_owned()
}

#[tokio::test]
async fn every_way_of_an_invitation_is_walked() {
    let ground = Ground::new().await;
    let anna = ground.meets("Anna", "en", &["owner"]).await;
    invites(anna, "[Master]").await;
    let spoilt = ground.holds_records().spoils("invitations");
    anna.says("/invite").await;
    anna.goes(&[("What shall the newcomer be?", "[Worker]")]).await;
    anna.hears("Something went wrong on our side").await;
    spoilt.mends();
    invites(anna, "[Worker]").await;

    let pavel = ground.meets("Павел", "ru", &["owner"]).await;
    pavel.says("/invite").await;
    pavel.goes(&[("Кем будет новый сотрудник?", "[Мастер]")]).await;
    pavel.hears("Ссылка работает один раз").await;
    ground.is_walked("invite").await;
}
