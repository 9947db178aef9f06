//! The page of the emulator without our bot: for bots in any language.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use crate::support::browser::{Browser, Screen};
use crate::support::playing::Playing;

#[tokio::test]
async fn a_foreign_bot_can_be_spoken_to_and_nothing_is_promised_of_its_mind() {
    let place = tempfile::tempdir().expect("a directory");
    let (emulator, page) = clara_starts("alone", place.path()).await;
    page.sees("[data-testid=ticks][data-delivery=sent]").await;
    page.reads("#bot-status", &format!("use http://{}", emulator.address)).await;
    let person = answer_as_a_bot(&emulator).await;
    page.reads("[data-testid=message][data-by=bot]", "Hello from elsewhere").await;
    page.sees("[data-testid=ticks][data-delivery=delivered]").await;
    page.reads("#bot-status", "Emulator").await;
    page.sees("[data-testid=inline-button][data-label=Wave]").await;
    for missing in ["#tab-dialogue", "#tab-timeline", "#coach", "[data-testid=fault-kill]"] {
        assert_eq!(page.shown(missing).await, [] as [String; 0], "{missing}");
    }
    page.reads("[data-testid=update]", "message").await;
    page.click("#tab-calls").await;
    page.reads("[data-testid=call][data-kind]:last-child", "getUpdates").await;
    page.picture("end").await;
    let complaints = page.complaints(emulator.address).await;
    assert_eq!(complaints, [] as [String; 0], "of {person}");
}

/// What was not seen is not called well done: this bot polls, asks for nothing more, and is gone.
#[tokio::test]
async fn what_a_trial_did_not_show_is_not_said() {
    let place = tempfile::tempdir().expect("a directory");
    let (emulator, page) = clara_starts("unshown", place.path()).await;
    answer_as_a_bot(&emulator).await;
    page.sees("[data-testid=inline-button][data-label=Wave]").await;
    for (trial, ends, words) in [
        ("twice", "hint", "It was not delivered again."),
        ("race", "bad", "the bot has not taken both"),
    ] {
        page.click(&format!("[data-testid=fault-{trial}]")).await;
        let result = format!("[data-testid=fault-{trial}].{ends} [data-testid=result-{trial}]");
        page.reads(&result, words).await;
    }
    page.picture("end").await;
}

#[tokio::test]
async fn what_no_bot_took_within_a_day_is_shown_as_failed() {
    let place = tempfile::tempdir().expect("a directory");
    let (emulator, page) = clara_starts("untaken", place.path()).await;
    page.sees("[data-testid=ticks][data-delivery=sent]").await;
    let later = json!({ "advance": "25h" });
    emulator.post("/emulator/clock", &later).await;
    page.sees("[data-testid=ticks][data-delivery=failed]").await;
    page.picture("end").await;
}

/// The emulator alone, and somebody in it who has said the first word.
async fn clara_starts(name: &'static str, place: &Path) -> (Playing, Browser) {
    let arguments = ["emulator", "--listen", "127.0.0.1:0"];
    let emulator = Playing::start_as(&arguments, place, &BTreeMap::new());
    let page = Browser::start(name, Screen::Desktop).await;
    page.open(emulator.address).await;
    page.sees("body[data-ready]").await;
    page.click("[data-testid=first-person]").await;
    page.fill("[data-testid=person-name]", "Clara").await;
    page.click("[data-testid=dialog-submit]").await;
    page.click("[data-testid=start]").await;
    (emulator, page)
}

/// Asks for what was said and answers it, as a bot in any language does. Answers who was spoken to.
async fn answer_as_a_bot(emulator: &Playing) -> i64 {
    let bot = "/bot123456:AAlone-0123456789abcdefghijklmnopqrs";
    let updates = emulator.post(&format!("{bot}/getUpdates"), &json!({ "timeout": 30 })).await;
    let update = &updates["result"][0];
    assert_eq!(update["message"]["text"], "/start", "{updates}");
    let chat = update["message"]["chat"]["id"].as_i64().expect("a chat");
    let wave = json!({ "inline_keyboard": [[{ "text": "Wave", "callback_data": "wave" }]] });
    let reply = json!({ "chat_id": chat, "text": "Hello from elsewhere", "reply_markup": wave });
    emulator.post(&format!("{bot}/sendMessage"), &reply).await;
    let next = update["update_id"].as_i64().expect("an id") + 1;
    let confirmed = json!({ "offset": next, "timeout": 0 });
    emulator.post(&format!("{bot}/getUpdates"), &confirmed).await;
    chat
}
