//! A bot without a database: roles come from the configuration, and what needs records says so.

use hyper::Method;
use serde_json::json;
use steadfast::bot::Build;
use steadfast::config::{Config, Declared, Mode};
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Edges, Role};
use steadfast::server::{self, App, ExtraRoutes, Listeners, Parts, Server};
use steadfast::telemetry;

use crate::support::bot_api::{BotApi, TOKEN};
use crate::support::http;
use crate::support::server::SECRET;
use crate::support::updates::{Update, post, someone};

/// A bot with a role, and without records.
const DECLARED: Declared = Declared { roles: &[Role::new("owner")], has_records: false };

const BUILD: Build = Build { name: "secret", version: "1.2.3", about: "" };

/// Asks owners for a word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Secret {
    Word,
}

impl Flow for Secret {
    const NAME: &'static str = "secret";
    const ROLES: &'static [Role] = DECLARED.roles;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Word))
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Which word?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("A word, please.").map(|_| done())
    }
}

/// A server of this bot, where this user is the owner.
async fn serve(api: &BotApi, owner: i64) -> App {
    let owner = owner.to_string();
    let url = api.url();
    let source = |name: &str| match name {
        "BOT_TOKEN" => Some(TOKEN.to_owned()),
        "WEBHOOK_SECRET" => Some(SECRET.to_owned()),
        "TELEGRAM_API_URL" => Some(url.clone()),
        "LISTEN_ADDR" | "OPS_ADDR" => Some("127.0.0.79:0".to_owned()),
        "STORE" => Some("memory".to_owned()),
        "DRAIN_DELAY" => Some("0".to_owned()),
        "OWNER_IDS" => Some(owner.clone()),
        _ => None,
    };
    let config = Config::<()>::read(&source, Mode::Webhook, &DECLARED).expect("a configuration");
    let config = config.server;
    assert!(config.records.is_none(), "there is no database to configure");
    let store = server::open(&config).await.expect("a store");
    let flows = Repertoire::new(Texts::default()).with::<Secret>();
    let parts = Parts {
        listeners: Listeners::bind(&config).await.expect("two ports"),
        server: Server::of(BUILD, flows, &Edges::default(), &[], &config, &store.store, None),
        routes: ExtraRoutes::default(),
        records: None,
        store,
        metrics: telemetry::recorder().expect("metrics").handle(),
    };
    App::start(&config, parts).await.expect("a server")
}

#[tokio::test]
async fn a_bot_without_a_database_serves_and_forgets_and_names_what_needs_records() {
    let (api, owner, other) = (BotApi::start(), someone(), someone());
    let app = serve(&api, owner).await;
    let (door, ops) = (app.webhook_address(), app.ops_address());
    for user in [owner, other] {
        let taken = post(door, &Update::text(user, "/secret")).await.expect("an answer");
        assert_eq!(taken.status, 200);
    }
    api.until_said(owner, "Which word?").await;
    assert!(api.until_sent(other, 1).await[0].text() != "Which word?", "they have no role");

    let roles = http::get(ops, "/roles").await.expect("an answer").json();
    let person = json!({ "user": owner, "roles": ["owner"], "given": [] });
    assert_eq!(roles["people"], json!([person]));
    let give = format!("/roles?user={other}&role=owner");
    let given = http::ask(ops, Method::PUT, &give).await.expect("an answer");
    assert_eq!(given.status, 422);
    assert!(given.json()["error"].as_str().is_some_and(|error| error.contains("DATABASE_URL")));

    for (to, status) in [("active", 200), ("all", 422)] {
        let notice = json!({ "id": to, "text": "Hello.", "to": to }).to_string();
        let sent = http::post(ops, "/broadcast", &[], notice).await;
        assert_eq!(sent.expect("an answer").status, status, "{to}");
    }
    api.until_said(owner, "Hello.").await;

    let forget = format!("/forget?user={owner}");
    let forgotten = http::ask(ops, Method::POST, &forget).await.expect("an answer").json();
    assert_eq!((&forgotten["dialogues"], &forgotten["records"]), (&json!(1), &json!({})));
    app.stop().await;
}
