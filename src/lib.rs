//! Steadfast.

pub mod dialogue;
pub mod pipeline;
pub mod store;
pub mod update;
