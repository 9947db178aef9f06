//! What is seen of the bot's mind.

use super::visitor::Visitor;

#[tokio::test]
async fn state_data_timer_diagram_and_timeline_follow_the_dialogue() {
    let visitor = Visitor::arrives("inspector").await;
    let page = &visitor.browser;
    visitor.is_at("idle").await;
    visitor.says("/photo").await;
    visitor.is_at("photo/shot").await;
    page.sees("[data-testid=node][data-state=shot][data-current=true]")
        .await;
    page.sees("[data-testid=edge][data-from=start][data-to=shot][data-walked=true]")
        .await;
    visitor.sends_a_picture().await;
    visitor.is_at("photo/caption").await;
    page.reads("[data-testid=state-data]", "photos").await;
    page.sees("[data-testid=node][data-state=caption][data-current=true]")
        .await;
    page.sees("[data-testid=node][data-state=shot][data-current=false]")
        .await;
    page.sees("[data-testid=edge][data-from=shot][data-to=caption][data-walked=true]")
        .await;
    page.sees("[data-testid=timer][data-kind=remind]").await;
    page.click("[data-testid=fire]").await;
    visitor.hears("I am still here for your photo.").await;
    page.sees("[data-testid=timer][data-kind=expire]").await;
    page.picture("reminded").await;
    page.click("#tab-timeline").await;
    page.sees("[data-testid=transition][data-from=shot][data-to=caption]")
        .await;
    page.picture("timeline").await;
    page.click("#tab-calls").await;
    page.reads("[data-testid=call]:last-child", "etMe").await;
    page.fill("#calls-filter", "still here").await;
    page.reads("#calls-count", "1 of").await;
    page.picture("calls").await;
    page.click("#tab-updates").await;
    page.sees("[data-testid=update]").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn it_is_as_clear_in_the_dark() {
    let visitor = Visitor::arrives("dark").await;
    visitor.browser.click("#theme").await;
    visitor.browser.sees("html[data-theme=dark]").await;
    visitor.sends_a_picture().await;
    visitor.hears("What shall the caption be?").await;
    visitor.is_at("photo/caption").await;
    visitor.leaves().await;
}
