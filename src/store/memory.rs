//! A store in memory.

/// Placeholder.
#[derive(Debug)]
pub struct Memory;
