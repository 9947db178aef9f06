//! What the tests stand on.

pub(crate) mod authority;
pub(crate) mod back_door;
pub(crate) mod bed;
pub(crate) mod bot_api;
pub(crate) mod browser;
pub(crate) mod company;
pub(crate) mod coupon_bot;
pub(crate) mod deaf_proxy;
pub(crate) mod door;
pub(crate) mod errand;
pub(crate) mod faulty;
pub(crate) mod firm;
pub(crate) mod http;
pub(crate) mod ledger;
pub(crate) mod metrics;
pub(crate) mod patience;
pub(crate) mod playing;
pub(crate) mod postgres_server;
pub(crate) mod redis_server;
pub(crate) mod retrying;
pub(crate) mod server;
pub(crate) mod stage;
pub(crate) mod updates;
pub(crate) mod watched;
pub(crate) mod world;
