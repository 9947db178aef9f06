//! What the books are to hold of people, told by what these were told, and held against what they hold. Pure, so that it can be shown
//! to fail.

use std::collections::BTreeMap;

use super::checker::Verdict;
use super::pay::Pay;

/// Something in the books that came of one step of somebody.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    /// They are known.
    Person,
    /// They took this coupon.
    Coupon(String),
    /// They sent so many photos with this caption.
    Photos(i64, Option<String>),
    /// Something was written of which another entry tells by now: an answer that was followed by more, a claim to a conversation.
    Passing,
    /// They asked something, were answered, and ended the conversation.
    Conversation,
    /// A message of a conversation was passed on to them.
    Relay,
    /// They have introduced themselves by this name.
    Introduced(String),
    /// They created the order of this number.
    Order(i64),
    /// They reported on the order of this number, and closed it.
    Report(i64),
    /// They opened a shift.
    Opened {
        /// Which of theirs, from 1 on.
        shift: usize,
        /// Where.
        site: String,
        /// For which time slot.
        hours: String,
        /// At which time of the day.
        since: String,
    },
    /// They did a task of a shift, or sent one more photo of it.
    Ticked {
        /// Which of their shifts.
        shift: usize,
        task: String,
        /// The file that shows it.
        photo: Option<String>,
    },
    /// They closed this one of their shifts with this pay.
    Closed(usize, Pay),
}

/// Whose, and what.
pub(super) type Line = (i64, Entry);

/// How many kinds of entries there are in the books, where [`Entry::Passing`] is not: in a run that is worth the name, all of them.
pub(super) const KINDS: usize = 11;

/// What is said once a conversation is begun, and once it is claimed; and to who leaves it, which they do after an answer, which
/// claims it too.
const PASSING: [&str; 3] = [
    "What you write here I pass on",
    "You are talking with ",
    "All right. The conversation stays open",
];

/// What a reply confirms to have been written, if anything.
pub(super) fn confirmed(reply: &str) -> Option<Entry> {
    if let Some(code) = reply.strip_suffix(" is yours.") {
        return Some(Entry::Coupon(code.to_owned()));
    }
    if let Some(name) = reply.strip_suffix("! Now we know you.") {
        let name = name.strip_prefix("Thank you, ")?;
        return Some(Entry::Introduced(name.to_owned()));
    }
    // Each comes once what was said before it is written down, the first when that is nothing.
    let is_next = (1..=7).any(|at| reply.starts_with(&format!("({at}/7) ")));
    let is_last = reply.starts_with("Is everything right?\n\n👤 ");
    if is_next || is_last || PASSING.iter().any(|it| reply.starts_with(it)) {
        return Some(Entry::Passing);
    }
    if reply.starts_with("💬 <b>") {
        return Some(Entry::Relay);
    }
    if reply == "The conversation has ended." {
        return Some(Entry::Conversation);
    }
    if let Some((no, rest)) = reply.strip_prefix("Order ").and_then(|it| it.split_once(' ')) {
        let no = no.parse().ok()?;
        return match rest {
            _ if rest.starts_with("is created") => Some(Entry::Order(no)),
            _ if rest.starts_with("is closed: ") => Some(Entry::Report(no)),
            _ => None,
        };
    }
    let kept = reply.strip_prefix("Thank you! ")?;
    let (count, rest) = match kept.strip_prefix("A photo") {
        Some(rest) => (1, rest),
        None => {
            let (count, rest) = kept.split_once(" photos")?;
            (count.parse().ok()?, rest)
        }
    };
    let caption = rest.strip_prefix(": “").and_then(|it| it.strip_suffix("”."));
    let is_plain = rest == " without a caption.";
    (is_plain || caption.is_some()).then(|| Entry::Photos(count, caption.map(str::to_owned)))
}

/// Of several introductions of one person the last one stands.
pub(super) fn overwrite(entries: &mut [Entry]) {
    let is_one = |entry: &&mut Entry| matches!(entry, Entry::Introduced(_));
    for earlier in entries.iter_mut().rev().filter(is_one).skip(1) {
        *earlier = Entry::Passing;
    }
}

/// Holds what is written against what was confirmed: a line that is missing is lost, one too many is doubled.
pub(super) fn compare(confirmed: &[Line], written: &[Line]) -> Verdict {
    let mut counts: BTreeMap<&Line, i64> = BTreeMap::new();
    for line in written {
        *counts.entry(line).or_default() += 1;
    }
    for line in confirmed {
        *counts.entry(line).or_default() -= 1;
    }
    let mut verdict = Verdict::default();
    for (line, surplus) in counts.into_iter().filter(|(_, surplus)| *surplus != 0) {
        let count = surplus.unsigned_abs() as usize;
        match surplus < 0 {
            true => verdict.lost += count,
            false => verdict.doubled += count,
        }
        verdict.complaints.push(format!("{surplus:+}: {line:?}"));
    }
    verdict.effects = confirmed.len() - verdict.lost;
    verdict.complaints.truncate(10);
    verdict
}

#[cfg(test)]
mod tests {
    use crate::support::coupon_bot::yours;
    use crate::support::world::{ASKED, thanks};

    use super::*;

    fn photos(count: i64, caption: &str) -> Entry {
        Entry::Photos(count, Some(caption.to_owned()))
    }

    #[test]
    fn a_reply_tells_what_was_written() {
        assert_eq!(confirmed(&thanks("5-1")), Some(photos(1, "5-1")));
        let album = "Thank you! 3 photos: “5-2”.";
        assert_eq!(confirmed(album), Some(photos(3, "5-2")));
        let plain = "Thank you! A photo without a caption.";
        assert_eq!(confirmed(plain), Some(Entry::Photos(1, None)));
        let coupon = Entry::Coupon("5-3".to_owned());
        assert_eq!(confirmed(&yours("5-3")), Some(coupon));
        let introduced = Entry::Introduced("5-4".to_owned());
        assert_eq!(confirmed("Thank you, 5-4! Now we know you."), Some(introduced));
        for answered in ["(1/7) What?", "(7/7) What?", "Is everything right?\n\n👤 5-4"] {
            assert_eq!(confirmed(answered), Some(Entry::Passing), "{answered}");
        }
        let created = "Order 12 is created and given to Ivan.";
        assert_eq!(confirmed(created), Some(Entry::Order(12)));
        let closed = "Order 12 is closed: 1,500.00 ₽. Thank you!";
        assert_eq!(confirmed(closed), Some(Entry::Report(12)));
        let passed = "💬 <b>Ivan</b>: Under the mat";
        assert_eq!(confirmed(passed), Some(Entry::Relay));
        let ended = "The conversation has ended.";
        assert_eq!(confirmed(ended), Some(Entry::Conversation));
        for nothing in [
            "Ivan has ended the conversation. To ask something else: /support.",
            "What would you like to ask? Write it, or send a photo.",
            ASKED,
            "Cancelled: 📷 Photo.",
            "#1 5f 5-4",
            "3 photos.",
            "Order 12. How much did the client pay?",
            "<b>Order 12 is yours</b>",
        ] {
            assert_eq!(confirmed(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn the_last_introduction_stands() {
        let [first, last] = ["5-1", "5-2"].map(|name| Entry::Introduced(name.to_owned()));
        let mut entries = [Entry::Passing, first, Entry::Person, last.clone()];
        overwrite(&mut entries);
        assert_eq!(entries, [Entry::Passing, Entry::Passing, Entry::Person, last]);
    }

    fn judged(confirmed: &[Line], written: &[Line]) -> (usize, usize, usize) {
        let verdict = compare(confirmed, written);
        (verdict.effects, verdict.lost, verdict.doubled)
    }

    #[test]
    fn books_that_are_right_are_well() {
        let lines = [(5, Entry::Person), (5, photos(1, "a")), (5, photos(1, "a"))];
        assert_eq!(judged(&lines, &lines), (3, 0, 0));
    }

    #[test]
    fn a_line_that_is_missing_is_found() {
        let lines = [(5, Entry::Person), (5, photos(1, "a"))];
        assert_eq!(judged(&lines, &lines[..1]), (1, 1, 0));
    }

    #[test]
    fn a_line_too_many_is_found() {
        let lines = [(5, Entry::Person), (5, Entry::Person)];
        assert_eq!(judged(&lines[..1], &lines), (1, 0, 1));
        assert_eq!(judged(&[], &lines[..1]), (0, 0, 1));
    }

    #[test]
    fn what_is_another_persons_or_has_a_part_too_few_is_found() {
        assert_eq!(judged(&[(5, Entry::Person)], &[(6, Entry::Person)]), (0, 1, 1));
        assert_eq!(judged(&[(5, photos(3, "a"))], &[(5, photos(2, "a"))]), (0, 1, 1));
    }
}
