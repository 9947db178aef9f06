//! What is seen of the bot's mind.

use serde_json::{Value, json};

use super::visitor::Visitor;

#[tokio::test]
async fn state_data_timer_diagram_and_timeline_follow_the_dialogue() {
    let visitor = Visitor::arrives("inspector").await;
    let page = &visitor.browser;
    visitor.is_at("idle").await;
    visitor.says("/photo").await;
    visitor.is_at("photo/shot").await;
    page.sees("[data-testid=node][data-state=shot][data-current=true]").await;
    page.sees("[data-testid=edge][data-from=start][data-to=shot][data-walked=true]").await;
    visitor.sends_a_picture().await;
    visitor.is_at("photo/caption").await;
    page.reads("[data-testid=state-data]", "photos").await;
    page.sees("[data-testid=node][data-state=caption][data-current=true]").await;
    page.sees("[data-testid=node][data-state=shot][data-current=false]").await;
    page.sees("[data-testid=edge][data-from=shot][data-to=caption][data-walked=true]").await;
    page.sees("[data-testid=timer][data-kind=remind]").await;
    page.click("[data-testid=fire]").await;
    visitor.hears("I have your photo and wait for its caption.").await;
    page.sees("[data-testid=timer][data-kind=expire]").await;
    page.picture("reminded").await;
    page.click("#tab-timeline").await;
    page.sees("[data-testid=transition][data-from=shot][data-to=caption]").await;
    page.picture("timeline").await;
    page.click("#tab-calls").await;
    page.reads("#calls", "getMe").await;
    page.fill("#calls-filter", "wait for its caption").await;
    page.reads("#calls-count", "1 of").await;
    page.picture("calls").await;
    page.click("#tab-updates").await;
    page.sees("[data-testid=update]").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn every_timer_is_seen_and_the_one_that_is_meant_is_fired() {
    let visitor = Visitor::arrives("timers").await;
    let page = &visitor.browser;
    visitor.says("/photo").await;
    visitor.is_at("photo/shot").await;
    visitor.playing.post("/playground/clock", &json!({ "advance": "15m" })).await;
    page.sees("[data-testid=timer][data-kind=forget][data-flow=photo]").await;
    visitor.says("/order").await;
    page.sees("[data-testid=timer][data-kind=remind][data-flow=order]").await;
    page.reads("[data-testid=timer][data-flow=photo]", "Draft forgotten").await;
    page.picture("both").await;
    page.click("[data-testid=fire][data-flow=photo]").await;
    page.until("the draft is forgotten", async || {
        let drafts = page.shown("[data-testid=parked]").await;
        drafts.iter().all(|it| !it.contains("photo/")).then_some(())
    })
    .await;
    visitor.leaves().await;
}

/// Nothing is said meanwhile: it is the clock alone that makes another day of it.
#[tokio::test]
async fn when_a_day_has_passed_what_was_today_was_yesterday() {
    let visitor = Visitor::arrives("days").await;
    let page = &visitor.browser;
    visitor.says("/start").await;
    visitor.hears("What would you like to do?").await;
    page.reads("#log", "Today").await;
    visitor.playing.post("/playground/clock", &json!({ "advance": "24h" })).await;
    page.reads("#log", "Yesterday").await;
    page.click("#tab-updates").await;
    page.reads("#updates [data-testid=day]", "Yesterday").await;
    visitor.leaves().await;
}

/// How bright the page is, from 0 to 1, and how far the words of each of these stand out from what is behind them: WCAG's contrast.
const CLEAR: &str = "
    const bright = (color) => {
        const [red, green, blue] = color.match(/[\\d.]+/g).map((part) => Number(part) / 255);
        const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    };
    const isClear = (color) => /, 0\\)$/.test(color);
    const behind = (element) => {
        const color = getComputedStyle(element).backgroundColor;
        return isClear(color) && element.parentElement ? behind(element.parentElement) : color;
    };
    const contrast = (element) => {
        const [light, dark] = [getComputedStyle(element).color, behind(element)].map(bright).sort().reverse();
        return (light + 0.05) / (dark + 0.05);
    };
    const words = [...arguments].map((selector) => contrast(document.querySelector(selector)));
    return { page: bright(behind(document.body)), words };";
/// What is read most.
const READ: [&str; 6] = [
    "[data-testid=message][data-by=bot] [data-testid=message-text]",
    "[data-testid=state]",
    "#composer-text",
    "[data-testid=chat-row]:not([aria-current])",
    "[data-testid=fault-twice] strong",
    "[data-testid=timer] strong",
];

#[tokio::test]
async fn it_is_as_clear_in_the_dark() {
    let visitor = Visitor::arrives("dark").await;
    let page = &visitor.browser;
    visitor.sends_a_picture().await;
    visitor.hears("What shall the caption be?").await;
    visitor.is_at("photo/caption").await;
    page.sees("[data-testid=timer]").await;
    for (theme, brightness) in [("light", 0.7..1.01), ("dark", 0.0..0.1)] {
        page.sees(&format!("html[data-theme={theme}]")).await;
        // Colours may take a moment to change.
        page.until(&format!("it is {theme} and clear"), async || {
            let seen = page.run(CLEAR, &READ).await;
            let words = seen["words"].as_array().expect("a list").iter();
            let is_clear = words.filter_map(Value::as_f64).all(|it| it >= 4.5);
            let is_so = brightness.contains(&seen["page"].as_f64().expect("a number"));
            (is_clear && is_so).then_some(())
        })
        .await;
        page.click("#theme").await;
    }
    visitor.leaves().await;
}

#[tokio::test]
async fn a_message_that_waits_is_seen_on_the_way_until_it_has_gone() {
    let visitor = Visitor::arrives("waits").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    page.reads("[aria-label='On the way']", "Nothing waits").await;
    let refused = json!({ "on": "call", "kind": "too_many", "method": "sendMessage", "retry_after": 30, "times": 1 });
    visitor.playing.post("/emulator/faults", &refused).await;
    visitor.says("/photo").await;
    let lane = "[data-testid=lane][data-lane=messages]";
    page.reads(lane, "messages: 1").await;
    page.reads(lane, "send").await;
    visitor.is_at("photo/shot").await;
    assert_eq!(visitor.told().await, [] as [String; 0]);
    page.run("document.querySelector('[data-testid=lane]').scrollIntoView()", &[]).await;
    page.picture("lane").await;
    visitor.hears("Please send me a photo.").await;
    page.reads("[aria-label='On the way']", "Nothing waits").await;
    visitor.leaves().await;
}

/// From now on the bot's mind is told as it was, with something on the way, until `isStale` is taken back.
const STALE: &str = "
    const fetched = window.fetch;
    const waiting = [{ lane: 'messages', effects: [{ do: 'send', text: 'hello' }] }];
    window.isStale = true;
    window.asked = 0;
    window.fetch = async (...asked) => {
        const answer = await fetched(...asked);
        if (!String(asked[0]).includes('/playground/dialogues/')) return answer;
        window.asked += 1;
        if (!window.isStale) return answer;
        return Response.json({ ...(await answer.json()), waiting });
    };";

/// The page hears of a call before the bot has its answer: what it is told of the bot's mind then may be older.
#[tokio::test]
async fn what_has_gone_without_a_word_is_not_shown_for_ever() {
    let visitor = Visitor::arrives("stale").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    page.run(STALE, &[]).await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.is_at("photo/shot").await;
    page.sees("[data-testid=ticks][data-delivery=delivered]").await;
    page.reads("[data-testid=lane]", "messages: 1").await;
    // From now on nothing is heard of; one request may be under way, and one wanted.
    page.run("JSON.parse = () => ({}); window.asked = 0", &[]).await;
    page.until("it is asked again and again", async || {
        let asked = page.run("return window.asked", &[]).await;
        (asked.as_u64() > Some(3)).then_some(())
    })
    .await;
    page.run("window.isStale = false", &[]).await;
    page.reads("[aria-label='On the way']", "Nothing waits").await;
    visitor.leaves().await;
}

/// Takes the focus there, and remembers what has it.
const FOCUS: &str = "
    window.held = document.querySelector(arguments[0]);
    window.held.focus();
    window.asked = 0;";

#[tokio::test]
async fn the_focus_stays_while_it_is_looked_whether_what_waits_has_gone() {
    let visitor = Visitor::arrives("held").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    page.run(STALE, &[]).await;
    visitor.sends_a_picture().await;
    visitor.is_at("photo/caption").await;
    page.reads("[data-testid=lane]", "messages: 1").await;
    for held in ["[data-testid=fire]", "[aria-label='Flow to show']"] {
        page.sees(held).await;
        page.run(FOCUS, &[held]).await;
        page.until("it is asked again and again", async || {
            let asked = page.run("return window.asked", &[]).await;
            (asked.as_u64() > Some(2)).then_some(())
        })
        .await;
        let is_held = "return document.activeElement === window.held";
        assert_eq!(page.run(is_held, &[]).await, true, "{held}");
    }
    visitor.leaves().await;
}

#[tokio::test]
async fn a_call_that_has_no_answer_yet_shows_no_number() {
    let visitor = Visitor::arrives("unanswered").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    let kept_back = json!({ "on": "call", "kind": "hang", "method": "sendMessage", "times": 1 });
    visitor.playing.post("/emulator/faults", &kept_back).await;
    visitor.says("/photo").await;
    page.click("#tab-calls").await;
    page.fill("#calls-filter", "sendMessage").await;
    page.reads("[data-testid=call] .tag", "…").await;
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
    page.sees("[data-testid=ticks][data-delivery=delivered]").await;
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
    page.sees("[data-testid=update][data-state=acknowledged]").await;
    let timed =
        page.run(TIMED, &["[data-testid=update][data-state=acknowledged] [data-testid=timing]"]);
    assert_eq!(timed.await, true);
    page.click("[data-testid=update] summary").await;
    page.reads("[data-testid=update] .attempts", "1 delivery: 200 in ").await;
    page.picture("update").await;
    visitor.leaves().await;
}
