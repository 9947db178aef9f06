//! The integration tests, in one binary. This list is its table of contents.

mod broadcast;
mod canary;
mod crashes;
mod delivery;
mod kills;
mod letters;
mod lifecycle;
mod limits;
mod operations;
mod ops;
mod outages;
mod polling;
mod races;
mod records;
mod redis_faults;
mod refusals;
mod registration;
mod sayings;
mod session;
mod stops;
mod store;
mod support;
mod tidy;
mod timers;
mod webhook;
