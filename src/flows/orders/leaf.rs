//! Pages whose ways are links: a list that nothing waits for.

use crate::dialogue::PAGE;
use crate::dialogue::prelude::*;

/// A page of something.
pub(super) struct Leaf<'a, T> {
    /// What it shows.
    pub(super) entries: &'a [T],
    /// Its number, from nought on.
    pub(super) page: usize,
    /// How many there are.
    pages: usize,
}

/// The page of this number, or the last one.
pub(super) fn leaf<T>(entries: &[T], page: usize) -> Leaf<'_, T> {
    let pages = entries.len().div_ceil(PAGE).max(1);
    let page = page.min(pages - 1);
    let entries = entries.chunks(PAGE).nth(page).unwrap_or_default();
    Leaf {
        entries,
        page,
        pages,
    }
}

impl Prompt {
    /// Adds links to the other pages, where there are any.
    pub(super) fn ways<T>(self, leaf: &Leaf<'_, T>, verb: &str) -> Self {
        let (page, pages) = (leaf.page, leaf.pages);
        let to = |label: Text, page: usize| link(label, "orders", format!("{verb} {page}"));
        let here = text("page").with("page", page + 1).with("pages", pages);
        match pages {
            1 => self,
            _ => self.row([
                to("page-before".into(), (page + pages - 1) % pages),
                to(here, page),
                to("page-after".into(), (page + 1) % pages),
            ]),
        }
    }
}
