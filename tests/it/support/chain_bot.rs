//! The bot as it is, and with it a dialogue that can prove its own history: every answer becomes a link of a chain of hashes, and
//! every reply shows the chain. One answer too few, too many, or in another order, and it is another chain.
//!
//! The process is this program once more, told to run the one test that serves.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use steadfast::app::{self, App, Bot, ExtraRoutes, Listeners, Parts, Signals};
use steadfast::company::{Company, DECLARED, flows, records::schema};
use steadfast::config::{self, Config, Mode};
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Command, Edges};
use steadfast::store::Clock;
use steadfast::telemetry;

use super::coupon::with_coupons;
use super::coupon_bot::Taking;
use super::server::Setup;

/// The test that serves.
const SERVES: &str = "support::chain_bot::serves";

/// The button under every reply.
pub(crate) const ADD: &str = "Add a link";

/// What the chain walks, besides what the bot's own flows do.
const EDGES: &str = "chain: start -> next\nchain: next -> next\ncoupon: start -> done\n";

/// A chain: `/chain` begins it, every text and every press adds a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Chain {
    /// The next link.
    Next {
        /// How many there are.
        count: u64,
        /// Of all of them.
        hash: String,
        /// The last one.
        item: String,
    },
}

impl Chain {
    fn and(self, item: String) -> Self {
        let Self::Next { count, hash, .. } = self;
        Self::Next { count: count + 1, hash: link(&hash, &item), item }
    }
}

impl Flow for Chain {
    const NAME: &'static str = "chain";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Command(Command { name, .. }) if name == "chain" => {
                Some(goto(Self::Next { count: 0, hash: String::new(), item: String::new() }))
            }
            _ => None,
        }
    }

    fn ask(&self, _: &Context) -> Prompt {
        let Self::Next { count, hash, item } = self;
        say(shown(*count, hash, item)).choice(ADD, format!("press-{count}"))
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match &turn.input {
            Input::Choice(value) => goto(self.and(value.clone())),
            _ => {
                let item = turn.text("A text, please.")?;
                goto(self.and(item))
            }
        })
    }

    fn ttl(&self) -> Duration {
        Duration::from_secs(6 * 3600)
    }
}

/// The hash of a chain with one link more.
pub(crate) fn link(hash: &str, item: &str) -> String {
    let digest = Sha256::digest(format!("{hash}\n{item}"));
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A chain as the bot shows it.
pub(crate) fn shown(count: u64, hash: &str, item: &str) -> String {
    format!("#{count} {hash} {item}").trim_end().to_owned()
}

/// Not a test: a server of the cluster.
#[test]
#[ignore = "the server that other tests start"]
fn serves() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(serve());
}

/// Serves until it is told to stop, as `serve` does.
async fn serve() {
    let variables = DECLARED.variables::<Company>();
    let environment = config::environment(&variables).expect("an environment");
    let config = Config::<Company>::read(&environment, Mode::Webhook, &DECLARED);
    let config = config.expect("a configuration");
    let server = &config.server;
    telemetry::log(&server.log, &config.secrets).expect("a log");
    let mut signals = Signals::new().expect("signals");
    let store = app::open(server).await.expect("a store");
    let database = server.records.as_ref().expect("a database");
    let (staff, schema) = (server.staff.clone(), with_coupons(schema(&config.settings)));
    let (clock, settings) = (Clock::system(), Arc::clone(&config.settings));
    let records = app::open_records(database, clock, staff, schema, settings).await;
    let records = records.expect("records");
    let flows = flows::all().with::<Chain>().with::<Taking>();
    let walked = flows::edges().iter().map(|edge| format!("{edge}\n"));
    let edges = EDGES.to_owned() + &walked.collect::<String>();
    let edges = Edges::read(&edges).expect("edges");
    let parts = Parts {
        metrics: telemetry::metrics().expect("metrics"),
        listeners: Listeners::bind(server).await.expect("two ports"),
        bot: Bot::of(flows, &edges, server, &store.store, Some(&records)),
        routes: ExtraRoutes::default(),
        records: Some(records),
        store,
    };
    let app = App::start(server, parts).await.expect("a server");
    signals.next().await;
    app.stop().await;
}

/// The set-up of its servers, where that of the bot is this.
pub(crate) fn set_up(setup: Setup) -> Setup {
    let program = std::env::current_exe().expect("this program");
    setup.of_program(&program, &[SERVES, "--exact", "--ignored", "--nocapture"])
}
