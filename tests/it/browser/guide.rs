//! The first minutes of somebody who knows nothing.

use super::visitor::Visitor;
use crate::support::browser::Screen;

const WORDS: &str = "[data-testid=coach-words]";
const ACT: &str = "[data-testid=coach-act]";

#[tokio::test]
async fn a_newcomer_is_told_what_to_do_and_led_through_a_first_dialogue() {
    let visitor = Visitor::arrives("guide").await;
    let page = &visitor.browser;
    page.reads("#empty", "Press Start, then send /photo and a picture").await;
    page.reads(WORDS, "Say hello").await;
    // The picture beside it is of where they are led.
    page.sees("[data-testid=node][data-state=caption]").await;
    page.picture("welcome").await;
    page.click("[data-testid=start]").await;
    visitor.hears("What would you like to do?").await;
    page.reads(WORDS, "Now send /photo").await;
    page.click(ACT).await;
    visitor.hears("Please send me a photo.").await;
    page.reads(WORDS, "Send a picture").await;
    page.click(ACT).await;
    visitor.hears("What shall the caption be?").await;
    page.reads(WORDS, "Kill it in mid-question").await;
    page.click(ACT).await;
    page.reads(WORDS, "It starts again and has forgotten nothing").await;
    visitor.presses("No caption").await;
    visitor.hears("Thank you! A photo without a caption.").await;
    page.reads(WORDS, "it kept its place").await;
    page.click("[data-testid=coach-dismiss]").await;
    page.until("the guide is gone", async || page.shown("#coach").await.is_empty().then_some(()))
        .await;
    page.reload().await;
    page.sees("body[data-ready]").await;
    visitor.hears("Thank you!").await;
    assert_eq!(page.shown("#coach").await, [] as [String; 0]);
    visitor.leaves().await;
}

#[tokio::test]
async fn where_the_trials_are_out_of_sight_the_guide_leads_to_them() {
    let visitor = Visitor::arrives_with("last-step", Screen::Tablet).await;
    let page = &visitor.browser;
    page.run("localStorage.setItem('steadfast.coach', '5')", &[]).await;
    page.reload().await;
    page.reads(WORDS, "the other buttons").await;
    page.picture("chat").await;
    page.click("[data-testid=coach-inspect]").await;
    page.sees("[data-testid=fault-kill]").await;
    visitor.leaves().await;
}
