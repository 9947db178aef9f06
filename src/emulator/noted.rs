//! Something that knows whether it was touched since it was last written down.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

/// A value; whoever has it to change counts as having changed it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Noted<T> {
    inner: T,
    #[serde(skip)]
    is_touched: bool,
}

impl<T: Clone> Noted<T> {
    /// As it is now, if it was touched since this was last asked.
    pub(super) fn news(&mut self) -> Option<T> {
        std::mem::take(&mut self.is_touched).then(|| self.inner.clone())
    }

    /// Takes that in.
    pub(super) fn learn(&mut self, news: Option<T>) {
        if let Some(news) = news {
            self.inner = news;
        }
    }
}

impl<T> Deref for Noted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for Noted<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.is_touched = true;
        &mut self.inner
    }
}
