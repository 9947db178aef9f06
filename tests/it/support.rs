//! What the tests stand on.

pub(crate) mod deaf_proxy;
pub(crate) mod redis_server;
