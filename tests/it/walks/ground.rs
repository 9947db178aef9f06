//! The ground that is walked: a server as a process of its own, with its store and its records, before a Telegram that delivers to its
//! webhook. Both have one clock, which can be moved.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use field_service::flows;
use hyper::Method;
use serde_json::json;
use steadfast::dialogue::Edge;

use super::hold::Hold;
use crate::support::bot_api::TOKEN;
use crate::support::http;
use crate::support::patience::until;
use crate::support::person::Person;
use crate::support::playing::Playing;
use crate::support::server::{SECRET, Server, Setup};

/// The counter of transitions.
const TRANSITIONS: &str = "steadfast_transitions_total";

/// A server and a Telegram.
pub(super) struct Ground {
    telegram: Playing,
    server: Server,
    setup: Setup,
    /// How many milliseconds the clocks are ahead.
    ahead: Cell<u64>,
}

impl Ground {
    /// On a file, with a clock that can be moved.
    pub(super) async fn new() -> Self {
        Self::on(Setup::movable()).await
    }

    /// On what this set-up says.
    pub(super) async fn on(setup: Setup) -> Self {
        let arguments = ["emulator", "--listen", "127.0.0.1:0", "--token", TOKEN];
        let telegram = Playing::start_as(&arguments, Path::new("/"), &BTreeMap::new());
        let api = format!("http://{}", telegram.address);
        let setup = setup.with("TELEGRAM_API_URL", &api);
        let server = setup.start().await;
        let url = format!("http://{}/webhook", server.webhook());
        let webhook = json!({ "url": url, "secret_token": SECRET });
        let path = format!("/bot{TOKEN}/setWebhook");
        telegram.post(&path, &webhook).await;
        Self { telegram, server, setup, ahead: Cell::new(0) }
    }

    /// Somebody of this name who reads this language, has these roles, and has said hello.
    pub(super) async fn meets(&self, name: &str, language: &str, roles: &[&str]) -> Person<'_> {
        let person = json!({ "name": name, "language": language });
        let person = self.telegram.post("/emulator/people", &person).await;
        let person = Person(&self.telegram, person["id"].as_i64().expect("a number"));
        for role in roles {
            self.gives(person, role).await;
        }
        person.says("/start").await;
        until(format!("{name} is greeted"), async || {
            (!person.told().await.is_empty()).then_some(())
        })
        .await;
        person
    }

    /// Somebody has this role from now on.
    pub(super) async fn gives(&self, person: Person<'_>, role: &str) {
        self.rules(Method::PUT, person, role).await;
    }

    /// Somebody does not have this role any more.
    pub(super) async fn takes(&self, person: Person<'_>, role: &str) {
        self.rules(Method::DELETE, person, role).await;
    }

    async fn rules(&self, verb: Method, Person(_, user): Person<'_>, role: &str) {
        let path = format!("/roles?user={user}&role={role}");
        let answer = http::ask(self.server.ops(), verb, &path).await;
        let answer = answer.expect("an answer");
        assert!(answer.is_success(), "{path}: {}", answer.body);
    }

    /// So many minutes pass.
    pub(super) async fn minutes_pass(&self, minutes: u64) {
        let passed = json!({ "advance": format!("{minutes}m") });
        self.telegram.post("/emulator/clock", &passed).await;
        self.ahead.set(self.ahead.get() + minutes * 60_000);
        let ahead = json!({ "ahead": self.ahead.get() }).to_string();
        let moved = http::post(self.server.ops(), "/clock", &[], ahead).await;
        let moved = moved.expect("an answer");
        assert!(moved.is_success(), "{}", moved.body);
    }

    /// Holds the records: they can be read, and nothing is written until they are let go.
    pub(super) fn holds_records(&self) -> Hold {
        Hold::of(&Path::new(self.setup.value("DATA_DIR")).join("records.db"))
    }

    /// An operator tries once more what the records would not take.
    pub(super) async fn retries_letter(&self) {
        let id = until("there is a letter", async || {
            let letters = self.server.ask("/dead-letters").await.json();
            Some(letters["letters"][0]["id"].as_str()?.to_owned())
        })
        .await;
        let path = format!("/dead-letters/{id}/retry");
        let retried = http::ask(self.server.ops(), Method::POST, &path).await;
        let retried = retried.expect("an answer");
        assert!(retried.is_success(), "{}", retried.body);
    }

    /// Something is done, and has led along this transition; what comes of that may still wait.
    pub(super) async fn sees(&self, edge: &str, done: impl Future<Output = ()>) {
        let edge: Edge = edge.parse().expect("an edge");
        let before = self.count(&edge).await;
        done.await;
        until(format!("it leads along {edge}"), async || {
            (self.count(&edge).await > before).then_some(())
        })
        .await;
    }

    /// How often the server has counted this transition.
    async fn count(&self, Edge { flow, from, to }: &Edge) -> f64 {
        let labels = [("flow", flow), ("from", from), ("to", to)];
        let labels = labels.map(|(name, value)| format!("{name}=\"{value}\""));
        let metrics = self.server.metrics().await;
        metrics.sum(TRANSITIONS, &labels.each_ref().map(String::as_str))
    }

    /// Waits until the server has counted every transition of this flow, and asserts that it has counted no others.
    pub(super) async fn is_walked(&self, flow: &str) {
        let declared = || flows::edges().iter().filter(|edge| edge.flow == flow);
        let left = RefCell::default();
        let what = fmt::from_fn(|f| write!(f, "these are walked: {:#?}", left.borrow()));
        let walked = until(what, async || {
            let walked = self.walked(flow).await;
            let missing = declared().filter(|edge| !walked.contains(edge));
            *left.borrow_mut() = missing.map(Edge::to_string).collect::<Vec<_>>();
            left.borrow().is_empty().then_some(walked)
        })
        .await;
        let unknown: Vec<_> = walked.iter().filter(|edge| !flows::edges().knows(edge)).collect();
        assert!(unknown.is_empty(), "nobody has declared {unknown:#?}");
    }

    /// The transitions of this flow that the server has counted.
    async fn walked(&self, flow: &str) -> BTreeSet<Edge> {
        let metrics = self.server.metrics().await;
        let counted = metrics.counted(TRANSITIONS);
        let own = counted.filter(|labels| labels["flow"] == flow);
        own.map(|labels| Edge::new(flow, labels["from"], labels["to"])).collect()
    }
}
