//! Somebody who looks at the page, and is its people.

use tempfile::TempDir;

use crate::support::browser::{Browser, Screen};
use crate::support::playing::Playing;

/// What the bot has said in the open chat.
const TOLD: &str = "[data-testid=message][data-by=bot] [data-testid=message-text]";
/// A real photograph, as far as a file can tell.
const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/browser/evening.png");

/// A visitor of a playground, as Ann at first. Both end with this value.
#[derive(Debug)]
pub(super) struct Visitor {
    pub(super) browser: Browser,
    pub(super) playing: Playing,
    _place: TempDir,
}

impl Visitor {
    /// Before a desktop; pictures have this name.
    pub(super) async fn arrives(name: &'static str) -> Self {
        Self::arrives_with(name, Screen::Desktop).await
    }

    /// With such a screen.
    pub(super) async fn arrives_with(name: &'static str, screen: Screen) -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let playing = Playing::start(place.path());
        let browser = Browser::start(name, screen).await;
        browser.open(playing.address).await;
        browser.sees("body[data-ready]").await;
        Self { browser, playing, _place: place }
    }

    /// Writes and sends a message.
    pub(super) async fn says(&self, text: &str) {
        let line = format!("{text}\u{e007}");
        self.browser.fill("#composer-text", &line).await;
    }

    /// Chooses a file with a picture, sees it, and sends it.
    pub(super) async fn sends_a_picture(&self) {
        self.browser.fill("#photo-input", PICTURE).await;
        self.browser.sees("[data-testid=preview] img").await;
        self.browser.click("#send").await;
    }

    /// Waits until the last that the bot said has these words.
    pub(super) async fn hears(&self, words: &str) {
        self.browser.reads(TOLD, words).await;
    }

    /// All that the bot has said in the open chat.
    pub(super) async fn told(&self) -> Vec<String> {
        self.browser.shown(TOLD).await
    }

    /// Presses the newest button with this label.
    pub(super) async fn presses(&self, label: &str) {
        let button = format!("[data-testid=inline-button][data-label='{label}']");
        self.browser.click(&button).await;
    }

    /// Waits until the inspector shows this state.
    pub(super) async fn is_at(&self, state: &str) {
        let shown = format!("[data-testid=state][data-state='{state}']");
        self.browser.sees(&shown).await;
    }

    /// Opens the chat of somebody.
    pub(super) async fn becomes(&self, name: &str) {
        let row = format!("[data-testid=chat-row][data-name='{name}']");
        self.browser.click(&row).await;
        self.browser.sees(&format!("{row}[aria-current=true]")).await;
    }

    /// Tries to break it in this way, and waits for what is said of it.
    pub(super) async fn tries(&self, trial: &str) -> String {
        self.browser.click(&format!("[data-testid=fault-{trial}]")).await;
        self.finds_good(trial).await
    }

    /// What is said of a trial, once it ended well.
    pub(super) async fn finds_good(&self, trial: &str) -> String {
        let result = format!("[data-testid=fault-{trial}].good [data-testid=result-{trial}]");
        self.browser.sees(&result).await;
        self.browser.shown(&result).await.concat()
    }

    /// Takes a last picture. Nothing may have gone wrong on the page meanwhile, nor any other host been asked.
    pub(super) async fn leaves(self) {
        self.browser.picture("end").await;
        let complaints = self.browser.complaints(self.playing.address).await;
        assert_eq!(complaints, [] as [String; 0]);
    }
}
