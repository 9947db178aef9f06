//! A webhook Telegram bot server whose dialogues survive restarts, crashes, redeliveries, races and failovers.
//!
//! # Layout
//!
//! An update travels down this list, and its replies come back out at the end of it:
//!
//! - [`http`]: the doors. The webhook, health, metrics, and what operators may ask.
//! - [`update`]: from the wire to [`update::Event`], once, at the door.
//! - [`pipeline`]: the stack around each step: log, transitions, load and commit.
//! - [`dialogue`]: what a flow is made of, and the pure engine that plays one turn.
//! - [`flows`]: the dialogues of this bot, one file each.
//! - [`store`]: where dialogues are kept; one atomic commit. Memory, a SQLite file, or Redis.
//! - [`records`]: business data, written by what steps have caused. [`company`], [`staff`], [`money`], [`phone`], [`hours`],
//!   [`pay`]: what it is about.
//! - [`outbox`]: carries committed effects out, in order. [`telegram`]: the calls themselves.
//! - [`migration`]: a group that became another chat, and the dialogues in it.
//! - [`letter`]: what could not be done, kept for an operator.
//! - [`backup`]: copies of the files that everything is kept in, and the way back. [`lock`]: whose they are.
//! - [`webhook`]: keeps the webhook registered. [`poll`]: asks for updates where there is none. [`commands`]: tells Telegram the
//!   bot's commands.
//! - [`media`]: downloads the photos that show what was done.
//! - [`sweeper`]: looks for what is due. [`replica`]: this process among the others.
//! - [`page`]: the chat in the browser, for trying it all without Telegram.
//!
//! [`emulator`] knows nothing of all this: it is a Telegram to try bots with. [`playground`] puts the two together. [`bench`](mod@bench) finds
//! out how much a deployment bears.
//!
//! Around it: [`bot`] (what an author declares), [`config`] (the environment, read once), [`telemetry`] (logs and metrics), [`trace`] (ties the lines about one
//! update together), [`app`] (owns and wires all of the above) and [`cli`] (what the binary can do).

pub mod app;
pub mod backup;
#[cfg(feature = "playground")]
pub mod bench;
pub mod bot;
pub mod cli;
pub mod commands;
#[cfg(feature = "sql")]
pub mod company;
pub mod config;
pub mod dialogue;
mod duty;
pub mod http;
pub mod letter;
pub mod lock;
mod mark;
pub mod migration;
pub mod outbox;
pub mod pipeline;
#[cfg(feature = "playground")]
pub mod playground;
pub mod poll;
mod private;
pub mod records;
mod refrain;
pub mod replica;
pub mod staff;
pub mod store;
pub mod sweeper;
pub mod telegram;
pub mod telemetry;
pub mod trace;
pub mod update;
pub mod webhook;

pub use bot::Bot;
#[cfg(feature = "playground")]
pub use steadfast_emulator as emulator;
#[cfg(feature = "playground")]
pub use steadfast_emulator::page;
