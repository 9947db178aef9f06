//! Several people side by side.

use serde_json::json;

use super::visitor::Visitor;
use crate::support::playing::ANN;

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
    page.sees("[data-testid=chat-row][data-name=Clara][aria-current=true]").await;
    visitor.says("/start").await;
    visitor.hears("I do not know you yet").await;
    visitor.becomes("The crew").await;
    page.reads("#empty", "Choose who speaks").await;
    let start = page.shown("[data-testid=start]").await;
    assert_eq!(start, [] as [String; 0], "a group has none");
    page.click("[data-testid=speaker][data-person='5006']").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.is_at("photo/shot").await;
    page.click("[data-testid=speaker][data-person='5004']").await;
    visitor.is_at("idle").await;
    visitor.leaves().await;
}

const OFFERED: &str = "[data-testid=suggestion]";

/// The bot tells Telegram what he can do once it knows his language, which is when he has written.
#[tokio::test]
async fn a_russian_master_is_offered_his_own_commands_in_russian() {
    let visitor = Visitor::arrives("commands-of").await;
    let page = &visitor.browser;
    visitor.becomes("Иван").await;
    visitor.says("/start").await;
    visitor.hears("!").await;
    visitor.is_offered("Отчитаться о заявке и закрыть её").await;
    let his = page.shown(OFFERED).await.concat();
    assert!(!his.contains("Настроить объекты"), "{his}");
    page.picture("master").await;
    visitor.becomes("Ann").await;
    visitor.is_offered("Send a photo with a caption").await;
    let hers = page.shown(OFFERED).await.concat();
    assert!(!hers.contains("Отчитаться"), "{hers}");
    visitor.leaves().await;
}

#[tokio::test]
async fn a_person_made_with_a_language_and_a_role_is_spoken_to_so() {
    let visitor = Visitor::arrives("form").await;
    let page = &visitor.browser;
    page.click("#add").await;
    page.click("[data-testid=new-person]").await;
    page.fill("[data-testid=person-name]", "Зоя").await;
    page.click("[data-testid=person-language] option[value=ru]").await;
    let roles = page.shown("[data-testid=person-role]").await.concat();
    let roles: Vec<&str> = roles.split_whitespace().collect();
    let all = ["none", "owner", "dispatcher", "master", "worker"];
    assert_eq!(roles, all, "nothing else can be said");
    page.click("[data-testid=person-role] option[value=dispatcher]").await;
    page.picture("person").await;
    page.click("[data-testid=dialog-submit]").await;
    let row = "[data-testid=chat-row][data-name='Зоя']";
    page.reads(row, "dispatcher").await;
    page.reads(row, "RU").await;
    page.sees(&format!("{row}[aria-current=true]")).await;
    visitor.says("/order").await;
    visitor.hears("Что нужно починить?").await;
    page.click("#chat-menu").await;
    page.click("[data-testid=edit-person]").await;
    page.click("[data-testid=person-language] option[value=en]").await;
    page.click("[data-testid=dialog-submit]").await;
    page.reads(row, "EN").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn a_form_that_is_refused_keeps_what_was_typed_and_says_why() {
    let visitor = Visitor::arrives("refused").await;
    let page = &visitor.browser;
    page.click("#add").await;
    page.click("[data-testid=new-person]").await;
    page.fill("[data-testid=dialog] [name=last_name]", "Berg").await;
    page.fill("[data-testid=person-name]", "   ").await;
    page.click("[data-testid=dialog-submit]").await;
    // Still there, with what was typed; now with a name.
    page.fill("[data-testid=person-name]", " Clara ").await;
    page.click("[data-testid=dialog-submit]").await;
    page.sees("[data-testid=chat-row][data-name='Clara Berg'][aria-current=true]").await;
    assert_eq!(page.shown("[data-testid=dialog]").await, [] as [String; 0]);
    page.click("#add").await;
    page.click("[data-testid=new-group]").await;
    page.fill("[data-testid=dialog] [name=title]", "Nobody").await;
    let none =
        "document.querySelectorAll('[name=members]').forEach((box) => (box.checked = false))";
    page.run(none, &[]).await;
    page.click("[data-testid=dialog-submit]").await;
    page.reads("[data-testid=dialog-error]", "at least one member").await;
    page.click("[data-testid=dialog] [name=members]").await;
    page.click("[data-testid=dialog-submit]").await;
    page.sees("[data-testid=chat-row][data-name=Nobody][aria-current=true]").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn whoever_blocks_the_bot_is_not_written_to_until_they_do_no_longer() {
    let visitor = Visitor::arrives("blocked").await;
    let page = &visitor.browser;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    let row = "[data-testid=chat-row][data-name=Ann]";
    page.click("#chat-menu").await;
    page.reads("[data-testid=block]", "Block the bot").await;
    page.click("[data-testid=block]").await;
    page.reads(row, "blocked").await;
    // What it has to say when its reminder is due is refused.
    let later = json!({ "advance": "6m" });
    visitor.playing.post("/playground/clock", &later).await;
    page.click("#tab-calls").await;
    page.sees("[data-testid=call][data-kind=sendMessage][data-state='403']").await;
    assert_eq!(visitor.told().await, ["Please send me a photo."]);
    page.picture("yes").await;
    page.click("#chat-menu").await;
    page.reads("[data-testid=block]", "Unblock the bot").await;
    page.click("[data-testid=block]").await;
    page.until("it is not blocked", async || {
        let words = page.shown(row).await.concat();
        (!words.contains("blocked")).then_some(())
    })
    .await;
    visitor.says("/menu").await;
    visitor.hears("What would you like to do?").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn whoever_blocked_the_bot_restarts_it_before_they_write() {
    let visitor = Visitor::arrives("restarted").await;
    let page = &visitor.browser;
    assert_eq!(page.shown("#restart").await, [] as [String; 0]);
    page.click("#chat-menu").await;
    page.click("[data-testid=block]").await;
    page.sees("#restart").await;
    assert_eq!(page.shown("#composer-text").await, [] as [String; 0]);
    page.picture("blocked").await;
    page.click("#restart").await;
    visitor.hears("What would you like to do?").await;
    page.sees("#composer-text").await;
    assert_eq!(page.shown("#restart").await, [] as [String; 0]);
    visitor.leaves().await;
}

#[tokio::test]
async fn an_invitation_is_opened_as_somebody_who_is_here() {
    let visitor = Visitor::arrives("invited").await;
    let page = &visitor.browser;
    visitor.becomes("Павел").await;
    visitor.says("/invite").await;
    page.click("[data-testid=inline-button]").await;
    page.click("[data-testid=link]").await;
    page.sees("[data-testid=open-as]").await;
    page.picture("menu").await;
    page.click("[data-testid=open-as-new]").await;
    page.fill("[data-testid=person-name]", "Kim").await;
    page.click("[data-testid=dialog-submit]").await;
    page.sees("[data-testid=chat-row][data-name=Kim][aria-current=true]").await;
    visitor.hears("From now on you are with us as").await;
    visitor.leaves().await;
}

#[tokio::test]
async fn people_come_into_a_group_and_leave_it_and_so_does_the_bot() {
    let visitor = Visitor::arrives("members").await;
    let page = &visitor.browser;
    visitor.becomes("The crew").await;
    let count = page.shown("[data-testid=speaker]").await.len();
    page.click("#chat-menu").await;
    page.click("[data-testid=members]").await;
    page.click("[data-testid=dialog] [name=members]:not([checked])").await;
    page.click("[data-testid=dialog] [name=members][checked]").await;
    page.picture("form").await;
    page.click("[data-testid=dialog-submit]").await;
    page.reads("#log .note.service", "left").await;
    // Who is there is asked for anew with each that comes or leaves, and told a moment later than the words in the chat.
    page.until("as many may speak as before", async || {
        let speakers = page.shown("[data-testid=speaker]").await;
        (speakers.len() == count).then_some(())
    })
    .await;
    for (now, then) in
        [("Remove the bot", "Take the bot in"), ("Take the bot in", "Remove the bot")]
    {
        page.click("#chat-menu").await;
        page.reads("[data-testid=bot-membership]", now).await;
        page.click("[data-testid=bot-membership]").await;
        page.until("the menu offers the other", async || {
            page.click("#chat-menu").await;
            let offered = page.shown("[data-testid=bot-membership]").await;
            page.fill("[role=menuitem]", "\u{e00c}").await;
            (offered == [then]).then_some(())
        })
        .await;
    }
    visitor.leaves().await;
}

/// The head of the chat is drawn anew with all that is said in it.
#[tokio::test]
async fn the_focus_stays_on_a_topic_while_somebody_speaks() {
    let visitor = Visitor::arrives("topic").await;
    let page = &visitor.browser;
    let forum = json!({ "title": "Site", "members": [ANN], "forum": true });
    let forum = visitor.playing.post("/emulator/groups", &forum).await;
    visitor.becomes("Site").await;
    page.sees("[data-testid=topic]").await;
    page.run("document.querySelector('[data-testid=topic]').focus()", &[]).await;
    let hello = json!({ "from": ANN, "chat": forum["id"], "text": "Hello" });
    visitor.playing.post("/emulator/messages", &hello).await;
    page.reads("[data-testid=message-text]", "Hello").await;
    let focused = "return document.activeElement.dataset.testid ?? null";
    assert_eq!(page.run(focused, &[]).await, "topic");
    visitor.leaves().await;
}

#[tokio::test]
async fn a_forum_has_topics_and_a_group_becomes_a_supergroup() {
    let visitor = Visitor::arrives("forum").await;
    let page = &visitor.browser;
    let make = async |title: &str, is_forum: bool| {
        page.click("#add").await;
        page.click("[data-testid=new-group]").await;
        page.fill("[data-testid=dialog] [name=title]", title).await;
        if is_forum {
            page.click("[data-testid=dialog] [name=forum]").await;
        }
        page.click("[data-testid=dialog-submit]").await;
        page.sees(&format!("[data-testid=chat-row][data-name={title}][aria-current=true]")).await;
    };
    make("Forum", true).await;
    page.click("[data-testid=new-topic]").await;
    page.fill("[data-testid=dialog] [name=name]", "Fridges").await;
    page.click("[data-testid=dialog-submit]").await;
    page.reads("[data-testid=topic]", "Fridges").await;
    page.click("[data-testid=topic]").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.is_at("photo/shot").await;
    page.picture("topic").await;
    make("Team", false).await;
    let before = page.run(OPEN, &[]).await;
    page.click("#chat-menu").await;
    page.click("[data-testid=migrate]").await;
    page.until("the group has another id", async || {
        let ids = page.run(TEAM, &[]).await;
        (ids != before && ids.is_string()).then_some(())
    })
    .await;
    page.sees("[data-testid=chat-row][data-name=Team][aria-current=true]").await;
    let named = page.run("return location.hash.split('/')[1]", &[]).await;
    assert_eq!(named, page.run(TEAM, &[]).await);
    page.reads("[data-testid=chat-row][data-name=Team]", "The group became").await;
    visitor.leaves().await;
}

/// The id of the open chat, and of the group that is called Team.
const OPEN: &str = "return document.querySelector('[aria-current=true]').dataset.chat";
const TEAM: &str = "return document.querySelector('[data-name=Team]')?.dataset.chat";

impl Visitor {
    /// Waits until the commands of the bot have these words among them, and leaves them open.
    async fn is_offered(&self, words: &str) {
        self.browser
            .until(&format!("`{words}` is offered"), async || {
                if self.browser.shown(OFFERED).await.is_empty() {
                    self.browser.click("#commands").await;
                }
                let offered = self.browser.shown(OFFERED).await.concat();
                if offered.contains(words) {
                    return Some(());
                }
                self.browser.click("#commands").await;
                None
            })
            .await;
    }
}
