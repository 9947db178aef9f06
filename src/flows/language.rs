//! The language that the bot speaks with somebody, whatever their app is set to.
//!
//! ```text
//! /language                     → Which language shall we speak?  [English] [Русский]
//! ‹Русский›                     → Теперь говорю по-русски.
//! ```

use steadfast::dialogue::prelude::*;
use steadfast::records::person::ChooseLanguage;

/// The languages there are, each by its own name: people look for theirs.
const LANGUAGES: [(&str, &str); 2] = [("language-en", "en"), ("language-ru", "ru")];

/// The language that the bot speaks with somebody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum LanguageFlow {
    /// Which.
    Which,
}

impl Flow for LanguageFlow {
    const NAME: &'static str = "language";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Which))
    }

    fn ask(&self, _: &Context) -> Prompt {
        let languages = LANGUAGES.map(|(name, language)| choice(name, language));
        say("language-ask").row(languages)
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        let chosen = turn.choice("language-hint")?;
        let known = LANGUAGES.iter().find(|(_, language)| *language == chosen);
        let (_, language) = *known.ok_or_else(|| hint("language-hint"))?;
        let language = language.to_owned();
        Ok(done()
            .record(ChooseLanguage { language: language.clone() })
            .speak(language)
            .say("language-done"))
    }

    /// Nothing was said that would be lost, and `/language` asks again.
    fn expire(self, _: &Context) -> Step<Self> {
        done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows;

    #[test]
    fn a_person_chooses_the_language_and_hears_it_at_once() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.types("/language").at("language/which").hears("Which language");
        chat.types("Russian").at("language/which").hears("button");
        chat.presses("Русский").at("idle").hears("по-русски");
        let language = "ru".to_owned();
        chat.records(ChooseLanguage { language });
        chat.types("/language").hears("На каком языке");
        chat.presses("English").hears("English");
    }

    #[test]
    fn a_question_that_is_left_alone_is_let_go_in_silence() {
        let bot = flows::all();
        let mut chat = TestChat::new(&bot, flows::edges());
        chat.types("/language").waits(Duration::from_secs(3601));
        chat.at("idle").hears_nothing();
        assert!(chat.dialogue().parked.is_empty());
    }
}
