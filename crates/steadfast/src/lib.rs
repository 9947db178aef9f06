//! A framework for webhook Telegram bots whose dialogues survive restarts, crashes, redeliveries, races and failovers.
//!
//! # From nothing to a running bot
//!
//! Nothing is published yet, so a bot names the crate by its path:
//!
//! ```toml
//! [dependencies]
//! serde = "1.0"
//! steadfast = { path = "../steadfast/crates/steadfast" }
//! ```
//!
//! A flow is an enum of questions. The whole `src/main.rs` of a bot, with its test:
//!
//! ```test_harness
//! use steadfast::prelude::*;
//!
//! #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
//! #[serde(tag = "at", rename_all = "snake_case")]
//! enum Coffee {
//!     Size,
//!     Name { size: String },
//! }
//!
//! impl Flow for Coffee {
//!     const NAME: &'static str = "coffee";
//!
//!     fn open(turn: &Turn) -> Option<Step<Self>> {
//!         turn.begins(Self::NAME).then(|| goto(Self::Size))
//!     }
//!
//!     fn ask(&self, _: &Context) -> Prompt {
//!         match self {
//!             Self::Size => say("Which size?").row([choice("Small", "small"), choice("Large", "large")]),
//!             Self::Name { .. } => say("For whom?"),
//!         }
//!     }
//!
//!     fn answer(self, turn: &Turn) -> Answer<Self> {
//!         Ok(match self {
//!             Self::Size => {
//!                 let size = turn.choice("Please press a button.")?.to_owned();
//!                 goto(Self::Name { size })
//!             }
//!             Self::Name { size } => {
//!                 let name = turn.text("Please type a name.")?;
//!                 done().say(format!("A {size} coffee for {name}!"))
//!             }
//!         })
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     steadfast::bot!().flow::<Coffee>().main()
//! }
//!
//! #[test]
//! fn ann_gets_a_large_coffee() {
//!     let mut chat = TestChat::of::<Coffee>();
//!     chat.types("/coffee").presses("Large").hears("For whom?");
//!     chat.types("Ann").hears("A large coffee for Ann!").at("idle");
//! }
//! ```
//!
//! `cargo test` runs the test, and `cargo run` opens a playground: a chat with the bot in the browser, with no token and no set-up.
//! With a token in `BOT_TOKEN` and a secret in `WEBHOOK_SECRET`, `cargo run -- serve` serves the webhook.
//!
//! # What a bot can add
//!
//! [`Bot`] declares roles, texts, records in SQL, settings, workers, tower layers, HTTP routes and subcommands. [`Bot::check`]
//! reports all faults of a bot at once.
//!
//! # Map
//!
//! An update passes these modules in this order:
//!
//! - [`intake`]: the webhook, the poller, and the parser of updates.
//! - [`turn`]: the stack of tower layers around each step, from an [`Event`](turn::Event) to an [`Outcome`](turn::Outcome).
//!   The flows themselves are in [`dialogue`], the stored dialogues in [`store`].
//! - [`outbox`]: carries out committed effects, in order per destination; [`outbox::telegram`] calls the Bot API.
//! - [`records`]: business data in SQL, written by commands and read by lookups.
//! - [`ops`]: the operations listener: health, metrics, and the operator API.
//! - [`server`]: wires all of the above, runs timers and leader tasks, and stops in order.
//!
//! Beside them: [`mod@bot`] (what an author declares), [`config`] (variables), [`telemetry`] (logs and metrics), [`cli`]
//! (commands), `playground` and `bench` (with the feature `playground`).
//!
//! Modules that several rooms share: [`replica`] (this process among the others), [`staff`] (roles by the configuration),
//! [`letter`] (dead letters), [`trace`] (the id that ties the log lines of an update together), [`duty`] (tasks of a leader),
//! [`backup`] (copies of the files of a deployment).
//!
//! # Features
//!
//! - `playground` (default): the playground, the emulator and the load bench.
//! - `sql` (default): records in SQLite or PostgreSQL.

pub mod backup;
#[cfg(feature = "playground")]
pub mod bench;
pub mod bot;
pub mod cli;
pub mod config;
#[cfg(doctest)]
mod docs;
pub mod duty;
pub mod intake;
pub mod letter;
mod mark;
pub mod ops;
pub mod outbox;
#[cfg(feature = "playground")]
pub mod playground;
pub mod records;
mod refrain;
pub mod replica;
pub mod server;
pub mod staff;
pub mod telemetry;
pub mod trace;
pub mod turn;

pub use bot::Bot;
pub use steadfast_dialogue as dialogue;
#[cfg(feature = "playground")]
pub use steadfast_emulator as emulator;
#[cfg(feature = "playground")]
pub use steadfast_emulator::page;
pub use steadfast_store as store;

/// The names that a bot's files need.
pub mod prelude {
    pub use crate::Bot;
    pub use crate::bot;
    pub use crate::dialogue::prelude::*;
}
