//! The integration tests, in one binary. This list is its table of contents.

mod broadcast;
mod crashes;
mod delivery;
mod letters;
mod lifecycle;
mod limits;
mod operations;
mod ops;
mod outages;
mod races;
mod records;
mod redis_faults;
mod session;
mod stops;
mod store;
mod support;
mod tidy;
mod timers;
mod webhook;
