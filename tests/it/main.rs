//! The integration tests, in one binary. This list is its table of contents.

mod store;
mod support;
