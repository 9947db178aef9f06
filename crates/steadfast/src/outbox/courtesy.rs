//! Which records have shown that they take long: once is enough, however often they are tried.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// How many are remembered; then it begins anew.
const MOST: usize = 10_000;

/// The effects that were shown to be under way.
#[derive(Debug, Default)]
pub(super) struct Courtesies(Mutex<HashSet<String>>);

impl Courtesies {
    /// Whether this effect was not shown yet; from now on it was.
    pub(super) fn is_new(&self, effect: &str) -> bool {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.len() >= MOST {
            shown.clear();
        }
        shown.insert(effect.to_owned())
    }
}
