//! The page for those who use no mouse, or cannot see it: keys, names of controls, what is pasted and copied.

use serde_json::json;

use super::visitor::Visitor;
use crate::support::browser::Screen;
use crate::support::playing::ANN;

/// The keys of WebDriver.
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const TAB: &str = "\u{e004}";

/// Every control and picture that can be seen and has no name; a picture that is but an ornament says so.
const NAMELESS: &str = "
    const name = (element) =>
        element.getAttribute('aria-label') || element.labels?.[0]?.textContent || element.title || element.innerText || element.alt;
    const controls = document.querySelectorAll('button, a, input, textarea, select, summary, [role=tab], [role=option], img:not([alt=\"\"]), svg[role=img]');
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
    const without = [...controls].filter((element) => isSeen(element) && !name(element)?.trim());
    return without.map((element) => element.outerHTML.slice(0, 160));";

/// What the focus is on.
const FOCUS: &str =
    "return document.activeElement.id || document.activeElement.dataset.testid || ''";

/// Pastes a picture that is drawn for it.
const PASTE: &str = "
    const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 });
    canvas.getContext('2d').fillRect(5, 5, 20, 20);
    const bytes = Uint8Array.from(atob(canvas.toDataURL('image/png').split(',')[1]), (it) => it.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }));
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));";

/// What is copied from now on stands on the body.
const KEEP_COPIES: &str = "
    navigator.clipboard.writeText = async (text) => { document.body.dataset.copied = text; };";

#[tokio::test]
async fn every_control_has_a_name_in_every_panel_on_every_screen() {
    for screen in [Screen::Desktop, Screen::Phone] {
        let visitor = Visitor::arrives_with("names", screen).await;
        let page = &visitor.browser;
        page.click("[data-testid=chat-row][data-name=Ann]").await;
        assert_eq!(page.run(NAMELESS, &[]).await.to_string(), "[]");
        visitor.sends_a_picture().await;
        visitor.hears("What shall the caption be?").await;
        assert_eq!(page.run(NAMELESS, &[]).await.to_string(), "[]");
        if matches!(screen, Screen::Phone) {
            page.click("#to-inspector").await;
        }
        for tab in ["timeline", "updates", "calls", "dialogue"] {
            page.click(&format!("#tab-{tab}")).await;
            page.sees(&format!("#pane-{tab}")).await;
            assert_eq!(page.run(NAMELESS, &[]).await.to_string(), "[]", "{tab}");
        }
        page.click("#more-faults").await;
        page.click("[data-testid=mishap] option[value='call/error']").await;
        assert_eq!(page.run(NAMELESS, &[]).await.to_string(), "[]", "faults");
        // One that strikes nothing here.
        page.click("[data-testid=mishap] option[value='delivery/resend_press']").await;
        page.click("[data-testid=dialog-submit]").await;
        page.sees("[data-testid=take-back]").await;
        assert_eq!(page.run(NAMELESS, &[]).await.to_string(), "[]", "faults");
        page.click("#clear-faults").await;
        visitor.leaves().await;
    }
}

/// What is opened by a press, and seen only then.
#[tokio::test]
async fn every_control_of_a_menu_a_form_and_a_picture_to_send_has_a_name() {
    let visitor = Visitor::arrives("names-of-forms").await;
    let page = &visitor.browser;
    let are_named = async |what: &str, seen: &str| {
        page.sees(seen).await;
        assert_eq!(page.run(NAMELESS, &[]).await.to_string(), "[]", "{what}");
    };
    for menu in ["#attach", "#add", "#chat-menu"] {
        page.click(menu).await;
        are_named(menu, "[role=menuitem]").await;
        page.fill("[role=menuitem]", ESCAPE).await;
    }
    for (menu, form) in
        [("#add", "new-person"), ("#add", "new-group"), ("#chat-menu", "edit-person")]
    {
        page.click(menu).await;
        page.click(&format!("[data-testid={form}]")).await;
        are_named(form, "[data-testid=dialog]").await;
        page.fill("[data-testid=dialog] input", ESCAPE).await;
    }
    page.run(PASTE, &[]).await;
    are_named("a picture", "[data-testid=preview] img").await;
    let forum = json!({ "title": "Site", "members": [ANN], "forum": true });
    visitor.playing.post("/emulator/groups", &forum).await;
    visitor.becomes("Site").await;
    page.click("[data-testid=new-topic]").await;
    are_named("a topic", "[data-testid=dialog]").await;
    page.fill("[data-testid=dialog] input", ESCAPE).await;
    visitor.leaves().await;
}

#[tokio::test]
async fn a_dialogue_can_be_led_by_keys_alone() {
    let visitor = Visitor::arrives("by-keys").await;
    let page = &visitor.browser;
    page.fill("#composer-text", &format!("/ph{ENTER}")).await;
    visitor.hears("Please send me a photo.").await;
    page.fill("#composer-text", &format!("line\u{e008}{ENTER}\u{e000}two")).await;
    let typed = page.run("return document.getElementById('composer-text').value", &[]);
    assert_eq!(typed.await, "line\ntwo", "with Shift it is a new line");
    page.run("document.getElementById('composer-text').value = ''", &[]).await;
    page.click("#attach").await;
    page.sees("[data-testid=attach-photo]").await;
    page.fill("[data-testid=attach-photo]", ESCAPE).await;
    assert_eq!(page.shown("[data-testid=attach-photo]").await, [] as [String; 0]);
    assert_eq!(page.run(FOCUS, &[]).await, "attach", "back where it was");
    page.click("#add").await;
    page.click("[data-testid=new-person]").await;
    page.sees("[data-testid=dialog]").await;
    assert_eq!(page.run(FOCUS, &[]).await, "person-name");
    page.fill("[data-testid=person-name]", ESCAPE).await;
    assert_eq!(page.shown("[data-testid=dialog]").await, [] as [String; 0]);
    page.fill("#tab-dialogue", "\u{e014}").await;
    page.sees("#tab-timeline[aria-selected=true]").await;
    page.fill("#tab-timeline", TAB).await;
    let focus = page.run(FOCUS, &[]).await;
    assert_ne!(focus, "tab-updates", "one stop for all tabs");
    visitor.leaves().await;
}

#[tokio::test]
async fn the_focus_goes_on_with_the_guide() {
    let visitor = Visitor::arrives("focus-of-guide").await;
    let page = &visitor.browser;
    let is_on = async |id: &str| {
        let what = format!("the focus is on {id}");
        page.until(&what, async || (page.run(FOCUS, &[]).await == id).then_some(())).await;
    };
    let (act, words) = ("[data-testid=coach-act]", "[data-testid=coach-words]");
    page.fill("[data-testid=start]", ENTER).await;
    is_on("composer-text").await;
    for next in ["Send a picture", "Kill it in mid-question"] {
        page.fill(act, ENTER).await;
        page.reads(words, next).await;
        is_on("coach-act").await;
    }
    page.fill(act, ENTER).await;
    page.reads(words, "It starts again").await;
    is_on("composer-text").await;
    page.fill("[data-testid=coach-dismiss]", ENTER).await;
    is_on("composer-text").await;
    visitor.leaves().await;
}

/// How many stops of the Tab key are inside the log.
const STOPS: &str = "
    const controls = [...document.querySelectorAll('#log a, #log button, #log [tabindex]')];
    return controls.filter((control) => control.tabIndex >= 0).length";

/// What the message with the focus is called.
const HEARD: &str = "return document.activeElement.getAttribute('aria-label')";

#[tokio::test]
async fn the_log_is_one_stop_with_arrows_from_message_to_message() {
    let visitor = Visitor::arrives("stops").await;
    let page = &visitor.browser;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.says("Soon").await;
    visitor.hears("I am waiting for a photo.").await;
    assert_eq!(page.run(STOPS, &[]).await, 0);
    let (up, row) = ("\u{e013}", "[data-testid=message]:focus");
    page.fill("#log", up).await;
    let heard = page.run(HEARD, &[]).await.to_string();
    assert!(heard.contains(": I am waiting for a photo."), "{heard}");
    page.fill(row, up).await;
    let heard = page.run(HEARD, &[]).await.to_string();
    assert!(heard.starts_with("\"Ann, "), "{heard}");
    // What can be done with it comes next.
    page.fill(row, TAB).await;
    let heard = page.run(HEARD, &[]).await;
    assert_eq!(heard, "Reply: Soon");
    for action in ["reply", "edit", "inspect"] {
        page.fill(&format!("[data-testid=row-{action}]:focus"), TAB).await;
    }
    assert_eq!(page.run(STOPS, &[]).await, 0, "and the others do not");
    visitor.leaves().await;
}

#[tokio::test]
async fn a_picture_can_be_pasted_and_what_is_seen_copied() {
    let visitor = Visitor::arrives("pasted").await;
    let page = &visitor.browser;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    page.run(PASTE, &[]).await;
    page.sees("[data-testid=preview] img").await;
    page.click("#send").await;
    visitor.hears("What shall the caption be?").await;
    page.run(KEEP_COPIES, &[]).await;
    for (tab, row, copied) in [
        ("#tab-updates", "[data-testid=update]", "update_id"),
        ("#tab-calls", "[data-testid=call]", "method"),
    ] {
        page.click(tab).await;
        page.click(&format!("{row}:first-child summary")).await;
        page.click(&format!("{row}:first-child [data-testid=copy]")).await;
        page.sees(&format!("body[data-copied*={copied}]")).await;
    }
    visitor.leaves().await;
}

/// A page of another machine over plain http has no clipboard; what is copied stands on the body.
const NO_CLIPBOARD: &str = "
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.addEventListener('copy', () => { document.body.dataset.copied = document.getSelection().toString(); });";

#[tokio::test]
async fn what_is_seen_can_be_copied_where_the_page_has_no_clipboard() {
    let visitor = Visitor::arrives("no-clipboard").await;
    let page = &visitor.browser;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    page.run(NO_CLIPBOARD, &[]).await;
    page.click("#tab-updates").await;
    page.click("[data-testid=update]:first-child summary").await;
    page.click("[data-testid=update]:first-child [data-testid=copy]").await;
    page.sees("body[data-copied*=update_id]").await;
    assert_eq!(page.run(FOCUS, &[]).await, "copy", "the focus stays");
    visitor.leaves().await;
}
