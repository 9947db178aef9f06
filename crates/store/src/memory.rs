//! A store in memory: the executable specification, and what tests run on.

use std::collections::BTreeMap;
use std::future::{Future, ready};
use std::ops::{Bound, Range};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::local::{Desk, Entry, Local, Shelf, Survives};
use super::{Clock, Finding, Limits, Result};

/// Keeps everything until the process ends, and nothing longer.
#[derive(Debug)]
pub struct Memory {
    /// Everything. A plain mutex: it is held for microseconds and never across an await.
    shelf: Mutex<BTreeMap<Vec<u8>, Bytes>>,
    /// The store's time.
    clock: Clock,
    /// The paces to keep to.
    limits: Limits,
}

impl Memory {
    /// An empty store.
    pub fn new() -> Self {
        Self::with_clock(Clock::system())
    }

    /// An empty store with a clock of the caller's.
    pub fn with_clock(clock: Clock) -> Self {
        Self { shelf: Mutex::default(), clock, limits: Limits::default() }
    }

    /// The same store, keeping to these paces.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Local for Memory {
    const KIND: &'static str = "memory";

    fn run<T, F>(&self, _: Survives, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: FnOnce(&mut Desk<'_>) -> Result<T> + Send + 'static,
    {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let mut desk = Desk::new(&mut *shelf, self.clock.now());
        desk.obey(self.limits);
        ready(work(&mut desk))
    }

    fn findings(&self) -> Vec<Finding> {
        vec![Finding {
            check: "durability",
            ok: false,
            advice: "everything is lost when the process ends; set STORE to embedded or redis to keep it".into(),
        }]
    }

    fn shut(&self) -> impl Future<Output = ()> + Send {
        ready(())
    }
}

impl Shelf for BTreeMap<Vec<u8>, Bytes> {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.get(key).cloned())
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.insert(key.to_vec(), Bytes::copy_from_slice(value));
        Ok(())
    }

    fn delete(&mut self, key: &[u8]) -> Result<()> {
        self.remove(key);
        Ok(())
    }

    fn scan(&self, range: Range<&[u8]>, limit: usize) -> Result<Vec<Entry>> {
        let range = (Bound::Included(range.start), Bound::Excluded(range.end));
        let found = self.range::<[u8], _>(range).take(limit);
        Ok(found.map(|(key, value)| (key.clone(), value.clone())).collect())
    }
}
