//! What the tests stand on.

pub(crate) mod authority;
pub(crate) mod bed;
pub(crate) mod deaf_proxy;
pub(crate) mod door;
pub(crate) mod faulty;
pub(crate) mod redis_server;
pub(crate) mod retrying;
pub(crate) mod stage;
pub(crate) mod watched;
