//! A bot that takes coupons, in processes of its own: the server as it is, with a flow that writes and reads records.
//!
//! The process is this program once more, told to run the one test that serves.

use steadfast::Bot;
use steadfast::config::{self, Config, Mode, Settings};
use steadfast::dialogue::Command;
use steadfast::dialogue::prelude::*;
use steadfast::records::Schema;
use steadfast::server::Signals;
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
    let bot = steadfast::bot!().flow::<Taking>().records(|()| with_coupons(Schema::new()));
    serve_bot(bot.transitions("")).await;
}

/// Serves a bot until it is told to stop.
pub(crate) async fn serve_bot<S: Settings>(bot: Bot<S>) {
    let declared = bot.declared();
    let environment = config::environment(&declared.variables::<S>()).expect("an environment");
    let config = Config::read(&environment, Mode::Webhook, &declared).expect("a configuration");
    telemetry::log(&config.server.log, &config.secrets).expect("a log");
    let mut signals = Signals::new().expect("signals");
    let stop = async {
        signals.next().await;
    };
    bot.serve(config, stop).await.expect("a server");
}
