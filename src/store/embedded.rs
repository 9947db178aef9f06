//! A store in one SQLite file.

/// Placeholder.
#[derive(Debug)]
pub struct Embedded;
