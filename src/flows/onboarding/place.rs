//! Where a newcomer is, by what they have said.

use super::{OnboardingFlow, Profile, Question};
use crate::dialogue::prelude::*;

impl OnboardingFlow {
    /// The state that asks the first question without an answer.
    pub(super) fn at(profile: Profile) -> Self {
        match profile.next() {
            Some(Question::Name) => Self::Name(profile),
            Some(Question::Phone) => Self::Phone(profile),
            Some(Question::City) => Self::City(profile),
            Some(Question::Trade) => Self::Trade(profile),
            Some(Question::Experience) => Self::Experience(profile),
            Some(Question::Car) => Self::Car(profile),
            Some(Question::About) => Self::About(profile),
            None => Self::Confirm(profile),
        }
    }

    /// Goes on where the lost dialogue was, with this message as the answer.
    pub(super) fn restored(profile: Profile, turn: &Turn) -> Step<Self> {
        let state = Self::at(profile);
        match state.clone().answer(turn) {
            Ok(step) => step,
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
