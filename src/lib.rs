//! Steadfast.

pub mod dialogue;
pub mod flows;
pub mod outbox;
pub mod pipeline;
pub mod replica;
pub mod store;
pub mod sweeper;
pub mod telegram;
pub mod update;
