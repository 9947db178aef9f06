//! The emulator, rule by rule. Its clock stands still until a test moves it, and nobody sleeps.

mod answers;
mod command;
mod commands;
mod company;
mod control;
mod editing;
mod errors;
mod expiry;
mod faults;
mod files;
mod impossible;
mod keeping;
mod kinds;
mod limits;
mod list;
mod order;
mod polling;
mod presses;
mod receiver;
mod retries;
mod sending;
mod sizes;
mod stage;
mod tls;
mod webhook;
