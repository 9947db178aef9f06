//! How much room a store takes.

/// How much memory a store takes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes in use.
    pub used: u64,
    /// Bytes it may use; 0: as many as there are.
    pub limit: u64,
}
