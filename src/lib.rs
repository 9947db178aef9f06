//! Steadfast.

pub mod dialogue;
pub mod flows;
pub mod pipeline;
pub mod store;
pub mod update;
