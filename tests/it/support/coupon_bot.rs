//! A bot that takes coupons, in processes of its own: the server as it is, with a flow that writes and reads records.
//!
//! The process is this program once more, told to run the one test that serves.

use std::sync::Arc;

use steadfast::app::{self, App, Bot, ExtraRoutes, Listeners, Parts, Signals};
use steadfast::company::{Company, DECLARED};
use steadfast::config::{self, Config, Mode};
use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Command, Edges};
use steadfast::records::Schema;
use steadfast::staff::Staff;
use steadfast::store::Clock;
use steadfast::telemetry;

use super::bot_api::BotApi;
use super::coupon::{Coupon, TAKEN, TakeCoupon, with_coupons};
use super::redis_server::RedisServer;
use super::server::Setup;

/// The test that serves.
const SERVES: &str = "coupons::serves";

/// Takes coupons, `/take spring`, and looks at them, `/look spring`. `/burst` is a mistake in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub(crate) enum Taking {
    /// It is never asked for.
    Code,
}

impl Flow for Taking {
    const NAME: &'static str = "coupon";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        match &turn.input {
            Input::Command(Command { name, arg }) if name == "take" => {
                let take = TakeCoupon { code: arg.clone() };
                Some(done().record(take).say(yours(arg)))
            }
            Input::Command(Command { name, arg }) if name == "look" => {
                let coupon: Option<Coupon> = turn.read("coupon");
                let is_taken = coupon.is_some_and(|coupon| coupon.taken_by.is_some());
                Some(done().say(looked_at(arg, is_taken)))
            }
            Input::Command(Command { name, .. }) if name == "burst" => panic!("as it was told"),
            Input::Refused(refusal) if refusal.reason == TAKEN => Some(done().say(FASTER)),
            _ => None,
        }
    }

    fn reads_to_open(turn: &Turn) -> Vec<Read> {
        match &turn.input {
            Input::Command(Command { name, arg }) if name == "look" => vec![read("coupon", arg)],
            _ => Vec::new(),
        }
    }

    fn ask(&self, _: &Context) -> Prompt {
        say("Which coupon?")
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        turn.text("Its code, please.").map(|_| done())
    }
}

/// What is said to who was not first.
pub(crate) const FASTER: &str = "Somebody else was faster.";

/// What is said to who has taken a coupon.
pub(crate) fn yours(code: &str) -> String {
    format!("{code} is yours.")
}

/// What is said to who looks at one.
pub(crate) fn looked_at(code: &str, is_taken: bool) -> String {
    let word = if is_taken { "taken" } else { "free" };
    format!("{code} is {word}.")
}

/// The set-up of its servers, with records in this database.
pub(crate) fn set_up(api: &BotApi, redis: &RedisServer, database: &str) -> Setup {
    let program = std::env::current_exe().expect("this program");
    Setup::redis(api, redis)
        .with("DATABASE_URL", database)
        .of_program(&program, &[SERVES, "--exact", "--ignored", "--nocapture"])
}

/// Serves until it is told to stop, as `serve` does.
pub(crate) async fn serve() {
    let variables = DECLARED.variables::<Company>();
    let environment = config::environment(&variables).expect("an environment");
    let config = Config::<Company>::read(&environment, Mode::Webhook, &DECLARED);
    let config = config.expect("a configuration");
    let server = &config.server;
    telemetry::log(&server.log, &config.secrets).expect("a log");
    let mut signals = Signals::new().expect("signals");
    let store = app::open(server).await.expect("a store");
    let database = server.records.as_ref().expect("a database");
    let (clock, schema) = (Clock::system(), with_coupons(Schema::new()));
    let records = app::open_records(database, clock, Staff::default(), schema, Arc::new(())).await;
    let records = records.expect("records");
    let flows = Repertoire::new(Texts::default()).with::<Taking>();
    let parts = Parts {
        listeners: Listeners::bind(server).await.expect("two ports"),
        bot: Bot::of(flows, &Edges::default(), server, &store.store, Some(&records)),
        routes: ExtraRoutes::default(),
        records: Some(records),
        store,
        metrics: telemetry::metrics().expect("metrics"),
    };
    let app = App::start(server, parts).await.expect("a server");
    signals.next().await;
    app.stop().await;
}
