//! Steadfast.

pub mod app;
pub mod cli;
pub mod config;
pub mod dialogue;
pub mod http;
pub mod pipeline;
pub mod store;
pub mod telemetry;
pub mod update;
