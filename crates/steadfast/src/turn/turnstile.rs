//! Lets the turns of one dialogue through one by one, within this replica.
//!
//! Not needed for safety: the version check of the commit is. But turns that wait do not conflict, and copies of one update that
//! arrive at once are not each counted as a try: the second finds the first committed.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard};
use xxhash_rust::xxh3::xxh3_64;

use crate::store::DialogueKey;

/// More than can be in flight at once, so that strangers seldom wait for each other.
const GATES: usize = 2048;

/// Lets the turns of one dialogue through one by one.
#[derive(Clone)]
pub(super) struct Turnstile(Arc<[Mutex<()>]>);

impl Turnstile {
    pub(super) fn new() -> Self {
        Self((0..GATES).map(|_| Mutex::new(())).collect())
    }

    /// Waits for one's turn, which lasts as long as what is returned.
    pub(super) async fn enter(&self, key: &DialogueKey) -> MutexGuard<'_, ()> {
        let hash = xxh3_64(&[key.chat.to_be_bytes(), key.user.to_be_bytes()].concat());
        self.0[(hash % GATES as u64) as usize].lock().await
    }
}

impl fmt::Debug for Turnstile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Turnstile(…)")
    }
}
