//! The clock of a store that has no server with a clock of its own.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Millis;

/// Where a local store takes the time from; a test passes in one that it can move.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Millis + Send + Sync>);

/// How far a clock is ahead of the machine's: for trying out what time does to dialogues.
#[derive(Debug, Clone, Default)]
pub struct Shift(Arc<AtomicU64>);

impl Clock {
    /// A clock that reads as `now` answers.
    pub fn new(now: impl Fn() -> Millis + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The clock of the machine.
    pub fn system() -> Self {
        Self::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            since.map_or(0, |since| since.as_millis() as Millis)
        })
    }

    /// A clock that is ahead of the machine's.
    pub fn ahead(shift: &Shift) -> Self {
        let (machine, shift) = (Self::system(), shift.clone());
        Self::new(move || machine.now().saturating_add(shift.get()))
    }

    /// The time.
    pub fn now(&self) -> Millis {
        (self.0)()
    }
}

impl Shift {
    /// Ahead by this much.
    pub fn new(ahead: Millis) -> Self {
        Self(Arc::new(ahead.into()))
    }

    /// How far ahead.
    pub fn get(&self) -> Millis {
        self.0.load(Ordering::Relaxed)
    }

    /// From now on ahead by this much.
    pub(super) fn set(&self, ahead: Millis) {
        self.0.store(ahead, Ordering::Relaxed);
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}
