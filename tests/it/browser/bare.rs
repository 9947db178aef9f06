//! A browser without scripts, and whether what goes wrong on a page would be noticed at all.

use crate::support::browser::{Browser, Screen};
use crate::support::http;
use crate::support::playing::Playing;

use super::visitor::Visitor;

#[tokio::test]
async fn without_scripts_the_page_says_what_it_needs() {
    let place = tempfile::tempdir().expect("a directory");
    let playing = Playing::start(place.path());
    let page = Browser::start("bare", Screen::Desktop).await;
    page.forbid_scripts().await;
    page.open(playing.address).await;
    let words = "This page needs JavaScript. Please switch it on";
    page.reads(".noscript", words).await;
    assert_eq!(page.shown("#app").await, [] as [String; 0]);
    page.picture("end").await;
    let list = http::get(playing.address, "/emulator/").await;
    assert!(list.expect("what it links to").is_success());
    assert_eq!(page.complaints(playing.address).await, [] as [String; 0]);
}

/// The other tests rest on this: each of them ends by asking for complaints.
#[tokio::test]
async fn an_error_on_the_page_and_a_request_to_another_host_are_noticed() {
    let visitor = Visitor::arrives("noticed").await;
    let page = &visitor.browser;
    let wrong = "console.error('a mistake'); new Image().src = 'http://127.0.0.1:9/elsewhere';";
    page.run(wrong, &[]).await;
    let mut complaints = Vec::new();
    page.until("both are noticed", async || {
        complaints.extend(page.complaints(visitor.playing.address).await);
        let all = complaints.concat();
        (all.contains("a mistake") && all.contains("elsewhere")).then_some(())
    })
    .await;
}
