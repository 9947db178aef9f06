//! Lists that are longer than a screen: a page of buttons and the way to the others.

use super::input::Input;
use super::prompt::{Button, Prompt, choice};
use super::text::{Text, text};
use super::turn::Turn;

/// How many entries are shown at once.
pub const PAGE: usize = 6;
/// What the value of a button begins with that leads to another page.
const TURN: &str = "page ";

impl Prompt {
    /// Adds a button for each entry of this page, one to a row, and the way to the other pages where there are any. A page that is
    /// not there, since the list became shorter, is the last one.
    #[must_use]
    pub fn page<T>(self, entries: &[T], page: usize, button: impl Fn(&T) -> Button) -> Self {
        let way = |label, page| choice(label, format!("{TURN}{page}"));
        self.leaf(entries, page, |entry, _| button(entry), way)
    }

    /// As [`Prompt::page`], with ways of the list's own: for one that nothing waits for. Each entry is told its page.
    #[must_use]
    pub fn leaf<T>(
        self,
        entries: &[T],
        page: usize,
        button: impl Fn(&T, usize) -> Button,
        way: impl Fn(Text, usize) -> Button,
    ) -> Self {
        let pages = entries.len().div_ceil(PAGE).max(1);
        let page = page.min(pages - 1);
        let shown = entries.iter().skip(page * PAGE).take(PAGE);
        let listed = shown.fold(self, |prompt, entry| prompt.row([button(entry, page)]));
        match pages {
            1 => listed,
            _ => listed.row(ways(page, pages, way)),
        }
    }
}

/// To the page before, where one is, to the page after. The ends lead round to each other, so that the row never changes its shape.
fn ways(page: usize, pages: usize, way: impl Fn(Text, usize) -> Button) -> [Button; 3] {
    let here = text("page").with("page", page + 1).with("pages", pages);
    [
        way("page-before".into(), (page + pages - 1) % pages),
        way(here, page),
        way("page-after".into(), (page + 1) % pages),
    ]
}

impl Turn {
    /// The page that was asked for, if the person is leafing through a list.
    pub fn page(&self) -> Option<usize> {
        match &self.input {
            Input::Choice(value) => value.strip_prefix(TURN)?.parse().ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::prompt::{Action, say};
    use super::*;

    fn values(count: usize, page: usize) -> Vec<Vec<String>> {
        let entries: Vec<usize> = (0..count).collect();
        let prompt = say("list").page(&entries, page, |n| choice(n.to_string(), n.to_string()));
        let value = |button: &Button| match &button.action {
            Action::Choice(value) => value.clone(),
            other => panic!("{other:?}"),
        };
        let rows = prompt.rows.iter();
        rows.map(|row| row.iter().map(value).collect()).collect()
    }

    #[test]
    fn a_short_list_is_one_page() {
        assert_eq!(values(2, 0), [["0"], ["1"]]);
        assert!(values(0, 3).is_empty());
    }

    #[test]
    fn a_long_list_has_ways_to_its_other_pages() {
        let second = values(PAGE + 1, 1);
        assert_eq!(second[0], [PAGE.to_string()]);
        assert_eq!(second[1], ["page 0", "page 1", "page 0"]);
    }

    #[test]
    fn a_page_that_is_gone_is_the_last_one() {
        assert_eq!(values(3, 7).len(), 3);
    }

    #[test]
    fn whoever_leafs_says_which_page() {
        assert_eq!(Turn::from(Input::Choice("page 2".into())).page(), Some(2));
        assert_eq!(Turn::from(Input::Choice("2".into())).page(), None);
        assert_eq!(Turn::from("page 2").page(), None);
    }
}
