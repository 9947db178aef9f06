//! What can go wrong with a store.

use super::MAX_BODY_BYTES;

/// What can go wrong, by meaning and not by backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The store could not be asked, or did not answer in time. The call may or may not have been carried out.
    #[error("the store is unavailable ({kind}): {detail}")]
    Unavailable {
        /// A word for metrics: `timeout`, `io`, `readonly`, `oom`, `loading`, …
        kind: &'static str,
        /// For the log.
        detail: String,
    },
    /// A body over [`MAX_BODY_BYTES`].
    #[error(
        "the dialogue's state has {bytes} bytes; the ceiling is {MAX_BODY_BYTES}. Keep large things elsewhere and their id here"
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Something in the store cannot be read.
    #[error("the store holds something unreadable: {0}")]
    Corrupt(String),
}

impl Error {
    /// A call that was not answered in time.
    pub fn timeout(detail: impl Into<String>) -> Self {
        Self::Unavailable { kind: "timeout", detail: detail.into() }
    }

    /// A word for metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unavailable { kind, .. } => kind,
            Self::TooLarge { .. } => "too_large",
            Self::Corrupt(_) => "corrupt",
        }
    }
}
