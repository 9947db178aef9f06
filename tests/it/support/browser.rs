//! A real browser: Chromium without a window, with what it logs watched.
//!
//! It is driven over WebDriver, which is JSON over HTTP: the few commands needed here are cheaper than a client of their own.

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::http;
use super::patience::LONG;
use driver::Driver;

mod driver;

/// What WebDriver calls an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Where pictures of the tests go.
const ARTEFACTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/artefacts");

/// What of the page can be seen that matches a selector: the words of each.
const SHOWN: &str = "
    const isSeen = (element) => {
        const { left, right } = element.getBoundingClientRect();
        return element.checkVisibility({ visibilityProperty: true }) && right > 0 && left < innerWidth;
    };
    const found = [...document.querySelectorAll(arguments[0])].filter(isSeen);
    return found.map((element) => element.innerText ?? element.textContent);";

/// What it looks at the page through.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Screen {
    Desktop,
    Tablet,
    Phone,
    /// The smallest that is still in use.
    SmallPhone,
}

impl Screen {
    /// As Chromium wants to be told.
    fn metrics(self) -> Value {
        match self {
            Self::Desktop => {
                json!({ "width": 1280, "height": 800, "pixelRatio": 1, "mobile": false, "touch": false })
            }
            Self::Tablet => {
                json!({ "width": 820, "height": 1100, "pixelRatio": 1, "mobile": true, "touch": true })
            }
            Self::Phone => {
                json!({ "width": 390, "height": 844, "pixelRatio": 2, "mobile": true, "touch": true })
            }
            Self::SmallPhone => {
                json!({ "width": 320, "height": 568, "pixelRatio": 2, "mobile": true, "touch": true })
            }
        }
    }
}

/// A browser that ends with this value, whatever happens.
#[derive(Debug)]
pub(crate) struct Browser {
    driver: Driver,
    /// The path of its session.
    session: String,
    /// What its pictures are called.
    name: &'static str,
}

impl Browser {
    /// With this screen; its pictures have this name.
    pub(crate) async fn start(name: &'static str, screen: Screen) -> Self {
        let driver = Driver::start();
        let wanted = json!({ "capabilities": { "alwaysMatch": capabilities(&driver, screen) } });
        let session = command(driver.address, Method::POST, "/session", &wanted).await;
        let session = session.unwrap_or_else(|error| panic!("no browser: {error}"));
        let id = session["sessionId"].as_str().expect("a session");
        Self { session: format!("/session/{id}"), driver, name }
    }

    /// Goes to the page at this address.
    pub(crate) async fn open(&self, address: SocketAddr) {
        let url = json!({ "url": format!("http://{address}/") });
        self.ask("url", &url).await.expect("the page");
    }

    /// Loads the page anew.
    pub(crate) async fn reload(&self) {
        self.ask("refresh", &json!({})).await.expect("the page");
    }

    /// Clicks the last of what matches, once it can be clicked.
    pub(crate) async fn click(&self, selector: &str) {
        self.until(&format!("`{selector}` can be clicked"), async || {
            let element = self.last(selector).await?;
            self.ask(&format!("{element}/click"), &json!({})).await.ok()
        })
        .await;
    }

    /// Types there, once there is such a field.
    pub(crate) async fn fill(&self, selector: &str, text: &str) {
        self.until(&format!("`{selector}` can be written in"), async || {
            let (element, keys) = (self.last(selector).await?, json!({ "text": text }));
            self.ask(&format!("{element}/value"), &keys).await.ok()
        })
        .await;
    }

    /// The words of each that matches and can be seen.
    pub(crate) async fn shown(&self, selector: &str) -> Vec<String> {
        let words = self.run(SHOWN, &[selector]).await;
        serde_json::from_value(words).expect("words")
    }

    /// Waits until such a thing can be seen.
    pub(crate) async fn sees(&self, selector: &str) {
        self.until(&format!("`{selector}` is seen"), async || {
            (!self.shown(selector).await.is_empty()).then_some(())
        })
        .await;
    }

    /// Waits until the last of such things has these words.
    pub(crate) async fn reads(&self, selector: &str, words: &str) {
        self.until(&format!("`{selector}` says `{words}`"), async || {
            let shown = self.shown(selector).await;
            shown.last()?.contains(words).then_some(())
        })
        .await;
    }

    /// Asks the page itself.
    pub(crate) async fn run(&self, script: &str, with: &[&str]) -> Value {
        let script = json!({ "script": script, "args": with });
        self.ask("execute/sync", &script).await.expect("an answer")
    }

    /// Asks again and again until there is an answer; takes a picture if there never is.
    pub(crate) async fn until<T>(&self, what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
        let started = Instant::now();
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
            if started.elapsed() > LONG {
                let picture = self.picture("never").await;
                panic!("it never came about that {what}: see {picture}");
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Takes a picture; answers where it is.
    pub(crate) async fn picture(&self, moment: &str) -> String {
        let path = format!("{ARTEFACTS}/{}-{moment}.png", self.name);
        let there = format!("{}/screenshot", self.session);
        let taken = command(self.driver.address, Method::GET, &there, &Value::Null).await;
        let taken = taken.expect("a picture");
        let bytes = STANDARD.decode(taken.as_str().unwrap_or_default());
        fs::create_dir_all(ARTEFACTS).expect("a directory");
        fs::write(&path, bytes.expect("a picture")).expect("a file");
        path
    }

    /// Lets no page run scripts from now on.
    pub(crate) async fn forbid_scripts(&self) {
        let command =
            json!({ "cmd": "Emulation.setScriptExecutionDisabled", "params": { "value": true } });
        let done = self.ask("goog/cdp/execute", &command).await;
        done.expect("scripts can be forbidden");
    }

    /// What went wrong on the page since it was last asked: errors on the console, and what it wanted of any other host.
    pub(crate) async fn complaints(&self, home: SocketAddr) -> Vec<String> {
        let console = self.log("browser").await;
        let errors = console.iter().filter(|line| line["level"] != "INFO");
        let errors = errors.map(|line| line["message"].to_string());
        let home = format!("http://{home}/");
        let events = self.log("performance").await;
        let asked = events.iter().filter_map(requested);
        let abroad = asked.filter(|url| !is_at_home(url, &home));
        errors.chain(abroad).collect()
    }

    async fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.ask("se/log", &json!({ "type": kind })).await;
        log.expect("a log").as_array().expect("a log").clone()
    }

    /// The path of the last element that matches.
    async fn last(&self, selector: &str) -> Option<String> {
        let wanted = json!({ "using": "css selector", "value": selector });
        let found = self.ask("elements", &wanted).await.expect("elements");
        let last = found.as_array()?.last()?[ELEMENT].as_str()?;
        Some(format!("element/{last}"))
    }

    /// A command to this browser. The error is what the driver says.
    async fn ask(&self, name: &str, body: &Value) -> Result<Value, String> {
        let path = format!("{}/{name}", self.session);
        command(self.driver.address, Method::POST, &path, body).await
    }
}

async fn command(
    driver: SocketAddr,
    verb: Method,
    path: &str,
    body: &Value,
) -> Result<Value, String> {
    let body = match verb {
        Method::GET => Bytes::new(),
        _ => body.to_string().into(),
    };
    let answer = http::exchange(driver, verb, path, &[], body).await;
    let answer = answer.map_err(|error| format!("{path}: {error}"))?;
    match answer.is_success() {
        true => Ok(answer.json()["value"].take()),
        false => Err(answer.json()["value"]["message"].to_string()),
    }
}

/// The address of a request among what the browser tells.
fn requested(event: &Value) -> Option<String> {
    let event: Value = serde_json::from_str(event["message"].as_str()?).ok()?;
    let event = &event["message"];
    let is_request = event["method"] == "Network.requestWillBeSent";
    let url = event["params"]["request"]["url"].as_str()?;
    is_request.then(|| url.to_owned())
}

/// The page itself, what it holds in memory, and the browser's own first tab.
fn is_at_home(url: &str, home: &str) -> bool {
    [home, "blob:", "data:", "chrome:"].iter().any(|start| url.starts_with(start))
}

fn capabilities(driver: &Driver, screen: Screen) -> Value {
    let profile = driver.home.path().join("profile").display().to_string();
    let options = json!({
        "binary": driver.browser,
        "args": [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--lang=en",
            "--force-prefers-reduced-motion",
            "--remote-debugging-pipe",
            format!("--user-data-dir={profile}"),
        ],
        "mobileEmulation": { "deviceMetrics": screen.metrics() },
    });
    json!({
        "goog:chromeOptions": options,
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    })
}
