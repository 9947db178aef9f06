//! What breaks other bots.

use super::visitor::Visitor;

#[tokio::test]
async fn a_bot_killed_in_mid_dialogue_goes_on_where_it_stopped() {
    let visitor = Visitor::arrives("killed").await;
    visitor.browser.click("[data-testid=coach-dismiss]").await;
    visitor.says("/photo").await;
    visitor.is_at("photo/shot").await;
    let before = visitor.playing.bot(1).await;
    let said = visitor.tries("kill").await;
    assert!(said.contains("still at photo/shot"), "{said}");
    visitor.browser.reads("#bot-status", "killed 1×").await;
    let after = visitor.playing.bot(2).await;
    assert_ne!(before["pid"], after["pid"]);
    visitor.sends_a_picture().await;
    visitor.hears("What shall the caption be?").await;
    let said = visitor.tries("kill").await;
    assert!(said.contains("still at photo/caption"), "{said}");
    let said = visitor.tries("twice").await;
    assert!(said.contains("done once"), "{said}");
    visitor.browser.picture("middle").await;
    visitor.presses("No caption").await;
    visitor.hears("Thank you! A photo without a caption.").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn a_trial_is_about_the_chat_it_was_begun_in() {
    let visitor = Visitor::arrives("begun").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    visitor.says("/photo").await;
    visitor.is_at("photo/shot").await;
    page.click("[data-testid=fault-kill]").await;
    visitor.becomes("Вера").await;
    let said = visitor.finds_good("kill").await;
    assert!(said.contains("still at photo/shot"), "{said}");
    visitor.becomes("Ann").await;
    page.run(SLOW_FAULTS, &[]).await;
    page.click("[data-testid=fault-limit]").await;
    visitor.becomes("Вера").await;
    page.run("window.isQuick = true", &[]).await;
    page.reads("[data-testid=result-limit]", "Armed").await;
    visitor.becomes("Ann").await;
    visitor.says("/cancel").await;
    let said = visitor.finds_good("limit").await;
    assert!(said.contains("Refused with 429"), "{said}");
    visitor.leaves().await;
}

/// From now on it takes as long to set a fault as a test wants, until `isQuick`.
const SLOW_FAULTS: &str = "
    const fetched = window.fetch;
    window.fetch = async (...asked) => {
        const moment = () => new Promise((done) => setTimeout(done, 20));
        while (String(asked[0]).includes('/emulator/faults') && !window.isQuick) await moment();
        return fetched(...asked);
    };";

/// Whoever uses the keyboard is where they were when the bot is back.
#[tokio::test]
async fn the_focus_stays_on_a_trial_while_the_bot_goes_and_comes() {
    let visitor = Visitor::arrives("focus").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    visitor.says("/photo").await;
    visitor.is_at("photo/shot").await;
    page.fill("[data-testid=fault-kill]", "\u{e007}").await;
    visitor.finds_good("kill").await;
    page.reads("#bot-status", "killed 1×").await;
    let focused = "return document.activeElement.dataset.testid ?? null";
    assert_eq!(page.run(focused, &[]).await, "fault-kill");
    visitor.leaves().await;
}

#[tokio::test]
async fn an_update_delivered_again_and_again_gets_one_reply() {
    let visitor = Visitor::arrives("twice").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    let said = visitor.tries("twice").await;
    assert!(said.contains("Delivered 3 times in all, done once"), "{said}");
    assert_eq!(visitor.told().await, ["Please send me a photo."]);
    visitor.browser.click("#tab-updates").await;
    visitor.browser.sees("[data-testid=update]").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn after_a_quarter_of_an_hour_a_question_is_put_aside_and_can_be_taken_up_again() {
    let visitor = Visitor::arrives("later").await;
    visitor.sends_a_picture().await;
    visitor.is_at("photo/caption").await;
    let said = visitor.tries("later").await;
    assert!(said.contains("15 minutes later"), "{said}");
    visitor.hears("Continue where you stopped?").await;
    visitor.is_at("idle").await;
    visitor.browser.reads("[data-testid=parked]", "photo/caption").await;
    visitor.browser.picture("aside").await;
    visitor.presses("Continue").await;
    visitor.is_at("photo/caption").await;
    visitor.says("After all").await;
    visitor.hears("“After all”").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn a_press_and_a_text_at_once_end_the_question_once() {
    let visitor = Visitor::arrives("race").await;
    visitor.sends_a_picture().await;
    visitor.hears("What shall the caption be?").await;
    let said = visitor.tries("race").await;
    assert!(said.contains("at once, one after the other"), "{said}");
    visitor.is_at("idle").await;
    let thanks = visitor.browser.until("the question is over", async || {
        let told = visitor.told().await;
        let thanks = told.iter().filter(|text| text.starts_with("Thank you!"));
        Some(thanks.count()).filter(|count| *count > 0)
    });
    assert_eq!(thanks.await, 1);
    visitor.leaves().await;
}

#[tokio::test]
async fn a_refused_message_is_sent_when_telegram_lets_it() {
    let visitor = Visitor::arrives("limit").await;
    let page = &visitor.browser;
    page.click("[data-testid=fault-limit]").await;
    page.reads("[data-testid=result-limit]", "Armed").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    let said = visitor.finds_good("limit").await;
    assert!(said.contains("Refused with 429"), "{said}");
    assert_eq!(visitor.told().await, ["Please send me a photo."]);
    visitor.leaves().await;
}

/// Whatever part of the page one looks at.
#[tokio::test]
async fn a_playground_that_is_gone_is_missed() {
    let visitor = Visitor::arrives("gone").await;
    visitor.playing.kill();
    for place in ["#connection", "#bot-status", "#chat-status"] {
        let words = "The playground does not answer";
        visitor.browser.reads(place, words).await;
    }
    visitor.browser.sees("#bot-status .lamp.bad").await;
    visitor.browser.picture("end").await;
}
