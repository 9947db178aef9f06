//! Something that knows whether it was touched since it was last written down.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A value; whoever has it to change counts as having changed it. It is shared with what is written down of it, so that it is copied
/// only if it changes meanwhile.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Noted<T> {
    inner: Arc<T>,
    #[serde(skip)]
    is_touched: bool,
}

impl<T> Noted<T> {
    /// As it is now, if it was touched since this was last asked.
    pub(super) fn news(&mut self) -> Option<Arc<T>> {
        std::mem::take(&mut self.is_touched).then(|| Arc::clone(&self.inner))
    }

    /// Takes that in.
    pub(super) fn learn(&mut self, news: Option<Arc<T>>) {
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

impl<T: Clone> DerefMut for Noted<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.is_touched = true;
        Arc::make_mut(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_writes_down_is_not_copied() {
        let mut people = Noted::<Vec<i64>>::default();
        people.push(1);
        let place = Arc::as_ptr(&people.inner);
        drop(people.news());
        people.push(2);
        assert_eq!(Arc::as_ptr(&people.inner), place);
        let news = people.news().expect("it was touched");
        people.push(3);
        assert_eq!((news.len(), people.len()), (2, 3));
        assert!(Noted::<Vec<i64>>::default().news().is_none());
    }
}
