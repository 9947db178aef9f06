//! What a link to the orders asks for.

use super::OrdersFlow;
use steadfast::dialogue::prelude::*;

/// What somebody wants, by what a link says: `show 12`, `take 12`, `assign 12 0`, `give 12 5001`.
pub(super) enum Wish {
    /// A page of the list; none where it is not shown yet.
    List(Option<usize>),
    /// An order, and the page of the list it was found on.
    Show(i64, Option<usize>),
    /// To carry it out, and the page of the list it was found on.
    Take(i64, Option<usize>),
    /// To choose who does, on this page.
    Assign(i64, usize),
    /// To have it done by this master.
    Give(i64, i64),
}

impl Wish {
    /// What this turn asks for, if anything.
    pub(super) fn of(turn: &Turn) -> Option<Self> {
        let link = match &turn.input {
            Input::Link(link) => link.as_str(),
            _ if turn.is_command(OrdersFlow::NAME) => "",
            _ => return None,
        };
        let mut words = link.split(' ');
        let (verb, first, second) = (words.next()?, words.next(), words.next());
        let no = || first?.parse().ok();
        let page = |word: Option<&str>| word.and_then(|page| page.parse().ok());
        Some(match verb {
            "" => Self::List(None),
            "list" => Self::List(Some(page(first)?)),
            "show" => Self::Show(no()?, page(second)),
            "take" => Self::Take(no()?, page(second)),
            "assign" => Self::Assign(no()?, page(second)?),
            "give" => Self::Give(no()?, second?.parse().ok()?),
            _ => return None,
        })
    }
}
