//! The page on a phone: one panel at a time.

use super::visitor::Visitor;
use crate::support::browser::Screen;

/// Whether nothing sticks out to the side.
const FITS: &str = "return document.documentElement.scrollWidth <= innerWidth";

#[tokio::test]
async fn on_a_phone_one_goes_from_the_list_to_the_chat_to_the_inspector_and_back() {
    let visitor = Visitor::arrives_with("phone", Screen::Phone).await;
    let page = &visitor.browser;
    page.sees("body[data-panel=list]").await;
    assert_eq!(page.shown("#composer-text").await, [] as [String; 0]);
    page.picture("list").await;
    visitor.becomes_on_a_phone("Ann").await;
    assert_eq!(page.shown("#chats").await, [] as [String; 0]);
    page.click("[data-testid=start]").await;
    visitor.hears("What would you like to do?").await;
    visitor.presses("📷 Photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.sends_a_picture().await;
    visitor.hears("What shall the caption be?").await;
    assert_eq!(page.run(FITS, &[]).await, true);
    page.picture("chat").await;
    page.click("#to-inspector").await;
    visitor.is_at("photo/caption").await;
    page.sees("[data-testid=node][data-state=caption][data-current=true]").await;
    assert_eq!(page.shown("#composer-text").await, [] as [String; 0]);
    assert_eq!(page.run(FITS, &[]).await, true);
    page.picture("inspector").await;
    let said = visitor.tries("kill").await;
    assert!(said.contains("still at photo/caption"), "{said}");
    page.click("#to-chat").await;
    visitor.presses("No caption").await;
    visitor.hears("Thank you!").await;
    page.click("#to-list").await;
    page.reads("[data-testid=chat-row][data-name=Ann]", "Thank you!").await;
    visitor.leaves().await;
}

/// How high the field is, and how high its text.
const FIELD: &str = "
    const { offsetHeight, scrollHeight } = document.getElementById('composer-text');
    return offsetHeight >= scrollHeight && offsetHeight > 30;";

#[tokio::test]
async fn on_a_phone_a_newcomer_is_told_what_to_do_and_led_to_the_chat() {
    let visitor = Visitor::arrives_with("newcomer", Screen::Phone).await;
    let page = &visitor.browser;
    page.reads("#first-step", "choose who you are").await;
    page.picture("list").await;
    page.click("#coach-again").await;
    page.sees("body[data-panel=chat]").await;
    page.reads("[data-testid=coach-words]", "Say hello").await;
    page.until("the field is as high as its text", async || {
        (page.run(FIELD, &[]).await == true).then_some(())
    })
    .await;
    page.picture("chat").await;
    page.click("[data-testid=start]").await;
    visitor.hears("What would you like to do?").await;
    page.click("#to-list").await;
    page.sees("#chats").await;
    assert_eq!(page.shown("#first-step").await, [] as [String; 0]);
    visitor.leaves().await;
}

#[tokio::test]
async fn on_a_phone_a_message_that_is_tapped_can_be_answered_changed_and_looked_at() {
    let visitor = Visitor::arrives_with("tapped", Screen::Phone).await;
    let page = &visitor.browser;
    visitor.becomes_on_a_phone("Ann").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    let mine = "[data-testid=message][data-by=person]";
    let action = |name: &str| format!("{mine} [data-testid=row-{name}]");
    assert_eq!(page.shown(".row-actions").await, [] as [String; 0]);
    for (name, note) in [("reply", "Reply to Ann"), ("edit", "Edit this message")] {
        page.click(&format!("{mine} time")).await;
        page.sees(&action(name)).await;
        page.picture(name).await;
        page.click(&action(name)).await;
        page.reads("#note", note).await;
    }
    page.click(&format!("{mine} time")).await;
    page.click(&action("inspect")).await;
    page.sees("body[data-panel=inspector] #pane-updates").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn the_tabs_of_the_inspector_fit_a_small_phone() {
    let visitor = Visitor::arrives_with("small", Screen::SmallPhone).await;
    let page = &visitor.browser;
    visitor.becomes_on_a_phone("Ann").await;
    page.reads("#empty", "in the inspector").await;
    page.click("#to-inspector").await;
    page.sees("#tab-calls").await;
    page.picture("inspector").await;
    let right = "return document.querySelector('#tab-calls').getBoundingClientRect().right";
    let right = page.run(right, &[]).await.as_f64();
    assert!(right.is_some_and(|right| right <= 320.0), "{right:?}");
    assert_eq!(page.run(FITS, &[]).await, true);
    visitor.leaves().await;
}

impl Visitor {
    /// Opens the chat of somebody, which then is all there is.
    async fn becomes_on_a_phone(&self, name: &str) {
        let row = format!("[data-testid=chat-row][data-name='{name}']");
        self.browser.click(&row).await;
        self.browser.sees("#composer-text").await;
    }
}
