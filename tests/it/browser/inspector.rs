//! What is seen of the bot's mind.

use serde_json::json;

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

#[tokio::test]
async fn a_message_that_waits_is_seen_on_the_way_until_it_has_gone() {
    let visitor = Visitor::arrives("waits").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    page.reads("[aria-label='On the way']", "Nothing waits")
        .await;
    let refused = json!({ "on": "call", "kind": "too_many", "method": "sendMessage", "retry_after": 20, "times": 1 });
    visitor.playing.post("/emulator/faults", &refused).await;
    visitor.says("/photo").await;
    let lane = "[data-testid=lane][data-lane=messages]";
    page.reads(lane, "messages: 1").await;
    page.reads(lane, "send").await;
    visitor.is_at("photo/shot").await;
    assert_eq!(visitor.told().await, [] as [String; 0]);
    page.run(
        "document.querySelector('[data-testid=lane]').scrollIntoView()",
        &[],
    )
    .await;
    page.picture("lane").await;
    visitor.hears("Please send me a photo.").await;
    page.reads("[aria-label='On the way']", "Nothing waits")
        .await;
    visitor.leaves().await;
}

/// Whether each of these has a time on it, such as `3 ms` or `1.2 s`.
const TIMED: &str = "
    const rows = [...document.querySelectorAll(arguments[0])].map((row) => row.innerText.trim());
    return rows.length > 0 && rows.every((time) => /^(< 1|\\d+) ms$|^\\d+\\.\\d s$/.test(time));";

#[tokio::test]
async fn updates_and_calls_are_shown_with_how_long_they_took() {
    let visitor = Visitor::arrives("timings").await;
    let page = &visitor.browser;
    // Long enough to be told from all others, on any machine.
    let slow = json!({ "on": "call", "kind": "slow", "method": "sendMessage", "after_ms": 1500, "times": 1 });
    visitor.playing.post("/emulator/faults", &slow).await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    page.sees("[data-testid=ticks][data-delivery=delivered]")
        .await;
    page.click("#tab-calls").await;
    page.fill("#calls-filter", "sendMessage").await;
    let call = "[data-testid=call][data-state='200'] [data-testid=timing]";
    page.until("the call shows that it was slow", async || {
        let shown = page.shown(call).await;
        let seconds: f64 = shown.first()?.strip_suffix(" s")?.parse().ok()?;
        (seconds >= 1.5).then_some(())
    })
    .await;
    page.click("#tab-updates").await;
    page.sees("[data-testid=update][data-state=acknowledged]")
        .await;
    let timed = page.run(
        TIMED,
        &["[data-testid=update][data-state=acknowledged] [data-testid=timing]"],
    );
    assert_eq!(timed.await, true);
    page.click("[data-testid=update] summary").await;
    page.reads("[data-testid=update] .attempts", "1 delivery: 200 in ")
        .await;
    page.picture("update").await;
    visitor.leaves().await;
}
