//! A store in Redis.

/// Placeholder.
#[derive(Debug)]
pub struct Redis;

/// Placeholder.
#[derive(Debug, Clone)]
pub struct RedisConfig;
