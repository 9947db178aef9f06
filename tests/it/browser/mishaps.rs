//! All that can go wrong on command, set by hand and taken back.

use std::collections::BTreeMap;

use hyper::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::visitor::Visitor;
use crate::support::browser::{Browser, Screen};
use crate::support::http;
use crate::support::playing::Playing;

const CHIP: &str = "[data-testid=active-fault]";
const TAKE_BACK: &str = "[data-testid=take-back]";
const SUBMIT: &str = "[data-testid=dialog-submit]";
/// Whether nothing sticks out to the side.
const FITS: &str = "return document.documentElement.scrollWidth <= innerWidth";

/// The page before an emulator that no bot calls, so that nothing strikes before it was seen.
struct Bench {
    page: Browser,
    emulator: Playing,
    _place: TempDir,
}

impl Bench {
    async fn set_up(name: &'static str, screen: Screen) -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let arguments = ["emulator", "--listen", "127.0.0.1:0"];
        let emulator = Playing::start_as(&arguments, place.path(), &BTreeMap::new());
        let clara = json!({ "name": "Clara" });
        emulator.post("/emulator/people", &clara).await;
        let page = Browser::start(name, screen).await;
        page.open(emulator.address).await;
        page.click("[data-testid=chat-row][data-name=Clara]").await;
        page.click("[data-testid=start]").await;
        page.sees("[data-testid=message]").await;
        if matches!(screen, Screen::Phone) {
            page.click("#to-inspector").await;
        }
        Self { page, emulator, _place: place }
    }

    /// Each kind of fault that the control API lists, as `delivery/twice`.
    async fn kinds(&self) -> Vec<String> {
        let list = self.emulator.get("/emulator/").await;
        let all = list["endpoints"].as_array().expect("a list").iter();
        let faults = all.filter(|it| it["request"] == "POST /emulator/faults");
        let words = faults.filter_map(|it| it["what"].as_str()?.split_once(": "));
        let kinds = words.flat_map(|(on, kinds)| {
            let kinds = kinds.split(", ");
            kinds.map(move |kind| format!("{on}/{kind}"))
        });
        kinds.collect()
    }

    /// Lets this happen, as the form has it at first.
    async fn lets(&self, id: &str) {
        self.page.click("#more-faults").await;
        self.page.click(&choice(id)).await;
        self.page.click(SUBMIT).await;
    }

    /// What goes wrong, as the emulator has it.
    async fn faults(&self) -> Value {
        self.emulator.get("/emulator/faults").await["faults"].take()
    }

    /// Waits until nothing goes wrong, here and there.
    async fn is_well(&self) {
        let is_well = async || {
            let state = self.emulator.get("/emulator/state").await;
            let is_free = state["faults"] == json!([]) && state["limits"] == false;
            (is_free && self.page.shown(CHIP).await.is_empty()).then_some(())
        };
        self.page.until("nothing goes wrong", is_well).await;
    }

    /// The number of the newest update.
    async fn last_update(&self) -> i64 {
        let updates = self.emulator.get("/emulator/updates?limit=1").await;
        updates["updates"][0]["update_id"].as_i64().expect("an id")
    }
}

/// The entry of the form for this.
fn choice(id: &str) -> String {
    format!("[data-testid=mishap] option[value='{id}']")
}

#[tokio::test]
async fn every_fault_can_be_set_seen_and_taken_back_on_the_page() {
    let bench = Bench::set_up("mishaps", Screen::Desktop).await;
    let kinds = bench.kinds().await;
    assert!(kinds.len() >= 14, "{kinds:?}");
    for id in &kinds {
        bench.lets(id).await;
        let (on, kind) = id.split_once('/').expect("two parts");
        let chip = format!("{CHIP}[data-on={on}][data-kind={kind}]");
        bench.page.reads(&chip, "once").await;
        let faults = bench.faults().await;
        let fault = &faults[0];
        let set = (&fault["on"], &fault["kind"], &fault["times"]);
        assert_eq!(set, (&json!(on), &json!(kind), &json!(1)), "{faults}");
        bench.page.click(&format!("{chip} {TAKE_BACK}")).await;
        bench.is_well().await;
    }
    bench.page.click("#more-faults").await;
    bench.page.click(&choice("call/error")).await;
    bench.page.fill("[data-testid=mishap-method]", "sendPhoto").await;
    bench.page.click("[data-testid=mishap-here]").await;
    bench.page.picture("form").await;
    bench.page.click(SUBMIT).await;
    bench.page.reads(CHIP, "sendPhoto · 502 · with Clara · once").await;
    bench.lets("delivery/twice").await;
    bench.lets("server/limits").await;
    bench.page.sees(&format!("{CHIP}[data-kind=limits]")).await;
    bench.page.picture("active").await;
    bench.page.click("#theme").await;
    bench.page.sees("html[data-theme=dark]").await;
    bench.page.picture("active-dark").await;
    bench.page.click("#more-faults").await;
    bench.page.picture("form-dark").await;
    bench.page.fill("[data-testid=mishap]", "\u{e00c}").await;
    bench.page.click("#clear-faults").await;
    bench.is_well().await;
}

/// With keys alone, where there is no mouse; and with a finger.
#[tokio::test]
async fn faults_are_set_on_a_phone_and_by_keys() {
    let bench = Bench::set_up("mishaps-phone", Screen::Phone).await;
    let page = &bench.page;
    page.click("#more-faults").await;
    page.reads("[data-testid=mishap-words]", "It comes again").await;
    page.picture("form").await;
    assert_eq!(page.run(FITS, &[]).await, true);
    // Typing chooses; Enter in a field submits.
    page.fill("[data-testid=mishap]", "Sent").await;
    page.fill("[data-testid=mishap-times]", "\u{e010}0\u{e007}").await;
    page.reads(&format!("{CHIP}[data-kind=twice]"), "10×").await;
    assert_eq!(page.run(FITS, &[]).await, true);
    page.picture("active").await;
    page.fill(&format!("{CHIP} {TAKE_BACK}"), "\u{e007}").await;
    bench.is_well().await;
    // Back where one began.
    page.sees("#more-faults:focus").await;
}

#[tokio::test]
async fn telegram_restarts_and_limits_from_the_page() {
    let bench = Bench::set_up("restart", Screen::Desktop).await;
    let said = "#faults-said";
    bench.lets("server/restart").await;
    bench.page.reads(said, "has restarted.").await;
    let before = bench.last_update().await;
    bench.lets("server/restart_lower").await;
    bench.page.reads(said, "with lower ids").await;
    bench.page.fill("#composer-text", "Again\u{e007}").await;
    bench
        .page
        .until("ids are lower", async || (bench.last_update().await < before).then_some(()))
        .await;
    bench.lets("server/limits").await;
    bench.page.sees(&format!("{CHIP}[data-kind=limits]")).await;
    let state = bench.emulator.get("/emulator/state").await;
    assert_eq!(state["limits"], true);
    // Somebody else takes it back, and it is seen here.
    let off = json!({ "on": false });
    bench.emulator.post("/emulator/limits", &off).await;
    bench.is_well().await;
    bench.lets("call/hang").await;
    bench.page.sees(CHIP).await;
    let cleared = http::ask(bench.emulator.address, Method::DELETE, "/emulator/faults");
    assert!(cleared.await.expect("an answer").is_success());
    bench.is_well().await;
}

#[tokio::test]
async fn an_update_whose_answer_is_forgotten_is_sent_twice_and_done_once() {
    let visitor = Visitor::arrives("forgotten").await;
    let page = &visitor.browser;
    page.click("[data-testid=coach-dismiss]").await;
    page.click("#more-faults").await;
    page.click(&choice("delivery/drop_ack")).await;
    page.click("[data-testid=mishap-here]").await;
    page.click(SUBMIT).await;
    page.reads(CHIP, "The bot's answer is forgotten").await;
    page.reads("#faults-said", "armed").await;
    visitor.says("/photo").await;
    visitor.hears("Please send me a photo.").await;
    page.until("it has struck", async || page.shown(CHIP).await.is_empty().then_some(())).await;
    page.click("#tab-updates").await;
    let update = "[data-testid=update][data-kind=message][data-state=acknowledged]";
    page.reads(update, "×2").await;
    page.click(&format!("{update} summary")).await;
    page.reads(&format!("{update} .attempts"), "2 deliveries").await;
    page.picture("updates").await;
    assert_eq!(visitor.told().await, ["Please send me a photo."]);
    page.click("#tab-timeline").await;
    page.sees("[data-testid=transition]").await;
    let steps = page.shown("[data-testid=transition]").await;
    assert_eq!(steps.len(), 1, "{steps:?}");
    visitor.leaves().await;
}
