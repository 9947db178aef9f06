//! The photo flow, with a real picture.

use super::visitor::Visitor;

/// Whether the newest photo in the chat has been drawn, and how wide it came.
const WIDTH: &str = "
    const photo = [...document.querySelectorAll('[data-testid=photo]')].at(-1);
    return photo?.complete ? photo.naturalWidth : 0;";

#[tokio::test]
async fn a_person_sends_a_picture_from_a_file_and_gives_it_a_caption() {
    let visitor = Visitor::arrives("photo").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    visitor.says("Here it comes").await;
    visitor.hears("I am waiting for a photo.").await;
    visitor.sends_a_picture().await;
    visitor.hears("What shall the caption be?").await;
    page.until("the picture is drawn", async || (page.run(WIDTH, &[]).await == 640).then_some(()))
        .await;
    page.sees("[data-testid=ticks][data-delivery=delivered]").await;
    page.picture("asked").await;
    visitor.says("Evening over the hills").await;
    visitor.hears("Thank you! A photo: “Evening over the hills”.").await;
    visitor.is_at("idle").await;
    visitor.leaves().await;
}

/// Pastes a picture that is twelve times as high as wide.
const PASTE_TALL: &str = "
    const canvas = Object.assign(document.createElement('canvas'), { width: 100, height: 1200 });
    canvas.getContext('2d').fillRect(5, 5, 20, 900);
    const bytes = Uint8Array.from(atob(canvas.toDataURL('image/png').split(',')[1]), (it) => it.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], 'tall.png', { type: 'image/png' }));
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));";

/// How large the newest photo is on the screen.
const DRAWN: &str = "
    const photo = [...document.querySelectorAll('[data-testid=photo]')].at(-1);
    return photo?.complete && photo.naturalWidth > 0 ? `${photo.offsetWidth} × ${photo.offsetHeight}` : '';";

#[tokio::test]
async fn a_very_tall_picture_leaves_room_for_the_rest() {
    let visitor = Visitor::arrives("tall").await;
    let page = &visitor.browser;
    page.run(PASTE_TALL, &[]).await;
    page.sees("[data-testid=preview] img").await;
    page.click("#send").await;
    let size = page.until("the picture is drawn", async || {
        let size = page.run(DRAWN, &[]).await;
        (size != "").then_some(size)
    });
    assert_eq!(size.await, "120 × 330");
    visitor.leaves().await;
}

/// From now on pictures take as long to be written as a test wants, until `isQuick`.
const SLOW_PICTURES: &str = "
    const read = FileReader.prototype.readAsDataURL;
    FileReader.prototype.readAsDataURL = function (blob) {
        const wait = () => (window.isQuick ? read.call(this, blob) : setTimeout(wait, 20));
        wait();
    };";

#[tokio::test]
async fn a_picture_goes_where_it_was_sent_whatever_chat_is_opened_meanwhile() {
    let visitor = Visitor::arrives("elsewhere").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    page.run(SLOW_PICTURES, &[]).await;
    visitor.sends_a_picture().await;
    visitor.becomes("Вера").await;
    page.run("window.isQuick = true", &[]).await;
    visitor.becomes("Ann").await;
    visitor.hears("What shall the caption be?").await;
    visitor.leaves().await;
}

/// Words that come and go are kept for whoever looks late.
const KEEP_TOASTS: &str = "
    const keep = (node) => (document.body.dataset.toasts = node.textContent);
    const watch = new MutationObserver((seen) => seen.forEach(({ addedNodes }) => addedNodes.forEach(keep)));
    watch.observe(document.getElementById('toasts'), { childList: true });";

/// Drops a file that only says that it is a picture, on what is named. Whether the browser is kept from opening it.
const DROP: &str = "
    const data = new DataTransfer();
    data.items.add(new File(['no picture'], 'fake.png', { type: 'image/png' }));
    const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
    document.querySelector(arguments[0]).dispatchEvent(drop);
    return drop.defaultPrevented;";

#[tokio::test]
async fn what_is_no_picture_is_not_sent_wherever_it_is_dropped() {
    let visitor = Visitor::arrives("fake").await;
    let page = &visitor.browser;
    page.run(KEEP_TOASTS, &[]).await;
    assert_eq!(page.run(DROP, &["#list"]).await, true, "beside the chat");
    assert_eq!(page.run(DROP, &["#log"]).await, true, "on the chat");
    page.sees("body[data-toasts*='fake.png']").await;
    let previews = "[data-testid=preview]";
    assert_eq!(page.shown(previews).await, [] as [String; 0]);
    visitor.leaves().await;
}

#[tokio::test]
async fn a_button_of_an_older_question_says_that_it_is_no_longer_active() {
    let visitor = Visitor::arrives("stale").await;
    visitor.sends_a_picture().await;
    visitor.hears("What shall the caption be?").await;
    visitor.says("/cancel").await;
    visitor.hears("Cancelled").await;
    let guide = "[data-testid=coach-words]";
    visitor.browser.reads(guide, "Now send /photo").await;
    let told = visitor.told().await;
    visitor.browser.run(KEEP_TOASTS, &[]).await;
    visitor.presses("No caption").await;
    let told_off = "body[data-toasts='This button is no longer active.']";
    visitor.browser.sees(told_off).await;
    visitor.browser.picture("hint").await;
    visitor.is_at("idle").await;
    assert_eq!(visitor.told().await, told);
    visitor.leaves().await;
}
