//! Steadfast.
pub mod store;
