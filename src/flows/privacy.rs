//! What is kept of people, for how long, and whom to ask to be forgotten.
//!
//! ```text
//! /privacy                      → What I keep of you, and for how long: …
//! ```

use crate::dialogue::prelude::*;

/// What is kept of people. It is over at once, so it has no states to wait in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum PrivacyFlow {}

impl Flow for PrivacyFlow {
    const NAME: &'static str = "privacy";
    const IN_MENU: bool = false;

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| done().say("privacy"))
    }

    fn ask(&self, _: &View) -> Prompt {
        match *self {}
    }

    fn answer(self, _: &Turn) -> Answer<Self> {
        match self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows;

    #[test]
    fn everybody_can_ask_what_is_kept_of_them_whatever_is_under_way() {
        let bot = flows::all();
        let mut chat = Transcript::new(&bot, flows::edges());
        chat.types("/privacy")
            .at("idle")
            .hears("What I keep of you")
            .button("🏠 Main menu");
        chat.types("/photo").at("photo/shot");
        chat.types("/privacy").at("photo/shot").hears("48 hours");
        chat.types("/help").hears("/privacy").hears("/language");
    }

    #[test]
    fn it_is_told_in_russian_too() {
        let bot = flows::all();
        let mut chat = Transcript::new(&bot, flows::edges());
        chat.types("/language").presses("Русский");
        chat.types("/privacy").hears("48 часов");
    }

    #[test]
    fn a_company_that_downloads_photos_says_so() {
        for (language, kept, not_kept) in [
            ("en", "downloaded", "not the pictures themselves"),
            ("ru", "скачиваются", "не сами снимки"),
        ] {
            let says = |bot: &Repertoire, words: &str| {
                let mut chat = Transcript::new(bot, flows::edges()).in_language(language);
                chat.types("/privacy").hears(words).hears("Telegram");
            };
            says(&flows::all(), not_kept);
            says(&flows::keeping_photos(flows::all()), kept);
        }
    }
}
