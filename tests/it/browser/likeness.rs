//! What people know of Telegram, with a bot of somebody else: typing, keys, commands, edits, reactions.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::browser::{Browser, Screen};
use crate::support::patience::until;
use crate::support::playing::Playing;

const BOT: &str = "/bot123456:AAlone-0123456789abcdefghijklmnopqrs";

/// The page before an emulator, and Clara, who has started the bot.
struct Desk {
    page: Browser,
    emulator: Playing,
    clara: i64,
    _place: TempDir,
}

impl Desk {
    async fn set_up(name: &'static str) -> Self {
        Self::set_up_with(name, Screen::Desktop).await
    }

    async fn set_up_with(name: &'static str, screen: Screen) -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let arguments = ["emulator", "--listen", "127.0.0.1:0", "--name", "Shop"];
        let emulator = Playing::start_as(&arguments, place.path(), &BTreeMap::new());
        let person = json!({ "name": "Clara" });
        let clara = emulator.post("/emulator/people", &person).await["id"].as_i64();
        let page = Browser::start(name, screen).await;
        page.open(emulator.address).await;
        page.click("[data-testid=chat-row][data-name=Clara]").await;
        page.click("[data-testid=start]").await;
        page.sees("[data-testid=message][data-by=person]").await;
        Self { page, emulator, clara: clara.expect("a person"), _place: place }
    }

    /// The bot calls a method for Clara's chat.
    async fn call(&self, method: &str, mut params: Value) -> Value {
        params["chat_id"] = json!(self.clara);
        let mut answer = self.emulator.post(&format!("{BOT}/{method}"), &params).await;
        answer["result"].take()
    }

    /// The latest that Clara sent.
    async fn sent(&self) -> Value {
        let path = format!("/emulator/chats/{}", self.clara);
        let mut chat = self.emulator.get(&path).await;
        let messages = chat["messages"].as_array_mut().expect("messages");
        let mut of_clara = messages.iter().filter(|message| message["by"] == "person");
        of_clara.next_back().expect("a message").clone()
    }
}

#[tokio::test]
async fn what_the_bot_does_is_seen_until_it_has_done_it() {
    let desk = Desk::set_up("typing").await;
    // It is shown for a few seconds, and the browser may not be asked within them.
    until("it is seen typing", async || {
        desk.call("sendChatAction", json!({ "action": "typing" })).await;
        let shown = desk.page.shown("#chat-status").await;
        shown.concat().contains("typing").then_some(())
    })
    .await;
    desk.page.picture("dots").await;
    let sent = desk.call("sendMessage", json!({ "text": "First" })).await;
    desk.page.reads("[data-testid=message-text]", "First").await;
    desk.page.reads("#chat-status", "you are Clara").await;
    let id = &sent["message_id"];
    let other = json!({ "message_id": id, "text": "Second" });
    desk.call("editMessageText", other).await;
    desk.page.reads("[data-testid=message][data-by=bot]", "Second").await;
    desk.page.sees("[data-testid=edited]").await;
    let said = desk.page.shown("[data-testid=message][data-by=bot]").await;
    assert_eq!(said.len(), 1, "in the place of the first: {said:?}");
    assert!(!said[0].contains("First"), "{said:?}");
    let thumb = json!([{ "type": "emoji", "emoji": "👍" }]);
    let reaction = json!({ "message_id": id, "reaction": thumb });
    desk.call("setMessageReaction", reaction).await;
    desk.page.reads("[data-testid=reactions]", "👍").await;
    desk.page.picture("end").await;
}

#[tokio::test]
async fn keys_of_the_bot_write_and_share_a_contact() {
    let desk = Desk::set_up("keys").await;
    let keyboard = json!({
        "keyboard": [[{ "text": "Left" }, { "text": "Right" }], [{ "text": "My number", "request_contact": true }]],
        "resize_keyboard": true,
    });
    let question = json!({ "text": "Which?", "reply_markup": keyboard });
    desk.call("sendMessage", question).await;
    desk.page.click("[data-testid=reply-key][data-label=Right]").await;
    desk.page.reads("[data-testid=message][data-by=person]", "Right").await;
    desk.page.picture("end").await;
    desk.page.click("[data-testid=reply-key][data-label='My number']").await;
    desk.page
        .until("the number was sent", async || {
            let contact = desk.sent().await["contact"].take();
            (contact["user_id"] == desk.clara).then_some(())
        })
        .await;
    let gone = json!({ "text": "Thanks", "reply_markup": { "remove_keyboard": true } });
    desk.call("sendMessage", gone).await;
    desk.page
        .until("the keys are gone", async || {
            let keys = desk.page.shown("[data-testid=reply-key]").await;
            keys.is_empty().then_some(())
        })
        .await;
}

#[tokio::test]
async fn every_kind_of_file_is_seen_to_be_there() {
    let desk = Desk::set_up("kinds").await;
    let last = "[data-testid=message][data-by=bot]";
    for (method, field, shown) in [
        ("sendVideo", "video", "Video"),
        ("sendAnimation", "animation", "GIF"),
        ("sendAudio", "audio", "Audio"),
    ] {
        let mut params = json!({ "caption": format!("A {field}") });
        params[field] = json!(format!("https://example.org/{field}"));
        desk.call(method, params).await;
        desk.page.reads(last, &format!("A {field}")).await;
        let cards = desk.page.shown(&format!("{last} .card")).await;
        let card = cards.last().map(String::as_str).unwrap_or_default();
        assert!(card.contains(shown) || card.contains(field), "{cards:?}");
    }
    desk.page.picture("end").await;
}

#[tokio::test]
async fn where_a_button_leads_is_said() {
    let desk = Desk::set_up("leads").await;
    let button = json!({ "text": "Shop", "callback_data": "x" });
    let question = json!({ "text": "Where?", "reply_markup": { "inline_keyboard": [[button]] } });
    desk.call("sendMessage", question).await;
    let pressed = "[data-testid=inline-button][data-label=Shop]";
    desk.page.click(pressed).await;
    // The page says it by itself, a moment after the click.
    let id = until("the press is there", async || {
        let last = json!({ "timeout": 0, "offset": -1 });
        let path = format!("{BOT}/getUpdates");
        let mut updates = desk.emulator.post(&path, &last).await;
        let id = updates["result"][0]["callback_query"]["id"].take();
        (!id.is_null()).then_some(id)
    })
    .await;
    let answer = json!({ "callback_query_id": id, "url": "https://example.org/shop" });
    desk.call("answerCallbackQuery", answer).await;
    desk.page.reads(".toast", "example.org/shop").await;
}

/// Whether nothing in the chat sticks out to the side.
const FITS: &str =
    "const log = document.getElementById('log'); return log.scrollWidth <= log.clientWidth";

#[tokio::test]
async fn a_wide_row_of_buttons_fits_a_phone() {
    let desk = Desk::set_up_with("wide", Screen::Phone).await;
    let button =
        |at: i32| json!({ "text": format!("Quite a long label {at}"), "callback_data": "x" });
    let row: Vec<Value> = (0..8).map(button).collect();
    let wide = json!({ "text": "Wide", "reply_markup": { "inline_keyboard": [row] } });
    desk.call("sendMessage", wide).await;
    desk.page.reads("[data-testid=message-text]", "Wide").await;
    desk.page.sees("[data-testid=inline-button]").await;
    desk.page.picture("end").await;
    assert_eq!(desk.page.run(FITS, &[]).await, true);
}

#[tokio::test]
async fn a_contact_is_sent_from_the_attach_menu() {
    let desk = Desk::set_up("attached").await;
    desk.page.click("#attach").await;
    desk.page.picture("menu").await;
    desk.page.click("[data-testid=attach-contact]").await;
    desk.page.reads("[data-testid=message][data-by=person]", "7999").await;
    let contact = desk.sent().await["contact"].take();
    assert_eq!(contact["user_id"], desk.clara);
    assert_eq!(contact["first_name"], "Clara");
    desk.page.picture("end").await;
}

#[tokio::test]
async fn commands_are_offered_by_the_button_and_after_a_slash() {
    let desk = Desk::set_up("commands").await;
    let command = |name: &str| json!({ "command": name, "description": format!("Does {name}") });
    let commands = json!({ "commands": [command("buy"), command("sell")] });
    desk.call("setMyCommands", commands).await;
    desk.page.click("#commands").await;
    desk.page.reads("[data-testid=suggestion]", "Does sell").await;
    desk.page.picture("menu").await;
    desk.page.fill("#composer-text", "\u{e00c}").await;
    desk.page.fill("#composer-text", "/b\u{e007}").await;
    desk.page
        .until("the command was sent", async || (desk.sent().await["text"] == "/buy").then_some(()))
        .await;
}
