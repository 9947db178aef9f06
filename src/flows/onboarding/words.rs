//! What newcomers are asked, and what they look over at the end.

use super::{Profile, Question};
use crate::flows::key;
use steadfast::dialogue::prelude::*;

/// What many do, as buttons; anything else can be typed.
pub(super) const TRADES: [&str; 4] =
    ["onboarding-plumber", "onboarding-electrician", "onboarding-appliances", "onboarding-cleaner"];

/// A question, with how far it is.
pub(super) fn question(question: Question) -> Prompt {
    asked(question, key("onboarding-ask", question.name()))
}

/// A question in these words, with how far it is.
pub(super) fn asked(question: Question, words: Text) -> Prompt {
    let before = Question::ALL.iter().take_while(|it| **it != question);
    say(text("onboarding-question")
        .with("at", before.count() + 1)
        .with("of", Question::ALL.len())
        .with("question", words))
}

/// All of it, and a way to change each answer by itself.
pub(super) fn confirm(profile: &Profile) -> Prompt {
    let yes = say(profile.told("onboarding-summary")).choice("onboarding-confirm", "yes");
    Question::ALL.chunks(2).fold(yes, |ask, pair| {
        let change = |field: &Question| {
            let field = field.name();
            choice(text("onboarding-change").with("field", key("onboarding-field", field)), field)
        };
        ask.row(pair.iter().map(change))
    })
}
