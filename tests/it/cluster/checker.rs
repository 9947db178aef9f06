//! Proves of each person's history that every acknowledged update had exactly one effect, and in order. Pure, so that it can be
//! shown to fail.

use std::collections::HashMap;

use crate::support::chain_bot::{link, shown};

/// How a link of a chain was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// In words. Those of one chat come in their order.
    Words,
    /// By a button.
    Press,
    /// By a button, at the same instant as words: it counts unless the words were first.
    RacingPress,
}

/// Something that is to become a link of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) update: i64,
    pub(super) way: Way,
    pub(super) item: String,
    /// Telegram was told that it is taken.
    pub(super) acknowledged: bool,
}

/// A message that somebody should hear: one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expected(pub(super) Vec<String>);

impl From<String> for Expected {
    fn from(text: String) -> Self {
        Self(vec![text])
    }
}

impl From<&str> for Expected {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// What became of the updates of one person, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Effects that were found and should be.
    pub(super) effects: usize,
    /// Acknowledged, and without any effect.
    pub(super) lost: usize,
    /// More than one effect of one update, or an effect of none.
    pub(super) doubled: usize,
    /// In another order than they were said.
    pub(super) swapped: usize,
    /// What is wrong, in words, the first few.
    pub(super) complaints: Vec<String>,
}

impl Verdict {
    pub(super) fn is_well(&self) -> bool {
        (self.lost, self.doubled, self.swapped) == (0, 0, 0)
    }

    pub(super) fn add(&mut self, other: Self) {
        self.effects += other.effects;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.swapped += other.swapped;
        self.complaints.extend(other.complaints);
        self.complaints.truncate(10);
    }

    fn complain(&mut self, words: String) {
        self.complaints.push(words);
    }
}

/// A chain: what was said, the messages that came of it without repeats, and the record that is kept. The first message is the
/// beginning of the chain.
pub(super) fn chain(said: &[Said], heard: &[String], kept: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let items = links(heard, &mut verdict);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for item in &items {
        *counts.entry(item).or_default() += 1;
    }
    for said in said {
        let count = counts.remove(said.item.as_str()).unwrap_or_default();
        verdict.effects += count.min(1);
        verdict.doubled += count.saturating_sub(1);
        if count == 0 && said.acknowledged && said.way != Way::RacingPress {
            verdict.lost += 1;
            verdict.complain(format!("lost: {said:?}"));
        }
        if count > 1 {
            verdict.complain(format!("{count} times: {said:?}"));
        }
    }
    for (item, _) in counts {
        verdict.doubled += 1;
        verdict.complain(format!("nobody said {item}"));
    }
    let spoken = said.iter().filter(|it| it.way == Way::Words);
    let in_order: Vec<&str> = spoken.map(|it| it.item.as_str()).collect();
    let applied = items.iter().filter(|item| in_order.contains(&item.as_str()));
    let there: Vec<&str> = applied.map(String::as_str).collect();
    let wanted = in_order.iter().filter(|item| there.contains(item));
    if !there.iter().eq(wanted) && verdict.doubled == 0 {
        verdict.swapped += 1;
        verdict.complain(format!("{there:?} were said as {in_order:?}"));
    }
    if !heard.last().is_some_and(|last| kept.contains(&record_of(last))) {
        verdict.lost += 1;
        verdict.complain(format!("the last link {:?} is not in {kept}", heard.last()));
    }
    verdict
}

/// What is kept of a chain whose last message is this.
fn record_of(message: &str) -> String {
    let mut parts = message.trim_start_matches('#').split(' ');
    let count = parts.next().unwrap_or_default();
    let hash = parts.next().unwrap_or_default();
    format!("\"count\":{count},\"hash\":\"{hash}\"")
}

/// The items of a chain, link by link. A link that does not fit to the one before is one too many.
fn links(heard: &[String], verdict: &mut Verdict) -> Vec<String> {
    let (mut hash, mut items) = (String::new(), Vec::new());
    for (count, message) in heard.iter().enumerate() {
        let item = message.splitn(3, ' ').nth(2).unwrap_or_default();
        if count > 0 {
            hash = link(&hash, item);
            items.push(item.to_owned());
        }
        if *message != shown(count as u64, &hash, item) {
            verdict.swapped += 1;
            verdict.complain(format!("link {count} is {message}"));
            // From here on the chain goes on as it stands, lest every later link is blamed.
            hash = message.split(' ').nth(1).unwrap_or_default().to_owned();
        }
    }
    items
}

/// A dialogue whose messages are known beforehand, without repeats.
pub(super) fn dialogue(expected: &[Expected], heard: &[String]) -> Verdict {
    let mut verdict = Verdict::default();
    let fits = |(expected, heard): (&Expected, &String)| expected.0.contains(heard);
    if expected.len() == heard.len() && expected.iter().zip(heard).all(fits) {
        verdict.effects = heard.len();
        return verdict;
    }
    let mut left: Vec<&String> = heard.iter().collect();
    for one in expected {
        match left.iter().position(|heard| one.0.contains(heard)) {
            Some(place) => {
                left.remove(place);
                verdict.effects += 1;
            }
            None => verdict.lost += 1,
        }
    }
    verdict.doubled = left.len();
    verdict.swapped = usize::from(verdict.is_well());
    let differ = expected.iter().zip(heard).position(|pair| !fits(pair));
    let at = differ.unwrap_or(expected.len().min(heard.len()));
    let part = |len: usize| at.saturating_sub(2)..(at + 3).min(len);
    verdict.complain(format!(
        "from message {at} on: expected {:?}, heard {:?}",
        &expected[part(expected.len())],
        &heard[part(heard.len())]
    ));
    verdict
}

/// Messages that nobody else's are like, in any order: which of them come depends on who was there first.
pub(super) fn at_most_once(mut heard: Vec<String>) -> Verdict {
    let count = heard.len();
    heard.sort();
    heard.dedup();
    let mut verdict = Verdict { doubled: count - heard.len(), ..Verdict::default() };
    if verdict.doubled > 0 {
        verdict.complain(format!("{} of {count} came twice", verdict.doubled));
    }
    verdict
}

/// Several dialogues in one chat, each of whose messages are in order and in no other dialogue.
pub(super) fn threads(expected: &[Vec<Expected>], heard: &[String]) -> Verdict {
    let mut verdict = Verdict::default();
    let mut left: Vec<&String> = heard.iter().collect();
    for thread in expected {
        let is_its = |message: &&String| thread.iter().any(|one| one.0.contains(message));
        let (its, others): (Vec<&String>, Vec<&String>) = left.into_iter().partition(is_its);
        let its: Vec<String> = its.into_iter().cloned().collect();
        verdict.add(dialogue(thread, &its));
        left = others;
    }
    verdict.doubled += left.len();
    let stray = left.first().map(|message| format!("nobody expected {message}"));
    verdict.complaints.extend(stray);
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(items: &[&str]) -> Vec<Said> {
        let said = items.iter().map(|item| Said {
            update: 1,
            way: Way::Words,
            item: (*item).to_owned(),
            acknowledged: true,
        });
        said.collect()
    }

    /// What a bot says that takes these in this order.
    fn heard(items: &[&str]) -> Vec<String> {
        let (mut hash, mut heard) = (String::new(), vec![shown(0, "", "")]);
        for (place, item) in items.iter().enumerate() {
            hash = link(&hash, item);
            heard.push(shown(place as u64 + 1, &hash, item));
        }
        heard
    }

    /// What is kept where this is the last message.
    fn kept(heard: &[String]) -> String {
        let record = record_of(heard.last().expect("a message"));
        format!("{{\"at\":\"next\",{record},\"item\":\"\"}}")
    }

    fn judged(items: &[&str], taken: &[&str]) -> (usize, usize, usize) {
        let heard = heard(taken);
        let verdict = chain(&said(items), &heard, &kept(&heard));
        (verdict.lost, verdict.doubled, verdict.swapped)
    }

    #[test]
    fn a_history_in_order_is_well() {
        assert_eq!(judged(&["a", "b", "c"], &["a", "b", "c"]), (0, 0, 0));
        let heard = heard(&["a", "b"]);
        let well = chain(&said(&["a", "b"]), &heard, &kept(&heard));
        assert_eq!((well.effects, well.is_well()), (2, true));
    }

    #[test]
    fn a_loss_is_found() {
        assert_eq!(judged(&["a", "b", "c"], &["a", "c"]), (1, 0, 0));
    }

    #[test]
    fn what_was_never_acknowledged_is_no_loss() {
        let mut said = said(&["a", "b"]);
        said[1].acknowledged = false;
        let heard = heard(&["a"]);
        assert!(chain(&said, &heard, &kept(&heard)).is_well());
    }

    #[test]
    fn a_double_is_found() {
        assert_eq!(judged(&["a", "b"], &["a", "a", "b"]), (0, 1, 0));
        assert_eq!(judged(&["a"], &["a", "from nobody"]), (0, 1, 0));
    }

    #[test]
    fn a_swap_is_found() {
        assert_eq!(judged(&["a", "b", "c"], &["b", "a", "c"]), (0, 0, 1));
    }

    #[test]
    fn messages_in_another_order_than_their_links_are_found() {
        let mut heard = heard(&["a", "b", "c"]);
        heard.swap(1, 2);
        let verdict = chain(&said(&["a", "b", "c"]), &heard, &kept(&heard));
        assert!(verdict.swapped > 0, "{verdict:?}");
    }

    #[test]
    fn a_reply_that_was_never_sent_is_found() {
        let mut heard = heard(&["a", "b", "c"]);
        heard.remove(2);
        assert!(!chain(&said(&["a", "b", "c"]), &heard, &kept(&heard)).is_well());
    }

    #[test]
    fn a_record_that_is_not_that_of_the_last_link_is_found() {
        let (heard, older) = (heard(&["a", "b"]), heard(&["a"]));
        for kept in [kept(&older), kept(&older[..1]), String::new()] {
            assert_eq!(chain(&said(&["a", "b"]), &heard, &kept).lost, 1, "{kept}");
        }
    }

    #[test]
    fn a_chain_that_has_only_begun_is_well() {
        assert_eq!(judged(&[], &[]), (0, 0, 0));
        let kept = kept(&heard(&["a"]));
        assert_eq!(chain(&[], &heard(&[]), &kept).lost, 1);
        assert_eq!(chain(&[], &[], &kept).lost, 1, "it has not begun");
    }

    #[test]
    fn a_press_at_the_same_instant_as_words_may_be_too_late_but_not_come_twice() {
        let mut said = said(&["a", "press-0"]);
        said[1].way = Way::RacingPress;
        for (taken, well) in [
            (vec!["a"], true),
            (vec!["press-0", "a"], true),
            (vec!["press-0", "press-0", "a"], false),
        ] {
            let heard = heard(&taken);
            let verdict = chain(&said, &heard, &kept(&heard));
            assert_eq!(verdict.is_well(), well, "{taken:?}: {verdict:?}");
        }
    }

    fn of_dialogue(expected: &[&str], heard: &[&str]) -> (usize, usize, usize) {
        let expected: Vec<Expected> = expected.iter().map(|it| Expected::from(*it)).collect();
        let heard: Vec<String> = heard.iter().map(|it| (*it).to_owned()).collect();
        let verdict = dialogue(&expected, &heard);
        (verdict.lost, verdict.doubled, verdict.swapped)
    }

    #[test]
    fn a_dialogue_is_held_against_what_was_expected() {
        assert_eq!(of_dialogue(&["a", "b"], &["a", "b"]), (0, 0, 0));
        assert_eq!(of_dialogue(&["a", "b"], &["a"]), (1, 0, 0));
        assert_eq!(of_dialogue(&["a", "b"], &["a", "a", "b"]), (0, 1, 0));
        assert_eq!(of_dialogue(&["a", "b"], &["b", "a"]), (0, 0, 1));
        let either = Expected(vec!["a".to_owned(), "b".to_owned()]);
        assert!(dialogue(&[either], &["b".to_owned()]).is_well());
    }

    #[test]
    fn what_comes_twice_is_doubled_in_whatever_order() {
        let heard = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect();
        assert!(at_most_once(heard(&["b", "a"])).is_well());
        assert_eq!(at_most_once(heard(&["b", "a", "b"])).doubled, 1);
    }

    #[test]
    fn of_several_dialogues_in_a_chat_each_is_in_order() {
        let thread = |texts: &[&str]| texts.iter().map(|it| Expected::from(*it)).collect();
        let expected: [Vec<Expected>; 2] = [thread(&["a1", "a2"]), thread(&["b1"])];
        let judged = |heard: &[&str]| {
            let heard: Vec<String> = heard.iter().map(|it| (*it).to_owned()).collect();
            let verdict = threads(&expected, &heard);
            (verdict.lost, verdict.doubled, verdict.swapped)
        };
        assert_eq!(judged(&["a1", "b1", "a2"]), (0, 0, 0));
        assert_eq!(judged(&["b1", "a1", "a2"]), (0, 0, 0));
        assert_eq!(judged(&["a2", "b1", "a1"]), (0, 0, 1));
        assert_eq!(judged(&["a1", "a2"]), (1, 0, 0));
        assert_eq!(judged(&["a1", "b1", "b1", "a2"]), (0, 1, 0));
        assert_eq!(judged(&["a1", "b1", "c1", "a2"]), (0, 1, 0));
    }
}
