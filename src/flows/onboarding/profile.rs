//! What a newcomer has said of themselves so far.

use serde::{Deserialize, Serialize};

use super::TRADES;
use steadfast::dialogue::{Text, text};

/// What is asked, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The full name.
    Name,
    /// The phone number.
    Phone,
    /// Where they live.
    City,
    /// What they do.
    Trade,
    /// For how many years.
    Experience,
    /// Whether they have a car.
    Car,
    /// Anything else.
    About,
}

impl Question {
    /// Every question, in their order.
    pub const ALL: [Self; 7] = [
        Self::Name,
        Self::Phone,
        Self::City,
        Self::Trade,
        Self::Experience,
        Self::Car,
        Self::About,
    ];

    /// Its name: in texts and on buttons.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Phone => "phone",
            Self::City => "city",
            Self::Trade => "trade",
            Self::Experience => "experience",
            Self::Car => "car",
            Self::About => "about",
        }
    }

    /// The question of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.name() == name)
    }
}

/// What a newcomer has said of themselves so far; what was not asked yet is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Profile {
    /// The full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The phone number, as it can be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// Where they live.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// What they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trade: Option<String>,
    /// For how many years.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experience: Option<u8>,
    /// Whether they have a car.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub car: Option<bool>,
    /// Anything else; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Profile {
    /// The first question without an answer; none when all are answered.
    pub fn next(&self) -> Option<Question> {
        Question::ALL.into_iter().find(|question| !self.has(*question))
    }

    fn has(&self, question: Question) -> bool {
        match question {
            Question::Name => self.name.is_some(),
            Question::Phone => self.phone.is_some(),
            Question::City => self.city.is_some(),
            Question::Trade => self.trade.is_some(),
            Question::Experience => self.experience.is_some(),
            Question::Car => self.car.is_some(),
            Question::About => self.about.is_some(),
        }
    }

    /// The same without the answer to this question, which is asked again.
    #[must_use]
    pub fn without(mut self, question: Question) -> Self {
        match question {
            Question::Name => self.name = None,
            Question::Phone => self.phone = None,
            Question::City => self.city = None,
            Question::Trade => self.trade = None,
            Question::Experience => self.experience = None,
            Question::Car => self.car = None,
            Question::About => self.about = None,
        }
        self
    }

    /// What they do: one of the buttons, in the reader's language, or what they typed.
    fn trade(&self) -> Text {
        let trade = self.trade.clone().unwrap_or_default();
        let known = TRADES.into_iter().find(|known| *known == trade);
        known.map_or_else(|| text(trade), text)
    }

    fn about(&self) -> Text {
        match self.about.as_deref() {
            None | Some("") => text("onboarding-skip"),
            Some(about) => text(about.to_owned()),
        }
    }

    /// A text that tells all of it: for them to look over, or for others to read.
    pub fn told(&self, key: &'static str) -> Text {
        text(key).with("profile", self.lines())
    }

    fn lines(&self) -> Text {
        let word = |answer: &Option<String>| answer.clone().unwrap_or_default();
        let car = match self.car {
            Some(true) => "onboarding-yes",
            Some(false) | None => "onboarding-no",
        };
        text("onboarding-profile")
            .with("name", word(&self.name))
            .with("phone", word(&self.phone))
            .with("city", word(&self.city))
            .with("trade", self.trade())
            .with("experience", i64::from(self.experience.unwrap_or_default()))
            .with("car", text(car))
            .with("about", self.about())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_come_in_order_and_a_dropped_answer_is_asked_for_again() {
        let mut profile = Profile::default();
        assert_eq!(profile.next(), Some(Question::Name));
        profile.name = Some("Anna".into());
        assert_eq!(profile.next(), Some(Question::Phone));
        assert_eq!(profile.without(Question::Name).next(), Some(Question::Name));
    }

    #[test]
    fn a_question_is_found_by_its_name() {
        for question in Question::ALL {
            assert_eq!(Question::named(question.name()), Some(question));
        }
        assert_eq!(Question::named("king"), None);
    }
}
