//! Receives updates, by webhook or by polling, and turns them into events.
//!
//! [`webhook`] checks and limits a request, [`update`] parses it, and the turn answers it. [`poll`] asks for updates where there is
//! no public address. `arrival` limits the time and the size of bodies, also for the operator API.

pub(crate) mod arrival;
pub mod poll;
pub mod update;
pub mod webhook;
