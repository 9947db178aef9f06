//! What a store says of its own health.

/// How much memory a store takes up, and whether others hold copies of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vitals {
    /// Bytes in use.
    pub used: u64,
    /// Bytes it may use; 0: as many as there are.
    pub limit: u64,
    /// Whether it takes writes, rather than follow another.
    pub is_master: bool,
    /// How many follow it.
    pub replicas: u64,
}
