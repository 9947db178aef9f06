//! Several people side by side.

use super::visitor::Visitor;

#[tokio::test]
async fn each_person_has_a_chat_and_a_dialogue_of_their_own() {
    let visitor = Visitor::arrives("people").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.is_at("photo/shot").await;
    visitor.becomes("Вера").await;
    visitor.is_at("idle").await;
    assert_eq!(visitor.told().await, [] as [String; 0]);
    visitor.says("/start").await;
    visitor.hears("Что вы хотите сделать?").await;
    visitor.becomes("Ann").await;
    visitor.is_at("photo/shot").await;
    assert_eq!(visitor.told().await, ["Please send me a photo."]);
    visitor.leaves().await;
}

#[tokio::test]
async fn a_new_person_and_a_group_can_be_spoken_for() {
    let visitor = Visitor::arrives("group").await;
    let page = &visitor.browser;
    page.click("#add").await;
    page.click("[data-testid=new-person]").await;
    page.fill("[data-testid=person-name]", "Clara").await;
    page.click("[data-testid=dialog-submit]").await;
    page.sees("[data-testid=chat-row][data-name=Clara][aria-current=true]")
        .await;
    visitor.says("/start").await;
    visitor.hears("I do not know you yet").await;
    visitor.becomes("The crew").await;
    page.click("[data-testid=speaker][data-person='5006']")
        .await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.is_at("photo/shot").await;
    page.click("[data-testid=speaker][data-person='5004']")
        .await;
    visitor.is_at("idle").await;
    visitor.leaves().await;
}
