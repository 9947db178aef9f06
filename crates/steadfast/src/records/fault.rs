//! Why a transaction did not come to its end, and whether to try again.

use super::Verdict;

/// Why a transaction did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It met another one; once more, and it may pass.
    #[error("{0}")]
    Raced(String),
    /// The database cannot be asked now.
    #[error("{0}")]
    Unavailable(String),
    /// The file is no database, or no longer one: nothing in it can be asked until somebody mends it.
    #[error("{0}")]
    Damaged(String),
    /// Only another build knows what it is.
    #[error("{0}")]
    Unknown(String),
    /// It can never pass.
    #[error("{0}")]
    Broken(String),
}

impl From<Fault> for Verdict {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Raced(reason) | Fault::Unavailable(reason) | Fault::Damaged(reason) => {
                Self::Unavailable(reason)
            }
            Fault::Unknown(reason) => Self::Unknown(reason),
            Fault::Broken(reason) => Self::Broken(reason),
        }
    }
}
