//! What a look at the set-up of a store finds.

/// Something about the set-up of a store that the operator should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at, in one word: a metric label.
    pub check: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What is so, and if not ok how to mend it.
    pub advice: String,
}
