//! Where a newcomer is, by what they have said.

use super::{OnboardingFlow, Profile, Question};
use steadfast::dialogue::prelude::*;

impl OnboardingFlow {
    /// The state that asks the first question without an answer.
    pub(super) fn at(profile: Profile) -> Self {
        match profile.next() {
            Some(question) => Self::about(question, profile),
            None => Self::Confirm(profile),
        }
    }

    /// The state that asks this question, whose answer stays as it is until there is a new one.
    pub(super) fn about(question: Question, profile: Profile) -> Self {
        match question {
            Question::Name => Self::Name(profile),
            Question::Phone => Self::Phone(profile),
            Question::City => Self::City(profile),
            Question::Trade => Self::Trade(profile),
            Question::Experience => Self::Experience(profile),
            Question::Car => Self::Car(profile),
            Question::About => Self::About(profile),
        }
    }

    /// The question that this state asks; none where all of them are looked over.
    pub(super) fn question(&self) -> Option<Question> {
        match self {
            Self::Name(_) => Some(Question::Name),
            Self::Phone(_) => Some(Question::Phone),
            Self::City(_) => Some(Question::City),
            Self::Trade(_) => Some(Question::Trade),
            Self::Experience(_) => Some(Question::Experience),
            Self::Car(_) => Some(Question::Car),
            Self::About(_) => Some(Question::About),
            Self::Confirm(_) => None,
        }
    }

    /// What was said so far, but for what is being asked: whoever takes it up asks that.
    pub(super) fn said(&self) -> Profile {
        let profile = self.profile().clone();
        match self.question() {
            Some(question) => profile.without(question),
            None => profile,
        }
    }

    /// The answer was taken but could not be written, and nothing was asked since: so it is asked now, without writing it once more.
    pub(super) fn not_kept(self, turn: &Turn) -> Step<Self> {
        let question = self.ask(turn);
        keep(self).say("onboarding-not-kept").prompt(question)
    }

    /// Goes on where the lost dialogue was, with this message as the answer. Nobody can tell what a button of it was meant for, so
    /// who has pressed one is asked again.
    pub(super) fn restored(profile: Profile, turn: &Turn) -> Step<Self> {
        let state = Self::at(profile);
        match state.clone().answer(turn) {
            Ok(step) => step,
            Err(_) if matches!(turn.input, Input::Press(_)) => goto(state),
            Err(Hint(words)) => goto(state).say(words),
        }
    }

    /// What was said so far.
    pub(super) fn profile(&self) -> &Profile {
        match self {
            Self::Name(profile)
            | Self::Phone(profile)
            | Self::City(profile)
            | Self::Trade(profile)
            | Self::Experience(profile)
            | Self::Car(profile)
            | Self::About(profile)
            | Self::Confirm(profile) => profile,
        }
    }
}
